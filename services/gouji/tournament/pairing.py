"""Who meets whom next. Pure: the same standings, past and lots always give the same pairing, which anybody can repeat.

Teams in a Swiss event are paired by a matching of greatest weight (networkx): as many as can be with somebody whom they
have not met, and of these ways the one in which those who meet stand nearest to one another. In a round robin they go
round a circle. Single players are put into companies (`companies`).
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Final

import networkx as nx

from gouji.tournament.companies import companies
from gouji.tournament.lineups import SIDE
from gouji.tournament.scores import Past, pair_of
from gouji.tournament.tournament import Sides

_NEAR: Final = 6
"""How far up and down the standings an opponent is looked for at first."""

_FARTHER: Final = 4
"""By how much farther each time that this is not enough."""

Pair = tuple[int, int]


def bye_takers(order: Sequence[int], past: Past, count: int) -> set[int]:
    """Choose who has a bye: of those with the fewest so far the lowest; ``order`` is by standing."""
    lowest_first = reversed(order)
    return set(sorted(lowest_first, key=lambda number: past.byes.get(number, 0))[:count])


def swiss_teams(order: Sequence[int], past: Past) -> tuple[list[Sides], tuple[int, ...]]:
    """Pair teams that stand in this order; gives the pairings, the leaders' first, and who has a bye."""
    byes = bye_takers(order, past, len(order) % 2)
    playing = [number for number in order if number not in byes]
    pairs = _matched(playing, past.against)
    return [_sides(pair, past.firsts) for pair in pairs], tuple(sorted(byes))


def _matched(order: Sequence[int], against: Mapping[Pair, int]) -> list[Pair]:
    """Pair all, nobody with whom it has met as long as that is possible; by the place of the higher one."""
    reach = _NEAR
    while True:
        everything = reach >= len(order)
        pairs = _match(order, against, reach, rematches=everything)
        if len(pairs) * 2 == len(order) or everything:
            return pairs
        reach *= _FARTHER


def _match(order: Sequence[int], against: Mapping[Pair, int], reach: int, *, rematches: bool) -> list[Pair]:
    """Find the best matching among those who stand so near; those who have met are apart unless ``rematches``."""
    graph: nx.Graph[int] = nx.Graph()
    graph.add_nodes_from(range(len(order)))
    # Any one meeting again costs more than the farthest of all pairings.
    dear = len(order) ** 3 + 1
    for one, other in _near(len(order), reach):
        met = against.get(pair_of(order[one], order[other]), 0)
        if not met or rematches:
            graph.add_edge(one, other, weight=-((other - one) ** 2) - dear * met)
    found = nx.max_weight_matching(graph, maxcardinality=True)
    return [(order[min(pair)], order[max(pair)]) for pair in sorted(found, key=min)]


def _near(count: int, reach: int) -> Iterator[Pair]:
    return ((one, other) for one in range(count) for other in range(one + 1, min(one + reach, count - 1) + 1))


def _sides(pair: Pair, firsts: Mapping[int, int]) -> Sides:
    """Let whoever had the even seats first less often have them."""
    one, other = pair
    if firsts.get(other, 0) < firsts.get(one, 0):
        one, other = other, one
    return Sides((one,), (other,))


def round_robin_teams(draw: Sequence[int], field: Collection[int], number: int) -> tuple[list[Sides], tuple[int, ...]]:
    """Give round ``number`` (from 1) of the circle, in the order of a draw; who meets nobody in the field has a bye.

    One stays in its place while the others go round. Each meets each other once in as many rounds as there are others.
    """
    places: list[int | None] = [*draw, *([None] * (len(draw) % 2))]
    fixed, circle = places[0], places[1:]
    turn = (number - 1) % len(circle)
    circle = circle[turn:] + circle[:turn]
    half = len(places) // 2
    ring = [fixed, *circle]
    sides, byes = [], []
    for at, (one, other) in enumerate(zip(ring[:half], reversed(ring[half:]), strict=True)):
        there = [team for team in (one, other) if team is not None and team in field]
        if len(there) == 2:
            # The fixed one would always be first.
            first, second = there if at or number % 2 else reversed(there)
            sides.append(Sides((first,), (second,)))
        else:
            byes += there
    return sides, tuple(sorted(byes))


def singles(order: Sequence[int], past: Past, *, near: bool) -> tuple[list[Sides], tuple[int, ...]]:
    """Put single players into sides: ``near`` their standing, or wherever they have met the fewest."""
    byes = bye_takers(order, past, len(order) % (2 * SIDE))
    playing = [number for number in order if number not in byes]
    return companies(playing, past, near=near), tuple(sorted(byes))


def swapped(
    sides: Sequence[Sides], byes: Collection[int], swaps: Sequence[Pair]
) -> tuple[list[Sides], tuple[int, ...]]:
    """Have entrants change places in a pairing, one swap after the other."""
    places = {number: number for pair in sides for number in (*pair.first, *pair.second)} | {n: n for n in byes}
    for one, other in swaps:
        exchange = {one: other, other: one}
        places = {place: exchange.get(number, number) for place, number in places.items()}
    turned = [Sides(tuple(places[n] for n in pair.first), tuple(places[n] for n in pair.second)) for pair in sides]
    return turned, tuple(sorted(places[number] for number in byes))
