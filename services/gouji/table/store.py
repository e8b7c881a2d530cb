"""SQL of the tables' logs and snapshots, and of the outbox. Times are the database's own.

Events and commands are sealed on their way in and opened on their way out: they hold hidden cards.
"""

from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from gouji.serving.database import Database
from gouji.serving.schema import (
    active_seats,
    outbox,
    table_commands,
    table_events,
    table_snapshots,
    tables,
)
from gouji.serving.vault import Unreadable, Vault, board_place
from gouji.table.append import append
from gouji.table.commands import Accepted, Command
from gouji.v1 import scoring_pb2, snapshot_pb2, table_pb2
from gouji.v1.events_pb2 import Event, TableOpened

MOST_COUNTED: Final = 10_000
"""How far hands are counted that wait for scoring."""


@dataclass(frozen=True, slots=True)
class Kept:
    """A command as the log keeps it."""

    seat: int
    command_id: str
    turn: int
    payload: bytes
    accepted: Accepted


@dataclass(frozen=True, slots=True)
class Step:
    """What one step of a table writes, at a time in microseconds.

    Commands come with the number of the event that shows them. ``left`` are seats whose players may sit down elsewhere
    from now on, ``state`` is what the table becomes if it ends, ``snapshot`` what its log folds to up to a hand's end
    among these events.
    """

    table_id: str
    fence: int
    at: int
    events: Sequence[Event] = ()
    commands: Sequence[tuple[Command, int]] = ()
    results: Sequence[scoring_pb2.HandResult] = ()
    left: Sequence[int] = ()
    state: str | None = None
    snapshot: snapshot_pb2.TableSnapshot | None = None

    @property
    def ends_something(self) -> bool:
        """There is more to it than events and commands."""
        return bool(self.results or self.left or self.state is not None or self.snapshot is not None)


@dataclass(frozen=True, slots=True)
class Delivery:
    """Hands to deliver, by their number in the outbox; put into ``taken`` what was."""

    results: Mapping[int, scoring_pb2.HandResult]
    taken: set[int] = field(default_factory=set)


