"""Takes players that were deleted out of tables: their seats, mutes, and their names in tables that are over.

The name of a player stands in the table's row, in the log's first event and in results on their way to scoring; no
digest goes over it. A live table keeps it to its end. Every table that is over is listed once by its people
(`table_people`), and whoever lists it takes out the names of those who were deleted by then; who is deleted later is
found by the list. The list is committed before it is looked who was deleted, and a deletion before the list is
looked at: one of the two sees the other.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from gouji.serving.app import App
from gouji.serving.barred import refuse_living
from gouji.serving.database import Database
from gouji.serving.schema import active_seats, deletions, mutes, outbox, table_people, tables
from gouji.table.host import Host
from gouji.table.live import Live
from gouji.table.store import Store
from gouji.v1 import events_pb2, scoring_pb2, table_pb2

LISTED_AT_ONCE: Final = 100
"""Tables that are listed in one look."""

NAMES_AT_ONCE: Final = 100
"""Tables from which one call takes a name."""

LOOK_SECONDS: Final = 5.0
"""How often it is looked for tables to list."""

_OVER: Final = tables.c.state == sa.literal_column("'over'")  # as the index has it


@dataclass(frozen=True, slots=True)
class Unseated:
    """The table that a player has left; ``again`` says that it sits at one where nobody plays yet."""

    table_id: str
    again: bool = False


class Removal:
    """Removes players from tables; `run` lists tables for ever. Everything may be done any number of times."""

    def __init__(self, app: App, host: Host, store: Store) -> None:
        self._database = app.database
        self._clock = app.clock
        self._host = host
        self._names = Names(app.database, store)

    async def run(self) -> None:
        """List tables that are over, for ever. Raises `StorageUnavailable`; whoever runs it then runs it again."""
        while True:
            if await self._names.list_people() < LISTED_AT_ONCE:
                await self._clock.sleep(LOOK_SECONDS)

    async def remove(self, player_id: str) -> bool:
        """Have a player leave where it sits, and take its name out of some tables; says whether there is more to do.

        Raises `ServiceError`: `unknown_player` for one who was not deleted, `wrong_server` with an address where
        another server has its table, and what else `Host.find` raises.
        """
        async with self._database.begin() as connection:
            await refuse_living(connection, player_id)
            muted = (mutes.c.player_id == player_id) | (mutes.c.muted_id == player_id)
            await connection.execute(sa.delete(mutes).where(muted))
        waits = (await self.unseat(player_id)).again
        return await self._names.forget(player_id) or waits

    async def unseat(self, player_id: str) -> Unseated:
        """Have a player leave its live table for good. Raises `ServiceError` as `remove` does."""
        seat, state = active_seats.c, tables.c.state
        query = sa.select(seat.table_id, seat.seat, state).join(tables, tables.c.table_id == seat.table_id)
        async with self._database.connect() as connection:
            sits = (await connection.execute(query.where(seat.player_id == player_id))).one_or_none()
        if sits is None or sits.state == "gathering":
            return Unseated("", again=sits is not None)
        table = await self._host.find(sits.table_id)
        if isinstance(table, Live):
            await table.leave_for_good(sits.seat)
            return Unseated(sits.table_id)
        return Unseated("")


class Names:
    """Where players are named at tables that are over."""

    def __init__(self, database: Database, store: Store) -> None:
        self._database = database
        self._store = store

    async def list_people(self) -> int:
        """List who sat at tables that have ended, and take out who was deleted; returns how many tables that were."""
        undelivered = sa.exists().where(outbox.c.table_id == tables.c.table_id, outbox.c.delivered_at.is_(None))
        query = sa.select(tables.c.table_id, tables.c.spec).where(_OVER, ~tables.c.people_listed, ~undelivered)
        async with self._database.connect() as connection:
            found = (await connection.execute(query.limit(LISTED_AT_ONCE))).all()
        await self._list([(_spec(row.spec), row.table_id) for row in found])
        for row in found:
            await self._blank(row.table_id)
        return len(found)

    async def _list(self, found: Sequence[tuple[table_pb2.TableSpec, str]]) -> None:
        people = {(seat.player_id, table_id) for spec, table_id in found for seat in spec.seats if seat.name}
        rows = [{"player_id": player, "table_id": table_id} for player, table_id in sorted(people) if player]
        if rows:
            once = self._database.insert(table_people).on_conflict_do_nothing()
            async with self._database.begin() as connection:
                await connection.execute(once, rows)

    async def forget(self, player_id: str) -> bool:
        """Take a deleted player's name out of some tables; says whether there are more."""
        query = sa.select(table_people.c.table_id).where(table_people.c.player_id == player_id)
        async with self._database.connect() as connection:
            named = list(await connection.scalars(query.limit(NAMES_AT_ONCE)))
        for table_id in named:
            await self._blank(table_id)
        return len(named) == NAMES_AT_ONCE

    async def _blank(self, table_id: str) -> None:
        """Take the names of all who were deleted out of a table that is over, which is listed by now."""
        this = tables.c.table_id == table_id
        async with self._database.begin() as connection:
            spec = _spec(await connection.scalar(sa.select(tables.c.spec).where(this).with_for_update()))
            people = {seat.player_id for seat in spec.seats if seat.player_id}
            query = sa.select(deletions.c.player_id).where(deletions.c.player_id.in_(people))
            gone = set(await connection.scalars(query))
            if gone:
                await self._take_out(connection, table_id, spec, gone)
            await connection.execute(sa.update(tables).where(this, ~tables.c.people_listed).values(people_listed=True))

    async def _take_out(
        self, connection: AsyncConnection, table_id: str, spec: table_pb2.TableSpec, gone: set[str]
    ) -> None:
        _take_names(spec.seats, gone)
        changed = sa.update(tables).where(tables.c.table_id == table_id)
        await connection.execute(changed.values(spec=spec.SerializeToString(deterministic=True)))
        await self._store.rewrite_opening(connection, table_id, lambda opened: _take_names(opened.seats, gone))
        sent = sa.select(outbox.c.id, outbox.c.payload).where(outbox.c.table_id == table_id)
        for row in (await connection.execute(sent)).all():
            result = scoring_pb2.HandResult.FromString(row.payload)
            _take_names(result.seats, gone)
            payload = result.SerializeToString(deterministic=True)
            await connection.execute(sa.update(outbox).where(outbox.c.id == row.id).values(payload=payload))
        listed = (table_people.c.table_id == table_id) & table_people.c.player_id.in_(gone)
        await connection.execute(sa.delete(table_people).where(listed))


def _take_names(seats: Sequence[events_pb2.Seat], gone: set[str]) -> None:
    for seat in seats:
        if seat.player_id in gone:
            seat.name = ""


def _spec(stored: bytes | None) -> table_pb2.TableSpec:
    return table_pb2.TableSpec.FromString(stored or b"")
