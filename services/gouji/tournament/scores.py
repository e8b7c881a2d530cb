"""What the rounds brought each entrant. Pure."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from gouji.tournament.lineups import first_sits_even
from gouji.tournament.matchpoints import AVERAGE, BYE, WHOLE, matchpoints
from gouji.tournament.tournament import Round, Sides, Tournament

Scores = tuple[int, int]
"""What the even and the odd seats of a table have of a board."""


@dataclass(frozen=True, slots=True)
class Outing:
    """One entrant's round: its score of ``most`` that there were to win, and against whom; a bye has no opponents."""

    score: int
    most: int
    opponents: tuple[int, ...] = ()

    @property
    def above_half(self) -> int:
        """Twice what it has above half of all."""
        return 2 * self.score - self.most


def board_scores(one: Round, board: int) -> dict[int, Scores]:
    """Give the scores of all tables of a board, by pairing.

    Compared are those that played the same hand of it: one that was voided is dealt anew, with other cards. A table
    without a result, or without any to be compared with, brings both sides the average; what a director gave stands
    instead, and such a table is compared with no other.
    """
    tables = {pairing: table for (pairing, on), table in one.tables.items() if on == board}
    made: dict[int, dict[int, int]] = {}
    for pairing, table in tables.items():
        if table.made and not table.ruled:
            made.setdefault(table.hand, {})[pairing] = table.made[0] - table.made[1]
    shares = {pairing: share for same in made.values() for pairing, share in matchpoints(same).items()}
    found: dict[int, Scores] = {}
    for pairing, table in tables.items():
        even = shares.get(pairing, AVERAGE)
        found[pairing] = table.ruled or (even, WHOLE - even)
    return found


def side_scores(one: Round) -> dict[int, Scores]:
    """Give what the first and the second side of each pairing have of all boards."""
    sums = dict.fromkeys(range(1, len(one.pairings) + 1), (0, 0))
    for board in one.boards:
        for pairing, (even, odd) in board_scores(one, board).items():
            first, second = (even, odd) if first_sits_even(board) else (odd, even)
            sums[pairing] = (sums[pairing][0] + first, sums[pairing][1] + second)
    return sums


def outings(one: Round) -> dict[int, Outing]:
    """Say what a round that is over brought each entrant."""
    boards = len(one.boards)
    most = boards * WHOLE
    found = {entrant: Outing(boards * BYE, most) for entrant in one.byes}
    for pairing, (first, second) in side_scores(one).items():
        sides = one.pairings[pairing - 1]
        for own, other, score in ((sides.first, sides.second, first), (sides.second, sides.first, second)):
            found |= {entrant: Outing(score, most, other) for entrant in own}
    for entrant, score in one.no_shows.items():
        found[entrant] = Outing(score * boards, most, found[entrant].opponents)
    return found


def courses(event: Tournament, rounds: Iterable[Round]) -> dict[int, list[Outing]]:
    """List what each entrant that was to play made of these rounds, in order."""
    found: dict[int, list[Outing]] = {number: [] for number in event.playing}
    for one in rounds:
        for entrant, outing in outings(one).items():
            found[entrant].append(outing)
    return found


@dataclass(frozen=True, slots=True)
class Past:
    """Who has met whom so far, and how often; who has had a bye, and how often a team had the even seats first."""

    together: Mapping[tuple[int, int], int]
    against: Mapping[tuple[int, int], int]
    byes: Mapping[int, int]
    firsts: Mapping[int, int]


def past_of(rounds: Iterable[Round]) -> Past:
    """Count who met whom in these rounds; pairs are in order of number."""
    together: dict[tuple[int, int], int] = {}
    against: dict[tuple[int, int], int] = {}
    byes: dict[int, int] = {}
    firsts: dict[int, int] = {}
    for one in rounds:
        for entrant in one.byes:
            byes[entrant] = byes.get(entrant, 0) + 1
        for sides in one.pairings:
            _count(together, against, sides)
            for entrant in sides.first:
                firsts[entrant] = firsts.get(entrant, 0) + 1
    return Past(together, against, byes, firsts)


def _count(together: dict[tuple[int, int], int], against: dict[tuple[int, int], int], sides: Sides) -> None:
    for side in (sides.first, sides.second):
        for one in side:
            for other in side:
                if one < other:
                    together[one, other] = together.get((one, other), 0) + 1
    for one in sides.first:
        for other in sides.second:
            pair = pair_of(one, other)
            against[pair] = against.get(pair, 0) + 1


def pair_of(one: int, other: int) -> tuple[int, int]:
    """Name two entrants in order."""
    return (one, other) if one < other else (other, one)
