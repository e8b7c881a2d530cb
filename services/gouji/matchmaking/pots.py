"""Tickets that could play together, kept so that those nearest by rating are found without a search. Pure.

A pot has a row for each kind of party; a row has shelves, one for each step of rating, with the oldest in front. There
may be tens of thousands in it: they are put in and taken out one by one, and a search looks at few.
"""

from bisect import bisect_left, bisect_right, insort
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from heapq import merge
from itertools import accumulate, chain, islice
from typing import Final, NamedTuple

from gouji.matchmaking.teams import SEATS, splits

Kind = tuple[int, ...]
"""How many people of a party must stay in one team each: `(2,)` is a pair, `(1, 1)` one that may be split."""

SPARE: Final = 3
"""How many parties more than there are seats are looked at, in case that some do not get on."""


class Party(NamedTuple):
    """A ticket's people. Parties are sorted by age: ``since``, and the ticket's id, which no two share.

    ``step`` stands for their rating. ``wary`` says that ``avoids`` or ``recent`` is not empty.
    """

    since: int
    ticket_id: str
    kind: Kind
    step: int
    players: frozenset[str]
    avoids: frozenset[str]
    recent: frozenset[str]
    wary: bool

    def gets_on(self, other: "Party", *, shy: bool) -> bool:
        """Whether nobody here avoids anybody there; with ``shy``, nor was its opponent of late."""
        if not (self.wary or other.wary):
            return True
        mine, theirs = self.players, other.players
        if not (mine.isdisjoint(other.avoids) and theirs.isdisjoint(self.avoids)):
            return False
        return not shy or (mine.isdisjoint(other.recent) and theirs.isdisjoint(self.recent))


class Search(NamedTuple):
    """Whom a party accepts: how many steps away at most, and recent opponents only unless ``shy``."""

    party: Party
    reach: int
    shy: bool

    def accepts(self, other: Party, group: Iterable[Party]) -> bool:
        """Whether the other gets on with everybody in a group."""
        return all(other.gets_on(member, shy=self.shy) for member in group)


Found = tuple[int, Party]
"""A party and how many steps of rating away it is."""

Shape = tuple[tuple[Kind, int], ...]
"""Kinds of parties, and how many there are of each."""


class Row:
    """Parties of one kind, on shelves by step of rating."""

    def __init__(self) -> None:
        self._shelves: dict[int, list[Party]] = {}
        self._steps: list[int] = []
        self._below: list[int] | None = None

    def add(self, party: Party) -> None:
        """Put a party on its shelf."""
        shelf = self._shelves.get(party.step)
        if shelf is None:
            shelf = self._shelves[party.step] = []
            insort(self._steps, party.step)
        insort(shelf, party)
        self._below = None

    def remove(self, party: Party) -> None:
        """Take a party, which must be there, off its shelf."""
        shelf = self._shelves[party.step]
        del shelf[bisect_left(shelf, party)]
        if not shelf:
            del self._shelves[party.step]
            del self._steps[bisect_left(self._steps, party.step)]
        self._below = None

    def count(self, step: int, reach: int) -> int:
        """Count the parties that are no more than so many steps away."""
        if self._below is None:
            self._below = [0, *accumulate(len(self._shelves[each]) for each in self._steps)]
        first, last = bisect_left(self._steps, step - reach), bisect_right(self._steps, step + reach)
        return self._below[last] - self._below[first]

    def near(self, search: Search) -> Iterator[Found]:
        """List the parties within reach that get on with the one that searches: the nearest first, then the oldest."""
        me, reach, shy = search
        for away, shelf in self._outwards(me.step, reach):
            for party in shelf:
                if party.ticket_id != me.ticket_id and party.gets_on(me, shy=shy):
                    yield away, party

    def _outwards(self, center: int, reach: int) -> Iterator[tuple[int, Iterable[Party]]]:
        """List the shelves by their distance, each from the oldest on; two at the same distance are one."""
        steps, shelves = self._steps, self._shelves
        right = bisect_left(steps, center)
        left = right - 1
        while True:
            below = center - steps[left] if left >= 0 else reach + 1
            above = steps[right] - center if right < len(steps) else reach + 1
            away = min(below, above)
            if away > reach:
                return
            found = []
            if above == away:
                found.append(shelves[steps[right]])
                right += 1
            if below == away:
                found.append(shelves[steps[left]])
                left -= 1
            yield away, found[0] if len(found) == 1 else merge(*found)


