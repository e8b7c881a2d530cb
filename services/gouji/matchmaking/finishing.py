"""Finishing matches that gather: the SQL of what `gouji.matchmaking.ready` decides."""

from collections.abc import Sequence
from itertools import islice
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from gouji.matchmaking.matches import lock_match, read_gathering, settle, sit_down
from gouji.matchmaking.parties import party_of
from gouji.matchmaking.placing import person, reseated
from gouji.matchmaking.policy import Waiting
from gouji.matchmaking.queues import FORGOTTEN_US, Lease, is_held
from gouji.matchmaking.ready import Gathering, Step, Verdict, next_step, pause_of, remaining, singles
from gouji.matchmaking.teams import SEATS
from gouji.matchmaking.tickets import State
from gouji.matchmaking.withdrawals import WAITING
from gouji.serving.database import Database
from gouji.serving.schema import active_seats, matches, queue_pauses, tables, ticket_members, tickets
from gouji.v1 import events_pb2, table_pb2

_MOST_CANDIDATES: Final = 4 * SEATS
"""Tickets locked to fill seats anew: some may be avoided by those who sit there."""


class _Taken(Exception):
    """A player who was to fill a seat has another by now: nothing is done, the next look chooses anew."""


class Finisher:
    """Brings matches to their end. Times are microseconds, ``period`` the one in which people confirm.

    Raises `StorageUnavailable` when the database cannot be reached; what it has not done is done by the next look
    of whoever holds the queue.
    """

    def __init__(self, database: Database, period: int, ticket_lease: int) -> None:
        self._database = database
        self._period = period
        self._ticket_lease = ticket_lease

    async def finish(self, table_id: str, lease: Lease, waiting: Sequence[Waiting], now: int) -> Step | None:
        """Take the next step with a match, in one transaction; None when there is nothing to be done.

        ``waiting`` are the queue's tickets, the oldest first.
        """
        try:
            async with self._database.begin() as connection:
                match = await lock_match(connection, table_id) if await is_held(connection, lease) else None
                if match is None:
                    return None
                gathering, spec = await read_gathering(connection, match)
                candidates = await _lock(connection, gathering, waiting, now)
                step = next_step(gathering, candidates, now)
                if step is not None:
                    await self._take(connection, match, spec, step, now)
                return step
        except _Taken:
            return None

    async def _take(
        self, connection: AsyncConnection, match: Any, spec: table_pb2.TableSpec, step: Step, now: int
    ) -> None:
        await self._leave(connection, step, now)
        await self._fill(connection, match, step)
        seats = {seat: person(ticket.members[0]) for seat, ticket in step.taken}
        match step.verdict:
            case Verdict.DISSOLVED:
                await connection.execute(sa.delete(tables).where(tables.c.table_id == match.table_id))
                await _change_match(connection, match, state=step.verdict)
            case Verdict.GATHERING:
                await _change_spec(connection, reseated(spec, seats))
                ready_by = match.ready_by if match.extended else now + self._period
                await _change_match(connection, match, extended=True, ready_by=ready_by)
            case Verdict.PLACED:
                bots = {seat: events_pb2.Seat(bot_level=match.bot_level) for seat in step.left}
                await _change_spec(connection, reseated(spec, seats | bots))
                await settle(connection, match.table_id)

    async def _leave(self, connection: AsyncConnection, step: Step, now: int) -> None:
        """Take the seats of those who missed it, and of the others, who wait again."""
        gone = [chair.player_id for chair in (*step.missed, *step.others)]
        await connection.execute(sa.delete(active_seats).where(active_seats.c.player_id.in_(gone)))
        for chair in step.missed:
            own = ticket_members.c.ticket_id == chair.ticket_id, ticket_members.c.player_id == chair.player_id
            await connection.execute(sa.update(ticket_members).where(*own).values(state=State.MISSED, seat=None))
        for player_id in sorted(chair.player_id for chair in step.missed):
            await self._strike(connection, player_id, now)
        for ticket_id in sorted({chair.ticket_id for chair in (*step.missed, *step.others)}):
            await self._return(connection, ticket_id, remaining(step.others, ticket_id), now)

    async def _return(self, connection: AsyncConnection, ticket_id: str, players: Sequence[str], now: int) -> None:
        """Have those of a ticket that were there wait again, as long as they have; end it when nobody was."""
        this = tickets.c.ticket_id == ticket_id
        found = await connection.execute(sa.select(tickets.c.party_id, tickets.c.leader).where(this))
        party_id, leader = found.one()
        state = State.MISSED if not players else State.WAITING
        if players and party_id and not await _stands_for(connection, ticket_id, party_id, players):
            state = State.CANCELLED
        values: dict[str, Any] = {"state": state, "table_id": None, "changed_at": self._database.now()}
        if state is State.WAITING:
            values |= {"expires_at": now + self._ticket_lease, "leader": leader if leader in players else players[0]}
        await connection.execute(sa.update(tickets).where(this).values(values))
        theirs = ticket_members.c.ticket_id == ticket_id, ticket_members.c.player_id.in_(players)
        await connection.execute(
            sa.update(ticket_members).where(*theirs).values(state=state, seat=None, confirmed=False)
        )

    async def _fill(self, connection: AsyncConnection, match: Any, step: Step) -> None:
        """Seat those who take the free seats."""
        sits = [(ticket.members[0].player_id, match.table_id, seat) for seat, ticket in step.taken]
        if len(await sit_down(self._database, connection, sits)) < len(sits):
            raise _Taken
        for seat, ticket in step.taken:
            this = tickets.c.ticket_id == ticket.ticket_id
            values = {"state": State.GATHERING, "table_id": match.table_id, "changed_at": self._database.now()}
            await connection.execute(sa.update(tickets).where(this).values(values))
            # A ticket may have others who missed a match before: they are not of it any more.
            own = ticket_members.c.ticket_id == ticket.ticket_id, ticket_members.c.state == State.WAITING
            member = sa.update(ticket_members).where(*own)
            await connection.execute(member.values(state=State.GATHERING, seat=seat, confirmed=True))

    async def _strike(self, connection: AsyncConnection, player_id: str, now: int) -> None:
        """Keep a player from queuing, longer each time."""
        query = sa.select(queue_pauses.c.strikes).where(
            queue_pauses.c.player_id == player_id, queue_pauses.c.struck_at > now - FORGOTTEN_US
        )
        strikes = 1 + (await connection.scalar(query) or 0)
        values = {"strikes": strikes, "until": now + pause_of(strikes), "struck_at": now}
        insert = self._database.insert(queue_pauses).values(player_id=player_id, **values)
        await connection.execute(insert.on_conflict_do_update(index_elements=["player_id"], set_=values))


