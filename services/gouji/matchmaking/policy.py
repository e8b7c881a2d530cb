"""Which waiting tickets make a table: pure, without I/O, clock or chance.

Tickets fit if they stand in one queue, want the same length, all accept one rule set, fill six seats without
a party being split, and nobody among them is blocked by another. The oldest choose first, and take those that
are nearest by rating within a band that widens as they wait; of equals the oldest. Six people sit down at
once. With fewer, bots take the free seats as soon as one ticket has waited as long as it said, among those
alone that welcome bots. Bots of others' own that wait come before the server's; at a table they are company for those
who welcome bots, never a reason to wait no longer for people, and of one account there is one.
"""

import hashlib
import json
import struct
from bisect import bisect_left, bisect_right, insort
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from heapq import heapify, heappop, heappush
from itertools import chain, islice
from math import ceil, floor
from operator import itemgetter
from typing import Final, NamedTuple

from gouji.matchmaking.pots import Kind, Party, Pot, Search, Shape
from gouji.matchmaking.teams import SEATS, fairest, win_chance
from gouji.wire.bots import account_of, is_bot

RATING: Final = 25.0
"""Rating of somebody who has not played, as scoring has it."""

DEVIATION: Final = 25 / 3
"""Its uncertainty."""

_SECOND: Final = 1_000_000


class Member(NamedTuple):
    """A player of a ticket, with what the server has looked up about it. A bot of somebody's own queues alone.

    ``avoids`` are those it must never meet: blocked either way. ``recent`` are the opponents of its last
    matches. The policy does not look at ``name``.
    """

    player_id: str
    name: str
    rating: float = RATING
    deviation: float = DEVIATION
    avoids: frozenset[str] = frozenset()
    recent: frozenset[str] = frozenset()


class Waiting(NamedTuple):
    """A ticket as the policy sees it. Times are microseconds since the epoch, or of waiting.

    One to three members play in one team; with ``both_teams`` up to six, who may be opponents. ``rules`` are
    the rule sets accepted, the dearest first, ``length`` is the match's: texts that are equal when the same is
    meant. ``bots_after`` is None where only people are wanted. ``latency_ms`` is that to the queue's region, of
    the slowest member; 0 when unknown.
    """

    ticket_id: str
    queue: str
    members: tuple[Member, ...]
    both_teams: bool
    rules: tuple[str, ...]
    length: str
    since: int
    bots_after: int | None
    latency_ms: int = 0

    @property
    def of_bot(self) -> bool:
        """Whether a bot of somebody's own waits."""
        return is_bot(self.members[0].player_id)


class Seated(NamedTuple):
    """A person at a table, and the ticket that brought it there."""

    ticket: Waiting
    member: Member


class Quality(NamedTuple):
    """How good a table is.

    ``win_chance`` is the even team's, bots counted; ``rating`` is the people's mean, ``spread`` lies between their
    highest and their lowest; the waits, in microseconds, are those of the tickets.
    """

    win_chance: float
    rating: float
    spread: float
    longest_wait: int
    mean_wait: int


class Proposal(NamedTuple):
    """A table to be made, with six seats; None is a bot's, of ``bot_level``, the nearest to the people."""

    queue: str
    rules: str
    length: str
    seats: tuple[Seated | None, ...]
    quality: Quality
    bot_level: str

    @property
    def tickets(self) -> list[Waiting]:
        """The tickets that it is made of, each once, by seat."""
        return list({seat.ticket.ticket_id: seat.ticket for seat in self.seats if seat is not None}.values())


class Level(NamedTuple):
    """A level of bots and how strong it is."""

    name: str
    rating: float
    deviation: float = 1.0


