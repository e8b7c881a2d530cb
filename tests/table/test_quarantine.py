"""A fault in one table stops that table, is told by a reference, and touches no other."""

import asyncio
from collections.abc import Callable
from typing import Any

import grpc
import pytest
import sqlalchemy as sa

from gouji.engine import Action
from gouji.serving.errors import refusal_of
from gouji.serving.schema import active_seats, table_events
from gouji.serving.testing import until
from gouji.table import projection
from gouji.table.table import Table

LEAD = Action.parse("0 play KK")
SECRET = "WWw22 are the cards"


@pytest.fixture
async def tables(serve: Any, fixed_deal: Callable[..., None]) -> Any:
    """A server with tables `good` and `bad`, where p0 leads."""
    fixed_deal(["KK3", "5", "3", "224567", "5", "3"])
    async with serve(answers_least_ms=60_000, answers_most_ms=60_000) as running:
        await running.rows.place("bad", people=6)
        await running.rows.place("good", people=6)
        for table_id in ("bad", "good"):
            await running.service().open(table_id)
        yield running


def break_in(monkeypatch: pytest.MonkeyPatch, owner: Any, name: str) -> None:
    """Have a method of tables fail for the table `bad`."""
    sound = getattr(owner, name)

    def broken(table: Table, *args: Any, **names: Any) -> Any:
        if table.table_id == "bad":
            raise RuntimeError(SECRET)
        return sound(table, *args, **names)

    monkeypatch.setattr(owner, name, broken)


async def refusal(call: Any) -> Any:
    with pytest.raises(grpc.aio.AioRpcError) as failed:
        await call
    return refusal_of(failed.value)


async def frozen(running: Any) -> Any:
    async with asyncio.timeout(20):
        while (await running.rows.table("bad")).state != "frozen":  # noqa: ASYNC110 - a database has no event
            await asyncio.sleep(0.01)
    return (await running.rows.log("bad"))[-1]


@pytest.mark.parametrize("method", ["decide", "fold", "follow"])
async def test_a_table_that_raises_is_stopped_and_others_go_on(
    tables: Any, monkeypatch: pytest.MonkeyPatch, method: str
) -> None:
    stream = tables.player("p3").watch("bad")
    await stream.read()
    with monkeypatch.context() as patch:
        break_in(patch, Table, method)
        told = await refusal(tables.player("p0").act("bad", 1, LEAD))
        assert told.reason == "table_frozen"
        assert (await tables.player("p0").act("good", 1, LEAD)).sequence
    last = await frozen(tables)
    assert last.table_frozen.reference == told.metadata["reference"]
    log = await tables.rows.log("bad")
    assert [event.sequence for event in log] == list(range(1, len(log) + 1))
    assert not any(event.HasField("action_taken") for event in log)
    events: list[Any] = []

    async def read_on() -> None:
        while True:
            events.extend((await stream.read()).batch.events)

    assert (await refusal(read_on())).reason == "table_frozen"
    assert events[-1].HasField("table_frozen")
    assert tables.metric("gouji_tables_quarantined_total") == 1
    assert tables.metric("gouji_tables_live") == 1


async def test_what_failed_is_logged_by_place_and_never_by_its_text(
    tables: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    break_in(monkeypatch, Table, "decide")
    told = await refusal(tables.player("p0").act("bad", 1, LEAD))
    (line,) = (line for line in tables.lines if line["event"] == "table_failed")
    assert line["reference"] == told.metadata["reference"]
    assert (line["table"], "RuntimeError" in line["stack"]) == ("bad", True)
    assert SECRET not in str(tables.lines)
    assert SECRET not in str(told)


async def test_a_stopped_table_answers_that_it_is_and_sets_its_players_free(
    tables: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        break_in(patch, Table, "decide")
        await refusal(tables.player("p0").act("bad", 1, LEAD))
    await frozen(tables)
    await until(lambda: tables.host._quarantine.stopped("bad") is None)
    assert (await refusal(tables.player("p0").act("bad", 1, LEAD))).reason == "table_frozen"
    assert (await refusal(tables.player("p0").observe("bad"))).reason == "table_frozen"
    stream = tables.player("p1").watch("bad")
    events = list((await stream.read()).batch.events)
    assert events[-1].HasField("table_frozen")
    assert (await refusal(stream.read())).reason == "table_frozen"
    free = await tables.rows.all(sa.select(active_seats).where(active_seats.c.table_id == "bad"))
    assert free == []


async def test_a_fault_in_showing_stops_the_table_too(tables: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    break_in(monkeypatch, projection, "moment")
    assert (await refusal(tables.player("p0").observe("bad"))).reason == "table_frozen"
    assert (await tables.player("p0").observe("good")).turn.number == 1
    await frozen(tables)


async def test_a_fault_when_the_clock_decides_stops_the_table(
    serve_sqlite: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with serve_sqlite() as running:
        await running.rows.place("bad", people=6, clock={"turn_ms": 300, "bank_ms": 1, "answers_most_ms": 1})
        await running.service().open("bad")
        break_in(monkeypatch, Table, "follow")
        assert (await frozen(running)).HasField("table_frozen")


async def test_a_log_that_cannot_be_folded_stops_its_table_alone(serve: Any, rows: Any) -> None:
    async with serve() as running:
        for table_id in ("bad", "good"):
            await rows.place(table_id, people=6)
            await running.service().open(table_id)
    gap = sa.delete(table_events).where(table_events.c.table_id == "bad", table_events.c.seq == 1)
    await rows.execute(gap)
    async with serve() as running:
        assert (await frozen(running)).sequence == 4
        assert (await running.player("p0").observe("good")).turn.number == 1


async def test_a_table_that_cannot_open_is_stopped(serve_sqlite: Any) -> None:
    async with serve_sqlite() as running:
        await running.rows.place("bad", people=6, length={"hands": 0})
        await running.service().open("bad")
        last = await frozen(running)
        assert (last.sequence, last.hand) == (1, 0)
        assert (await running.rows.table("bad")).state == "frozen"
