"""Which table server a new table is placed on: the fullest that is well and has room, so that others can empty.

A server is well while its lease is alive and it does not drain; how far new tables may fill it, it says itself
(`server_loads.most`). The count that the statement below raises is made anew by the server from its tables every half
second (`table/ownership.py`), under the row's lock: what ended or moved is off it then.
"""

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from gouji.serving.database import now_in
from gouji.serving.schema import server_loads, table_servers, tables


async def reserve(connection: AsyncConnection, table_ids: Sequence[str]) -> dict[str, str]:
    """Reserve room for new tables; returns the server of each. Those for which nobody has room are missing.

    The rows of these tables must carry their server in `assigned` by the end of the same transaction, or the room is
    free again. Nobody else places tables on these servers until then, so this comes as late as it can.
    """
    given: dict[str, str] = {}
    while left := table_ids[len(given) :]:
        row = (await connection.execute(_grant(connection, len(left), waits=not given))).first()
        if row is None:
            break
        given |= dict.fromkeys(left[: row.granted], row.server_id)
    return given


async def addresses(connection: AsyncConnection, table_ids: Sequence[str]) -> dict[str, str]:
    """Give the address of the server that each table is placed for; tables that are placed for none are missing."""
    query = (
        sa.select(tables.c.table_id, table_servers.c.address)
        .join_from(tables, table_servers, tables.c.assigned == table_servers.c.server_id)
        .where(tables.c.table_id.in_(table_ids))
    )
    return {row.table_id: row.address for row in await connection.execute(query)}


def _grant(connection: AsyncConnection, wanted: int, *, waits: bool) -> sa.UpdateBase:
    """Give the fullest server that has room as many tables as are wanted and it has room for.

    Only the first server of a transaction is waited for: nobody holds one and waits for another.
    """
    load = server_loads.c
    room = load.most - load.tables
    granted = sa.case((room < wanted, room), else_=wanted)
    change = sa.update(server_loads).where(load.server_id == _fullest(connection, waits=waits))
    return change.values(tables=load.tables + granted, granted=granted).returning(load.server_id, load.granted)


def _fullest(connection: AsyncConnection, *, waits: bool) -> sa.ScalarSelect[Any]:
    """Find the fullest server with room, and lock its count: one that has been filled meanwhile is passed over."""
    load, server = server_loads.alias(), table_servers.c
    well = (server.expires_at > now_in(connection.dialect.name)) & sa.not_(server.draining)
    return (
        sa.select(load.c.server_id)
        .join_from(load, table_servers, load.c.server_id == server.server_id)
        .where(well, load.c.tables < load.c.most)
        .order_by((load.c.tables * 1.0 / load.c.most).desc(), load.c.server_id)
        .limit(1)
        .with_for_update(of=load, skip_locked=not waits)
        .scalar_subquery()
    )