@dataclass(frozen=True, slots=True)
class Policy:
    """What may be set. Rating is counted in points on scoring's scale.

    ``band`` is how far apart by rating somebody may be from a ticket that is new, ``band_growth`` how much
    further for each second that it waits. Ratings within one step of ``grain`` points are equally good. The better
    team's chance is at most ``uneven`` above one half, and ``uneven_growth`` more for each second, bots aside.
    A ticket further than ``latency_ms`` from the region waits until ``latency_growth_ms`` a second have made up for
    it, or until bots may fill. Recent opponents do not meet while the oldest has waited less than
    ``strangers_seconds``. ``earned`` are the bots that may fill, by preset, as strong as they have shown themselves;
    ``levels`` are guesses, for presets of which nothing is known. One look makes ``most_tables``: to place more takes
    longer than the time to the next look, and by then the snapshot is old.
    """

    band: float = 30.0
    band_growth: float = 5.0
    grain: float = 1.0
    uneven: float = 0.15
    uneven_growth: float = 0.06
    latency_ms: int = 100
    latency_growth_ms: int = 10
    strangers_seconds: float = 15.0
    most_tables: int = 500
    levels: tuple[Level, ...] = (
        Level("random", 10.0),
        Level("careless", 16.0),
        Level("greedy", 19.0),
        Level("casual", 23.0),
        Level("planner", RATING),
    )
    earned: Mapping[str, tuple[Level, ...]] = field(default_factory=dict)

    def reach(self, waited: int) -> float:
        """Say how far apart by rating a ticket that has ``waited`` so long accepts others."""
        return self.band + self.band_growth * waited / _SECOND

    def uneven_at(self, waited: int) -> float:
        """Say how far from one half the chances may be for a ticket that has ``waited`` so long."""
        return self.uneven + self.uneven_growth * waited / _SECOND

    def near_enough(self, ticket: Waiting, waited: int) -> bool:
        """Whether a ticket is near enough to its region by now, or has waited for bots long enough."""
        if ticket.latency_ms <= self.latency_ms + self.latency_growth_ms * waited / _SECOND:
            return True
        return ticket.bots_after is not None and waited >= ticket.bots_after

    def is_shy(self, waited: int) -> bool:
        """Whether a ticket still avoids recent opponents."""
        return waited < self.strangers_seconds * _SECOND

    def level_for(self, rules: str, ratings: Sequence[float]) -> Level:
        """Choose the level of bots nearest to these people's ratings, by what it has shown under such rules."""
        mean = sum(ratings) / len(ratings)
        levels = self.earned.get(family_of(rules), self.levels) if self.earned else self.levels
        return min(levels, key=lambda level: abs(level.rating - mean))


DEFAULT: Final = Policy()
"""The policy as shipped."""


def family_of(rules: str) -> str:
    """Name the preset of a rule set, written as tickets have it: ratings go by it."""
    return str(json.loads(rules)["preset"])


def propose(waiting: Iterable[Waiting], now: int, policy: Policy = DEFAULT) -> list[Proposal]:
    """Make all tables that can be made of the tickets waiting at ``now``; no player is in two of them.

    The caller has seen to it that a player has one ticket a queue. The same snapshot gives the same tables.
    """
    hall = Hall(policy)
    for ticket in waiting:
        hall.add(ticket)
    return hall.propose(now)


Wanted = tuple[str, str, str]
"""Queue, length and one rule set: what tickets have to agree on."""

Alike = tuple[str, str, tuple[str, ...], Kind, int]
"""Queue, length, rule sets, kind and step: what tickets have in common that differ by age and people alone."""


