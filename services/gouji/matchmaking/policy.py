"""Which waiting tickets make a table: pure, without I/O, clock or chance.

Tickets fit if they stand in one queue, want the same length, all accept one rule set, fill two teams of three, and
nobody has blocked another. The oldest choose first. Six people sit down at once; with fewer, bots take the free
seats as soon as one ticket has waited as long as it said, among those alone that welcome bots.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Final, NamedTuple

SEATS: Final = 6
TEAM: Final = 3


class Member(NamedTuple):
    """A player of a ticket; ``avoids`` it must never meet, ``recent`` were opponents of its last matches."""

    player_id: str
    name: str
    rating: float
    deviation: float
    avoids: frozenset[str]
    recent: frozenset[str]


class Waiting(NamedTuple):
    """A ticket as the policy sees it. Times are microseconds since the epoch, or of waiting.

    ``rules`` are the rule sets accepted, the dearest first, ``length`` is the match's: texts that are equal when the
    same is meant. ``bots_after`` is None where only people are wanted.
    """

    ticket_id: str
    queue: str
    members: tuple[Member, ...]
    both_teams: bool
    rules: tuple[str, ...]
    length: str
    since: int
    bots_after: int | None
    latency_ms: int


class Seated(NamedTuple):
    """A player in a seat."""

    ticket: Waiting
    member: Member


class Quality(NamedTuple):
    """How good a match is; ``win_chance`` is the even team's."""

    win_chance: float
    spread: float
    longest_wait: int
    mean_wait: int


class Proposal(NamedTuple):
    """A table to be made, with six seats; None is a bot's, of ``bot_level``."""

    queue: str
    rules: str
    length: str
    seats: tuple[Seated | None, ...]
    quality: Quality
    bot_level: str


@dataclass(frozen=True, slots=True)
class Policy:
    """What can be set."""

    bot_level: str = "greedy"


def propose(waiting: Iterable[Waiting], now: int, policy: Policy = Policy()) -> list[Proposal]:
    """Make all tables that can be made of the tickets waiting at ``now``; no player is in two of them."""
    pots: defaultdict[tuple[str, str, str], list[Waiting]] = defaultdict(list)
    for ticket in sorted(waiting, key=attrgetter("since", "ticket_id")):
        for rules in ticket.rules:
            pots[ticket.queue, ticket.length, rules].append(ticket)
    taken: set[str] = set()
    found = [one for key, pot in pots.items() for one in _people(key, pot, taken, now, policy)]
    return found + [one for key, pot in pots.items() for one in _bots(key, pot, taken, now, policy)]


def _people(
    key: tuple[str, str, str], pot: Sequence[Waiting], taken: set[str], now: int, policy: Policy
) -> Iterator[Proposal]:
    while True:
        table = _fill([ticket for ticket in pot if not _players(ticket) & taken])
        if sum(seat is not None for seat in table) < SEATS:
            return
        yield _take(key, table, taken, now, policy)


def _bots(
    key: tuple[str, str, str], pot: Sequence[Waiting], taken: set[str], now: int, policy: Policy
) -> Iterator[Proposal]:
    welcome = [ticket for ticket in pot if ticket.bots_after is not None]
    for ticket in welcome:
        if not _players(ticket) & taken and now - ticket.since >= (ticket.bots_after or 0):
            table = _fill([ticket, *(one for one in welcome if one is not ticket and not _players(one) & taken)])
            yield _take(key, table, taken, now, policy)


def _players(ticket: Waiting) -> set[str]:
    return {member.player_id for member in ticket.members}


def _fill(tickets: Sequence[Waiting]) -> list[Seated | None]:
    """Seat the oldest that fit."""
    teams: tuple[list[Seated], list[Seated]] = ([], [])
    for ticket in tickets:
        here = [seated.member for team in teams for seated in team]
        if any(one.avoids & {member.player_id} for one in here for member in ticket.members):
            continue
        if _players(ticket) & {one.player_id for one in here}:
            continue
        seated = [Seated(ticket, member) for member in ticket.members]
        free = [TEAM - len(team) for team in teams]
        if ticket.both_teams and len(seated) <= sum(free):
            teams[0].extend(seated[: free[0]])
            teams[1].extend(seated[free[0] :])
        elif not ticket.both_teams and len(seated) <= max(free):
            teams[free.index(max(free))].extend(seated)
    seats: list[Seated | None] = [None] * SEATS
    for offset, team in enumerate(teams):
        for n, one in enumerate(team):
            seats[2 * n + offset] = one
    return seats


def _take(
    key: tuple[str, str, str], table: Sequence[Seated | None], taken: set[str], now: int, policy: Policy
) -> Proposal:
    people = [seated for seated in table if seated is not None]
    taken.update(seated.member.player_id for seated in people)
    waits = [now - seated.ticket.since for seated in people]
    ratings = [seated.member.rating for seated in people]
    quality = Quality(0.5, max(ratings) - min(ratings), max(waits), sum(waits) // len(waits))
    queue, length, rules = key
    return Proposal(queue, rules, length, tuple(table), quality, policy.bot_level)
