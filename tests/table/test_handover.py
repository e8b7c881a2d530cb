"""A server that stops hands its tables to others between two steps; nobody loses a move or the way."""

from collections.abc import Callable
from typing import Any

import grpc
import pytest
import sqlalchemy as sa

from gouji.engine import Action
from gouji.serving.errors import reason_of, refusal_of
from gouji.serving.schema import table_servers
from gouji.table.host import Host
from gouji.table.refusals import full, moving
from gouji.table.taking import Taking
from gouji.v1 import table_pb2

NO_BURNER = ["KK3", "5599", "3", "224567", "3", "3"]
LEAD = Action.parse("0 play KK")


async def failure(call: Any) -> Any:
    with pytest.raises(grpc.aio.AioRpcError) as failed:
        await call
    return failed.value


async def drained(stream: Any) -> None:
    while await stream.read() is not grpc.aio.EOF:
        pass


@pytest.fixture
def deal(fixed_deal: Callable[..., None]) -> None:
    fixed_deal(NO_BURNER)


async def open_at(running: Any, table_id: str = "t1", **spec: Any) -> None:
    await running.rows.place(table_id, people=6, **spec)
    await running.service().open(table_id)
    assert table_id in running.host._tables


@pytest.mark.usefixtures("deal")
async def test_a_table_goes_on_at_another_server_and_its_watchers_are_told_where(serve: Any) -> None:
    async with serve() as old:
        await open_at(old)
        done = await old.player("p0").act("t1", 1, LEAD)
        stream = old.player("p0").watch("t1")
        await stream.read()
        async with serve() as new:
            await old.app.stop(grace=1)
            told = refusal_of(await failure(drained(stream)))
            assert told is not None
            log = await new.rows.log("t1")
            assert (told.reason, told.metadata["address"]) == ("resume_from", new.app.address)
            assert told.metadata["from_sequence"] == str(log[-1].sequence)
            assert log[-1].HasField("table_resumed")
            assert (await new.rows.table("t1")).fence == 2
            again = await new.player("p0").act("t1", 1, LEAD)
            assert (again.outcome, again.sequence) == (table_pb2.OUTCOME_DUPLICATE, done.sequence)
            assert [row.address for row in await new.rows.all(sa.select(table_servers))] == [new.app.address]
            assert old.metric("gouji_tables_handed_over_total") == 1
            assert old.metric("gouji_table_handover_seconds_count", outcome="taken") == 1
            assert old.metric("gouji_tables_taken_total", kind="new") == 1
            assert new.metric("gouji_tables_taken_total", kind="adopted") == 1
            assert new.metric("gouji_table_load_seconds_count", kind="adopted") == 1


async def test_who_asks_a_server_that_has_handed_over_is_told_the_right_one(serve: Any) -> None:
    async with serve() as old:
        await open_at(old)
        async with serve() as new:
            old.host.drain()
            await old.host._hand_over()
            told = refusal_of(await failure(old.player("p0").observe("t1")))
            assert told is not None
            where = {"server_id": new.host._lease.server_id, "address": new.app.address}
            assert (told.reason, told.metadata) == ("wrong_server", where)
            assert (await new.player("p0").observe("t1")).turn.number == 1


async def test_tables_that_nobody_takes_wait_for_the_next_server(serve: Any) -> None:
    async with serve() as old:
        await open_at(old)
        stream = old.player("p0").watch("t1")
        await stream.read()
        async with serve() as other:
            other.host.drain()
            await other.host._lease.renew(10, draining=True)
            await old.app.stop(grace=1)
            row = await other.rows.table("t1")
            assert (row.owner, row.state, row.fence) == (None, "live", 1)
            assert reason_of(await failure(drained(stream))) == "draining"
    async with serve() as new:
        await new.service().open("t1")
        assert (await new.player("p0").observe("t1")).turn.number == 1


