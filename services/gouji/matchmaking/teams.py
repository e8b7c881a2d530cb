"""Two teams of three out of six people and bots: who plays with whom, and who is likely to win. Pure.

Ratings and deviations are on the scale of scoring's ratings (openskill's: 25 and 25/3 for a newcomer), and
chances are those that its model predicts.
"""

from collections.abc import Sequence
from functools import cache
from itertools import combinations
from math import erf, sqrt
from typing import Final

SEATS: Final = 6
BETA: Final = 50 / 3
"""How far chance takes a team from its skill in one match, as scoring's model has it."""

Trio = tuple[int, int, int]


def win_chance(lead: float, variance: float) -> float:
    """Give the chance of a team whose ratings add up to ``lead`` more than the other's.

    ``variance`` is the sum of the squares of all six deviations.
    """
    return 0.5 + 0.5 * erf(lead / sqrt(2 * (2 * BETA * BETA + variance)))


def fairest(units: tuple[int, ...], people: int, ratings: Sequence[float]) -> Trio:
    """Choose the team of number 0 such that the chances are closest to even; the first of equals.

    Six are numbered through, first ``people`` people, then bots. ``units`` are the sizes of what stays
    together, in that order. People are spread over both teams as evenly as that allows. Raises ValueError
    when no split keeps the units whole.
    """
    half = sum(ratings) / 2
    return min(
        splits(units, people), key=lambda trio: abs(ratings[trio[0]] + ratings[trio[1]] + ratings[trio[2]] - half)
    )


@cache
def splits(units: tuple[int, ...], people: int) -> tuple[Trio, ...]:
    """List the teams that number 0 may have, as `fairest` says; none when the units cannot be kept whole."""
    owners = [owner for owner, size in enumerate(units) for _ in range(size)]
    whole = [trio for trio in _TRIOS if _keeps_whole(trio, owners)]
    lean = {trio: abs(2 * sum(number < people for number in trio) - people) for trio in whole}
    least = min(lean.values(), default=0)
    return tuple(trio for trio in whole if lean[trio] == least)


_TRIOS: Final[tuple[Trio, ...]] = tuple((0, *others) for others in combinations(range(1, SEATS), 2))


def _keeps_whole(trio: Trio, owners: Sequence[int]) -> bool:
    inside = {owners[number] for number in trio}
    return all((number in trio) == (owner in inside) for number, owner in enumerate(owners))