class Store:
    """The tables' logs, as the database keeps them."""

    def __init__(self, database: Database, vault: Vault) -> None:
        self._database = database
        self._vault = vault

    # The log

    async def commit(self, steps: Sequence[Step]) -> Mapping[str, int]:
        """Write the steps of many tables in one transaction, and give the tables' fences.

        Nothing is written of a step with another fence. Raises `StorageUnavailable`, and then the outcome is
        unknown.
        """
        if self._database.dialect == "postgresql" and not any(step.ends_something for step in steps):
            return await self._append(steps)
        async with self._database.begin() as connection:
            owned = await self._lock_fences(connection, {step.table_id for step in steps})
            await self.write(connection, [step for step in steps if owned.get(step.table_id) == step.fence])
        return owned

    async def _append(self, steps: Sequence[Step]) -> Mapping[str, int]:
        """Do a commit of events and commands in one statement."""
        events = [{**row, "fence": step.fence} for step in steps for row in self._event_rows(step)]
        commands = [{**row, "fence": step.fence} for step in steps for row in self._command_rows(step)]
        async with self._database.single() as connection:
            return await append(connection, {step.table_id for step in steps}, events, commands)

    async def _lock_fences(self, connection: AsyncConnection, table_ids: Iterable[str]) -> dict[str, int]:
        """Read the tables' fences and keep others from taking them until the commit."""
        query = (
            sa.select(tables.c.table_id, tables.c.fence)
            .where(tables.c.table_id.in_(sorted(table_ids)))
            .order_by(tables.c.table_id)
            .with_for_update(read=True)
        )
        return {row.table_id: row.fence for row in await connection.execute(query)}

    async def write(self, connection: AsyncConnection, steps: Sequence[Step]) -> None:
        """Write steps in a transaction in which their tables are locked and their fences checked."""
        rows = (
            (table_events, [row for step in steps for row in self._event_rows(step)]),
            (table_commands, [row for step in steps for row in self._command_rows(step)]),
            (outbox, [row for step in steps for row in _outbox_rows(step)]),
        )
        for table, values in rows:
            if values:
                await connection.execute(sa.insert(table), values)
        await self._keep_snapshots(connection, steps)
        for step in steps:
            for seat in step.left:
                await self._free_player(connection, step.table_id, seat)
            if step.state is not None:
                await self._end_table(connection, step.table_id, step.state)

    async def _keep_snapshots(self, connection: AsyncConnection, steps: Sequence[Step]) -> None:
        """Put each table's newest snapshot in the place of the one before."""
        newest = {step.table_id: step.snapshot.SerializeToString() for step in steps if step.snapshot is not None}
        if newest:
            row = self._database.insert(table_snapshots)
            kept = row.on_conflict_do_update(index_elements=["table_id"], set_={"snapshot": row.excluded.snapshot})
            values = [{"table_id": table_id, "snapshot": snapshot} for table_id, snapshot in sorted(newest.items())]
            await connection.execute(kept, values)

    async def _end_table(self, connection: AsyncConnection, table_id: str, state: str) -> None:
        ended = sa.update(tables).where(tables.c.table_id == table_id)
        # Where a table is found must not tell that its match is over: spectators may be behind.
        owner = {} if state == "over" else {"owner": None}
        await connection.execute(ended.values(state=state, ended_at=self._database.now(), **owner))
        await connection.execute(sa.delete(active_seats).where(active_seats.c.table_id == table_id))
        await connection.execute(sa.delete(table_snapshots).where(table_snapshots.c.table_id == table_id))

    async def snapshot(self, table_id: str) -> snapshot_pb2.TableSnapshot | None:
        """Read a table's snapshot; None when it has none."""
        query = sa.select(table_snapshots.c.snapshot).where(table_snapshots.c.table_id == table_id)
        async with self._database.connect() as connection:
            found = await connection.scalar(query)
        return None if found is None else snapshot_pb2.TableSnapshot.FromString(found)

    async def _free_player(self, connection: AsyncConnection, table_id: str, seat: int) -> None:
        sits = (active_seats.c.table_id == table_id) & (active_seats.c.seat == seat)
        await connection.execute(sa.delete(active_seats).where(sits))

    async def events(self, table_id: str, first: int = 1, most: int = 100_000) -> list[Event]:
        """Read a table's log from event ``first`` on."""
        query = (
            sa.select(table_events.c.seq, table_events.c.event)
            .where(table_events.c.table_id == table_id, table_events.c.seq >= first)
            .order_by(table_events.c.seq)
            .limit(most)
        )
        async with self._database.connect() as connection:
            return [self.event(table_id, row) for row in await connection.execute(query)]

    async def last_event(self, table_id: str) -> Event | None:
        """Read a log's last event; None when it has none."""
        query = sa.select(table_events.c.seq, table_events.c.event).where(table_events.c.table_id == table_id)
        async with self._database.connect() as connection:
            last = (await connection.execute(query.order_by(table_events.c.seq.desc()).limit(1))).one_or_none()
        return None if last is None else self.event(table_id, last)

    async def commands(self, table_id: str) -> list[Kept]:
        """Read all commands that a table has accepted."""
        query = _kept().where(table_commands.c.table_id == table_id)
        async with self._database.connect() as connection:
            return [self._kept(table_id, row) for row in await connection.execute(query)]

    async def command(self, table_id: str, seat: int, command_id: str) -> Kept | None:
        """Read what was accepted under one id."""
        query = _kept().where(
            table_commands.c.table_id == table_id,
            table_commands.c.seat == seat,
            table_commands.c.command_id == command_id,
        )
        async with self._database.connect() as connection:
            row = (await connection.execute(query)).one_or_none()
        return None if row is None else self._kept(table_id, row)

    async def rewrite_opening(
        self, connection: AsyncConnection, table_id: str, change: Callable[[TableOpened], None]
    ) -> None:
        """Change what a log's first event says of people, on which nothing in the log depends.

        Nothing happens where there is none, or its key is not among ours any more: nobody reads that again.
        """
        first = (table_events.c.table_id == table_id) & (table_events.c.seq == 1)
        query = sa.select(table_events.c.seq, table_events.c.event).where(first)
        row = (await connection.execute(query)).one_or_none()
        with suppress(Unreadable):
            if row is not None:
                event = self.event(table_id, row)
                change(event.table_opened)
                await connection.execute(
                    sa.update(table_events).where(first).values(event=self._sealed(table_id, event))
                )

    # Sealed rows

    def board_secret(self, spec: table_pb2.TableSpec) -> bytes:
        """Open the secret of the board that a table plays. Raises `Unreadable`."""
        return self._vault.open(spec.board_secret, board_place(spec.board.board_id))

    def _sealed(self, table_id: str, event: Event) -> bytes:
        return self._vault.seal(event.SerializeToString(), event_place(table_id, event.sequence))

    def _event_rows(self, step: Step) -> Iterable[dict[str, Any]]:
        for event in step.events:
            yield {
                "table_id": step.table_id,
                "seq": event.sequence,
                "hand": event.hand,
                "event": self._sealed(step.table_id, event),
                "at": event.at.ToMicroseconds(),
            }

    def event(self, table_id: str, row: Any) -> Event:
        """Open an event of a row with ``seq`` and ``event``."""
        return Event.FromString(self._vault.open(row.event, event_place(table_id, row.seq)))

    def _command_rows(self, step: Step) -> Iterable[dict[str, Any]]:
        for command, sequence in step.commands:
            yield {
                "table_id": step.table_id,
                "seat": command.seat,
                "command_id": command.command_id,
                "turn": command.turn,
                "payload": self._vault.seal(command.payload, _command_place(step.table_id, command)),
                "seq": sequence,
                "at": step.at,
            }

    def _kept(self, table_id: str, row: Any) -> Kept:
        payload = self._vault.open(row.payload, _command_place(table_id, row))
        command = Command(row.seat, row.command_id, row.turn, payload)
        return Kept(row.seat, row.command_id, row.turn, payload, Accepted(command.payload_hash, row.seq))

    # The outbox

    @asynccontextmanager
    async def undelivered(self, most: int) -> AsyncIterator[Delivery]:
        """Give some hands to deliver, those tried least first; the outcome is kept at the block's end.

        On PostgreSQL other servers pass over them meanwhile. On SQLite, where scoring may need the one writer
        that there is, they are not held.
        """
        query = (
            sa.select(outbox.c.id, outbox.c.payload)
            .where(outbox.c.delivered_at.is_(None))
            .order_by(outbox.c.attempts, outbox.c.id)
            .limit(most)
        )
        if self._database.dialect == "sqlite":
            async with self._database.connect() as connection:
                delivery = _delivery((await connection.execute(query)).all())
            yield delivery
            if delivery.results:
                async with self._database.begin() as connection:
                    await self._mark(connection, delivery)
            return
        async with self._database.begin() as connection:
            delivery = _delivery((await connection.execute(query.with_for_update(skip_locked=True))).all())
            yield delivery
            if delivery.results:
                await self._mark(connection, delivery)

    async def outbox(self) -> tuple[int, float]:
        """Count the hands that scoring has yet to take, up to `MOST_COUNTED`; for how many seconds the first waits."""
        waiting = sa.select(outbox.c.created_at).where(outbox.c.delivered_at.is_(None))
        some = waiting.order_by(outbox.c.id).limit(MOST_COUNTED).subquery()
        age = self._database.now() - sa.func.min(some.c.created_at)
        async with self._database.single() as connection:
            count, waits = (await connection.execute(sa.select(sa.func.count(), age).select_from(some))).one()
        return count, max(waits or 0, 0) / 1_000_000

    async def _mark(self, connection: AsyncConnection, delivery: Delivery) -> None:
        done = sa.update(outbox).where(outbox.c.id.in_(delivery.taken))
        await connection.execute(done.values(delivered_at=self._database.now()))
        failed = sa.update(outbox).where(outbox.c.id.in_(delivery.results.keys() - delivery.taken))
        await connection.execute(failed.values(attempts=outbox.c.attempts + 1))


def event_place(table_id: str, sequence: int) -> str:
    """Name the place for which an event is sealed."""
    return f"event/{table_id}/{sequence}"


def _command_place(table_id: str, command: Any) -> str:
    return f"command/{table_id}/{command.seat}/{command.turn}/{command.command_id}"


def _outbox_rows(step: Step) -> Iterable[dict[str, Any]]:
    for result in step.results:
        yield {
            "table_id": step.table_id,
            "hand": result.hand,
            "payload": result.SerializeToString(deterministic=True),
            "created_at": step.at,
        }


def _kept() -> sa.Select[Any]:
    row = table_commands.c
    return sa.select(row.seat, row.command_id, row.turn, row.payload, row.seq)


def _delivery(rows: Iterable[Any]) -> Delivery:
    return Delivery({row.id: scoring_pb2.HandResult.FromString(row.payload) for row in rows})
