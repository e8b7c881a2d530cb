"""Stops, failures of the database, lost leases: no acknowledged move is lost, none is shown that the log lacks."""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import grpc
import pytest
import sqlalchemy as sa

from gouji.bot.service import bind as bind_bot
from gouji.engine import Action
from gouji.serving.errors import StorageUnavailable, reason_of
from gouji.serving.schema import table_servers, tables
from gouji.serving.testing import until
from gouji.table.ownership import Ownership
from gouji.table.service import bind as bind_table
from gouji.table.store import Step, Store
from gouji.table.timing import Due
from gouji.v1 import events_pb2, table_pb2

TWO_BURNERS = ["KK3", "AAw5", "3", "224567", "AAw5", "3"]
LEAD, DECLINE = Action.parse("0 play KK"), Action.parse("1 pass")
WINDOW = {"answers_least_ms": 60_000, "answers_most_ms": 60_000}


async def reason(call: Any) -> str | None:
    with pytest.raises(grpc.aio.AioRpcError) as failed:
        await call
    return reason_of(failed.value)


async def test_a_restart_goes_on_in_the_middle_of_a_hand_with_sealed_answers(
    serve: Any, fixed_deal: Callable[..., None]
) -> None:
    fixed_deal(TWO_BURNERS)
    async with serve(**WINDOW) as running:
        await running.rows.place("t1", people=6)
        await running.service().open("t1")
        led = await running.player("p0").act("t1", 1, LEAD)
        await running.player("p1").act("t1", 2, DECLINE)
    async with serve(**WINDOW) as running:
        await running.host.open("t1")
        row = await running.rows.table("t1")
        assert (row.state, row.fence) == ("live", 2)
        log = await running.rows.log("t1")
        assert log[-1].HasField("table_resumed")
        again = await running.player("p0").act("t1", 1, LEAD)
        assert (again.outcome, again.sequence) == (table_pb2.OUTCOME_DUPLICATE, led.sequence)
        again = await running.player("p1").act("t1", 2, DECLINE)
        assert (again.outcome, again.sequence) == (table_pb2.OUTCOME_DUPLICATE, 0)
        assert not (await running.player("p1").observe("t1")).turn.question
        assert (await running.player("p4").observe("t1")).turn.question
        await running.player("p4").act("t1", 2, Action.parse("4 burn AA"))
        await running.end_answers("t1")
        taken = (await running.rows.log("t1"))[-1].action_taken
        assert taken.seat == 4


async def test_a_sealed_burn_survives_a_restart_and_comes_when_it_may(
    serve: Any, fixed_deal: Callable[..., None]
) -> None:
    fixed_deal(TWO_BURNERS)
    async with serve(**WINDOW) as running:
        await running.rows.place("t1", people=6)
        await running.service().open("t1")
        await running.player("p0").act("t1", 1, LEAD)
        await running.player("p1").act("t1", 2, Action.parse("1 burn AA"))
    async with serve(**WINDOW) as running:
        await running.player("p4").act("t1", 2, Action.parse("4 pass"))
        await running.end_answers("t1")
        taken = (await running.rows.log("t1"))[-1].action_taken
        assert (taken.seat, [decline.seat for decline in taken.declines]) == (1, [4])


async def test_bots_play_on_over_many_restarts(serve: Any, come: Any) -> None:
    over = False
    restarts = 0
    while not over:
        async with serve() as running:
            if restarts == 0:
                await running.rows.place("t1")
                await running.service().open("t1")
            begun = len(await running.rows.log("t1"))

            async def went_on(running: Any = running, begun: int = begun) -> bool:
                row = await running.rows.table("t1")
                return row.state == "over" or len(await running.rows.log("t1")) > begun + 120

            await come(went_on)
            over = (await running.rows.table("t1")).state == "over"
            if over:
                assert (await running.rows.folded("t1")).over
                assert restarts >= 1
        restarts += 1


async def test_orphans_of_a_dead_server_are_taken(serve: Any, come: Any) -> None:
    async with serve() as running:
        await running.rows.place("t1", people=6)
        lease = {"server_id": "dead", "address": "x:1", "capacity": 1, "expires_at": 5}
        await running.rows.execute(sa.insert(table_servers).values(**lease))
        await running.rows.execute(sa.update(tables).values(owner="dead", state="live", fence=3))

        async def taken() -> bool:
            return bool((await running.rows.table("t1")).fence == 4)

        await come(taken)
        assert (await running.player("p0").observe("t1")).turn.number == 1
        assert running.metric("gouji_tables_taken_total", kind="recovered") == 1


