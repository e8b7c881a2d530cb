"""Tournaments with matchmaking and tables as they are: who sits at a table of a round sits nowhere else."""

import asyncio
from typing import Any

import grpc
import pytest

from gouji.bot.service import bind as bind_bot
from gouji.matchmaking.service import bind as bind_matchmaking
from gouji.scoring.service import bind as bind_scoring
from gouji.serving.errors import reason_of, refusal_of
from gouji.serving.settings import Settings
from gouji.serving.testing import running_app
from gouji.table.service import bind as bind_table
from gouji.tournament.service import bind
from gouji.v1 import (
    matchmaking_pb2,
    matchmaking_pb2_grpc,
    table_pb2,
    table_pb2_grpc,
    tournament_pb2_grpc,
)
from gouji.v1.events_pb2 import Seat

from .conftest import Hall, Running

BINDS = {
    "tournament": bind,
    "matchmaking": bind_matchmaking,
    "table": bind_table,
    "bot": bind_bot,
    "scoring": bind_scoring,
}


async def refused(call: Any) -> str | None:
    with pytest.raises(grpc.aio.AioRpcError) as failed:
        await call
    return reason_of(failed.value)


async def test_a_seated_player_cannot_queue_and_nobody_else_looks_on(sqlite_settings: Settings) -> None:
    quick = sqlite_settings.model_copy(update={"tournament_poll_ms": 10})
    async with running_app(quick, BINDS) as app, grpc.aio.insecure_channel(app.address) as channel:
        running = Running(app, Hall(), tournament_pb2_grpc.TournamentServiceStub(channel))
        # Bots that think for long leave the table where it is.
        await running.create(rounds=1, boards=1, bot_pace_ms=60_000, clock={"turn_ms": 60_000})
        await running.change("OPEN_REGISTRATION")
        await running.player("ann").call("EnterTournament", tournament_id="spring")
        await running.enter_bots(11)
        await running.change("START")
        await running.come(lambda event: event.played and event.played[0].placed == 2)
        pairings = (await running.director.call("ListPairings", tournament_id="spring", round=1)).pairings
        (table_id,) = [board.table_id for pairing in pairings for board in pairing.boards if 1 in board.seats]

        def metadata(token: str) -> dict[str, Any]:
            return {"metadata": (("authorization", f"Bearer {token}"),)}

        ann, stranger = (metadata(app.tokens.mint_player(one, one.title()).access_token) for one in ("ann", "bob"))
        queues: Any = matchmaking_pb2_grpc.MatchmakingServiceStub(channel)
        with pytest.raises(grpc.aio.AioRpcError) as failed:
            await queues.CreateTicket(matchmaking_pb2.CreateTicketRequest(queue="local/quick"), **ann)
        refusal = refusal_of(failed.value)
        assert refusal
        assert (refusal.reason, refusal.metadata["table_id"]) == ("already_seated", table_id)
        elsewhere = [Seat(player_id="ann", name="Ann"), *[Seat(bot_level="greedy")] * 5]
        place = matchmaking_pb2.PlaceTableRequest(request_id="r1", seats=elsewhere)
        assert await refused(queues.PlaceTable(place, **metadata(app.tokens.mint_service()))) == "already_seated"

        tables: Any = table_pb2_grpc.TableServiceStub(channel)
        look = table_pb2.ObserveRequest(table_id=table_id)
        async with asyncio.timeout(20):
            while not (await tables.Observe(look, **ann)).HasField("observation"):  # noqa: ASYNC110 - it is dealt soon
                await asyncio.sleep(0.02)
        for token in (stranger, metadata(app.tokens.mint_director("dora")), metadata(app.tokens.mint_operator("op"))):
            assert await refused(tables.Observe(look, **token)) == "board_shut"