class Hall:
    """Those who wait, kept from one look to the next: a look costs what can be made of them, not how many there are.

    ``policy`` may be changed between looks as to what bots have earned.
    """

    def __init__(self, policy: Policy = DEFAULT) -> None:
        self.policy = policy
        self._tickets: dict[str, Waiting] = {}
        self._parties: dict[str, Party] = {}
        self._tickets_of: defaultdict[str, set[str]] = defaultdict(set)
        self._pots: defaultdict[Wanted, Pot] = defaultdict(Pot)
        self._bot_pots: defaultdict[Wanted, Pot] = defaultdict(Pot)
        self._own_bots: defaultdict[Wanted, Pot] = defaultdict(Pot)
        self._benches: defaultdict[Alike, list[Party]] = defaultdict(list)
        self._due: list[tuple[int, Party]] = []
        self._far: list[tuple[int, str]] = []

    def __len__(self) -> int:
        return len(self._tickets)

    def __contains__(self, ticket_id: str) -> bool:
        return ticket_id in self._tickets

    def oldest(self) -> list[Waiting]:
        """List the tickets, the oldest first."""
        return sorted(self._tickets.values(), key=_AGE)

    def add(self, ticket: Waiting) -> None:
        """Let a ticket wait; one that did already is as this one says."""
        self.remove(ticket.ticket_id)
        self._tickets[ticket.ticket_id] = ticket
        for member in ticket.members:
            self._tickets_of[member.player_id].add(ticket.ticket_id)
        if self.policy.near_enough(ticket, 0):
            self._enter(ticket)
        else:
            heappush(self._far, (self._near_at(ticket), ticket.ticket_id))

    def remove(self, ticket_id: str) -> None:
        """Have a ticket wait no more; nothing happens to one that does not."""
        ticket = self._tickets.pop(ticket_id, None)
        if ticket is None:
            return
        for member in ticket.members:
            others = self._tickets_of[member.player_id]
            others.remove(ticket_id)
            if not others:
                del self._tickets_of[member.player_id]
        if ticket_id in self._parties:
            self._leave(ticket)

    def propose(self, now: int) -> list[Proposal]:
        """Make the tables that can be made at ``now``, and have all tickets of their people wait no more."""
        while self._far and self._far[0][0] <= now:
            _, ticket_id = heappop(self._far)
            if ticket_id in self._tickets and ticket_id not in self._parties:
                self._enter(self._tickets[ticket_id])
        return list(islice(chain(self._of_people(now), self._with_bots(now)), self.policy.most_tables))

    def _near_at(self, ticket: Waiting) -> int:
        """Say when a ticket is near enough to its region."""
        policy = self.policy
        over, growth = ticket.latency_ms - policy.latency_ms, policy.latency_growth_ms
        waits = [ceil(over * _SECOND / growth)] if growth else []
        return ticket.since + min([*waits, *([] if ticket.bots_after is None else [ticket.bots_after])], default=_NEVER)

    def _enter(self, ticket: Waiting) -> None:
        party = self._parties[ticket.ticket_id] = _party(ticket, self.policy.grain)
        if not ticket.of_bot:
            insort(self._benches[_alike(ticket, party)], party)
        if ticket.bots_after is not None:
            insort(self._due, (ticket.since + ticket.bots_after, party))
        for pot in self._pots_of(ticket):
            pot.add(party)

    def _pots_of(self, ticket: Waiting) -> Iterator[Pot]:
        """Give the pots that a ticket is in: people's, unless it is a bot's; those with bots, if it welcomes them."""
        for rules in ticket.rules:
            wanted = ticket.queue, ticket.length, rules
            if ticket.of_bot:
                yield self._own_bots[wanted]
                continue
            yield self._pots[wanted]
            if ticket.bots_after is not None:
                yield self._bot_pots[wanted]

    def _leave(self, ticket: Waiting) -> None:
        party = self._parties.pop(ticket.ticket_id)
        if not ticket.of_bot:
            alike = _alike(ticket, party)
            bench = self._benches[alike]
            del bench[bisect_left(bench, party)]
            if not bench:
                del self._benches[alike]
        if ticket.bots_after is not None:
            del self._due[bisect_left(self._due, (ticket.since + ticket.bots_after, party))]
        for pot in self._pots_of(ticket):
            pot.remove(party)

    def _of_people(self, now: int) -> Iterator[Proposal]:
        """Seat six people wherever six fit, by the dearest rules of the oldest for which they do."""
        oldest = [(bench[0], alike) for alike, bench in self._benches.items()]
        heapify(oldest)
        while oldest:
            party, alike = heappop(oldest)
            if party.ticket_id in self._parties:
                ticket = self._tickets[party.ticket_id]
                search = self._search(party, now)
                chances = [(rules, self._shapes(ticket, rules, search)) for rules in ticket.rules]
                if not any(shapes for _, shapes in chances):
                    continue  # nor is there company for those who are like it, but younger: they reach less far
                found = (self._six(search, rules, shapes, now) for rules, shapes in chances if shapes)
                proposal = next(filter(None, found), None)
                if proposal is not None:
                    self._take(proposal)
                    yield proposal
            bench = self._benches.get(alike, ())
            behind = bisect_right(bench, party)
            if behind < len(bench):
                heappush(oldest, (bench[behind], alike))

    def _shapes(self, ticket: Waiting, rules: str, search: Search) -> Sequence[Shape]:
        pot = self._pots[ticket.queue, ticket.length, rules]
        return pot.shapes(search.party.kind, search.party.step, search.reach)

    def _six(self, search: Search, rules: str, shapes: Iterable[Shape], now: int) -> Proposal | None:
        """Seat the nearest company whose chances are even enough."""
        ticket = self._tickets[search.party.ticket_id]
        groups = self._pots[ticket.queue, ticket.length, rules].six(search, shapes)
        proposals = (self._seat(group, rules, now) for group in groups)
        most = self.policy.uneven_at(now - ticket.since)
        return next((one for one in proposals if abs(one.quality.win_chance - 0.5) <= most), None)

    def _with_bots(self, now: int) -> Iterator[Proposal]:
        """Seat whoever has waited long enough, with those who fit, by the rules for which most of them do.

        Bots of others' own take what people leave free. One of them that has waited long enough takes no people along.
        """
        due = self._due[: bisect_left(self._due, (now + 1,))]
        for party in sorted(party for _, party in due):
            if party.ticket_id in self._parties:
                ticket = self._tickets[party.ticket_id]
                search = self._search(party, now)
                company, bots = (self._own_bots if ticket.of_bot else self._bot_pots), self._own_bots
                found = {rules: company[ticket.queue, ticket.length, rules].some(search) for rules in ticket.rules}
                # Of equals, `max` takes the first: the dearest rules.
                rules = max(found, key=lambda rules: sum(sum(party.kind) for party in found[rules]))
                group = found[rules]
                if not ticket.of_bot:
                    group = bots[ticket.queue, ticket.length, rules].some(search, group[1:])
                proposal = self._seat(group, rules, now)
                self._take(proposal)
                yield proposal

    def _take(self, proposal: Proposal) -> None:
        """Have those who are seated wait no more, in whatever queue."""
        players = [seated.member.player_id for seated in proposal.seats if seated is not None]
        for ticket_id in {ticket_id for player in players for ticket_id in self._tickets_of[player]}:
            self.remove(ticket_id)

    def _search(self, party: Party, now: int) -> Search:
        waited = now - party.since
        return Search(party, int(self.policy.reach(waited) / self.policy.grain), self.policy.is_shy(waited))

    def _seat(self, group: Sequence[Party], rules: str, now: int) -> Proposal:
        return seat([self._tickets[party.ticket_id] for party in group], rules, now, self.policy)


