"""What becomes of a match whose people were asked to confirm: pure, without I/O or clock.

At the time's end whoever did not confirm loses the seat, and with it its ticket's others, who queue again as one
ticket. Single people who wait and fit take the free seats at once, the oldest first; they count as confirmed. A
ticket fits whose own wait reaches as far as the match's rating, as the policy says, however long the others waited. If
seats stay free, a match of people alone looks for more for one period longer. Then bots take what is free, if all who
are there welcome them; else the match is dissolved, and who was there waits again.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, NamedTuple

from gouji.matchmaking.policy import DEFAULT, Waiting
from gouji.matchmaking.teams import SEATS
from gouji.wire.bots import is_bot

PAUSES_US: Final = (30_000_000, 120_000_000, 600_000_000, 3_600_000_000)
"""How long who does not confirm may not queue: the first time, the second, ..., the last for all that follow."""


class Verdict(StrEnum):
    """What a match is afterwards."""

    GATHERING = "gathering"
    PLACED = "placed"
    DISSOLVED = "dissolved"


class Chair(NamedTuple):
    """A player of a match that gathers, or a bot of somebody's own; ``bots`` says whether its ticket welcomes them."""

    seat: int
    player_id: str
    ticket_id: str
    confirmed: bool
    bots: bool


@dataclass(frozen=True, slots=True)
class Gathering:
    """A match that gathers.

    ``rating`` is the mean of those whom it was made for, ``seats`` are those meant for people, ``extended`` says that
    it looks for replacements.
    """

    table_id: str
    rules: str
    length: str
    rating: float
    ready_by: int
    extended: bool
    seats: frozenset[int]
    chairs: tuple[Chair, ...]

    @property
    def has_bots(self) -> bool:
        """Whether it was made with bots in it: then all who come to it must welcome them."""
        return len(self.seats) < SEATS or any(is_bot(chair.player_id) for chair in self.chairs)


@dataclass(frozen=True, slots=True)
class Step:
    """What is to be done.

    ``missed`` lose their seats; ``others`` do so too, and wait again: those of the same tickets, or all that were
    there. ``taken`` says who gets which seat, ``left`` which seats nobody gets.
    """

    verdict: Verdict
    missed: tuple[Chair, ...] = ()
    others: tuple[Chair, ...] = ()
    taken: tuple[tuple[int, Waiting], ...] = ()
    left: tuple[int, ...] = ()


def next_step(match: Gathering, candidates: Iterable[Waiting], now: int) -> Step | None:
    """Decide on a match at ``now``, given waiting tickets, the oldest first; None when nothing is to be done yet."""
    due = now >= match.ready_by
    if not due and not match.extended:
        return None
    missed = tuple(chair for chair in match.chairs if not chair.confirmed)
    broken = {chair.ticket_id for chair in missed}
    others = tuple(chair for chair in match.chairs if chair.confirmed and chair.ticket_id in broken)
    staying = [chair for chair in match.chairs if chair.ticket_id not in broken]
    if not staying:
        return Step(Verdict.DISSOLVED, missed, others)
    free = sorted(match.seats - {chair.seat for chair in staying})
    known = {chair.player_id for chair in match.chairs}
    taken = tuple(zip(free, _fitting(match, candidates, known, now), strict=False))
    left = tuple(free[len(taken) :])
    if not left:
        return Step(Verdict.PLACED, missed, others, taken)
    if not due or not (match.has_bots or match.extended):
        return Step(Verdict.GATHERING, missed, others, taken, left)
    if all(chair.bots for chair in staying) and all(ticket.bots_after is not None for _, ticket in taken):
        return Step(Verdict.PLACED, missed, others, taken, left)
    return Step(Verdict.DISSOLVED, missed, (*others, *staying))


def pause_of(strikes: int) -> int:
    """How long, in microseconds, a player may not queue that for the so-manieth time did not confirm."""
    return PAUSES_US[min(strikes, len(PAUSES_US)) - 1]


def singles(match: Gathering, waiting: Iterable[Waiting], now: int) -> Iterator[Waiting]:
    """Pick the tickets of one person that accept a match's rules, length, people and, if it has some, bots."""
    for ticket in waiting:
        same = match.rules in ticket.rules and match.length == ticket.length
        alone = len(ticket.members) == 1 and not is_bot(ticket.members[0].player_id)
        if same and alone and (not match.has_bots or ticket.bots_after is not None):
            waited = now - ticket.since
            near = abs(ticket.members[0].rating - match.rating) <= DEFAULT.reach(waited)
            if near and DEFAULT.near_enough(ticket, waited):
                yield ticket


def _fitting(match: Gathering, candidates: Iterable[Waiting], known: set[str], now: int) -> Iterator[Waiting]:
    """Pick those who must not avoid anybody here; not those either who just lost a seat here."""
    here = set(known)
    for ticket in singles(match, candidates, now):
        [member] = ticket.members
        if member.player_id not in here and not member.avoids & here:
            here.add(member.player_id)
            yield ticket


def remaining(others: Sequence[Chair], ticket_id: str) -> list[str]:
    """Name those of a broken ticket's players that were there."""
    return sorted(chair.player_id for chair in others if chair.ticket_id == ticket_id)
