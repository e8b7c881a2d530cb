"""`gouji queue` against a server in this process."""

import asyncio
import json
import os
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import grpc
import pytest

from gouji.matchmaking.service import bind
from gouji.serving.app import App
from gouji.serving.settings import Settings
from gouji.serving.testing import running_app
from gouji.v1 import matchmaking_pb2, matchmaking_pb2_grpc


@pytest.fixture
async def app(sqlite_settings: Settings) -> AsyncIterator[App]:
    """Matchmaking alone."""
    async with running_app(sqlite_settings, {"matchmaking": bind}) as running:
        yield running


async def gouji(app: App, *arguments: str) -> tuple[int | None, str, str]:
    """Run the command to its end."""
    assert app.settings.service_key
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GOUJI_")}
    own = {
        "GOUJI_DATA_DIRECTORY": str(app.settings.data_directory),
        "GOUJI_SERVICE_KEY": app.settings.service_key.get_secret_value(),
        "GOUJI_MATCHMAKING_ADDRESS": app.address,
    }
    program, pipe = Path(sys.executable).with_name("gouji"), asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(
        program, "queue", *arguments, env=kept | own, stdout=pipe, stderr=pipe
    )
    out, err = await process.communicate()
    return process.returncode, out.decode(), err.decode()


async def queue_ann(app: App) -> str:
    token = app.tokens.mint_player("ann", "Ann").access_token
    async with grpc.aio.insecure_channel(app.address) as channel:
        stub: matchmaking_pb2_grpc.MatchmakingServiceAsyncStub = matchmaking_pb2_grpc.MatchmakingServiceStub(channel)
        request = matchmaking_pb2.CreateTicketRequest(queue="eu/quick", no_bots=True)
        made = await stub.CreateTicket(request, metadata=(("authorization", f"Bearer {token}"),))
    return made.ticket.ticket_id


async def test_an_operator_sees_pauses_and_empties_a_queue(app: App) -> None:
    ticket_id = await queue_ann(app)
    assert "eu/quick is paused" in (await gouji(app, "pause", "eu/quick", "--reason", "repairs"))[1]
    code, out, _ = await gouji(app, "list")
    assert code == 0
    assert "eu/quick  1 tickets, 1 players, " in out
    assert "paused: repairs" in out
    _, out, _ = await gouji(app, "tickets", "--queue", "eu/quick")
    assert out.startswith(f"{ticket_id}  eu/quick  waiting")
    assert "cancelled" in (await gouji(app, "cancel", ticket_id))[1]
    assert (await gouji(app, "tickets"))[1] == ""
    assert "goes on" in (await gouji(app, "resume", "eu/quick"))[1]
    assert json.loads((await gouji(app, "matches", "--json"))[1]) == {}


async def test_what_cannot_be_done_is_said_in_a_sentence(app: App) -> None:
    code, _, err = await gouji(app, "cancel", "nobody")
    assert (code, err) == (1, "unknown_ticket: There is no such ticket.\n")
