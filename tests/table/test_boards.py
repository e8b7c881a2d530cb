"""Duplicate boards: dealt alike at every table, and shut to everybody until the last table has ended."""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import grpc
import pytest
import sqlalchemy as sa
from typer.testing import CliRunner

from gouji.cli.main import app as gouji
from gouji.client.deals import DealWatch
from gouji.engine.record_text import format_record, parse_record
from gouji.engine.records import verify
from gouji.engine.secret import board_commitment
from gouji.serving.errors import reason_of
from gouji.serving.schema import tables, tournament_boards
from gouji.serving.vault import board_place
from gouji.table.company import Company
from gouji.table.loading import fold_log
from gouji.table.projection import DIRECTOR, project
from gouji.table.records import record_of
from gouji.v1 import admin_pb2, admin_pb2_grpc, events_pb2, rules_pb2, scoring_pb2, scoring_pb2_grpc, table_pb2
from gouji.v1.events_pb2 import Board, Event

from .conftest import seats_of
from .driven import Driven

SECRET = bytes(range(32))
NAME = "spring/1/1"
BOARD = Board(board_id=NAME, commitment=board_commitment(SECRET, NAME))
QUICK = {
    "turn_ms": 1,
    "bank_ms": 0,
    "answers_least_ms": 1,
    "answers_most_ms": 1,
    "absent_after_expiries": 1,
    "contributions_ms": 60_000,
}


async def place(running: Any, table_id: str, people: int = 1, secret: bytes = SECRET) -> None:
    sealed = running.rows.vault.seal(secret, board_place(NAME))
    await running.rows.place(table_id, people=people, tournament="spring", board=BOARD, board_secret=sealed)
    await running.service().open(table_id)


async def announce(running: Any) -> None:
    await running.rows.execute(sa.insert(tournament_boards).values(board_id=NAME))


async def open_board(running: Any) -> None:
    await running.rows.execute(sa.update(tournament_boards).values(opened_at=1))


async def ended(running: Any, come: Any, *table_ids: str) -> None:
    async def over() -> bool:
        rows = await running.rows.all(sa.select(tables.c.state).where(tables.c.table_id.in_(table_ids)))
        return all(row.state == "over" for row in rows)

    await come(over)


async def refused(call: Any) -> str | None:
    with pytest.raises(grpc.aio.AioRpcError) as failed:
        await call
    return reason_of(failed.value)


async def export(running: Any, table_id: str, form: Any) -> str:
    stub: Any = admin_pb2_grpc.TableAdminServiceStub(running.channel)
    request = admin_pb2.ExportTableRequest(table_id=table_id, form=form)
    pieces = stub.ExportTable(request, metadata=running.operator().metadata)
    return "".join([piece.text async for piece in pieces])


async def record_printed(running: Any, table_id: str) -> tuple[int, str]:
    """Run `gouji record`, which reads the database by itself."""
    settings = running.app.settings
    keys = settings.log_keys.get_secret_value()
    arguments = ["record", table_id, "--format", "record", "--database-url", settings.database_url, "--log-keys", keys]
    result = await asyncio.to_thread(CliRunner().invoke, gouji, arguments)
    return result.exit_code, result.output


def outsiders(running: Any) -> list[Any]:
    return [running.player("stranger"), running.operator(), running.director()]


async def match_of(running: Any, table_id: str) -> Any:
    stub: Any = running.app.channels.stub("scoring", scoring_pb2_grpc.ScoringServiceStub)
    return await stub.GetMatch(scoring_pb2.GetMatchRequest(table_id=table_id))


