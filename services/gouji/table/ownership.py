"""SQL of who has which table: servers' leases, how full they are, and the taking of tables.

A table counts at the server that has it or, until somebody takes it, at the one that it was placed for. Who places
tables adds to the count in `server_loads` in the same statement that looks for room (`matchmaking/placement.py`).
Everybody else who changes it first locks the row and then counts the tables anew: so it is never too low, and what it
is too high by, for tables that ended or moved, is gone at the server's next look. Rows of `server_loads` are locked
before rows of `tables`. Times are the database's own.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from gouji.serving.database import Database
from gouji.serving.lifeline import torn
from gouji.serving.schema import server_loads, table_servers, tables
from gouji.table.balance import Server
from gouji.table.capacity import Room
from gouji.v1 import table_pb2


@dataclass(frozen=True, slots=True)
class Owned:
    """A table that this server owns: by which fence, and what it is made of."""

    table_id: str
    fence: int
    spec: table_pb2.TableSpec


@dataclass(frozen=True, slots=True)
class Standing:
    """What the database says of a table; ``owner`` is None when no live server has it."""

    state: str
    spec: table_pb2.TableSpec
    owner: str | None
    address: str


class Ownership:
    """Leases and owners, as the database keeps them. ``server_id`` names one incarnation of a server."""

    def __init__(self, database: Database) -> None:
        self._database = database

    # The lease

    async def register(
        self, server_id: str, address: str, room: Room, lease_seconds: float, lifeline: str | None = None
    ) -> None:
        """Begin a lease, and forget leases that ran out long ago."""
        row = {"server_id": server_id, "address": address, "capacity": room.capacity, "lifeline": lifeline}
        lease = sa.insert(table_servers).values(expires_at=self._lease_end(lease_seconds), **row)
        long_ago = table_servers.c.expires_at < self._database.now() - 3_600_000_000
        forgotten = sa.delete(table_servers).where(long_ago).returning(table_servers.c.server_id)
        async with self._database.begin() as connection:
            gone = (await connection.scalars(forgotten)).all()
            await connection.execute(sa.delete(server_loads).where(server_loads.c.server_id.in_(gone)))
            await connection.execute(lease)
            await connection.execute(sa.insert(server_loads).values(server_id=server_id, most=room.new))

    async def renew(
        self, server_id: str, capacity: int, lease_seconds: float, *, draining: bool, lifeline: str | None = None
    ) -> bool:
        """Renew a lease; False when it has run out."""
        renewed = (
            sa.update(table_servers)
            .where(table_servers.c.server_id == server_id, self._lives())
            .values(capacity=capacity, draining=draining, lifeline=lifeline, expires_at=self._lease_end(lease_seconds))
        )
        async with self._database.begin() as connection:
            return bool((await connection.execute(renewed)).rowcount)

    async def end_torn(self, server_id: str, lease_seconds: float) -> int:
        """End the leases of other servers whose process has died; say how many."""
        if self._database.dialect != "postgresql":
            return 0
        died = torn(table_servers.c.lifeline, lease_seconds) & (table_servers.c.server_id != server_id)
        ended = sa.update(table_servers).where(died, self._lives()).values(expires_at=self._database.now())
        async with self._database.begin() as connection:
            return (await connection.execute(ended)).rowcount

    async def release(self, server_id: str) -> None:
        """Give up all tables, so that anybody may take them at once, and end the lease."""
        owned = sa.update(tables).where(tables.c.owner == server_id, _open())
        async with self._database.begin() as connection:
            await connection.execute(sa.delete(server_loads).where(server_loads.c.server_id == server_id))
            await connection.execute(owned.values(owner=None))
            await connection.execute(sa.delete(table_servers).where(table_servers.c.server_id == server_id))

    async def servers(self) -> list[Server]:
        """List the table servers whose lease is alive, each with the number of its tables."""
        row = table_servers.c
        count = sa.func.coalesce(server_loads.c.tables, 0)
        query = sa.select(row.server_id, row.address, row.capacity, count, row.draining).join_from(
            table_servers, server_loads, server_loads.c.server_id == row.server_id, isouter=True
        )
        async with self._database.connect() as connection:
            return [Server(*found) for found in await connection.execute(query.where(self._lives()))]

    def _lease_end(self, seconds: float) -> sa.ColumnElement[int]:
        return self._database.now() + round(seconds * 1_000_000)

    def _lives(self) -> sa.ColumnElement[bool]:
        return table_servers.c.expires_at > self._database.now()

    # Taking

    async def take_assigned(self, server_id: str, most: int) -> list[Owned]:
        """Take tables that were placed for this server; they are counted already."""
        mine = sa.select(tables.c.table_id).where(_placed_for(server_id)).limit(most)
        async with self._database.begin() as connection:
            found = (await connection.scalars(mine.with_for_update(skip_locked=True))).all()
            return await _take(connection, server_id, tables.c.table_id.in_(found))

    async def take(self, server_id: str, most: int, room: Room) -> list[Owned]:
        """Count this server's tables anew, and take some that no server has, as far as there is room.

        Those that lost their server come first, then new ones; of each the oldest. Each gets the next fence.
        """
        async with self._database.begin() as connection:
            count = await _count(connection, server_id)
            lost = await self._find(connection, "live", min(most, room.capacity - count))
            new = await self._find(connection, "placed", min(most, room.new - count) - len(lost))
            taken = await _take(connection, server_id, tables.c.table_id.in_([*lost, *new]))
            await _note(connection, server_id, count + len(taken), room)
        return taken

    async def take_one(self, server_id: str, table_id: str, room: Room) -> Owned | None:
        """Take this table; None when another server has it, there is no room, it has ended, or is not there."""
        this = tables.c.table_id == table_id
        async with self._database.begin() as connection:
            taken = await _take(connection, server_id, this & _placed_for(server_id))
        return taken[0] if taken else await self._take_counted(server_id, this & self._is_free(), room)

    async def take_again(self, server_id: str, table_id: str) -> Owned | None:
        """Take this table of this server under a new fence; what it decided under the old one is void then."""
        this = (tables.c.table_id == table_id) & (tables.c.owner == server_id) & _open()
        async with self._database.begin() as connection:
            taken = await _take(connection, server_id, this)
        return taken[0] if taken else None

    async def take_over(self, server_id: str, table_id: str, owner: str, fence: int, room: Room) -> Owned | None:
        """Take this table from its owner, who offers it.

        None when it is not that one's by that fence any more, or when there is no room.
        """
        offered = (tables.c.table_id == table_id) & (tables.c.owner == owner) & (tables.c.fence == fence)
        return await self._take_counted(server_id, offered, room)

    async def _take_counted(self, server_id: str, which: sa.ColumnElement[bool], room: Room) -> Owned | None:
        """Take one table if there is room for it."""
        async with self._database.begin() as connection:
            count = await _count(connection, server_id)
            states = [*["live"] * (count < room.capacity), *["placed"] * (count < room.new)]
            taken = await _take(connection, server_id, which & tables.c.state.in_(states))
            await _note(connection, server_id, count + len(taken), room)
        return taken[0] if taken else None

    async def _find(self, connection: AsyncConnection, state: str, most: int) -> Sequence[str]:
        """Find tables in this state that no server has, the oldest first, and lock them."""
        free = sa.select(tables.c.table_id).where(tables.c.state == state, self._is_free())
        first = free.order_by(tables.c.created_at).limit(max(most, 0)).with_for_update(skip_locked=True)
        return (await connection.scalars(first)).all() if most > 0 else []

    async def free(self, most: int) -> int:
        """Count the tables that no live server has; no further than to ``most``."""
        some = sa.select(tables.c.table_id).where(_open(), self._is_free()).limit(most).subquery()
        async with self._database.connect() as connection:
            return await connection.scalar(sa.select(sa.func.count()).select_from(some)) or 0

    def _is_free(self) -> sa.ColumnElement[bool]:
        """Whether no live server has a table, and none that stays is to have it."""
        alive = sa.select(table_servers.c.server_id).where(self._lives())
        staying = alive.where(sa.not_(table_servers.c.draining))
        unowned = tables.c.owner.is_(None) | tables.c.owner.not_in(alive)
        return unowned & (tables.c.assigned.is_(None) | tables.c.assigned.not_in(staying))

    async def standing(self, table_id: str) -> Standing | None:
        """Say how a table stands and who serves it; None when there is none."""
        query = (
            sa.select(tables.c.state, tables.c.spec, table_servers.c.server_id, table_servers.c.address)
            .join_from(
                tables, table_servers, (tables.c.owner == table_servers.c.server_id) & self._lives(), isouter=True
            )
            .where(tables.c.table_id == table_id)
        )
        async with self._database.connect() as connection:
            row = (await connection.execute(query)).one_or_none()
        if row is None:
            return None
        return Standing(row.state, table_pb2.TableSpec.FromString(row.spec), row.server_id, row.address or "")


async def _count(connection: AsyncConnection, server_id: str) -> int:
    """Count the tables that a server has or that were placed for it; nobody places any there until the commit."""
    lock = sa.select(server_loads.c.server_id).where(server_loads.c.server_id == server_id).with_for_update()
    await connection.execute(lock)
    # A statement of its own: it sees what was committed while the one before waited.
    has = sa.select(sa.func.count()).where(tables.c.owner == server_id, _open()).scalar_subquery()
    awaits = sa.select(sa.func.count()).where(tables.c.assigned == server_id).scalar_subquery()
    return await connection.scalar(sa.select(has + awaits)) or 0


async def _note(connection: AsyncConnection, server_id: str, count: int, room: Room) -> None:
    """Write how full a server is, if that has changed."""
    row = server_loads.c
    changed = (row.server_id == server_id) & ((row.tables != count) | (row.most != room.new))
    await connection.execute(sa.update(server_loads).where(changed).values(tables=count, most=room.new))


async def _take(connection: AsyncConnection, server_id: str, which: sa.ColumnElement[bool]) -> list[Owned]:
    take = (
        sa.update(tables)
        .where(which)
        .values(owner=server_id, assigned=None, fence=tables.c.fence + 1, state="live")
        .returning(tables.c.table_id, tables.c.fence, tables.c.spec)
    )
    rows = (await connection.execute(take)).all()
    return [Owned(table_id, fence, table_pb2.TableSpec.FromString(spec)) for table_id, fence, spec in rows]


def _open() -> sa.ColumnElement[bool]:
    return tables.c.state.in_(("placed", "live"))


def _placed_for(server_id: str) -> sa.ColumnElement[bool]:
    return (tables.c.assigned == server_id) & (tables.c.state == "placed")