async def test_placed_tables_are_found_without_a_wake_up(serve_sqlite: Any) -> None:
    async with serve_sqlite() as running:
        await running.rows.place("t1", people=6)
        await until(lambda: running.metric("gouji_tables_live") == 1)


async def test_a_server_without_room_takes_no_more(serve_sqlite: Any) -> None:
    async with serve_sqlite(table_capacity=2) as running:
        for n in range(4):
            await running.rows.place(f"t{n}", people=6)
        await until(lambda: running.metric("gouji_tables_live") == 2)
        assert await running.host.taking.take_free() == 0
        for n in range(4):
            await running.service().open(f"t{n}")
        states = [(await running.rows.table(f"t{n}")).state for n in range(4)]
        assert sorted(states) == ["live", "live", "placed", "placed"]


async def test_a_table_that_waits_for_the_database_is_not_taken_twice_when_the_lease_is_lost_meanwhile(
    serve: Any, come: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    take_again, tried = Ownership.take_again, 0

    async def away(*_: Any) -> None:
        nonlocal tried
        tried += 1
        raise StorageUnavailable

    async with serve(lease_seconds=3) as running:
        await running.rows.place("t1", people=6)
        await running.service().open("t1")
        old = running.host._tables["t1"]
        monkeypatch.setattr(Ownership, "take_again", away)
        running.host.lost(old, StorageUnavailable())
        waiting = running.host._loading["t1"]
        await running.rows.execute(sa.update(table_servers).values(expires_at=5))
        await come(lambda: there(running, old))
        stream = running.player("p0").watch("t1")
        await stream.read()
        before = tried
        monkeypatch.setattr(Ownership, "take_again", take_again)
        await asyncio.wait_for(waiting, 30)
        assert before
        assert (await running.rows.table("t1")).fence == running.host._tables["t1"].owned.fence == 2


async def there(running: Any, old: Any) -> bool:
    return running.host._tables.get("t1", old) is not old


async def test_watchers_of_a_table_that_is_loaded_once_more_come_back(serve: Any) -> None:
    async with serve() as running:
        await running.rows.place("t1", people=6)
        await running.service().open("t1")
        stream = running.player("p0").watch("t1")
        await stream.read()
        await running.host._take_again("t1")

        async def drain() -> None:
            while await stream.read() is not grpc.aio.EOF:
                pass

        assert await reason(drain()) == "resume_from"


async def test_a_lost_lease_lets_all_tables_go_and_takes_them_anew(serve: Any, come: Any) -> None:
    async with serve(lease_seconds=3) as running:
        await running.rows.place("t1", people=6)
        await running.service().open("t1")
        stream = running.player("p0").watch("t1")
        await stream.read()
        owner = (await running.rows.table("t1")).owner
        await running.rows.execute(sa.update(table_servers).values(expires_at=5))

        async def taken() -> bool:
            row = await running.rows.table("t1")
            return bool(row.fence >= 2 and row.owner != owner)

        await come(taken)

        async def drain() -> None:
            while await stream.read() is not grpc.aio.EOF:
                pass

        assert await reason(drain()) == "resume_from"
        assert (await running.player("p0").observe("t1")).turn.number == 1
        assert running.metric("gouji_table_leases_lost_total") >= 1


async def test_a_table_taken_by_another_server_is_let_go_at_its_next_step(
    serve: Any, fixed_deal: Callable[..., None]
) -> None:
    fixed_deal(TWO_BURNERS)
    async with serve(**WINDOW) as running:
        for table_id in ("t1", "t2"):
            await running.rows.place(table_id, people=6)
            await running.service().open(table_id)
        before = await running.rows.log("t1")
        lease = {"server_id": "other", "address": "far:1", "capacity": 1, "expires_at": 2**62}
        await running.rows.execute(sa.insert(table_servers).values(**lease))
        await running.rows.execute(sa.update(tables).where(tables.c.table_id == "t1").values(owner="other", fence=9))
        calls = [running.player("p0").act(table_id, 1, LEAD) for table_id in ("t1", "t2")]
        stale, done = await asyncio.gather(*calls, return_exceptions=True)
        assert reason_of(stale) == "table_moving"
        assert done.outcome == table_pb2.OUTCOME_DONE
        assert await running.rows.log("t1") == before
        assert await running.rows.commands("t1") == []
        assert await reason(running.player("p0").act("t1", 1, LEAD)) == "wrong_server"


@pytest.mark.parametrize("written", [False, True], ids=["rolled back", "outcome unknown"])
async def test_after_a_failed_commit_tables_are_folded_anew_and_the_command_is_answered(
    serve: Any, fixed_deal: Callable[..., None], monkeypatch: pytest.MonkeyPatch, written: bool
) -> None:
    fixed_deal(TWO_BURNERS)
    commit = Store.commit

    async def fail(store: Store, steps: list[Step]) -> Any:
        monkeypatch.setattr(Store, "commit", commit)
        if written:
            await commit(store, steps)
        raise StorageUnavailable

    async with serve(**WINDOW) as running:
        await running.rows.place("t1", people=6)
        await running.service().open("t1")
        watching = running.player("p2").watch("t1")
        await watching.read()
        await (await running.host.find("t1")).settled()
        monkeypatch.setattr(Store, "commit", fail)
        player = running.player("p0")
        if written:
            assert (await player.act("t1", 1, LEAD)).outcome == table_pb2.OUTCOME_DUPLICATE
        else:
            assert await reason(player.act("t1", 1, LEAD)) == "storage_unavailable"
            assert (await player.act("t1", 1, LEAD)).outcome == table_pb2.OUTCOME_DONE
        live = await running.host.find("t1")
        await live.settled()
        log = await running.rows.log("t1")
        assert [e.action_taken.seat for e in log if e.HasField("action_taken")] == [0]
        assert [event.sequence for event in log] == list(range(1, live.table.sequence + 1))
        assert (await running.rows.table("t1")).fence >= 2
        assert (await running.rows.folded("t1")).turn == live.table.turn


async def test_tables_wait_for_a_database_that_is_away(
    serve_sqlite: Any, monkeypatch: pytest.MonkeyPatch, come: Any
) -> None:
    async def away(*_args: Any, **_names: Any) -> Any:
        raise StorageUnavailable

    async with serve_sqlite() as running:
        await running.rows.place("t1", bot_pace_ms=1)
        await running.service().open("t1")
        with monkeypatch.context() as patch:
            for method in ("commit", "events"):
                patch.setattr(Store, method, away)
            for method in ("take_one", "take_again", "take", "take_assigned"):
                patch.setattr(Ownership, method, away)
            await until(lambda: running.metric("gouji_tables_live") == 0)
            assert await reason(running.operator().observe("t1")) in ("table_moving", "storage_unavailable")

        async def over() -> bool:
            return bool((await running.rows.table("t1")).state == "over")

        await come(over)
        assert (await running.rows.folded("t1")).over


async def test_an_old_timer_does_nothing(serve_sqlite: Any, fixed_deal: Callable[..., None]) -> None:
    fixed_deal(TWO_BURNERS)
    async with serve_sqlite(turn_ms=1, bank_ms=3_600_000, **WINDOW) as running:
        await running.rows.place("t1", people=6)
        await running.service().open("t1")
        live = await running.host.find("t1")
        await running.player("p0").act("t1", 1, LEAD)
        around = live._around
        live._around = replace(around, now=lambda: around.now() + 24 * 3_600_000_000)
        for hand, turn in ((1, 1), (0, 2), (2, 2), (1, 3)):
            live.wake(Due(0, "t1", hand, turn))
        assert not live.writing
        assert len(await running.rows.log("t1")) == live.table.sequence
        live.wake(Due(0, "t1", 1, 2))
        assert live.writing
        await live.settled()
        closed = next(e for e in await running.rows.log("t1") if e.HasField("answers_closed"))
        assert {decline.decided_by for decline in closed.answers_closed.declines} == {events_pb2.DECIDED_BY_CLOCK}


async def test_a_timer_for_a_table_that_is_gone_does_nothing(serve_sqlite: Any) -> None:
    async with serve_sqlite() as running:
        running.host._timers.add(Due(0, "gone", 1, 1))
        await until(lambda: len(running.host._timers) == 0)
        assert await running.rows.all(sa.select(tables)) == []


async def test_hands_are_delivered_once_scoring_is_there(serve: Any, come: Any) -> None:
    async with serve({"table": bind_table, "bot": bind_bot}) as running:
        await running.rows.place("t1")
        await running.service().open("t1")

        async def tried() -> bool:
            waiting = await running.rows.outbox()
            return bool(waiting) and waiting[0].attempts > 0

        await come(tried)
        assert (await running.rows.outbox())[0].delivered_at is None
        await until(lambda: running.metric("gouji_outbox_waiting") == 1)
        assert running.metric("gouji_outbox_waiting_seconds") > 0
    async with serve() as running:

        async def delivered() -> bool:
            return bool((await running.rows.outbox())[0].delivered_at)

        await come(delivered)
        assert len(await running.rows.outbox()) == 1
