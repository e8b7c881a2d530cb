"""Single players put into companies of six, two sides of three. Pure.

Nobody should have a team-mate twice, nor meet an opponent twice, as long as that can be avoided; in a Swiss event those
who sit together should stand near one another, and the two sides should be even. Sixes have no matching that is quickly
the best, so the companies are filled from the top of the standings, each with those nearby who have met the fewest of
it, and then players change between companies while that makes things better.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations
from typing import Final

from gouji.engine.cards import SEATS
from gouji.tournament.scores import Past, pair_of
from gouji.tournament.tournament import Sides

_WINDOW: Final = 24
"""Among how many of the next in the standings the members of a company are chosen."""

_AGAIN: Final = 1000
"""What it costs that two meet again, in places of the standings."""

_NEIGHBOURS: Final = 4
"""With how many of the companies that follow players are changed."""

_PASSES: Final = 3
"""How often all companies are gone through for changes."""

_MATES_AGAIN: Final = 100
"""What it costs that two are team-mates again, in places of the standings between the sides."""

_SPLITS: Final = tuple((0, *pair) for pair in combinations(range(1, SEATS), 2))
"""The ways to divide six into two sides, by the side of the first."""


def companies(order: Sequence[int], past: Past, *, near: bool) -> list[Sides]:
    """Seat players, a multiple of six, who stand in this order; without ``near`` it does not matter who is near."""
    seating = _Seating(order, past, near=near)
    groups = seating.improved(seating.filled())
    return [_divided([order[place] for place in sorted(group)], past) for group in groups]


class _Seating:
    """What it costs to have players in one company. Players are named by their place in the order."""

    def __init__(self, order: Sequence[int], past: Past, *, near: bool) -> None:
        self._order = order
        self._past = past
        self._near = near

    def cost(self, one: int, other: int) -> int:
        """Say what it costs that these two sit together."""
        pair = pair_of(self._order[one], self._order[other])
        met = self._past.together.get(pair, 0) + self._past.against.get(pair, 0)
        return _AGAIN * met * met + (abs(one - other) if self._near else 0)

    def filled(self) -> list[list[int]]:
        """Fill companies from the top."""
        left = list(range(len(self._order)))
        groups = []
        while left:
            group = [left.pop(0)]
            while len(group) < SEATS:
                window = left[:_WINDOW] if self._near else left
                best = min(window, key=lambda place: (sum(self.cost(place, one) for one in group), place))
                left.remove(best)
                group.append(best)
            groups.append(group)
        return groups

    def improved(self, groups: list[list[int]]) -> list[list[int]]:
        """Change players between companies while that costs less."""
        for _ in range(_PASSES):
            if not sum(self._change(one, other) for one, other in self._neighbours(groups)):
                break
        return groups

    def _neighbours(self, groups: list[list[int]]) -> Iterator[tuple[list[int], list[int]]]:
        reach = _NEIGHBOURS if self._near else len(groups)
        return ((one, other) for at, one in enumerate(groups) for other in groups[at + 1 : at + 1 + reach])

    def _change(self, one: list[int], other: list[int]) -> int:
        """Make the first change between two companies that helps; say how many were made."""
        for here, mine in enumerate(one):
            for there, theirs in enumerate(other):
                stay, leave = [*one[:here], *one[here + 1 :]], [*other[:there], *other[there + 1 :]]
                now = self._among(mine, stay) + self._among(theirs, leave)
                if self._among(theirs, stay) + self._among(mine, leave) < now:
                    one[here], other[there] = theirs, mine
                    return 1
        return 0

    def _among(self, place: int, others: Iterable[int]) -> int:
        return sum(self.cost(place, other) for other in others)


def _divided(company: Sequence[int], past: Past) -> Sides:
    """Divide six, the best first, into sides: as few team-mates again as can be, and as even."""

    def cost(split: tuple[int, ...]) -> tuple[int, tuple[int, ...]]:
        rest = tuple(place for place in range(SEATS) if place not in split)
        again = sum(_again(company, side, past) for side in (split, rest))
        return _MATES_AGAIN * again + abs(sum(split) - sum(rest)), split

    best = min(_SPLITS, key=cost)
    rest = [place for place in range(SEATS) if place not in best]
    return Sides(tuple(company[place] for place in best), tuple(company[place] for place in rest))


def _again(company: Sequence[int], side: Sequence[int], past: Past) -> int:
    pairs = combinations([company[place] for place in side], 2)
    return sum(past.together.get(pair_of(one, other), 0) ** 2 for one, other in pairs)
