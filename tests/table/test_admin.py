"""What operators do with tables: find, look, stop, go on, give up, write down; hidden cards stay hidden."""

import json
from typing import Any

import grpc
import pytest
import sqlalchemy as sa

from gouji.engine.record_text import parse_record
from gouji.engine.records import verify
from gouji.serving.errors import reason_of
from gouji.serving.schema import active_seats, match_results, tables
from gouji.serving.testing import until
from gouji.table.admin import Keeper
from gouji.table.store import Store
from gouji.table.table import Table
from gouji.v1 import admin_pb2, admin_pb2_grpc

LOG, RECORD = admin_pb2.EXPORT_FORM_LOG, admin_pb2.EXPORT_FORM_RECORD


class Operator:
    """The admin service as a caller of some role sees it."""

    def __init__(self, running: Any, caller: Any = None) -> None:
        self._stub: Any = admin_pb2_grpc.TableAdminServiceStub(running.channel)
        self._metadata = (caller or running.operator()).metadata

    async def call(self, method: str, **fields: Any) -> Any:
        request = getattr(admin_pb2, f"{method}Request")(**fields)
        return await getattr(self._stub, method)(request, metadata=self._metadata)

    async def export(self, table_id: str, form: Any) -> str:
        request = admin_pb2.ExportTableRequest(table_id=table_id, form=form)
        return "".join([piece.text async for piece in self._stub.ExportTable(request, metadata=self._metadata)])


async def refused(call: Any) -> str | None:
    with pytest.raises(grpc.aio.AioRpcError) as failed:
        await call
    return reason_of(failed.value)


@pytest.fixture
async def running(serve: Any) -> Any:
    async with serve() as running:
        for table_id in ("t1", "t2"):
            await running.rows.place(table_id, people=2)
            await running.service().open(table_id)
        yield running


async def test_tables_are_found_by_state_server_and_player(running: Any) -> None:
    operator = Operator(running)
    found = await operator.call("ListTables")
    assert {row.table_id for row in found.tables} == {"t1", "t2"}
    assert not found.more
    server = found.tables[0].server_id
    await operator.call("FreezeTable", table_id="t1", reason="a look")
    for fields, ids in (
        ({"state": "frozen"}, {"t1"}),
        ({"state": "live"}, {"t2"}),
        ({"server": server}, {"t2"}),
        ({"server": running.app.address}, {"t2"}),
        ({"player_id": "p1"}, {"t1", "t2"}),
        ({"player_id": "p1", "state": "live"}, {"t2"}),
        ({"player_id": "nobody"}, set()),
    ):
        assert {row.table_id for row in (await operator.call("ListTables", **fields)).tables} == ids
    for field in ("state", "server", "player_id"):
        assert await refused(operator.call("ListTables", **{field: "\0"})) == "malformed"
    few = await operator.call("ListTables", limit=1)
    assert (len(few.tables), few.more) == (1, True)


async def test_servers_are_listed_with_what_they_have(running: Any) -> None:
    listed = await Operator(running).call("ListServers")
    (server,) = listed.servers
    table = (await Operator(running).call("ListTables")).tables[0]
    assert (server.server_id, server.address) == (table.server_id, running.app.address)
    assert server.capacity > 0
    assert not server.draining


async def test_a_table_is_shown_by_numbers_and_kinds_alone(running: Any) -> None:
    shown = await Operator(running).call("ShowTable", table_id="t1", events=2)
    assert [(event.sequence, event.kind) for event in shown.events] == [(2, "hand_committed"), (3, "hand_dealt")]
    assert (shown.hand, shown.last_sequence, shown.table.fence) == (1, 3, 1)
    assert await refused(Operator(running).call("ShowTable", table_id="none")) == "unknown_table"


async def test_a_table_that_was_stopped_goes_on_where_it_stood(running: Any) -> None:
    operator, player = Operator(running), running.player("p0")
    before = await player.observe("t1")
    stopped = await operator.call("FreezeTable", table_id="t1", reason="maintenance")
    last = (await running.rows.log("t1"))[-1].table_frozen
    assert (last.reference, last.reason) == (stopped.reference, "maintenance")
    assert await refused(player.observe("t1")) == "table_frozen"
    assert await refused(operator.call("FreezeTable", table_id="t1", reason="again")) == "table_frozen"
    shown = await operator.call("ShowTable", table_id="t1")
    assert (shown.reference, shown.reason) == (stopped.reference, "maintenance")
    assert list((await operator.call("ResumeTable", table_id="t1")).elsewhere) == []
    after = await player.observe("t1")
    assert (after.turn.number, after.observation.cards) == (before.turn.number, before.observation.cards)
    row = await running.rows.table("t1")
    assert (row.state, row.fence) == ("live", 2)
    assert await refused(operator.call("ResumeTable", table_id="t1")) == "not_frozen"


