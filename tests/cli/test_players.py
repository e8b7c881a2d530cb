"""`gouji players` against a gateway in this process."""

import asyncio
import json
import os
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import grpc
import pytest

from gouji.gateway.service import bind as bind_gateway
from gouji.serving.app import App
from gouji.serving.settings import Settings
from gouji.serving.testing import running_app
from gouji.table.service import bind as bind_table
from gouji.v1 import gateway_pb2, gateway_pb2_grpc


@pytest.fixture
async def app(sqlite_settings: Settings) -> AsyncIterator[App]:
    """A gateway, and a table server without tables."""
    async with running_app(sqlite_settings, {"gateway": bind_gateway, "table": bind_table}) as running:
        yield running


@pytest.fixture
async def ann(app: App) -> str:
    """A player."""
    async with grpc.aio.insecure_channel(app.address) as channel:
        stub: gateway_pb2_grpc.SessionServiceAsyncStub = gateway_pb2_grpc.SessionServiceStub(channel)
        return (await stub.CreateGuest(gateway_pb2.CreateGuestRequest(name="Ann"))).player_id


async def gouji(app: App, *arguments: str) -> tuple[int | None, str, str]:
    """Run the command to its end."""
    assert app.settings.service_key
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GOUJI_")}
    own = {
        "GOUJI_DATA_DIRECTORY": str(app.settings.data_directory),
        "GOUJI_SERVICE_KEY": app.settings.service_key.get_secret_value(),
        "GOUJI_GATEWAY_ADDRESS": app.address,
        "LOGNAME": "olga",
        "COLUMNS": "300",
    }
    program, pipe = Path(sys.executable).with_name("gouji"), asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(
        program, "players", *arguments, env=kept | own, stdout=pipe, stderr=pipe
    )
    out, err = await process.communicate()
    return process.returncode, out.decode(), err.decode()


async def test_a_moderator_mutes_bans_and_lets_in_again_and_the_log_has_it(app: App, ann: str) -> None:
    for arguments, sentence in (
        (("mute", ann, "--hours", "2", "--reason", "insults"), f"{ann} says nothing until "),
        (("ban", ann, "--for-good", "--reason", "cheating"), f"{ann} is banned for good"),
        (("sanctions",), f"{ann}  banned for good  since "),
        (("unban", ann, "--reason", "appeal"), f"{ann} may come in"),
        (("remove", ann, "--reason", "stalling"), f"{ann} sits at no table"),
    ):
        code, out, err = await gouji(app, *arguments)
        assert (code, out[: len(sentence)]) == (0, sentence), err
    code, out, _ = await gouji(app, "log", "--player", ann, "--json")
    acts = json.loads(out)["acts"]
    assert [(act["method"], act["actor"], act["outcome"]) for act in acts] == [
        (method, "olga", "done") for method in ("RemovePlayer", "UnbanPlayer", "BanPlayer", "MutePlayer")
    ]


async def test_how_long_it_is_to_hold_must_be_said(app: App, ann: str) -> None:
    code, _, err = await gouji(app, "ban", ann, "--reason", "cheating")
    assert code == 2
    assert "Say how long" in err
    for days in ("4000000", "inf"):
        code, _, err = await gouji(app, "ban", ann, "--days", days, "--reason", "cheating")
        assert (code, "after the year 9999" in err) == (2, True), err
    code, _, err = await gouji(app, "ban", "nobody", "--hours", "1", "--reason", "cheating")
    assert (code, err) == (1, "unknown_player: There is no such player.\n")


async def test_reports_are_listed_and_closed(app: App) -> None:
    assert (await gouji(app, "reports"))[:2] == (0, "")
    assert (await gouji(app, "close", "none", "--reason", "x"))[2] == "unknown_report: There is no such report.\n"
