"""SQL of the people at a table: whom a player has muted, and what follows a match. Times are the database's own."""

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Final

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from gouji.serving.database import Database
from gouji.serving.errors import ServiceError
from gouji.serving.sanctions import refuse_muted
from gouji.serving.schema import active_seats, mutes, table_events, tables
from gouji.table.company import Company, people
from gouji.table.store import Step, Store
from gouji.v1 import table_pb2
from gouji.v1.events_pb2 import Event

MOST_AFTERWARDS: Final = 128
"""Events that a log takes after its match's end."""

_LOGS_AT_ONCE: Final = 50
"""Logs that one statement reads."""


@dataclass(frozen=True, slots=True)
class Ended:
    """A match that is over: since how long, in microseconds, and what has followed, from its last event on."""

    spec: table_pb2.TableSpec
    fence: int
    ago: int
    events: Sequence[Event]

    @property
    def played_out(self) -> bool:
        """The match came to its end, and was not given up by an operator."""
        return self.events[0].HasField("match_ended")

    @property
    def last(self) -> Event:
        """The log's last event."""
        return self.events[-1]

    @property
    def company(self) -> Company:
        """What the people have said and wished for since."""
        company = Company()
        for event in self.events:
            company.fold(event)
        return company


class PeopleStore:
    """What people do beside the game, as the database keeps it."""

    def __init__(self, database: Database, store: Store) -> None:
        self._database = database
        self._store = store

    # Mutes

    async def muted(self, player_id: str) -> set[str]:
        """Read whom a player has muted."""
        query = sa.select(mutes.c.muted_id).where(mutes.c.player_id == player_id)
        async with self._database.connect() as connection:
            return set(await connection.scalars(query))

    async def mute(self, player_id: str, other: str, *, muted: bool) -> None:
        """Mute somebody for a player, or have it heard again; doing it twice changes nothing."""
        pair = {"player_id": player_id, "muted_id": other}
        async with self._database.begin() as connection:
            if muted:
                await connection.execute(self._database.insert(mutes).values(**pair).on_conflict_do_nothing())
            else:
                await connection.execute(sa.delete(mutes).filter_by(**pair))

    async def refuse_muted(self, player_id: str) -> None:
        """Raise `ServiceError` `muted` for one whom a moderator lets say nothing."""
        await refuse_muted(self._database, player_id)

    # After a match

    async def ended(self, table_id: str) -> Ended | None:
        """Read how a match ended; None when it is not over, or there is none."""
        async with self._database.connect() as connection:
            return await self._ended(connection, table_id, lock=False)

    @asynccontextmanager
    async def writing(self, table_id: str) -> AsyncIterator[tuple[AsyncConnection, Ended | None]]:
        """Let nobody else write behind this match's end until the block ends; nothing is kept of one that raises."""
        async with self._database.begin() as connection:
            yield connection, await self._ended(connection, table_id, lock=True)

    async def append(self, connection: AsyncConnection, step: Step) -> None:
        """Write behind a match's end, under the lock of `writing`."""
        await self._store.write(connection, [step])

    async def place(self, connection: AsyncConnection, spec: table_pb2.TableSpec) -> None:
        """Place a table, and seat its people. Raises `ServiceError` `already_seated` when one sits elsewhere."""
        held = sorted((spec.seats[seat].player_id, seat) for seat in people(spec.seats))
        rows = [{"player_id": player, "table_id": spec.table_id, "seat": seat} for player, seat in held]
        once = self._database.insert(active_seats).on_conflict_do_nothing(index_elements=["player_id"])
        seated = set(await connection.scalars(once.returning(active_seats.c.player_id), rows))
        elsewhere = [(player, seat) for player, seat in held if player not in seated]
        if elsewhere:
            # At which table is nobody's business.
            metadata = {"player_id": elsewhere[0][0], "seat": str(elsewhere[0][1])}
            raise ServiceError("already_seated", f"Seat {elsewhere[0][1]} plays elsewhere.", metadata=metadata)
        row = {"table_id": spec.table_id, "spec": spec.SerializeToString(deterministic=True), "state": "placed"}
        await connection.execute(sa.insert(tables).values(created_at=self._database.now(), **row))

    async def since(self, lasts: Mapping[str, int]) -> dict[str, list[Event]]:
        """Read what logs have got after their events of these numbers, by table."""
        found: dict[str, list[Event]] = {table_id: [] for table_id in lasts}
        pairs = list(lasts.items())
        async with self._database.connect() as connection:
            for start in range(0, len(pairs), _LOGS_AT_ONCE):
                newer = [
                    (table_events.c.table_id == table_id) & (table_events.c.seq > last)
                    for table_id, last in pairs[start : start + _LOGS_AT_ONCE]
                ]
                query = sa.select(table_events.c.table_id, table_events.c.seq, table_events.c.event).where(
                    sa.or_(*newer)
                )
                for row in await connection.execute(query.order_by(table_events.c.table_id, table_events.c.seq)):
                    found[row.table_id].append(self._store.event(row.table_id, row))
        return found

    async def _ended(self, connection: AsyncConnection, table_id: str, *, lock: bool) -> Ended | None:
        ago = self._database.now() - tables.c.ended_at
        query = sa.select(tables.c.spec, tables.c.fence, ago.label("ago"))
        query = query.where(tables.c.table_id == table_id, tables.c.state == "over")
        row = (await connection.execute(query.with_for_update() if lock else query)).one_or_none()
        if row is None:
            return None
        newest = sa.select(table_events.c.seq, table_events.c.event).where(table_events.c.table_id == table_id)
        newest = newest.order_by(table_events.c.seq.desc()).limit(MOST_AFTERWARDS + 1)
        events: list[Event] = []
        for row_of_event in await connection.execute(newest):
            events.insert(0, self._store.event(table_id, row_of_event))
            if events[0].HasField("match_ended") or events[0].HasField("table_abandoned"):
                break
        return Ended(table_pb2.TableSpec.FromString(row.spec), row.fence, row.ago, events)
