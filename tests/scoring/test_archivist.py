"""The record of a match over real gRPC, and whether results that differ from it are found."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import grpc
import pytest
import sqlalchemy as sa

from gouji.bot.service import bind as bind_bot
from gouji.engine.record_text import parse_record
from gouji.scoring.archivist import MOST_PROBLEMS, judge
from gouji.scoring.service import bind as bind_scoring
from gouji.serving.app import App
from gouji.serving.errors import reason_of
from gouji.serving.schema import hand_results, tables
from gouji.serving.settings import Settings
from gouji.serving.testing import running_app
from gouji.table.service import bind as bind_table
from gouji.v1 import history_pb2_grpc, rules_pb2, table_pb2
from gouji.v1.events_pb2 import Seat
from gouji.v1.history_pb2 import GetRecordRequest, VerifyMatchRequest, VerifyMatchResponse
from gouji.v1.scoring_pb2 import HandResult

BINDS = {"table": bind_table, "bot": bind_bot, "scoring": bind_scoring}
RECORD = (Path(__file__).parents[1] / "records/two_revolts.txt").read_text()
"""Hands that were voided stand in it too."""


def results() -> list[HandResult]:
    """What a table would have sent of the hands of the record."""
    return [
        HandResult(hand=one.number, order=one.result.order, scores=one.result.scores, digest=one.result.digest)
        for one in parse_record(RECORD).hands
        if one.result and one.result.order
    ]


def test_results_that_are_what_the_record_says_are_verified() -> None:
    made = results()
    assert made
    found = judge(RECORD, made)
    assert (found.problems, found.hands) == ([], len(parse_record(RECORD).hands))
    given_up = HandResult(hand=99, abandoned=True)
    assert judge(RECORD, [*made, given_up]).problems == []


@pytest.mark.parametrize("field", ["order", "scores", "digest"])
def test_a_result_that_is_otherwise_is_found(field: str) -> None:
    made = results()
    if field == "digest":
        made[0].digest = "another"
    else:
        numbers = getattr(made[0], field)
        numbers[0], numbers[5] = numbers[5], numbers[0]
    assert judge(RECORD, made).problems == [f"hand {made[0].hand}: the recorded result is another than the record's"]


def test_results_that_are_missing_or_too_many_are_found() -> None:
    made = results()
    [missing] = judge(RECORD, made[1:]).problems
    assert missing == f"hand {made[0].hand}: no result is recorded"
    [extra] = judge(RECORD, [*made, HandResult(hand=9)]).problems
    assert extra == "hand 9: a result is recorded, and the record has none"
    assert len(judge(RECORD, [*made, *(HandResult(hand=hand) for hand in range(9, 300))]).problems) == MOST_PROBLEMS


def test_a_record_that_was_played_otherwise_or_is_none_is_found() -> None:
    assert judge(RECORD.replace("scores: ", "scores: 1", 1), results()).problems
    [unreadable] = judge("gouji record 1000", []).problems
    assert unreadable.startswith("The record cannot be read")


@pytest.fixture
async def played(sqlite_settings: Settings) -> AsyncIterator[App]:
    """A process with a match of six bots, `t1`, that is over and recorded."""
    quick = sqlite_settings.model_copy(update={"bot_pace_ms": 0})
    async with running_app(quick, BINDS) as app:
        seats = [Seat(bot_level="random")] * 6
        spec = table_pb2.TableSpec(table_id="t1", rules=rules_pb2.RuleSet(preset="standard"), seats=seats)
        spec.length.hands = 1
        row = {"table_id": "t1", "spec": spec.SerializeToString(), "state": "placed"}
        async with app.database.begin() as connection:
            await connection.execute(sa.insert(tables).values(created_at=app.database.now(), **row))
        async with asyncio.timeout(60):
            while not await _recorded(app):  # noqa: ASYNC110 - a row has no event
                await asyncio.sleep(0.05)
        yield app


async def _recorded(app: App) -> bool:
    async with app.database.connect() as connection:
        return bool(await connection.scalar(sa.select(sa.func.count()).select_from(hand_results)))


async def verify(app: App, stub: Any) -> VerifyMatchResponse:
    return await stub.VerifyMatch(VerifyMatchRequest(table_id="t1"), metadata=_operator(app))  # type: ignore[no-any-return]


def _operator(app: App) -> Any:
    return (("authorization", f"Bearer {app.tokens.mint_operator('op')}"),)


async def test_a_match_has_its_record_and_is_verified_by_it(played: App) -> None:
    async with grpc.aio.insecure_channel(played.address) as channel:
        stub: Any = history_pb2_grpc.HistoryServiceStub(channel)
        pieces = stub.GetRecord(GetRecordRequest(table_id="t1"), metadata=_operator(played))
        record = parse_record("".join([piece.text async for piece in pieces]))
        assert record.table == "t1"
        assert record.total
        answer = await verify(played, stub)
        assert (answer.verified, list(answer.problems), answer.hands) == (True, [], 1)
        async with played.database.begin() as connection:
            result = HandResult.FromString(await connection.scalar(sa.select(hand_results.c.payload)) or b"")
            result.scores[0] += 1
            await connection.execute(sa.update(hand_results).values(payload=result.SerializeToString()))
        answer = await verify(played, stub)
        assert (answer.verified, len(answer.problems)) == (False, 1)
        with pytest.raises(grpc.aio.AioRpcError) as refused:
            async for _ in stub.GetRecord(GetRecordRequest(table_id="no such table"), metadata=_operator(played)):
                pass
        assert reason_of(refused.value) == "unknown_match"
