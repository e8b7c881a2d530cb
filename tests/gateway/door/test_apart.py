"""A door apart: a real Envoy, started as a container starts it, on the files of `gouji door`."""

import asyncio
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import aiohttp
import pytest
import yaml

from gouji.cli.serve import SERVICES, find_binds
from gouji.client.addresses import open_channel
from gouji.gateway import door_apart
from gouji.gateway.envoy import Config, config_for, render
from gouji.gateway.envoy_process import ADMIN, drain, find_envoy, flags
from gouji.serving.app import App, StartError
from gouji.serving.settings import Settings
from gouji.serving.testing import running_app
from gouji.v1 import admin_pb2, gateway_pb2, gateway_pb2_grpc


@pytest.fixture
async def behind(sqlite_settings: Settings) -> AsyncIterator[App]:
    """All services in one process, and the web client's files, without a door."""
    chosen = sqlite_settings.model_copy(update={"door_port": -1, "web_port": 0})
    async with running_app(chosen, {bind.__module__: bind for name in SERVICES for bind in find_binds(name)}) as app:
        yield app


def apart(app: App, directory: Path, web: str) -> Settings:
    addresses = {f"{name}_address": app.address for name in ("gateway", "matchmaking", "scoring", "bot")}
    mine = {"door_port": 0, "door_directory": directory, "web_address": web, "metrics_port": 0, **addresses}
    return app.settings.model_copy(update=mine)


@asynccontextmanager
async def envoy_on(directory: Path) -> AsyncIterator[str]:
    """Run Envoy with the flags of the product, as another container would."""
    process = await asyncio.create_subprocess_exec(str(find_envoy()), *flags(directory, 1))
    connector = aiohttp.UnixConnector(str(directory / ADMIN))
    try:
        async with aiohttp.ClientSession("http://envoy", connector=connector) as admin, asyncio.timeout(30):
            while True:
                try:
                    async with admin.get("/ready") as ready:
                        if ready.status == 200:
                            break
                except aiohttp.ClientError:
                    pass
                await asyncio.sleep(0.05)
            async with admin.get("/listeners?format=json") as listed:
                [listener] = (await listed.json(content_type=None))["listener_statuses"]
        yield f"http://127.0.0.1:{listener['local_address']['socket_address']['port_value']}"
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


async def test_players_come_in_by_a_door_apart(behind: App, tmp_path: Path) -> None:
    settings = apart(behind, tmp_path, "127.0.0.1:1")
    door_apart.write(settings)
    async with envoy_on(tmp_path) as address, aiohttp.ClientSession(address) as browser:
        async with browser.get("/healthz") as healthy:
            assert healthy.status == 200
        async with open_channel(address, [("grpc.use_local_subchannel_pool", 1)]) as channel:
            sessions = gateway_pb2_grpc.SessionServiceStub(channel)
            assert (await sessions.CreateGuest(gateway_pb2.CreateGuestRequest(name="Lin"))).player_id
            token = ("authorization", f"Bearer {behind.tokens.mint_operator('olga')}")
            list_servers = channel.unary_unary("/gouji.v1.TableAdminService/ListServers")
            following = asyncio.create_task(door_apart.follow(settings))
            async with asyncio.timeout(30):  # until Envoy has read the list
                while not await listed(list_servers, token):  # noqa: ASYNC110 - Envoy is asked
                    await asyncio.sleep(0.1)
            following.cancel()
            await asyncio.gather(following, return_exceptions=True)


async def listed(list_servers: object, token: tuple[str, str]) -> bool:
    try:
        answer = await list_servers(admin_pb2.ListServersRequest().SerializeToString(), metadata=[token])  # type: ignore[operator]
    except Exception:  # noqa: BLE001 - no server is known yet
        return False
    return bool(admin_pb2.ListServersResponse.FromString(answer).servers)


