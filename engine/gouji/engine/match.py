"""A match: hands that follow one another at one table with fixed seats (R3.1, R3.2)."""

from dataclasses import dataclass

from gouji.engine.cards import SEATS
from gouji.engine.hand import Hand
from gouji.engine.rules import RuleSet


@dataclass(frozen=True, slots=True)
class HandResult:
    """How a hand ended. ``order`` is empty and all scores are zero when it was voided (R9.1)."""

    order: tuple[int, ...]
    scores: tuple[int, ...]
    team_scores: tuple[int, int] | None
    void: bool
    first_leader: int
    digest: str

    @classmethod
    def of(cls, hand: Hand) -> "HandResult":
        """Take the result of a hand that is over."""
        return cls(hand.order, hand.scores, hand.team_scores, hand.void, hand.first_leader, hand.digest())

    @property
    def swept(self) -> bool:
        """One team took the first three places (R6.3)."""
        return self.team_scores is not None and len({seat % 2 for seat in self.order[:3]}) == 1


class Match:
    """The hands of one table so far. Pure: `deal` takes the seed, `record` the hand when it is over.

    A match ends after ``hands`` hands, or once a team (or seat) has ``target`` points, or by a sweep where
    `sweep_ends_match` says so. A voided hand is dealt anew and does not count.
    """

    def __init__(self, rules: RuleSet, *, hands: int | None = None, target: int | None = None) -> None:
        """Raise `NotBuilt` for rules that cannot be dealt yet, ValueError unless just one length is given."""
        rules.require_built()
        if (hands is None) == (target is None) or (hands or target or 0) < 1:
            raise ValueError("a match takes either a number of hands or a target, at least 1")
        self.rules = rules
        self.hands = hands
        self.target = target
        self.results: list[HandResult] = []

    @property
    def dealt(self) -> int:
        """Hands dealt and ended so far, voided ones included."""
        return len(self.results)

    @property
    def played(self) -> list[HandResult]:
        """Results that count."""
        return [result for result in self.results if not result.void]

    @property
    def scores(self) -> tuple[int, ...]:
        """Points of the six seats so far."""
        return tuple(sum(result.scores[seat] for result in self.results) for seat in range(SEATS))

    @property
    def team_scores(self) -> tuple[int, int] | None:
        """Points of the even and the odd seats so far; None without teams."""
        if not self.rules["teams"]:
            return None
        pairs = [result.team_scores or (0, 0) for result in self.results]
        return sum(even for even, _ in pairs), sum(odd for _, odd in pairs)

    @property
    def over(self) -> bool:
        """No further hand is to be dealt."""
        played = self.played
        if self.rules["sweep_ends_match"] and played and played[-1].swept:
            return True
        if self.hands is not None:
            return len(played) >= self.hands
        return max(self.team_scores or self.scores) >= (self.target or 0)

    def deal(self, seed: bytes, *, held: bool = False) -> Hand:
        """Deal the next hand from a 32-byte seed, ``held`` as in `Hand.deal`.

        Raises ValueError when the match is over.
        """
        if self.over:
            raise ValueError("the match is over")
        return Hand.deal(self.rules, seed, self._leader(), held=held)

    def record(self, hand: Hand) -> HandResult:
        """Take in a hand that is over. Raises ValueError otherwise."""
        if not hand.over:
            raise ValueError("the hand is not over")
        result = HandResult.of(hand)
        self.results.append(result)
        return result

    def _leader(self) -> int | str:
        """Who leads the next hand's first trick, or how the deal decides it (R3.2)."""
        if not self.played:
            return str(self.rules["first_leader"])
        last = self.results[-1]
        if last.void:
            return last.first_leader
        if self.rules["later_leader"] == "head":
            return last.order[0]
        if self.rules["later_leader"] == "rotate":
            return (last.first_leader + 1) % SEATS
        return "show_threes"