async def test_a_board_is_shut_from_outside_until_it_is_open(serve_sqlite: Any, come: Any) -> None:
    """Whoever has no seat sees nothing, and who has one sees nothing that lays the deal open."""
    forms = (admin_pb2.EXPORT_FORM_RECORD, admin_pb2.EXPORT_FORM_LOG)
    async with serve_sqlite(**QUICK) as running:
        await announce(running)
        await place(running, "t1")
        seat = running.player("p0")
        live = asyncio.create_task(seat.events("t1"))
        for caller in outsiders(running):
            assert await refused(caller.observe("t1")) == "board_shut"
            assert await refused(caller.events("t1")) == "board_shut"
        assert await refused(seat.observe("t1", spectate=True)) == "board_shut"
        await ended(running, come, "t1")
        for caller in outsiders(running):
            assert await refused(caller.observe("t1")) == "board_shut"
            assert await refused(caller.events("t1")) == "board_shut"
        for form in forms:
            assert await refused(export(running, "t1", form)) == "board_shut"
        await come(lambda: delivered(running))
        assert await refused(match_of(running, "t1")) == "board_shut"
        ready = table_pb2.ReadyRequest(table_id="t1", ready=True)
        assert await refused(seat.stub.Ready(ready, metadata=seat.metadata)) == "no_rematch"
        (sent,) = await running.rows.outbox()
        assert scoring_pb2.HandResult.FromString(sent.payload).tournament == "spring"
        assert "shut until" in (await record_printed(running, "t1"))[1]
        log = await running.rows.log("t1")
        for events in (await live, await seat.events("t1")):
            assert [event.sequence for event in events] == [event.sequence for event in log]
            assert_shut(events, log, 0)
        seen = await seat.observe("t1")
        assert seen.over
        assert not seen.hands
        await open_board(running)
        for caller in outsiders(running):
            events = await caller.events("t1")
            (told,) = [event.hand_ended for event in events if event.HasField("hand_ended")][-1:]
            assert (told.secret, bool(told.digest), len(told.hands)) == (SECRET, True, 6)
        assert verify(parse_record(await export(running, "t1", forms[0]))) == []
        code, printed = await record_printed(running, "t1")
        assert (code, verify(parse_record(printed))) == (0, [])
        assert len((await match_of(running, "t1")).hands) == 1


async def delivered(running: Any) -> bool:
    return all(row.delivered_at for row in await running.rows.outbox())


def assert_shut(events: list[Event], log: list[Event], seat: int) -> None:
    """No card that the seat was not shown in the play, no secret, no digest."""
    whole = b"".join(event.SerializeToString() for event in events)
    assert SECRET not in whole
    for told, event in zip(events, log, strict=True):
        if told.HasField("hand_dealt"):
            assert [bool(hand.cards) for hand in told.hand_dealt.hands] == [number == seat for number in range(6)]
        if told.HasField("hand_ended"):
            end = told.hand_ended
            assert (end.secret, list(end.hands), end.digest) == (b"", [], "")
            assert list(end.scores) == list(event.hand_ended.scores)
        if told.HasField("match_ended"):
            assert told.match_ended.digest == ""


async def test_who_has_left_for_good_is_outside(serve_sqlite: Any) -> None:
    async with serve_sqlite(**QUICK | {"turn_ms": 60_000}) as running:
        await announce(running)
        await place(running, "t1", people=2)
        seat = running.player("p0")
        await seat.observe("t1")
        await seat.stub.Leave(table_pb2.LeaveRequest(table_id="t1"), metadata=seat.metadata)
        assert await refused(seat.observe("t1")) == "board_shut"
        assert (await running.player("p1").observe("t1")).last_sequence


async def test_a_secret_that_does_not_fit_the_commitment_deals_nothing(serve_sqlite: Any, come: Any) -> None:
    async with serve_sqlite(**QUICK) as running:
        await announce(running)
        await place(running, "t1", secret=bytes(32))

        async def frozen() -> bool:
            return bool((await running.rows.table("t1")).state == "frozen")

        await come(frozen)
        assert not any(event.HasField("hand_committed") for event in await running.rows.log("t1"))


# As a plain object