async def test_clients_are_sent_away_before_envoy_ends(behind: App, tmp_path: Path) -> None:
    settings = apart(behind, tmp_path, "127.0.0.1:1")
    door_apart.write(settings)
    async with envoy_on(tmp_path) as address:
        async with open_channel(address, [("grpc.use_local_subchannel_pool", 1)]) as channel:
            sessions = gateway_pb2_grpc.SessionServiceStub(channel)
            await sessions.CreateGuest(gateway_pb2.CreateGuestRequest(name="Lin"))
            await door_apart.send_away(settings, 0.1)  # one client stays: it ends all the same
        await asyncio.wait_for(door_apart.send_away(settings, 600), 60)  # that client has gone
    await door_apart.send_away(settings, 600)  # Envoy has, too
    with pytest.raises(aiohttp.ClientError):
        await drain(str(tmp_path / ADMIN))


def test_the_configuration_is_that_of_a_door_beside_the_gateway(sqlite_settings: Settings, tmp_path: Path) -> None:
    addresses = {f"{name}_address": f"{name}:7100" for name in ("gateway", "matchmaking", "scoring", "bot")}
    there = {"door_port": 8080, "door_directory": tmp_path, "web_address": "gateway:7180", **addresses}
    written: Config = door_apart.write(sqlite_settings.model_copy(update=there))
    services = {name: [(name, 7100)] for name in ("gateway", "matchmaking", "scoring", "bot")}
    settings = sqlite_settings.model_copy(update=there)
    assert written.admin == str(tmp_path / ADMIN)
    told = config_for(settings, tmp_path, services, ("gateway", 7180))
    assert (tmp_path / "envoy.yaml").read_text() == render(told)
    assert yaml.safe_load((tmp_path / "tables.json").read_text())["resources"][0]["endpoints"] == [{"lb_endpoints": []}]


def test_a_list_that_is_there_stays(sqlite_settings: Settings, tmp_path: Path) -> None:
    addresses = {f"{name}_address": f"{name}:7100" for name in ("gateway", "matchmaking", "scoring", "bot")}
    (tmp_path / "tables.json").write_text("of before")
    there = {"door_port": 8080, "door_directory": tmp_path, **addresses}
    assert door_apart.write(sqlite_settings.model_copy(update=there)).web is None
    assert (tmp_path / "tables.json").read_text() == "of before"


@pytest.mark.parametrize(
    ("changes", "flag"),
    [({"door_directory": None}, "door-directory"), ({"door_port": -1}, "door-port"), ({"bot_address": None}, "bot-")],
)
def test_what_is_missing_is_named(
    sqlite_settings: Settings, tmp_path: Path, changes: dict[str, object], flag: str
) -> None:
    addresses = {f"{name}_address": f"{name}:7100" for name in ("gateway", "matchmaking", "scoring", "bot")}
    there = {"door_port": 8080, "door_directory": tmp_path, **addresses} | changes
    with pytest.raises(StartError, match=f"--{flag}"):
        door_apart.write(sqlite_settings.model_copy(update=there))


async def test_the_command_follows_until_it_is_told_to_stop(behind: App, tmp_path: Path) -> None:
    """As its container does: no key is set, and nothing is written but in the door's directory."""
    environment = {
        "PATH": os.environ["PATH"],
        "PYTHONPATH": os.environ.get("PYTHONPATH", ""),
        "HOME": "/nonexistent",
        "GOUJI_DOOR_DIRECTORY": str(tmp_path),
        "GOUJI_DATABASE_URL": behind.settings.database_url,
        "GOUJI_METRICS_PORT": "-1",
    }
    command = (sys.executable, "-c", "from gouji.cli.main import app; app()", "door", "follow")
    process = await asyncio.create_subprocess_exec(*command, env=environment)
    async with asyncio.timeout(60):
        while not (tmp_path / "tables.json").exists():  # noqa: ASYNC110 - another process writes it
            await asyncio.sleep(0.1)
        process.terminate()
        assert await process.wait() == 0
