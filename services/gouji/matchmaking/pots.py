"""Tickets that could play together, kept so that those nearest by rating are found without a search. Pure.

A pot has a row for each kind of party; a row has shelves, one for each step of rating, with the oldest ticket in
front. Tickets are numbers, by age: there may be tens of thousands, of which few are looked at more closely, as a
`Party`. Whoever is seated is passed over, and taken off the shelf once it stands in front.
"""

from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from heapq import merge
from itertools import accumulate, chain, islice
from typing import Final, NamedTuple

from gouji.matchmaking.teams import SEATS, splits

Kind = tuple[int, ...]
"""How many people of a party must stay in one team each: `(2,)` is a pair, `(1, 1)` one that may be split."""

SPARE: Final = 3
"""How many parties more than there are seats are looked at, in case that some do not get on."""


class Party(NamedTuple):
    """A ticket's people. The oldest ticket has the least ``number``, no two have the same.

    ``step`` stands for their rating. ``wary`` says that ``avoids`` or ``recent`` is not empty.
    """

    number: int
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

LookUp = Callable[[int], Party]
"""Makes the party of a ticket's number."""


class Row:
    """Tickets of one kind, on shelves by step of rating; on each the oldest stands last."""

    def __init__(self) -> None:
        self.shelves: defaultdict[int, list[int]] = defaultdict(list)
        self.steps: list[int] = []

    def near(self, search: Search, taken: Set[str], look_up: LookUp) -> Iterator[Found]:
        """List the parties within reach that get on with the one that searches: the nearest first, then the oldest."""
        me, reach, shy = search
        for away, shelf in self._outwards(me.step, reach, taken, look_up):
            for number in shelf:
                party = look_up(number)
                if taken.isdisjoint(party.players) and number != me.number and party.gets_on(me, shy=shy):
                    yield away, party

    def _outwards(
        self, center: int, reach: int, taken: Set[str], look_up: LookUp
    ) -> Iterator[tuple[int, Iterable[int]]]:
        """List the shelves by their distance, each from the oldest on; two at the same distance are one."""
        steps = self.steps
        right = bisect_left(steps, center)
        left = right - 1
        while True:
            below = center - steps[left] if left >= 0 else reach + 1
            above = steps[right] - center if right < len(steps) else reach + 1
            away = min(below, above)
            if away > reach:
                return
            shelves = []
            if above == away:
                shelves.append(self._oldest_first(steps[right], taken, look_up))
                right += 1
            if below == away:
                shelves.append(self._oldest_first(steps[left], taken, look_up))
                left -= 1
            yield away, shelves[0] if len(shelves) == 1 else merge(*shelves)

    def _oldest_first(self, step: int, taken: Set[str], look_up: LookUp) -> Iterator[int]:
        """Walk along a shelf; those in front who are seated are taken off."""
        shelf = self.shelves[step]
        while shelf and not taken.isdisjoint(look_up(shelf[-1]).players):
            shelf.pop()
        return reversed(shelf)


class Pot:
    """Tickets that agree on queue, length and rules.

    They are put on the shelves of their kinds' ``rows``, the youngest first, and then it is closed.
    """

    def __init__(self) -> None:
        self.rows: defaultdict[Kind, Row] = defaultdict(Row)
        self._shapes: dict[Kind, list[Shape]] = {}
        self._steps: list[int] = []
        self._below: list[int] = []

    def close(self) -> None:
        """Get ready to be searched."""
        people: Counter[int] = Counter()
        for kind, row in self.rows.items():
            row.steps = sorted(row.shelves)
            people.update({step: sum(kind) * len(shelf) for step, shelf in row.shelves.items()})
        self._steps = sorted(people)
        self._below = [0, *accumulate(people[step] for step in self._steps)]
        counts = {kind: sum(map(len, row.shelves.values())) for kind, row in self.rows.items()}
        for kind in self.rows:
            able = (shape for shape in SHAPES[kind] if all(counts.get(other, 0) >= n for other, n in shape))
            self._shapes[kind] = list(able)

    def may_have_six(self, kind: Kind, step: int, reach: int) -> bool:
        """Whether a party can find company at all: quick, and as if nobody had been seated yet."""
        if not self._shapes[kind]:
            return False
        first, last = bisect_left(self._steps, step - reach), bisect_right(self._steps, step + reach)
        return self._below[last] - self._below[first] >= SEATS

    def six(self, search: Search, taken: Set[str], look_up: LookUp) -> Iterator[list[Party]]:
        """List companies that make six people: first that whose farthest is nearest, and of such the oldest."""
        shapes = self._shapes[search.party.kind]
        near = self._near(search, taken, look_up, {kind for shape in shapes for kind, _ in shape})
        able = [shape for shape in shapes if all(len(near[kind]) >= count for kind, count in shape)]
        if len(able) > 1:
            able.sort(key=lambda shape: _merit(shape, near))
        groups = (_gather(search, shape, near) for shape in able)
        return filter(None, groups)

    def some(self, search: Search, taken: Set[str], look_up: LookUp) -> list[Party]:
        """Find company as it comes, the nearest first and of them the oldest, with bots in the seats that are left."""
        group = [search.party]
        for _, party in merge(*self._near(search, taken, look_up, self.rows).values()):
            kinds = [*(one.kind for one in group), party.kind]
            fits = sum(map(sum, kinds)) <= SEATS and _can_split(kinds)
            if fits and search.accepts(party, group[1:]):
                group.append(party)
        return group

    def _near(self, search: Search, taken: Set[str], look_up: LookUp, kinds: Iterable[Kind]) -> dict[Kind, list[Found]]:
        """List for each kind the nearest, as many as could be seated and some to spare."""
        room = SEATS - sum(search.party.kind)
        return {
            kind: list(islice(self.rows[kind].near(search, taken, look_up), room // sum(kind) + SPARE))
            for kind in kinds
        }


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
    return farthest, sum(sum(kind) * party.number for kind, count in shape for _, party in near[kind][:count])


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