async def _lock(connection: AsyncConnection, match: Gathering, waiting: Sequence[Waiting], now: int) -> list[Waiting]:
    """Lock the match's parties and tickets, and those that may fill it; returns of the latter what still waits."""
    chosen = list(islice(singles(match, waiting, now), _MOST_CANDIDATES))
    own = [chair.ticket_id for chair in match.chairs]
    for party_id in sorted(await _parties(connection, own)):
        await party_of(connection, party_id, lock=True)
    ids = [*own, *(ticket.ticket_id for ticket in chosen)]
    query = sa.select(tickets.c.ticket_id).where(tickets.c.ticket_id.in_(ids), WAITING | tickets.c.ticket_id.in_(own))
    locked = set(await connection.scalars(query.order_by(tickets.c.ticket_id).with_for_update()))
    return [ticket for ticket in chosen if ticket.ticket_id in locked]


async def _parties(connection: AsyncConnection, ticket_ids: Sequence[str]) -> set[str]:
    """Name the parties of tickets: they do not change while it is decided who of them waits again."""
    theirs = sa.select(tickets.c.party_id).where(tickets.c.ticket_id.in_(ticket_ids), tickets.c.party_id.is_not(None))
    return set(await connection.scalars(theirs))


async def _stands_for(connection: AsyncConnection, ticket_id: str, party_id: str, players: Sequence[str]) -> bool:
    """Whether a ticket's party is as it was when it queued, and these of its players are ready still."""
    party = await party_of(connection, party_id)
    queued = sa.select(ticket_members.c.player_id).where(ticket_members.c.ticket_id == ticket_id)
    if party is None or party.player_ids != set(await connection.scalars(queued)):
        return False
    ready = {member.player_id for member in party.members if member.ready}
    return set(players) <= ready | {party.leader}


async def _change_match(connection: AsyncConnection, match: Any, **values: Any) -> None:
    await connection.execute(sa.update(matches).where(matches.c.table_id == match.table_id).values(**values))


async def _change_spec(connection: AsyncConnection, spec: table_pb2.TableSpec) -> None:
    written = spec.SerializeToString(deterministic=True)
    await connection.execute(sa.update(tables).where(tables.c.table_id == spec.table_id).values(spec=written))
