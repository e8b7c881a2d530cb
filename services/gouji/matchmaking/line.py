"""A queue as the process that holds it knows it: read once, and from then on only what has changed."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from gouji.matchmaking.blocks import blocked
from gouji.matchmaking.policy import Hall, Member, Waiting
from gouji.matchmaking.store import OVERLAP_US
from gouji.matchmaking.tickets import State
from gouji.matchmaking.withdrawals import WAITING
from gouji.serving.database import Database, chunks
from gouji.serving.schema import active_seats, tables, ticket_members, tickets

SHORT: Final = 1000
"""Up to so many tickets it is compared with the whole queue at each look."""

CHECK_US: Final = 10_000_000
"""How often a longer one is."""


@dataclass(frozen=True, slots=True)
class Found:
    """Tickets that are to be ended: ``lapsed`` are past their lease, ``seated`` have a player who sits at a table."""

    lapsed: list[str]
    seated: list[str]


class Line:
    """The tickets that wait in a queue. In the ``hall`` are those that can be matched.

    Tickets of players whom a match of another queue gathers are kept out of it. Any method raises `StorageUnavailable`
    when the database cannot be reached; then the line is to be thrown away.
    """

    def __init__(self, queue: str) -> None:
        self.hall = Hall()
        self._queue = queue
        self._tickets: dict[str, Waiting] = {}
        self._changed_at: dict[str, int] = {}
        self._out: set[str] = set()
        self._doubtful: set[str] = set()
        self._read_to = self._checked_at = 0

    async def read(self, database: Database, now: int) -> Found:
        """Bring the hall up to date."""
        async with database.single() as connection:
            await self._read_again(connection, await self._find_changes(connection, database.now()))
            lapsed = list(await connection.scalars(_LAPSED, {"queue": self._queue, "now": now}))
            sitting = (await connection.execute(_SITTING, {"queue": self._queue})).all()
        self._keep_out({*lapsed, *(row.ticket_id for row in sitting)})
        return Found(lapsed, sorted({row.ticket_id for row in sitting if row.table_state != "gathering"}))

    def forget(self, ticket_ids: Iterable[str]) -> None:
        """Let go of tickets that have got a table."""
        for ticket_id in ticket_ids:
            self._drop(ticket_id)

    def doubt(self, ticket_ids: Collection[str]) -> None:
        """Have tickets read anew that were to get a table and did not."""
        self.forget(ticket_ids)
        self._doubtful.update(ticket_ids)

    async def _find_changes(self, connection: AsyncConnection, now: sa.ColumnElement[int]) -> list[str]:
        """Let go of what waits no more; names the tickets that are to be read again."""
        if len(self._tickets) <= SHORT:
            self._checked_at = 0  # the first look at a line that has become long compares, too
            return await self._compare(connection)
        since, self._read_to = self._read_to, await connection.scalar(sa.select(now)) or 0
        if self._read_to < self._checked_at + CHECK_US:
            return await self._changes(connection, since - OVERLAP_US)
        self._checked_at = self._read_to
        return await self._compare(connection)

    async def _compare(self, connection: AsyncConnection) -> list[str]:
        """Do so by comparing with all that waits."""
        there = {row.ticket_id: row.changed_at for row in await connection.execute(_ALL, {"queue": self._queue})}
        self.forget(self._tickets.keys() - there.keys())
        return [ticket_id for ticket_id, at in there.items() if self._changed_at.get(ticket_id) != at]

    async def _changes(self, connection: AsyncConnection, since: int) -> list[str]:
        """Do so by what has changed since then."""
        rows = (await connection.execute(_CHANGED, {"queue": self._queue, "since": since})).all()
        self.forget(row.ticket_id for row in rows if row.state != State.WAITING)
        waiting = (row for row in rows if row.state == State.WAITING)
        return [row.ticket_id for row in waiting if self._changed_at.get(row.ticket_id) != row.changed_at]

    async def _read_again(self, connection: AsyncConnection, ticket_ids: Iterable[str]) -> None:
        wanted, self._doubtful = self._doubtful.union(ticket_ids), set()
        for ids in chunks(wanted):
            rows = (await connection.execute(_TICKETS, {"ids": ids})).all()
            avoids = await blocked(connection, [row.player_id for row in rows])
            self.forget(ids)
            for ticket_id, group in groupby(rows, attrgetter("ticket_id")):
                members = list(group)
                self._tickets[ticket_id] = ticket = _waiting(members, avoids)
                self._changed_at[ticket_id] = members[0].changed_at
                self.hall.add(ticket)

    def _drop(self, ticket_id: str) -> None:
        self._tickets.pop(ticket_id, None)
        self._changed_at.pop(ticket_id, None)
        self._out.discard(ticket_id)
        self.hall.remove(ticket_id)

    def _keep_out(self, ticket_ids: set[str]) -> None:
        """Keep just these out of the hall."""
        for ticket_id in ticket_ids & self._tickets.keys():
            self.hall.remove(ticket_id)
        for ticket_id in self._out - ticket_ids:
            self.hall.add(self._tickets[ticket_id])
        self._out = ticket_ids & self._tickets.keys()


_HERE: Final = (WAITING, tickets.c.queue == sa.bindparam("queue"))
_ALL: Final = sa.select(tickets.c.ticket_id, tickets.c.changed_at).where(*_HERE)
_CHANGED: Final = sa.select(tickets.c.ticket_id, tickets.c.changed_at, tickets.c.state).where(
    tickets.c.queue == sa.bindparam("queue"), tickets.c.changed_at > sa.bindparam("since")
)
_LAPSED: Final = sa.select(tickets.c.ticket_id).where(*_HERE, tickets.c.expires_at <= sa.bindparam("now"))
_SITTING: Final = (
    sa.select(tickets.c.ticket_id, tables.c.state.label("table_state"))
    .join_from(active_seats, ticket_members, active_seats.c.player_id == ticket_members.c.player_id)
    .join(tickets, tickets.c.ticket_id == ticket_members.c.ticket_id)
    .outerjoin(tables, tables.c.table_id == active_seats.c.table_id)
    .where(*_HERE, ticket_members.c.state == State.WAITING, ticket_members.c.queue == sa.bindparam("queue"))
)
_TICKETS: Final = (
    sa.select(
        tickets.c.ticket_id,
        tickets.c.queue,
        tickets.c.rules,
        tickets.c.length,
        tickets.c.bots_after_ms,
        tickets.c.both_teams,
        tickets.c.latency_ms,
        tickets.c.created_at,
        tickets.c.changed_at,
        ticket_members.c.player_id,
        ticket_members.c.name,
        ticket_members.c.rating,
        ticket_members.c.deviation,
        ticket_members.c.recent,
    )
    .join_from(tickets, ticket_members, tickets.c.ticket_id == ticket_members.c.ticket_id)
    .where(WAITING, ticket_members.c.state == State.WAITING)
    .where(tickets.c.ticket_id.in_(sa.bindparam("ids", expanding=True)))
    .order_by(tickets.c.ticket_id, ticket_members.c.player_id)
)


def _waiting(rows: list[Any], avoids: Mapping[str, frozenset[str]]) -> Waiting:
    first = rows[0]
    return Waiting(
        ticket_id=first.ticket_id,
        queue=first.queue,
        members=tuple(_member(row, avoids) for row in rows),
        both_teams=first.both_teams,
        rules=tuple(first.rules.split("\n")),
        length=first.length,
        since=first.created_at,
        bots_after=None if first.bots_after_ms is None else first.bots_after_ms * 1000,
        latency_ms=first.latency_ms,
    )


def _member(row: Any, avoids: Mapping[str, frozenset[str]]) -> Member:
    recent = frozenset(row.recent.split()) if row.recent else frozenset()
    return Member(row.player_id, row.name, row.rating, row.deviation, avoids.get(row.player_id, frozenset()), recent)
