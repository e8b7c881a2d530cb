"""Real server processes, one `gouji serve` each: started, watched and ended."""

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

GOUJI = Path(sys.executable).with_name("gouji")
READY_SECONDS = 90


class Process:
    """One `gouji serve`; its log lines are JSON in a file. With ``core`` it runs on that core alone."""

    def __init__(
        self,
        name: str,
        services: tuple[str, ...],
        port: int,
        environment: dict[str, str],
        log: Path,
        *,
        core: int | None = None,
    ) -> None:
        self.name = name
        self.port = port
        self.log = log
        self._services = services
        self._before = () if core is None else ("taskset", "-c", str(core))
        self.environment = {**environment, "GOUJI_PORT": str(port)}
        self._running: subprocess.Popen[bytes] | None = None

    @property
    def address(self) -> str:
        """What clients dial."""
        return f"127.0.0.1:{self.port}"

    @property
    def pid(self) -> int:
        """The number of the process that runs."""
        assert self._running is not None
        return self._running.pid

    def start(self) -> None:
        """Start it; its lines are added to the log."""
        with self.log.open("ab") as out:
            command = [*self._before, GOUJI, "serve", *self._services]
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


def environment_of(database_url: str, folder: Path, hub_port: int) -> dict[str, str]:
    """Give the environment of all processes of a fleet: one database, one folder of keys, scoring at the hub."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GOUJI_")}
    return {
        **kept,
        "GOUJI_DATABASE_URL": database_url,
        "GOUJI_DATA_DIRECTORY": str(folder),
        "GOUJI_METRICS_PORT": "-1",
        "GOUJI_LOG_FORMAT": "json",
        "GOUJI_SCORING_ADDRESS": f"127.0.0.1:{hub_port}",
    }
