"""`gouji cluster`: real processes on a PostgreSQL of their own, disturbed by name, and ended in order."""

import asyncio
import json
import os
import signal
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from gouji.client import Queue, Session
from gouji.client.addresses import open_channel
from gouji.fleet.control import Control
from gouji.fleet.faults import Fault
from gouji.fleet.fleet import Plan, running
from gouji.fleet.layout import PROCESSES
from gouji.fleet.postgres import find_postgres
from gouji.fleet.process import GOUJI
from gouji.serving.app import StartError

pytestmark = [pytest.mark.timeout(240), pytest.mark.skipif(not find_postgres(), reason="there is no PostgreSQL")]

LIMIT = 120
ONE_EACH = ("--gateway", "1", "--matchmaking", "1", "--table", "1", "--bot", "2", "--scoring", "1")
FREE = ("--port", "0", "--metrics-port", "0", "--door-port", "0", "--shutdown-grace-seconds", "0")


@pytest.fixture
def environment() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if not name.startswith("GOUJI_")}


@pytest.fixture
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A short path: a socket's has 108 bytes."""
    return tmp_path_factory.mktemp("c")


@asynccontextmanager
async def gouji(environment: dict[str, str], *arguments: str | Path) -> AsyncIterator[asyncio.subprocess.Process]:
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(GOUJI, *arguments, env=environment, stdout=pipe, stderr=pipe)
    try:
        yield process
    finally:
        if process.returncode is None:
            process.kill()
        await process.communicate()


async def said(environment: dict[str, str], *arguments: str | Path) -> tuple[int | None, str]:
    async with gouji(environment, *arguments) as process:
        out, err = await asyncio.wait_for(process.communicate(), LIMIT)
        return process.returncode, (out + err).decode()


def there(path: str) -> bool:
    return Path(path).exists()


async def come(holds: Callable[[dict[str, Any]], bool], folder: Path) -> dict[str, Any]:
    """Wait until the fleet stands so; gives its processes by name."""
    async with asyncio.timeout(LIMIT):
        while True:
            told = (await Control(folder).ask())["fleet"]
            rows = {row["name"]: row for row in told["processes"]}
            if holds(rows):
                return rows
            await asyncio.sleep(0.1)


async def test_a_cluster_serves_is_disturbed_by_name_and_ends_in_order(
    environment: dict[str, str], folder: Path
) -> None:
    where = ("--folder", folder)
    async with gouji(environment, "cluster", "up", *where, *ONE_EACH, *FREE, "--json") as process:
        assert process.stdout
        told = json.loads(await asyncio.wait_for(process.stdout.readline(), LIMIT))
        rows = {row["name"]: row for row in told["processes"]}
        names = ["postgres", "door", "scoring-1", "bot-1", "bot-2", "matchmaking-1", "gateway-1", "table-1"]
        assert [*rows] == names
        assert {row["state"] for row in rows.values()} == {"running"}
        assert len({row["port"] for row in rows.values()}) == len(names)
        assert all(there(row["log"]) for row in rows.values())

        async with await Session.open(told["door"], "Lin") as session:
            made = await Queue(session).create_ticket("local/quick")
            assert made.ticket.ticket_id

        assert await said(environment, "cluster", "up", *where, *FREE) == (
            1,
            f"A cluster runs already in {folder}: end it, or choose another folder with --folder.\n",
        )
        assert (await said(environment, "cluster", "kill", "door", *where))[0] == 0
        await come(lambda now: now["door"]["pid"] not in (0, rows["door"]["pid"]), folder)
        code, out = await said(environment, "cluster", "restart", "door", *where)
        assert (code, out) == (1, "restart door: door starts and ends with gateway-1.\n")
        assert await said(environment, "cluster", "kill", "bot-1", *where) == (0, "kill bot-1: bot-1\n")
        again = await come(lambda rows: rows["bot-1"]["starts"] == 2, folder)
        assert again["bot-1"]["pid"] != rows["bot-1"]["pid"]
        assert (await said(environment, "cluster", "stop", "scoring-1", *where))[0] == 0
        await come(lambda rows: rows["scoring-1"]["state"] == "stopped", folder)
        assert (await said(environment, "cluster", "continue", "scoring-1", *where))[0] == 0
        code, out = await said(environment, "cluster", "restart", "bot-*", *where)
        assert (code, out) == (0, "restart bot-*: bot-1, bot-2\n")
        assert (await said(environment, "cluster", "slow", "5", *where))[0] == 0
        assert (await said(environment, "cluster", "kill", "postgres", *where))[0] == 0
        assert await said(environment, "cluster", "kill", "nobody", *where) == (1, "kill nobody: there is no nobody.\n")
        rows = await come(lambda rows: rows["postgres"]["starts"] == 2, folder)

        process.send_signal(signal.SIGINT)
        _, err = await asyncio.wait_for(process.communicate(), LIMIT)
        assert process.returncode == 0
    assert "bot-1" in err.decode()
    assert "was ended by SIGKILL" in err.decode()
    assert err.decode().endswith(f"all have ended; the logs are in {folder}/logs\n")
    assert not [row for row in rows.values() if there(f"/proc/{row['pid']}/exe")]
    assert (await said(environment, "cluster", "list", *where))[0] == 1


async def test_what_dies_stays_down_where_nothing_is_to_be_started_again(folder: Path, bare_postgres_url: str) -> None:
    heard: list[str] = []
    processes = {"gateway": 1, "matchmaking": 1, "table": 1, "bot": 1, "scoring": 1}
    plan = Plan(folder, processes, database_url=bare_postgres_url, door_port=-1, metrics_port=-1, restart=False)
    async with running(plan, heard.append) as fleet:
        assert fleet.door is None
        await Control(folder).ask(_fault("kill", "bot-1"))
        rows = await come(lambda rows: rows["bot-1"]["state"] == "ended", folder)
        assert "postgres" not in rows
        async with asyncio.timeout(LIMIT):
            while not heard:  # noqa: ASYNC110 - a list has no event
                await asyncio.sleep(0.05)
        with pytest.raises(StartError, match="bot-1 does not run"):
            await Control(folder).ask(_fault("kill", "bot-1"))
        await Control(folder).ask(_fault("start", "bot-1"))
        rows = await come(lambda rows: rows["bot-1"]["state"] == "running", folder)
        async with open_channel(f"127.0.0.1:{rows['gateway-1']['port']}") as channel:
            await asyncio.wait_for(channel.channel_ready(), LIMIT)
    assert [sentence.split(" ", 1)[0] for sentence in heard] == ["bot-1"]


async def test_a_process_that_cannot_start_ends_all_and_says_whose_log_to_read(
    folder: Path, bare_postgres_url: str
) -> None:
    plan = Plan(
        folder,
        processes={**PROCESSES, "bot": 1, "matchmaking": 1, "table": 1},
        settings={"GOUJI_LEASE_SECONDS": "soon"},
        database_url=bare_postgres_url,
        door_port=-1,
        metrics_port=-1,
    )
    with pytest.raises(StartError, match=r"-\d ended with 2 before it served; its log is .*\.log"):
        async with running(plan, print):
            pass


def _fault(do: str, name: str) -> Fault:
    return Fault.model_validate({"do": do, "name": name})
