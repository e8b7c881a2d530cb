"""SQL that takes waiting tickets out of their queues for what happens elsewhere in the lobby."""

from collections.abc import Iterable

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from gouji.matchmaking.tickets import State
from gouji.serving.schema import tickets


async def cancel_of_party(connection: AsyncConnection, party_id: str) -> None:
    """Cancel the tickets of a party, since it is another one now."""
    await _cancel(connection, tickets.c.party_id == party_id)


async def cancel_of_players(connection: AsyncConnection, player_ids: Iterable[str]) -> None:
    """Cancel the tickets of players, since they sit down elsewhere."""
    await _cancel(connection, tickets.c.player_id.in_(list(player_ids)))


async def _cancel(connection: AsyncConnection, which: sa.ColumnElement[bool]) -> None:
    waiting = tickets.c.state == State.WAITING.value
    locked = sa.select(tickets.c.ticket_id).where(which, waiting).order_by(tickets.c.ticket_id).with_for_update()
    ids = list(await connection.scalars(locked))
    if ids:
        change = sa.update(tickets).where(tickets.c.ticket_id.in_(ids), waiting)
        await connection.execute(change.values(state=State.CANCELLED.value))
