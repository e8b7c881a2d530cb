"""The log writer over real databases: one transaction for many tables, fences, and what happens when it fails."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import Any

import pytest
import sqlalchemy as sa
from prometheus_client import CollectorRegistry

from gouji.serving.clock import SystemClock
from gouji.serving.errors import ServiceError, StorageUnavailable
from gouji.serving.schema import active_seats, tables
from gouji.table.capacity import Room
from gouji.table.commands import Command
from gouji.table.metrics import TableMetrics
from gouji.table.ownership import Owned, Ownership
from gouji.table.store import Step, Store
from gouji.table.writer import Lane, LogWriter, StaleFence
from gouji.v1 import events_pb2, scoring_pb2
from gouji.v1.events_pb2 import Event


@pytest.fixture
def store(rows: Any) -> Store:
    return Store(rows.database, rows.vault)


@pytest.fixture
def metrics() -> TableMetrics:
    return TableMetrics(CollectorRegistry())


@pytest.fixture
async def writer(store: Store, metrics: TableMetrics) -> AsyncIterator[LogWriter]:
    made = LogWriter(store, SystemClock(), metrics, interval_ms=1)
    running = asyncio.create_task(made.run())
    yield made
    running.cancel()
    with suppress(asyncio.CancelledError):
        await running


async def take(rows: Any, *table_ids: str, people: int = 0) -> dict[str, Owned]:
    owners, room = Ownership(rows.database), Room(100, 100)
    await owners.register("me", "here:1", room, 60)
    for table_id in table_ids:
        await rows.place(table_id, people=people)
    return {owned.table_id: owned for owned in await owners.take("me", 100, room)}


def step(owned: Owned, first: int, last: int | None = None, **more: Any) -> Step:
    events = [
        Event(sequence=n, table_frozen=events_pb2.TableFrozen(reference="r")) for n in range(first, (last or first) + 1)
    ]
    return Step(owned.table_id, owned.fence, 5, events, **more)


async def test_steps_of_many_tables_are_written_together_and_in_order(
    rows: Any, store: Store, writer: LogWriter, metrics: TableMetrics
) -> None:
    owned = await take(rows, *(f"t{n}" for n in range(20)))
    lanes = {table_id: Lane(table_id, one.fence) for table_id, one in owned.items()}
    written = [
        writer.append(lanes[table_id], step(one, 1 + 2 * n, 2 + 2 * n))
        for n in range(5)
        for table_id, one in owned.items()
    ]
    await asyncio.gather(*written)
    for table_id in owned:
        assert [event.sequence for event in await rows.log(table_id)] == list(range(1, 11))


@pytest.mark.parametrize("more", [{}, {"left": [0]}], ids=["events alone", "with more"])
async def test_a_stale_table_drops_out_and_does_not_take_others_with_it(
    rows: Any, store: Store, writer: LogWriter, more: dict[str, Any]
) -> None:
    owned = await take(rows, "t1", "t2")
    lanes = {table_id: Lane(table_id, one.fence) for table_id, one in owned.items()}
    await rows.execute(sa.update(tables).where(tables.c.table_id == "t1").values(fence=tables.c.fence + 1))
    written = [
        writer.append(lanes[table_id], step(owned[table_id], n, commands=[(Command(0, f"c{n}", n, b""), n)], **more))
        for n in (1, 2)
        for table_id in ("t1", "t2")
    ]
    outcomes = await asyncio.gather(*written, return_exceptions=True)
    assert [type(outcome) for outcome in outcomes] == [StaleFence, type(None), StaleFence, type(None)]
    assert await rows.log("t1") == []
    assert await rows.commands("t1") == []
    assert len(await rows.log("t2")) == len(await rows.commands("t2")) == 2
    with pytest.raises(StaleFence):
        await writer.append(lanes["t1"], step(owned["t1"], 1))


async def test_two_owners_of_one_table_in_one_batch_are_told_apart(rows: Any, store: Store, writer: LogWriter) -> None:
    old = (await take(rows, "t1"))["t1"]
    new = await Ownership(rows.database).take_again("me", "t1")
    assert new is not None
    assert new.fence == old.fence + 1
    stale = writer.append(Lane("t1", old.fence), step(old, 1))
    good = writer.append(Lane("t1", new.fence), step(new, 1))
    outcomes = await asyncio.gather(stale, good, return_exceptions=True)
    assert [type(outcome) for outcome in outcomes] == [StaleFence, type(None)]


async def test_a_failed_commit_fails_all_of_the_batch_and_what_waits_behind_it(
    rows: Any, store: Store, writer: LogWriter, monkeypatch: pytest.MonkeyPatch
) -> None:
    owned = await take(rows, "t1", "t2")
    lanes = {table_id: Lane(table_id, one.fence) for table_id, one in owned.items()}
    behind: list[Any] = []

    async def fail(_steps: Any) -> Any:
        behind.append(writer.append(lanes["t1"], step(owned["t1"], 2)))
        raise StorageUnavailable

    with monkeypatch.context() as patch:
        patch.setattr(store, "commit", fail)
        written = [writer.append(lanes[table_id], step(owned[table_id], 1)) for table_id in ("t1", "t2")]
        outcomes = await asyncio.gather(*written, return_exceptions=True)
        outcomes += await asyncio.gather(*behind, return_exceptions=True)
    assert [type(outcome) for outcome in outcomes] == [StorageUnavailable] * 3
    assert await rows.log("t1") == []
    await writer.append(Lane("t1", owned["t1"].fence), step(owned["t1"], 1))
    assert len(await rows.log("t1")) == 1


async def test_a_row_that_cannot_be_written_fails_its_own_table_alone(
    rows: Any, store: Store, writer: LogWriter
) -> None:
    owned = await take(rows, "t1", "t2", "t3")
    lanes = {table_id: Lane(table_id, one.fence) for table_id, one in owned.items()}
    await writer.append(lanes["t2"], step(owned["t2"], 1))
    written = [writer.append(lanes[table_id], step(owned[table_id], 1)) for table_id in ("t1", "t2", "t3")]
    outcomes = await asyncio.gather(*written, return_exceptions=True)
    assert [outcome is None for outcome in outcomes] == [True, False, True]
    assert not isinstance(outcomes[1], ServiceError)


async def test_commands_results_and_the_end_go_with_the_events(rows: Any, store: Store, writer: LogWriter) -> None:
    owned = (await take(rows, "t1", people=2))["t1"]
    command = Command(0, "c1", 4, b"payload")
    result = scoring_pb2.HandResult(table_id="t1", hand=1, scores=[1, 2, 3, 4, 5, 6])
    await writer.append(
        Lane("t1", owned.fence), step(owned, 1, commands=[(command, 1)], results=[result], state="over")
    )
    kept = await store.command("t1", 0, "c1")
    assert kept is not None
    assert (kept.turn, kept.payload, kept.accepted.sequence) == (4, b"payload", 1)
    assert kept.accepted.payload_hash == command.payload_hash
    assert [row.hand for row in await rows.outbox()] == [1]
    assert await rows.all(sa.select(active_seats)) == []
    row = await rows.table("t1")
    assert row.state == "over"
    assert row.ended_at


async def test_nothing_is_written_once_the_lease_may_have_run_out(
    rows: Any, store: Store, metrics: TableMetrics
) -> None:
    owned = (await take(rows, "t1"))["t1"]
    held = True
    writer = LogWriter(store, SystemClock(), metrics, 0, lambda: held)
    running = asyncio.create_task(writer.run())
    await writer.append(Lane("t1", owned.fence), step(owned, 1))
    held = False
    with pytest.raises(StaleFence):
        await writer.append(Lane("t1", owned.fence), step(owned, 2))
    assert len(await rows.log("t1")) == 1
    running.cancel()
