"""Which waiting tickets make a table: pure, without I/O, clock or chance.

Six tickets fit if they stand in one queue, want the same length, and all accept one rule set. The oldest
choose first. Six people sit down at once; with fewer, bots take the free seats as soon as one ticket has
waited as long as it said, among those alone that welcome bots.
"""

import hashlib
import struct
from collections.abc import Iterable, Iterator, Sequence, Set
from itertools import chain, islice
from operator import attrgetter
from typing import Final, NamedTuple

SEATS: Final = 6


class Waiting(NamedTuple):
    """A ticket as the policy sees it. Times are microseconds since the epoch, or of waiting.

    ``name`` is what the table calls the player; the policy does not look at it. ``rules`` are the rule sets
    accepted, the dearest first, ``length`` is the match's: texts that are equal when the same is meant.
    ``bots_after`` is None where only people are wanted.
    """

    ticket_id: str
    player_id: str
    name: str
    queue: str
    rules: tuple[str, ...]
    length: str
    since: int
    bots_after: int | None


class Proposal(NamedTuple):
    """A table to be made, with six seats; None is a bot's."""

    queue: str
    rules: str
    length: str
    seats: tuple[Waiting | None, ...]

    @property
    def tickets(self) -> list[Waiting]:
        """The people's tickets, by seat."""
        return [ticket for ticket in self.seats if ticket is not None]


class _Pot:
    """Tickets that could play together; the oldest stand last, to be popped."""

    def __init__(self, queue: str, length: str, rules: str) -> None:
        self.queue, self.length, self.rules = queue, length, rules
        self.tickets: list[Waiting] = []

    def oldest(self, taken: Set[str]) -> list[Waiting]:
        """Give the six oldest that are still free, or as many as there are."""
        while self.tickets and self.tickets[-1].player_id in taken:
            self.tickets.pop()
        free = (ticket for ticket in reversed(self.tickets) if ticket.player_id not in taken)
        return list(islice(free, SEATS))

    def take(self, group: Sequence[Waiting], taken: set[str]) -> Proposal:
        """Seat these tickets and note their players as taken."""
        taken.update(ticket.player_id for ticket in group)
        return Proposal(self.queue, self.rules, self.length, seat(group))


def propose(snapshot: Iterable[Waiting], now: int) -> list[Proposal]:
    """Make all tables that can be made of the tickets waiting at ``now``; no player is in two of them.

    The caller has seen to it that a player has one ticket a queue. The same snapshot gives the same tables.
    """
    waiting = sorted(snapshot, key=attrgetter("since", "ticket_id"))
    taken: set[str] = set()
    proposals = list(_of_people(waiting, taken))
    welcome = [ticket for ticket in waiting if ticket.bots_after is not None and ticket.player_id not in taken]
    return proposals + list(_with_bots(welcome, taken, now))


def _of_people(waiting: Sequence[Waiting], taken: set[str]) -> Iterator[Proposal]:
    """Seat six people wherever six fit."""
    for ticket, pots in zip(waiting, _pots(waiting), strict=True):
        for pot in pots:
            if ticket.player_id in taken:
                break
            if len(pot.tickets) >= SEATS and len(group := pot.oldest(taken)) == SEATS:
                yield pot.take(group, taken)


def _with_bots(welcome: Sequence[Waiting], taken: set[str], now: int) -> Iterator[Proposal]:
    """Seat whoever has waited long enough, with all who fit, where most of them do."""
    for ticket, pots in zip(welcome, _pots(welcome), strict=True):
        if ticket.player_id not in taken and now - ticket.since >= (ticket.bots_after or 0):
            # Of equals, `max` takes the first: the dearest rules.
            pot = max(pots, key=lambda pot: len(pot.oldest(taken)))
            yield pot.take(pot.oldest(taken), taken)


def _pots(waiting: Sequence[Waiting]) -> list[list[_Pot]]:
    """Sort tickets, given oldest first, into pots; say for each ticket which it is in, the dearest first."""
    pots: dict[tuple[str, str, str], _Pot] = {}
    homes: list[list[_Pot]] = []
    for ticket in reversed(waiting):
        home = []
        for rules in ticket.rules:
            key = (ticket.queue, ticket.length, rules)
            pot = pots.get(key) or pots.setdefault(key, _Pot(*key))
            pot.tickets.append(ticket)
            home.append(pot)
        homes.append(home)
    return homes[::-1]


def seat(group: Sequence[Waiting]) -> tuple[Waiting | None, ...]:
    """Seat up to six tickets so that the teams (even and odd seats) differ by one person at most.

    Who sits where follows from a hash of the tickets' ids, which the server draws: nobody can choose it.
    """
    salt = "".join(sorted(ticket.ticket_id for ticket in group))
    draws = struct.unpack(">16H", hashlib.sha256(salt.encode()).digest())
    people = sorted(zip(draws, group, strict=False))
    even, odd = (sorted(team, key=lambda number: draws[6 + number]) for team in ((0, 2, 4), (1, 3, 5)))
    pairs = zip(even, odd, strict=True) if draws[12] % 2 else zip(odd, even, strict=True)
    seated = {number: ticket for number, (_, ticket) in zip(chain(*pairs), people, strict=False)}
    return tuple(seated.get(number) for number in range(SEATS))
