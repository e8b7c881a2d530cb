"""`gouji up`, `gouji serve` and `gouji migrate` as processes of their own."""

import asyncio
import json
import os
import re
import signal
import socket
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import grpc
import pytest
from alembic.script import ScriptDirectory
from grpc_health.v1 import health_pb2, health_pb2_grpc

from gouji import migrations
from gouji.client.addresses import open_channel
from gouji.serving.testing import until
from gouji.v1 import gateway_pb2, gateway_pb2_grpc

HEAD = ScriptDirectory(str(Path(migrations.__file__).parent)).get_current_head()
SERVICES = ("Session", "Matchmaking", "Table", "Bot", "Scoring")
DOORLESS = ("--door-port", "-1")
QUICK = ("--port", "0", "--metrics-port", "-1", *DOORLESS)
LIMIT = 60


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """The environment of a process that keeps to the test's directory."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GOUJI_")}
    return {**kept, "GOUJI_DATA_DIRECTORY": str(tmp_path), "PYTHONUNBUFFERED": "1"}


@asynccontextmanager
async def gouji(environment: dict[str, str], *arguments: str) -> AsyncIterator[asyncio.subprocess.Process]:
    program = Path(sys.executable).with_name("gouji")
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(program, *arguments, env=environment, stdout=pipe, stderr=pipe)
    try:
        yield process
    finally:
        if process.returncode is None:
            process.kill()
        await process.communicate()


async def ended(environment: dict[str, str], *arguments: str) -> tuple[int | None, str, str]:
    """Run a command to its end; give its exit code and what it wrote."""
    async with gouji(environment, *arguments) as process:
        out, err = await asyncio.wait_for(process.communicate(), LIMIT)
        return process.returncode, out.decode(), err.decode()


async def stopped(process: asyncio.subprocess.Process) -> tuple[int | None, str, str]:
    """End a process as an orchestrator does."""
    process.send_signal(signal.SIGTERM)
    out, err = await asyncio.wait_for(process.communicate(), LIMIT)
    return process.returncode, out.decode(), err.decode()


async def line(stream: asyncio.StreamReader | None) -> str:
    assert stream is not None
    return (await asyncio.wait_for(stream.readline(), LIMIT)).decode()


async def health(address: str, service: str) -> Any:
    async with grpc.aio.insecure_channel(address) as channel:
        stub = health_pb2_grpc.HealthStub(channel)
        return (await stub.Check(health_pb2.HealthCheckRequest(service=service), timeout=LIMIT)).status


async def test_up_says_in_one_line_that_it_is_ready_serves_all_and_stops_in_order(
    environment: dict[str, str],
) -> None:
    async with gouji(environment, "up", *QUICK) as process:
        ready = await line(process.stdout)
        found = re.match(r"Gouji is ready at (127\.0\.0\.1:\d+)\. `gouji play` .* `gouji demo`", ready)
        assert found, ready
        for service in ("", *(f"gouji.v1.{name}Service" for name in SERVICES)):
            assert await health(found[1], service) == health_pb2.HealthCheckResponse.SERVING
        code, out, err = await stopped(process)
    assert (code, out) == (0, "")
    assert "Traceback" not in err


async def test_up_opens_a_door_that_ends_with_it(environment: dict[str, str]) -> None:
    async with gouji(environment, "up", *QUICK, "--door-port", "0") as process:
        found = re.search(r", for browsers at (http://127\.0\.0\.1:\d+)\. ", await line(process.stdout))
        assert found
        async with open_channel(found[1]) as channel:
            sessions: Any = gateway_pb2_grpc.SessionServiceStub(channel)
            made = await sessions.CreateGuest(gateway_pb2.CreateGuestRequest(name="Lin"), timeout=LIMIT)
            assert made.player_id
        [envoy] = children(process.pid)
        process.kill()
        await process.wait()
        await until(lambda: not Path(f"/proc/{envoy}/exe").exists(), LIMIT)


def children(pid: int) -> list[int]:
    """The processes that a process has started."""
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


async def test_up_starts_again_on_what_it_left(environment: dict[str, str], tmp_path: Path) -> None:
    keys = []
    for _ in range(2):
        async with gouji(environment, "up", *QUICK) as process:
            assert "ready" in await line(process.stdout)
            assert (await stopped(process))[0] == 0
        keys.append((tmp_path / "player.key").read_text())
    assert keys[0] == keys[1]
    assert (tmp_path / "gouji.sqlite").exists()


@pytest.mark.parametrize("flag", ["--port", "--door-port"])
async def test_a_taken_port_is_said_in_one_sentence(environment: dict[str, str], flag: str) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        code, out, err = await ended(environment, "up", *QUICK, flag, port)
    assert (code, out) == (1, "")
    assert err == (
        f"Port {port} of 127.0.0.1 cannot be had: end the process that has it, or choose another with {flag}.\n"
    )


async def test_a_database_that_is_not_there_is_said_in_one_sentence(environment: dict[str, str]) -> None:
    url = "postgresql://postgres@127.0.0.1:1/gouji"
    code, out, err = await ended(environment, "up", *QUICK, "--database-url", url)
    assert (code, out) == (1, "")
    assert err.startswith(f"The database {url} cannot be reached (")
    assert len(err.splitlines()) == 1


async def test_a_service_wants_the_tables_made_and_then_serves(
    environment: dict[str, str], bare_database_url: str
) -> None:
    there = {**environment, "GOUJI_DATABASE_URL": bare_database_url, "GOUJI_LOG_FORMAT": "json"}
    code, _, err = await ended(there, "serve", "scoring", *QUICK)
    assert code == 1
    assert "has no tables: run `gouji migrate` first." in err
    assert await ended(there, "migrate") == (0, f"{bare_database_url} is at revision {HEAD}\n", "")
    async with gouji(there, "serve", "scoring", *QUICK) as process:
        ready = json.loads(await line(process.stderr))
        assert (ready["event"], ready["process"], ready["metrics_port"]) == ("ready", "scoring", None)
        address = ready["address"]
        assert await health(address, "gouji.v1.ScoringService") == health_pb2.HealthCheckResponse.SERVING
        assert (await stopped(process))[0] == 0


async def test_several_services_may_share_a_process(environment: dict[str, str]) -> None:
    await ended(environment, "migrate")
    async with gouji(environment, "serve", "bot", "scoring", *QUICK, "--log-format", "json") as process:
        address = json.loads(await line(process.stderr))["address"]
        for name in ("Bot", "Scoring"):
            assert await health(address, f"gouji.v1.{name}Service") == health_pb2.HealthCheckResponse.SERVING
        assert (await stopped(process))[0] == 0