class Pot:
    """Parties that agree on queue, length and rules."""

    def __init__(self) -> None:
        self._rows: defaultdict[Kind, Row] = defaultdict(Row)

    def add(self, party: Party) -> None:
        """Put a party in."""
        self._rows[party.kind].add(party)

    def remove(self, party: Party) -> None:
        """Take a party out, which must be there."""
        self._rows[party.kind].remove(party)

    def shapes(self, kind: Kind, step: int, reach: int) -> Sequence[Shape]:
        """List the companies that one of this kind could find, if everybody within reach got on with everybody."""
        counts = ((other, row.count(step, reach) - (other == kind)) for other, row in self._rows.items())
        return _able(kind, tuple((other, min(count, SEATS)) for other, count in counts if count > 0))

    def six(self, search: Search, shapes: Iterable[Shape]) -> Iterator[list[Party]]:
        """List companies that make six people: first that whose farthest is nearest, and of such the oldest."""
        near = self._near(search, {kind for shape in shapes for kind, _ in shape})
        able = [shape for shape in shapes if all(len(near[kind]) >= count for kind, count in shape)]
        if len(able) > 1:
            able.sort(key=lambda shape: _merit(shape, near))
        groups = (_gather(search, shape, near) for shape in able)
        return filter(None, groups)

    def some(self, search: Search, company: Sequence[Party] = ()) -> list[Party]:
        """Find company as it comes, the nearest first and of them the oldest, with bots in the seats that are left.

        It joins the ``company`` that was found before.
        """
        group = [search.party, *company]
        for _, party in merge(*self._near(search, self._rows).values()):
            kinds = [*(one.kind for one in group), party.kind]
            fits = sum(map(sum, kinds)) <= SEATS and _can_split(kinds)
            if fits and search.accepts(party, group[1:]):
                group.append(party)
        return group

    def _near(self, search: Search, kinds: Iterable[Kind]) -> dict[Kind, list[Found]]:
        """List for each kind the nearest, as many as could be seated and some to spare."""
        room = SEATS - sum(search.party.kind)
        return {kind: list(islice(self._rows[kind].near(search), room // sum(kind) + SPARE)) for kind in kinds}


@lru_cache(maxsize=4096)
def _able(kind: Kind, counts: tuple[tuple[Kind, int], ...]) -> Sequence[Shape]:
    """Pick the companies for which there are enough parties."""
    there = dict(counts)
    return [shape for shape in SHAPES[kind] if all(there.get(other, 0) >= n for other, n in shape)]


def _shapes(room: int, kinds: Sequence[Kind]) -> Iterator[Shape]:
    """List the ways to fill so many seats by parties of these kinds."""
    if room == 0:
        yield ()
    elif kinds:
        kind, *others = kinds
        for count in range(room // sum(kind), -1, -1):
            rest = _shapes(room - count * sum(kind), others)
            yield from (((kind, count), *more) if count else more for more in rest)


def _can_split(kinds: Iterable[Kind]) -> bool:
    """Whether parties of these kinds can make two teams, with bots in the seats that are left."""
    units = tuple(chain.from_iterable(kinds))
    people = sum(units)
    return bool(splits(units + (1,) * (SEATS - people), people))


KINDS: Final[Sequence[Kind]] = [(1,), (2,), (3,), *((1,) * size for size in range(2, SEATS + 1))]
"""One person; two or three in one team; two to six in whatever team."""

SHAPES: Final[Mapping[Kind, Sequence[Shape]]] = {
    kind: [
        shape
        for shape in _shapes(SEATS - sum(kind), KINDS)
        if _can_split([kind, *chain.from_iterable([other] * count for other, count in shape)])
    ]
    for kind in KINDS
}
"""For a party of each kind, the company that makes two whole teams of six people."""


def _merit(shape: Shape, near: Mapping[Kind, Sequence[Found]]) -> tuple[int, int]:
    """Say how far the farthest would be, and how young all are, to be sorted by."""
    farthest = max((near[kind][count - 1][0] for kind, count in shape), default=0)
    return farthest, sum(sum(kind) * party.since for kind, count in shape for _, party in near[kind][:count])


def _gather(search: Search, shape: Shape, near: Mapping[Kind, Sequence[Found]]) -> list[Party] | None:
    """Take the nearest of each kind that get on with each other; None when too few do."""
    group = [search.party]
    for kind, count in shape:
        wanted = len(group) + count
        for _, party in near[kind]:
            if search.accepts(party, group[1:]):
                group.append(party)
                if len(group) == wanted:
                    break
        else:
            return None
    return group