def driven(people: int = 0) -> Driven:
    spec = table_pb2.TableSpec(
        table_id="t1",
        seats=seats_of(people),
        rules=rules_pb2.RuleSet(),
        length=rules_pb2.MatchLength(hands=1),
        tournament="spring",
        board=BOARD,
    )
    clock = rules_pb2.Clock(turn_ms=1000, answers_least_ms=1, answers_most_ms=1, contributions_ms=60_000)
    return Driven(spec, clock, lambda: SECRET)


def test_all_tables_of_a_board_are_dealt_alike_and_nobody_contributes() -> None:
    games = [driven(), driven(people=6)]
    for game in games:
        game.follow()
        game.play_out()
    one, other = [record_of(game.log) for game in games]
    assert one.hands[0].deal == other.hands[0].deal
    assert one.hands[0].commitment == other.hands[0].commitment == BOARD.commitment
    for record in (one, other):
        assert record.board == NAME
        assert verify(record) == []
        assert parse_record(format_record(record)) == record
    forged = replace(one, board="spring/1/2")
    assert {check.what for check in verify(forged)} >= {"commitment", "deal"}


def test_a_hand_dealt_anew_comes_from_the_board_too(monkeypatch: pytest.MonkeyPatch) -> None:
    tables_ = [driven(), driven()]
    for one in tables_:
        one.follow()
        first = [one.table.hand.cards(seat) for seat in range(6)] if one.table.hand else []
        with monkeypatch.context() as patch:
            patch.setattr(Company, "gives_up", lambda *_args, **_more: True)
            one.follow_once()
        one.follow()
        assert one.table.hand_number == 2
        assert one.table.hand
        assert [one.table.hand.cards(seat) for seat in range(6)] != first
    logs = [[event.hand_dealt for event in one.log if event.HasField("hand_dealt")] for one in tables_]
    assert [list(dealt.hands) for dealt in logs[0]] == [list(dealt.hands) for dealt in logs[1]]
    assert {dealt.commitment for dealt in logs[0]} == {BOARD.commitment}
    folded = fold_log("t1", tables_[0].log)
    assert folded.board == NAME
    assert verify(record_of(tables_[0].log)) == []


def test_a_shut_board_tells_nobody_what_it_was_dealt_from() -> None:
    whole = Event(
        sequence=9,
        hand_ended=events_pb2.HandEnded(secret=SECRET, digest="d", hands=[events_pb2.DealtHand()] * 6, order=[0, 1]),
    )
    given_up = Event(sequence=9, table_abandoned=events_pb2.TableAbandoned(reason="r", secret=SECRET))
    over = Event(sequence=9, match_ended=events_pb2.MatchEnded(scores=[1] * 6, digest="d"))
    for viewer in (None, 0, DIRECTOR):
        assert project(whole, viewer, None, shut=True).hand_ended == events_pb2.HandEnded(order=[0, 1])
        assert project(given_up, viewer, None, shut=True).table_abandoned == events_pb2.TableAbandoned(reason="r")
        assert project(over, viewer, None, shut=True).match_ended == events_pb2.MatchEnded(scores=[1] * 6)
        assert project(whole, viewer, None).hand_ended == whole.hand_ended


@pytest.mark.parametrize(
    ("forge", "doubts"),
    [
        (lambda log: None, 0),
        (lambda log: setattr(log[1].hand_committed, "commitment", bytes(32)), 3),
        (lambda log: setattr(log[-2].hand_ended, "secret", bytes(32)), 2),
        (lambda log: setattr(log[-2].hand_ended, "secret", b""), 0),
    ],
)
def test_a_client_knows_a_board_by_its_commitment(forge: Callable[[list[Event]], None], doubts: int) -> None:
    game = driven()
    game.follow()
    game.play_out()
    forge(game.log)
    watch = DealWatch()
    for event in game.log:
        watch.take(event)
    assert len(watch.doubts) == doubts