_AGE: Final = itemgetter(Waiting._fields.index("since"), Waiting._fields.index("ticket_id"))
_NEVER: Final = 2**63


def _alike(ticket: Waiting, party: Party) -> Alike:
    return ticket.queue, ticket.length, ticket.rules, party.kind, party.step


def _party(ticket: Waiting, grain: float) -> Party:
    """Take what counts in the search for company."""
    members = ticket.members
    players = frozenset([member.player_id for member in members])
    avoids, recent = members[0].avoids, members[0].recent
    if len(members) > 1:
        avoids = avoids.union(*(member.avoids for member in members)) - players
        recent = recent.union(*(member.recent for member in members)) - players
    if ticket.of_bot:
        # Bots of one account might tell each other what they hold.
        account = {account_of(members[0].player_id)}
        players, avoids = players | account, avoids | account
    step = floor(sum([member.rating for member in members]) / len(members) / grain)
    wary = bool(avoids or recent)
    return Party(ticket.since, ticket.ticket_id, _kind(ticket), step, players, avoids, recent, wary)


def _kind(ticket: Waiting) -> Kind:
    """Say how many people each must stay in one team: all of a party, or each by itself."""
    size = len(ticket.members)
    return _ONE * size if ticket.both_teams else (size,)


_ONE: Final = (1,)


def seat(tickets: Sequence[Waiting], rules: str, now: int, policy: Policy = DEFAULT) -> Proposal:
    """Seat tickets of up to six people by the fairest split that keeps parties whole; bots take what is left.

    Who sits where within that follows from a hash of the tickets' ids, which the server draws: nobody can
    choose it.
    """
    salt = "".join(sorted(ticket.ticket_id for ticket in tickets))
    draws = struct.unpack(">16H", hashlib.sha256(salt.encode()).digest())
    drawn = [tickets[number] for number in sorted(range(len(tickets)), key=draws.__getitem__)]
    people = [Seated(ticket, member) for ticket in drawn for member in ticket.members]
    level = policy.level_for(rules, [member.rating for _, member in people])
    bots = SEATS - len(people)
    ratings = [member.rating for _, member in people] + [level.rating] * bots
    lead = fairest((*chain.from_iterable(map(_kind, drawn)), *_ONE * bots), len(people), ratings)
    rest = [number for number in range(SEATS) if number not in lead]
    even, odd = (lead, rest) if draws[6] % 2 else (rest, lead)
    order = [0] * SEATS
    order[0::2], order[1::2] = (sorted(team, key=draws[7:13].__getitem__) for team in (even, odd))
    return Proposal(
        queue=tickets[0].queue,
        rules=rules,
        length=tickets[0].length,
        seats=tuple(people[number] if number < len(people) else None for number in order),
        quality=_quality(tickets, [ratings[number] for number in order], people, bots * level.deviation**2, now),
        bot_level=level.name,
    )


def _quality(
    tickets: Sequence[Waiting], by_seat: Sequence[float], people: Sequence[Seated], bots_variance: float, now: int
) -> Quality:
    ratings = [member.rating for _, member in people]
    variance = sum(member.deviation**2 for _, member in people) + bots_variance
    waits = [now - ticket.since for ticket in tickets]
    return Quality(
        win_chance=win_chance(sum(by_seat[0::2]) - sum(by_seat[1::2]), variance),
        rating=sum(ratings) / len(ratings),
        spread=max(ratings) - min(ratings),
        longest_wait=max(waits),
        mean_wait=sum(waits) // len(waits),
    )
