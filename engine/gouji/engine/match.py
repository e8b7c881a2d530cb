"""A match: hands that follow one another at one table with fixed seats (R3.1, R3.2)."""

import hashlib
from dataclasses import dataclass

from gouji.engine.cards import SEATS
from gouji.engine.hand import Hand
from gouji.engine.rules import RuleSet
from gouji.engine.tribute import Aftermath, is_sweep


@dataclass(frozen=True, slots=True)
class HandResult:
    """How a hand ended. All scores are zero and ``after`` is None when it was voided (R3.1, R9.1)."""

    scores: tuple[int, ...]
    team_scores: tuple[int, int] | None
    after: Aftermath | None
    first_leader: int
    digest: str

    @classmethod
    def of(cls, hand: Hand) -> "HandResult":
        """Take the result of a hand that is over."""
        return cls(hand.scores, hand.team_scores, hand.aftermath, hand.first_leader, hand.digest())

    @property
    def order(self) -> tuple[int, ...]:
        """Seats by place, head first; empty for a voided hand."""
        return self.after.order if self.after else ()

    @property
    def void(self) -> bool:
        """The hand is dealt anew and does not count."""
        return self.after is None


class Match:
    """The hands of one table so far. Pure: `deal` takes the seed, `record` the hand when it is over.

    A match ends after ``hands`` hands, or once a team (or seat) has ``target`` points, or by a sweep where
    `sweep_ends_match` says so. A voided hand is dealt anew and does not count.
    """

    def __init__(self, rules: RuleSet, *, hands: int | None = None, target: int | None = None) -> None:
        """Raise ValueError unless just one length is given."""
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
    def digest(self) -> str:
        """SHA-256 over the digests of all hands so far, voided ones included, in hexadecimal."""
        return hashlib.sha256("".join(result.digest for result in self.results).encode()).hexdigest()

    @property
    def over(self) -> bool:
        """No further hand is to be dealt."""
        played = self.played
        if self.rules["sweep_ends_match"] and self._swept:
            return True
        if self.hands is not None:
            return len(played) >= self.hands
        return max(self.team_scores or self.scores) >= (self.target or 0)

    def deal(self, seed: bytes, *, held: bool = False, history: bool = False) -> Hand:
        """Deal the next hand from a 32-byte seed, ``held`` and ``history`` as in `Hand.deal`.

        Raises ValueError when the match is over.
        """
        if self.over:
            raise ValueError("the match is over")
        return Hand.deal(
            self.rules,
            seed,
            self._leader(),
            held=held,
            after=self._before(),
            first_hand=not self.played,
            history=history,
        )

    def record(self, hand: Hand) -> HandResult:
        """Take in a hand that is over. Raises ValueError otherwise."""
        if not hand.over:
            raise ValueError("the hand is not over")
        result = HandResult.of(hand)
        self.results.append(result)
        return result

    @property
    def _swept(self) -> bool:
        """The last hand that counted was a sweep (R6.3)."""
        last = self.played[-1].after if self.played else None
        return last is not None and is_sweep(self.rules, last)

    def _before(self) -> Aftermath | None:
        """Give the hand before, as far as it leaves anything owed; a hand dealt anew has no tribute (R9.1)."""
        return self.results[-1].after if self.results else None

    def _leader(self) -> int | str:
        """Who leads the next hand's first trick, or how the deal decides it (R3.2)."""
        fresh = self._swept and self.rules["after_sweep"] == "fresh"
        if not self.played or (fresh and not self.results[-1].void):
            return str(self.rules["first_leader"])
        last = self.results[-1]
        if last.void:
            return last.first_leader
        if self.rules["later_leader"] == "head":
            return last.order[0]
        if self.rules["later_leader"] == "rotate":
            return (last.first_leader + 1) % SEATS
        return "show_threes"
