"""The services as real processes: three table servers, each with bots, and one process of all the rest.

The tables are spread over the servers by what each has room for.
"""

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from cluster import free_port

GOUJI = Path(sys.executable).with_name("gouji")
READY_SECONDS = 90


class Process:
    """One `gouji serve`; its log lines are JSON in a file."""

    def __init__(self, name: str, services: tuple[str, ...], port: int, environment: dict[str, str], log: Path) -> None:
        self.name = name
        self.port = port
        self.log = log
        self._services = services
        self.environment = {**environment, "GOUJI_PORT": str(port)}
        self._running: subprocess.Popen[bytes] | None = None

    @property
    def address(self) -> str:
        """What clients dial."""
        return f"127.0.0.1:{self.port}"

    def start(self) -> None:
        """Start it; its lines are added to the log."""
        with self.log.open("ab") as out:
            command = [GOUJI, "serve", *self._services]
            self._running = subprocess.Popen(command, env=self.environment, stdout=out, stderr=out)

    def send(self, number: signal.Signals) -> None:
        """Send it a signal."""
        assert self._running is not None
        self._running.send_signal(number)

    def kill(self) -> None:
        """End it with SIGKILL, and forget it."""
        if self._running is not None:
            self._running.kill()
            self._running.wait()
            self._running = None

    async def ended(self, seconds: float) -> int:
        """Wait for its end; returns the exit code."""
        assert self._running is not None
        async with asyncio.timeout(seconds):
            while self._running.poll() is None:  # noqa: ASYNC110 - a child that the loop does not know has no event
                await asyncio.sleep(0.05)
        return int(self._running.returncode)

    def lines(self) -> Iterator[dict[str, Any]]:
        """Read its log, of all its lives."""
        for line in self.log.read_text().splitlines():
            if line.startswith("{"):
                yield json.loads(line)

    def count(self, event: str) -> int:
        """Count the lines of a kind."""
        return sum(line["event"] == event for line in self.lines())

    async def ready(self, times: int = 1) -> None:
        """Wait until it has said so many times that it serves."""
        async with asyncio.timeout(READY_SECONDS):
            while self.count("ready") < times:  # noqa: ASYNC110 - a file has no event
                await asyncio.sleep(0.1)


def common_environment(database_url: str, folder: Path, own: dict[str, str]) -> dict[str, str]:
    """What all processes of a test have in their environment."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GOUJI_")}
    return {
        **kept,
        "GOUJI_DATABASE_URL": database_url,
        "GOUJI_DATA_DIRECTORY": str(folder),
        "GOUJI_METRICS_PORT": "-1",
        "GOUJI_LOG_FORMAT": "json",
        **own,
    }


class Fleet:
    """Three table servers and a hub with gateway, matchmaking and scoring, on one database."""

    def __init__(self, database_url: str, folder: Path, environment: dict[str, str]) -> None:
        hub, ports = free_port(), [free_port() for _ in range(3)]
        own = {"GOUJI_ALLOWANCE_MS": "0", "GOUJI_SCORING_ADDRESS": f"127.0.0.1:{hub}"}
        common = common_environment(database_url, folder, own | environment)
        self.hub = Process("hub", ("gateway", "matchmaking", "scoring", "bot"), hub, common, folder / "hub.log")
        self.servers = [
            Process(f"table{n}", ("table", "bot"), port, common, folder / f"table{n}.log")
            for n, port in enumerate(ports)
        ]

    async def start(self) -> None:
        """Start all; the database must have its tables."""
        for process in (self.hub, *self.servers):
            process.start()
        for process in (self.hub, *self.servers):
            await process.ready()

    async def command(self, *arguments: str) -> tuple[int | None, str]:
        """Run a command of `gouji` to its end; returns its exit code and what it wrote."""
        out = asyncio.subprocess.PIPE
        process = await asyncio.create_subprocess_exec(
            GOUJI, *arguments, env=self.hub.environment, stdout=out, stderr=asyncio.subprocess.STDOUT
        )
        written, _ = await asyncio.wait_for(process.communicate(), READY_SECONDS)
        return process.returncode, written.decode()

    def close(self) -> None:
        """End all."""
        for process in (self.hub, *self.servers):
            process.kill()