async def test_a_table_that_is_refused_goes_on_where_it_is(
    serve: Any, come: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def refuse(*_args: Any) -> None:
        raise full()

    async with serve() as old:
        await old.rows.place("t1")
        await old.service().open("t1")
        async with serve() as other:
            monkeypatch.setattr(Host, "adopt", refuse)
            await old.host._hand_over()
            assert (await other.rows.table("t1")).owner == old.host._lease.server_id

            async def over() -> bool:
                return bool((await old.rows.table("t1")).state == "over")

            await come(over)
            assert (await old.rows.folded("t1")).over
            assert [line["status"] for line in old.lines if line["event"] == "table_not_adopted"] == [
                "RESOURCE_EXHAUSTED"
            ]
            assert old.metric("gouji_table_handover_seconds_count", outcome="refused") == 1
            assert old.metric("gouji_table_hands_total") == 1


async def test_a_table_that_was_taken_though_the_answer_is_lost_is_let_go(
    serve: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    adopt = Host.adopt

    async def lose(host: Host, table_id: str, owner: str, fence: int) -> None:
        await adopt(host, table_id, owner, fence)
        raise moving()

    async with serve() as old:
        await open_at(old)
        stream = old.player("p0").watch("t1")
        await stream.read()
        async with serve() as new:
            monkeypatch.setattr(Host, "adopt", lose)
            await old.host._hand_over()
            assert "t1" not in old.host._tables
            told = refusal_of(await failure(drained(stream)))
            assert told is not None
            assert (told.reason, "address" in told.metadata) == ("resume_from", False)
            assert (await new.player("p0").observe("t1")).turn.number == 1


async def test_only_what_is_offered_is_taken_over(serve: Any) -> None:
    async with serve() as old:
        await open_at(old)
        async with serve() as new:
            me = old.host._lease.server_id
            for owner, fence in (("somebody", 1), (me, 2), (me, 0)):
                offer = table_pb2.AdoptRequest(table_id="t1", owner=owner, fence=fence)
                service = new.service()
                refused = await failure(service.stub.Adopt(offer, metadata=service.metadata))
                assert reason_of(refused) == "table_moving"
            assert (await old.rows.table("t1")).fence == 1
            new.host.drain()
            offer = table_pb2.AdoptRequest(table_id="t1", owner=me, fence=1)
            assert reason_of(await failure(service.stub.Adopt(offer, metadata=service.metadata))) == "draining"


async def test_an_operator_has_a_server_stop(serve_sqlite: Any) -> None:
    async with serve_sqlite() as running:
        await open_at(running)
        for other in (running.player("p0"), running.service()):
            refused = await failure(other.stub.Drain(table_pb2.DrainRequest(), metadata=other.metadata))
            assert reason_of(refused) == "forbidden"
        assert not running.app._told.is_set()
        operator = running.operator()
        answer = await operator.stub.Drain(table_pb2.DrainRequest(), metadata=operator.metadata)
        assert answer.tables == 1
        assert running.app._told.is_set()
        await running.rows.place("t2", people=6)
        await running.service().open("t2")
        assert reason_of(await failure(running.player("p0").observe("t2"))) == "draining"


async def test_free_tables_are_shared_and_what_others_leave_is_taken_at_the_second_look(
    serve: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def never(_taking: Taking) -> None:
        """Looks of its own would come between those of this test."""

    monkeypatch.setattr(Taking, "run", never)
    async with serve() as first, serve() as second:

        async def place(*numbers: int) -> None:
            for n in numbers:
                await first.rows.place(f"t{n}", people=6)

        def tables() -> tuple[int, int]:
            return len(first.host._tables), len(second.host._tables)

        await place(1, 2, 3, 4, 5, 6)
        await first.host.taking.look()
        assert tables() == (3, 0)
        await second.host.taking.look()
        assert tables() == (3, 3)
        await first.host.taking.look()
        await place(7, 8, 9, 10)
        await first.host.taking.look()
        assert tables() == (5, 3)
        await first.host.taking.look()
        assert tables() == (7, 3)
        await place(11, 12)
        await first.host.taking.look()
        assert tables() == (7, 3)
        await second.host.taking.look()
        assert tables() == (7, 5)
