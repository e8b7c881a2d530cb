"""What a look at one queue finds: tickets that can be matched, and tickets that are to be ended."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import groupby
from operator import attrgetter
from typing import Any, Final

import sqlalchemy as sa

from gouji.matchmaking.blocks import blocked
from gouji.matchmaking.policy import Member, Waiting
from gouji.matchmaking.tickets import State
from gouji.matchmaking.withdrawals import WAITING
from gouji.serving.database import Database
from gouji.serving.schema import active_seats, tables, ticket_members, tickets


@dataclass(frozen=True, slots=True)
class Found:
    """What was found waiting at one moment; the last two are ids.

    ``waiting`` can be matched, the oldest first. ``lapsed`` are past their lease. ``seated`` have a player who
    sits at a table. Tickets of players whom a match of another queue gathers are in none of the three.
    """

    waiting: list[Waiting] = field(default_factory=list)
    lapsed: list[str] = field(default_factory=list)
    seated: list[str] = field(default_factory=list)


async def look(database: Database, queue: str, now: int) -> Found:
    """Read all that waits in a queue."""
    found = Found()
    async with database.connect() as connection:
        rows = (await connection.execute(_LOOK, {"queue": queue})).all()
        avoids = await blocked(connection, [row.player_id for row in rows])
    for ticket_id, group in groupby(rows, attrgetter("ticket_id")):
        members = list(group)
        if members[0].expires_at <= now:
            found.lapsed.append(ticket_id)
        elif not any(row.sits_at for row in members):
            found.waiting.append(_waiting(members, avoids))
        elif any(row.sits_at and row.table_state != "gathering" for row in members):
            found.seated.append(ticket_id)
    return found


_LOOK: Final = (
    sa.select(
        tickets.c.ticket_id,
        tickets.c.queue,
        tickets.c.rules,
        tickets.c.length,
        tickets.c.bots_after_ms,
        tickets.c.both_teams,
        tickets.c.latency_ms,
        tickets.c.created_at,
        tickets.c.expires_at,
        ticket_members.c.player_id,
        ticket_members.c.name,
        ticket_members.c.rating,
        ticket_members.c.deviation,
        ticket_members.c.recent,
        active_seats.c.table_id.label("sits_at"),
        tables.c.state.label("table_state"),
    )
    .join_from(tickets, ticket_members, tickets.c.ticket_id == ticket_members.c.ticket_id)
    .outerjoin(active_seats, active_seats.c.player_id == ticket_members.c.player_id)
    .outerjoin(tables, tables.c.table_id == active_seats.c.table_id)
    .where(WAITING, ticket_members.c.state == State.WAITING, tickets.c.queue == sa.bindparam("queue"))
    .order_by(tickets.c.created_at, tickets.c.ticket_id, ticket_members.c.player_id)
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
