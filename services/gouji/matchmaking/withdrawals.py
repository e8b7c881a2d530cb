"""SQL that takes waiting tickets out of their queues, or notes a change; one that has a match keeps it."""

from collections.abc import Collection, Iterable
from typing import Final

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from gouji.matchmaking.tickets import State
from gouji.serving.database import now_in
from gouji.serving.schema import ticket_members, tickets

WAITING: Final = tickets.c.state == State.WAITING.value
"""Whether a ticket waits."""


async def end(connection: AsyncConnection, ticket_ids: Collection[str], state: State) -> None:
    """Take tickets out of their queues; those that do not wait stay as they are."""
    if not ticket_ids:
        return
    change = sa.update(tickets).where(tickets.c.ticket_id.in_(ticket_ids), WAITING)
    change = change.values(state=state, changed_at=now_in(connection.dialect.name))
    ended = list(await connection.scalars(change.returning(tickets.c.ticket_id)))
    theirs = ticket_members.c.ticket_id.in_(ended), ticket_members.c.state == State.WAITING
    await connection.execute(sa.update(ticket_members).where(*theirs).values(state=state))


async def cancel_of_party(connection: AsyncConnection, party_id: str) -> None:
    """Cancel the tickets of a party, since it is another one now."""
    await end(connection, await _lock(connection, tickets.c.party_id == party_id), State.CANCELLED)


async def cancel_of_players(connection: AsyncConnection, player_ids: Iterable[str]) -> None:
    """Cancel the tickets that players are in, since they sit down elsewhere."""
    await end(connection, await _lock(connection, _of(player_ids)), State.CANCELLED)


async def touch_of_players(connection: AsyncConnection, player_ids: Iterable[str]) -> None:
    """Have the tickets that players are in read anew: whom they must not meet has changed."""
    ids = await _lock(connection, _of(player_ids))
    changed = sa.update(tickets).where(tickets.c.ticket_id.in_(ids))
    await connection.execute(changed.values(changed_at=now_in(connection.dialect.name)))


def _of(player_ids: Iterable[str]) -> sa.ColumnElement[bool]:
    row = ticket_members.c
    theirs = sa.select(row.ticket_id).where(row.player_id.in_(list(player_ids)), row.state == State.WAITING)
    return tickets.c.ticket_id.in_(theirs)


async def _lock(connection: AsyncConnection, which: sa.ColumnElement[bool]) -> list[str]:
    locked = sa.select(tickets.c.ticket_id).where(which, WAITING).order_by(tickets.c.ticket_id).with_for_update()
    return list(await connection.scalars(locked))
