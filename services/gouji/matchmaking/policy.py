"""Which waiting tickets make a table: pure, without I/O, clock or chance.

Tickets fit if they stand in one queue, want the same length, all accept one rule set, fill six seats without
a party being split, and nobody among them is blocked by another. The oldest choose first, and take those that
are nearest by rating within a band that widens as they wait; of equals the oldest. Six people sit down at
once. With fewer, bots take the free seats as soon as one ticket has waited as long as it said, among those
alone that welcome bots.
"""

import hashlib
import json
import struct
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice
from math import floor
from operator import itemgetter
from typing import Final, NamedTuple

from gouji.matchmaking.pots import Kind, Party, Pot, Search
from gouji.matchmaking.teams import SEATS, fairest, win_chance

RATING: Final = 25.0
"""Rating of somebody who has not played, as scoring has it."""

DEVIATION: Final = 25 / 3
"""Its uncertainty."""

_SECOND: Final = 1_000_000


class Member(NamedTuple):
    """A person of a ticket, with what the server has looked up about it.

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


class Seated(NamedTuple):
    """A person at a table, and the ticket that brought it there."""

    ticket: Waiting
    member: Member


class Quality(NamedTuple):
    """How good a table is.

    ``win_chance`` is the even team's, bots counted; ``spread`` lies between the highest and the lowest rating
    of the people; the waits, in microseconds, are those of the tickets.
    """

    win_chance: float
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

    band: float = 12.0
    band_growth: float = 5.0
    grain: float = 0.5
    uneven: float = 0.12
    uneven_growth: float = 0.02
    latency_ms: int = 100
    latency_growth_ms: int = 10
    strangers_seconds: float = 15.0
    most_tables: int = 500
    levels: tuple[Level, ...] = (Level("random", 10.0), Level("greedy", 25.0))
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
    able = [ticket for ticket in waiting if not ticket.latency_ms or policy.near_enough(ticket, now - ticket.since)]
    look = _Look(sorted(able, key=_AGE), now, policy)
    return list(islice(chain(look.of_people(), look.with_bots()), policy.most_tables))


_AGE: Final = itemgetter(Waiting._fields.index("since"), Waiting._fields.index("ticket_id"))


class _Look:
    """One look at the queues: the tickets that can be matched, the oldest first, and who is seated by now."""

    def __init__(self, tickets: Sequence[Waiting], now: int, policy: Policy) -> None:
        self._tickets, self._now, self._policy = tickets, now, policy
        self._parties: list[Party | None] = [None] * len(tickets)
        self._taken: set[str] = set()

    def of_people(self) -> Iterator[Proposal]:
        """Seat six people wherever six fit, by the dearest rules of the oldest for which they do."""
        pots = self._pots(range(len(self._tickets)))
        for number, ticket in enumerate(self._tickets):
            if self._is_free(ticket):
                found = (self._six(pots[ticket.queue, ticket.length, rules], number, rules) for rules in ticket.rules)
                proposal = next(filter(None, found), None)
                if proposal is not None:
                    self._taken.update(seated.member.player_id for seated in proposal.seats if seated is not None)
                    yield proposal

    def _six(self, pot: Pot, number: int, rules: str) -> Proposal | None:
        """Seat the nearest company whose chances are even enough."""
        ticket = self._tickets[number]
        kind, step = _place(ticket, self._policy.grain)
        if not pot.may_have_six(kind, step, self._reach(ticket)):
            return None
        groups = pot.six(self._search(number, ticket), self._taken, self._party)
        proposals = (self._seat(group, rules) for group in groups)
        most = self._policy.uneven_at(self._now - ticket.since)
        return next((one for one in proposals if abs(one.quality.win_chance - 0.5) <= most), None)

    def with_bots(self) -> Iterator[Proposal]:
        """Seat whoever has waited long enough, with those who fit, by the rules for which most of them do."""
        welcome = [
            number
            for number, ticket in enumerate(self._tickets)
            if ticket.bots_after is not None and self._is_free(ticket)
        ]
        pots = self._pots(welcome)
        for number in welcome:
            ticket = self._tickets[number]
            if self._now - ticket.since >= (ticket.bots_after or 0) and self._is_free(ticket):
                search = self._search(number, ticket)
                found = {
                    rules: pots[ticket.queue, ticket.length, rules].some(search, self._taken, self._party)
                    for rules in ticket.rules
                }
                # Of equals, `max` takes the first: the dearest rules.
                rules = max(found, key=lambda rules: sum(sum(party.kind) for party in found[rules]))
                self._taken.update(*(party.players for party in found[rules]))
                yield self._seat(found[rules], rules)

    def _pots(self, numbers: Sequence[int]) -> Mapping[tuple[str, str, str], Pot]:
        """Sort tickets into pots: one for each queue, length and rule set."""
        pots: defaultdict[tuple[str, str, str], Pot] = defaultdict(Pot)
        tickets, grain = self._tickets, self._policy.grain
        for number in reversed(numbers):
            ticket = tickets[number]
            _, queue, _, _, accepted, length, *_ = ticket
            kind, step = _place(ticket, grain)
            for rules in accepted:
                pots[queue, length, rules].rows[kind].shelves[step].append(number)
        for pot in pots.values():
            pot.close()
        return pots

    def _is_free(self, ticket: Waiting) -> bool:
        return self._taken.isdisjoint([member.player_id for member in ticket.members])

    def _search(self, number: int, ticket: Waiting) -> Search:
        return Search(self._party(number), self._reach(ticket), self._policy.is_shy(self._now - ticket.since))

    def _reach(self, ticket: Waiting) -> int:
        return int(self._policy.reach(self._now - ticket.since) / self._policy.grain)

    def _party(self, number: int) -> Party:
        """Take what counts in the search for company, once for each ticket."""
        party = self._parties[number]
        if party is None:
            party = self._parties[number] = _party(number, self._tickets[number], self._policy.grain)
        return party

    def _seat(self, group: Sequence[Party], rules: str) -> Proposal:
        return seat([self._tickets[party.number] for party in group], rules, self._now, self._policy)


def _party(number: int, ticket: Waiting, grain: float) -> Party:
    members = ticket.members
    if len(members) == 1:
        player, _, _, _, avoids, recent = members[0]
        players = frozenset((player,))
    else:
        players = frozenset(member.player_id for member in members)
        avoids = frozenset().union(*(member.avoids for member in members)) - players
        recent = frozenset().union(*(member.recent for member in members)) - players
    return Party(number, *_place(ticket, grain), players, avoids, recent, bool(avoids or recent))


def _place(ticket: Waiting, grain: float) -> tuple[Kind, int]:
    """Say where a ticket stands in a pot: its kind, and the step of its people's mean rating."""
    members = ticket.members
    if len(members) == 1:
        return _ONE, floor(members[0].rating / grain)
    return _kind(ticket), floor(sum(member.rating for member in members) / len(members) / grain)


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
        spread=max(ratings) - min(ratings),
        longest_wait=max(waits),
        mean_wait=sum(waits) // len(waits),
    )


def fits(
    ticket: Waiting, company: Sequence[Seated], now: int, policy: Policy = DEFAULT, *, rules: str, bots: bool
) -> bool:
    """Whether a waiting ticket can take one free seat of a table whose other people are ``company``.

    ``rules`` are those of the table, ``bots`` says whether one plays there. Recent opponents may meet, since the
    others are waiting; the widest band among all is the one that counts.
    """
    first = company[0].ticket
    asked = (ticket.queue, ticket.length) == (first.queue, first.length) and rules in ticket.rules
    if not asked or len(ticket.members) != 1 or (bots and ticket.bots_after is None):
        return False
    member = ticket.members[0]
    mean = sum(seated.member.rating for seated in company) / len(company)
    waited = now - min(ticket.since, *(seated.ticket.since for seated in company))
    return (
        policy.near_enough(ticket, now - ticket.since)
        and abs(member.rating - mean) <= policy.reach(waited)
        and not any(_avoid(member, seated.member) for seated in company)
    )


def _avoid(one: Member, other: Member) -> bool:
    return one.player_id in other.avoids or other.player_id in one.avoids
