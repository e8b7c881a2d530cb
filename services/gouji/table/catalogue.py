"""SQL for operators: finding tables, and what becomes of those that have stopped."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from gouji.serving.database import Database
from gouji.serving.schema import active_seats, table_servers, tables
from gouji.v1 import table_pb2


@dataclass(frozen=True, slots=True)
class Row:
    """A table as the database has it; ``server_id`` and ``address`` are empty when no live server has it."""

    table_id: str
    state: str
    server_id: str
    address: str
    fence: int
    created_at: int
    ended_at: int | None
    spec: table_pb2.TableSpec


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which tables; an empty text does not matter."""

    state: str = ""
    server: str = ""
    player_id: str = ""


class Catalogue:
    """All tables, whoever has them."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def find(self, wanted: Wanted, most: int) -> list[Row]:
        """List tables, the newest first.

        A player's are found by their specs, read one by one: `active_seats` names only where it sits now, neither
        what is over nor what it has left, which is what an operator looks for.
        """
        row = tables.c
        query = self._rows().order_by(row.created_at.desc(), row.table_id)
        if wanted.state:
            query = query.where(row.state == wanted.state)
        if wanted.server:
            servers = table_servers.c
            query = query.where((servers.server_id == wanted.server) | (servers.address == wanted.server))
        found: list[Row] = []
        query = query if wanted.player_id else query.limit(most)
        async with self._database.connect() as connection, connection.stream(query) as rows:
            async for one in rows:
                table = _row(one)
                if not wanted.player_id or wanted.player_id in {seat.player_id for seat in table.spec.seats}:
                    found.append(table)
                if len(found) == most:
                    break
        return found

    async def one(self, table_id: str) -> Row | None:
        """Give one table; None when there is none."""
        async with self._database.connect() as connection:
            row = (await connection.execute(self._rows().where(tables.c.table_id == table_id))).one_or_none()
        return None if row is None else _row(row)

    async def thaw(self, table_id: str) -> Sequence[str] | None:
        """Have a stopped table wait for a server again, and seat its players; None when it does not stand still.

        Gives the players who sit at another table by now.
        """
        stands = (tables.c.table_id == table_id) & (tables.c.state == "frozen")
        thaw = sa.update(tables).where(stands).values(state="live", owner=None, ended_at=None).returning(tables.c.spec)
        async with self._database.begin() as connection:
            spec = await connection.scalar(thaw)
            if spec is None:
                return None
            return await self._seat(connection, table_id, table_pb2.TableSpec.FromString(spec))

    async def claim(self, table_id: str) -> int | None:
        """Raise a stopped table's fence, by which its last event may be written; None if it does not stand still."""
        stands = (tables.c.table_id == table_id) & (tables.c.state == "frozen")
        claim = sa.update(tables).where(stands).values(fence=tables.c.fence + 1).returning(tables.c.fence)
        async with self._database.begin() as connection:
            fence: int | None = await connection.scalar(claim)
        return fence

    async def forgotten(self, seconds: int, most: int) -> list[str]:
        """List tables that have stood still for so long."""
        row = tables.c
        long_ago = self._database.now() - seconds * 1_000_000
        query = sa.select(row.table_id).where(row.state == "frozen", row.ended_at < long_ago).limit(most)
        async with self._database.connect() as connection:
            return list(await connection.scalars(query))

    async def _seat(self, connection: AsyncConnection, table_id: str, spec: table_pb2.TableSpec) -> list[str]:
        people = {held.player_id: seat for seat, held in enumerate(spec.seats) if held.player_id}
        for player_id, seat in people.items():
            sits = self._database.insert(active_seats).values(player_id=player_id, table_id=table_id, seat=seat)
            await connection.execute(sits.on_conflict_do_nothing())
        here = sa.select(active_seats.c.player_id).where(active_seats.c.table_id == table_id)
        seated: Iterable[str] = set(await connection.scalars(here))
        return [player_id for player_id in people if player_id not in seated]

    def _rows(self) -> sa.Select[Any]:
        alive = (tables.c.owner == table_servers.c.server_id) & (table_servers.c.expires_at > self._database.now())
        return sa.select(tables, table_servers.c.server_id, table_servers.c.address).join_from(
            tables, table_servers, alive, isouter=True
        )


def _row(row: Any) -> Row:
    spec = table_pb2.TableSpec.FromString(row.spec)
    server, address = row.server_id or "", row.address or ""
    return Row(row.table_id, row.state, server, address, row.fence, row.created_at, row.ended_at, spec)
