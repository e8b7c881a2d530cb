"""Real server processes, one `gouji serve` each: started, watched and ended."""

import asyncio
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from gouji.serving.children import tied

GOUJI: Final = Path(sys.executable).with_name("gouji")
"""The command, of the installation that runs."""

READY_SECONDS: Final = 90
_LOOK_SECONDS: Final = 0.05


def free_port() -> int:
    """Find a port that nobody has just now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class EndedEarlyError(Exception):
    """A process ended before it served; the text says which, how, and where its log is."""


class Process:
    """One `gouji serve`; its log lines are JSON in a file. With ``core`` it runs on that core alone.

    Ctrl-C does not reach it, and it ends in order when the process that started it is killed (Linux).
    """

    def __init__(
        self,
        name: str,
        services: Sequence[str],
        port: int,
        environment: Mapping[str, str],
        log: Path,
        *,
        core: int | None = None,
    ) -> None:
        self.name = name
        self.services = tuple(services)
        self.port = port
        self.log = log
        self.starts = 0
        self._before = () if core is None else (shutil.which("taskset") or "taskset", "-c", str(core))
        self.environment = {**environment, "GOUJI_PORT": str(port)}
        self._running: subprocess.Popen[bytes] | None = None
        self._seen = 0

    @property
    def address(self) -> str:
        """What clients dial."""
        return f"127.0.0.1:{self.port}"

    @property
    def pid(self) -> int:
        """The number of the process that runs, or ran last; 0 before the first."""
        return 0 if self._running is None else self._running.pid

    @property
    def code(self) -> int | None:
        """How it ended, negative for a signal; None while it runs, and when it was never started or was forgotten."""
        return None if self._running is None else self._running.poll()

    @property
    def alive(self) -> bool:
        """It was started and has not ended."""
        return self._running is not None and self._running.poll() is None

    def start(self) -> None:
        """Start it; its lines are added to the log."""
        with self.log.open("ab") as out:
            self._seen = out.tell()
            command = tied([*self._before, str(GOUJI), "serve", *self.services])
            self._running = subprocess.Popen(  # noqa: S603 - our own command
                command, env=self.environment, stdin=subprocess.DEVNULL, stdout=out, stderr=out, start_new_session=True
            )
        self.starts += 1

    def send(self, number: signal.Signals) -> None:
        """Send it a signal; nothing happens when it has ended."""
        if self._running is not None:
            self._running.send_signal(number)

    def kill(self) -> None:
        """End it with SIGKILL, and forget it."""
        if self._running is not None:
            self._running.kill()
            self._running.wait()
            self._running = None

    async def ended(self, seconds: float) -> int:
        """Wait for its end; returns the exit code. Raises `TimeoutError` when it has not ended by then."""
        async with asyncio.timeout(seconds):
            while self.alive:  # noqa: ASYNC110 - a child that the loop does not know has no event
                await asyncio.sleep(_LOOK_SECONDS)
        return self.code or 0

    def lines(self) -> Iterator[dict[str, Any]]:
        """Read its log, of all its lives."""
        return _lines(self.log.read_bytes())

    def count(self, event: str) -> int:
        """Count the lines of a kind."""
        return sum(line["event"] == event for line in self.lines())

    async def ready(self) -> None:
        """Wait until it has said, since its last start, that it serves; raises `EndedEarlyError` if it ends before."""
        async with asyncio.timeout(READY_SECONDS):
            while not self._said_ready():
                if self.code is not None:
                    raise EndedEarlyError(f"{self.name} ended with {self.code} before it served; its log is {self.log}")
                await asyncio.sleep(2 * _LOOK_SECONDS)

    def _said_ready(self) -> bool:
        with self.log.open("rb") as log:
            log.seek(self._seen)
            return any(line["event"] == "ready" for line in _lines(log.read()))


def _lines(log: bytes) -> Iterator[dict[str, Any]]:
    """Read whole lines of JSON; the last one may still be in writing, and others are not ours."""
    for line in log.decode(errors="replace").splitlines(keepends=True):
        if line.startswith("{") and line.endswith("\n"):
            yield json.loads(line)


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