async def test_players_take_their_seats_again_unless_they_sit_elsewhere(running: Any) -> None:
    operator = Operator(running)
    await operator.call("FreezeTable", table_id="t1", reason="maintenance")
    sits = {"player_id": "p1", "table_id": "t9", "seat": 0}
    await running.rows.execute(sa.insert(active_seats).values(**sits))
    assert list((await operator.call("ResumeTable", table_id="t1")).elsewhere) == ["p1"]
    seats = await running.rows.all(sa.select(active_seats).where(active_seats.c.table_id == "t1"))
    assert [row.player_id for row in seats] == ["p0"]


async def test_a_table_that_is_given_up_shows_its_secret_and_its_record_is_right(running: Any) -> None:
    operator = Operator(running)
    assert await refused(operator.call("AbandonTable", table_id="t1", reason="no more")) == "not_frozen"
    await operator.call("FreezeTable", table_id="t1", reason="a look")
    secret = (await running.rows.log("t1"))[1].hand_committed.secret
    hidden = await operator.export("t1", LOG)
    assert "cards" not in hidden
    assert "secret" not in hidden
    assert secret.hex() not in await operator.export("t1", RECORD)
    await operator.call("AbandonTable", table_id="t1", reason="no more")
    events = await running.player("p0").events("t1")
    assert (events[-1].table_abandoned.secret, events[-1].table_abandoned.reason) == (secret, "no more")
    assert [len(hand.cards) for hand in events[-1].table_abandoned.hands] == [36] * 6
    record = parse_record(await operator.export("t1", RECORD))
    assert (record.hands[0].abandoned, record.hands[0].secret, verify(record)) == (True, secret, [])
    lines = [json.loads(line) for line in (await operator.export("t1", LOG)).splitlines()]
    assert [line["sequence"] for line in lines] == [str(n) for n in range(1, len(lines) + 1)]
    assert (await running.rows.table("t1")).state == "over"
    assert await refused(operator.call("ResumeTable", table_id="t1")) == "not_frozen"


async def test_scoring_hears_of_a_match_that_is_given_up(running: Any, come: Any) -> None:
    operator = Operator(running)
    await operator.call("FreezeTable", table_id="t1", reason="a look")
    await operator.call("AbandonTable", table_id="t1", reason="no more")

    async def recorded() -> bool:
        return bool(await running.rows.all(sa.select(match_results)))

    await come(recorded)
    (row,) = await running.rows.all(sa.select(match_results))
    assert (row.table_id, row.hands, row.recorded, row.hands_in_all, row.voided) == ("t1", 0, 1, 1, True)


async def test_a_stopped_table_that_nobody_resumes_is_given_up_in_time(running: Any) -> None:
    await Operator(running).call("FreezeTable", table_id="t1", reason="a look")
    keeper = Keeper(running.app, Store(running.app.database, running.rows.vault))
    assert await keeper.catalogue.forgotten(running.app.settings.frozen_seconds, 10) == []
    long_ago = sa.update(tables).where(tables.c.table_id == "t1").values(ended_at=1)
    await running.rows.execute(long_ago)
    assert await keeper.catalogue.forgotten(running.app.settings.frozen_seconds, 10) == ["t1"]
    assert await keeper.abandon("t1", "")
    assert (await running.rows.log("t1"))[-1].HasField("table_abandoned")
    assert not await keeper.abandon("t1", "")


async def test_operators_alone_are_let_in_and_must_say_why(running: Any) -> None:
    for caller in (running.player("p0"), running.service()):
        assert await refused(Operator(running, caller).call("ListTables")) == "forbidden"
    assert await refused(Operator(running, running.player("p0")).export("t1", LOG)) == "forbidden"
    for reason in ("", "  ", "x" * 201, "a\nb"):
        assert await refused(Operator(running).call("FreezeTable", table_id="t1", reason=reason)) == "malformed"


@pytest.mark.timeout(600)
async def test_one_table_of_a_thousand_that_raises_stops_alone(
    serve_sqlite: Any, fixed_deal: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    fixed_deal(["KK3", "5", "3", "224567", "5", "3"])
    sound = Table.decide

    def decide(table: Table, *args: Any) -> Any:
        if table.table_id == "t500":
            raise RuntimeError("one bad table")
        return sound(table, *args)

    monkeypatch.setattr(Table, "decide", decide)
    async with serve_sqlite() as running:
        for number in range(1000):
            await running.rows.place(f"t{number}")
        await until(lambda: running.metric("gouji_tables_taken_total", kind="new") >= 1000, 120)
        await until(lambda: running.metric("gouji_tables_live") == 0, 240)
        states = await running.rows.all(sa.select(tables.c.state, sa.func.count()).group_by(tables.c.state))
        assert dict(map(tuple, states)) == {"over": 999, "frozen": 1}
        assert (await running.rows.table("t500")).state == "frozen"
