"""The members of a fleet: processes of services, and the PostgreSQL below them."""

import asyncio
import os
import signal
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from gouji.fleet.faults import DATABASE, DOOR, Do
from gouji.fleet.layout import Place
from gouji.fleet.postgres import Postgres
from gouji.fleet.process import Process

END_SECONDS: Final = 90
"""How long a process may take to end in order, handing its tables over."""

_RAN_WELL_SECONDS: Final = 10.0
_FIRST_WAIT_SECONDS, _LONGEST_WAIT_SECONDS = 0.5, 10.0

Tell = Callable[[str], None]
"""Hears in a sentence what became of a member."""


class NotPossibleError(Exception):
    """What was asked for cannot be done; the text says why."""


class Server:
    """One process of a service. It is started again when it dies, unless told not to ``restart``."""

    def __init__(self, place: Place, process: Process, tell: Tell, *, restart: bool) -> None:
        self.name = place.name
        self.place = place
        self.process = process
        self._tell = tell
        self._restart = restart
        self._wanted = False
        self._stopped = False
        self._began = 0.0
        self._wait = _FIRST_WAIT_SECONDS
        self._again_at: float | None = None

    def row(self) -> dict[str, Any]:
        """Say how it stands, for machines."""
        state = "stopped" if self._stopped else "running" if self.process.alive else "ended"
        return {
            "name": self.name,
            "service": self.place.service,
            "state": state,
            "pid": self.process.pid,
            "port": self.place.port,
            "metrics_port": self.place.metrics_port,
            "starts": self.process.starts,
            "log": str(self.process.log),
        }

    def begin(self) -> None:
        """Start it, and want it to run from now on."""
        self._wanted, self._stopped, self._again_at = True, False, None
        self._began = time.monotonic()
        self.process.start()

    def look(self) -> None:
        """Say that it has died, once, and start it again in time."""
        code = self.process.code
        if not self._wanted or code is None:
            return
        now = time.monotonic()
        if self._again_at is None:
            self._tell(f"{self.name} (process {self.process.pid}) {_how(code)}; its log is {self.process.log}")
            if not self._restart:
                self._wanted = False
                return
            ran_well = now - self._began > _RAN_WELL_SECONDS
            self._wait = _FIRST_WAIT_SECONDS if ran_well else min(2 * self._wait, _LONGEST_WAIT_SECONDS)
            self._again_at = now + (0 if ran_well else self._wait)
        if now >= self._again_at:
            self.begin()
            self._tell(f"{self.name} is started again as process {self.process.pid}")

    async def end(self) -> None:
        """End it in order; kill it when that takes too long."""
        self._wanted = False
        if not self.process.alive:
            return
        if self._stopped:
            self._signal(signal.SIGCONT)
        self._signal(signal.SIGTERM)
        try:
            code = await self.process.ended(END_SECONDS)
        except TimeoutError:
            self._tell(f"{self.name} has not ended within {END_SECONDS} s, and is killed")
            self.process.kill()
        else:
            if code:
                self._tell(f"{self.name} {_how(code)}")

    async def do(self, what: Do, _milliseconds: int) -> None:
        """Do something to it; returns when it is done."""
        if what is Do.START:
            if self.process.alive:
                raise NotPossibleError(f"{self.name} runs already")
            self.begin()
            await self.process.ready()
            return
        if not self.process.alive:
            raise NotPossibleError(f"{self.name} does not run")
        match what:
            case Do.KILL:
                self._signal(signal.SIGKILL)
                self._stopped = False
            case Do.STOP:
                self._signal(signal.SIGSTOP)
                self._stopped = True
            case Do.CONTINUE:
                self._signal(signal.SIGCONT)
                self._stopped = False
            case Do.RESTART:
                await self.end()
                self.begin()
                await self.process.ready()
            case Do.SLOW:
                raise NotPossibleError(f"{self.name} cannot be slowed")

    def _signal(self, number: signal.Signals) -> None:
        self.process.send(number)


class Door:
    """The Envoy of a gateway, which starts it again by itself whenever it ends. Found by /proc, as on Linux alone."""

    name = DOOR

    def __init__(self, gateway: Server, port: int) -> None:
        self._gateway = gateway
        self._port = port
        self._stopped = 0
        self._seen: set[int] = set()

    @property
    def pid(self) -> int:
        """Its process; 0 when there is none."""
        pid = next((pid for pid in _children(self._gateway.process.pid) if _is_envoy(pid)), 0)
        self._seen |= {pid} - {0}
        return pid

    def row(self) -> dict[str, Any]:
        """Say how it stands, for machines; ``starts`` are those that were seen. Its lines are in the gateway's log."""
        pid = self.pid
        return {
            "name": self.name,
            "service": "",
            "state": "stopped" if pid and pid == self._stopped else "running" if pid else "ended",
            "pid": pid,
            "port": self._port,
            "metrics_port": -1,
            "starts": len(self._seen),
            "log": str(self._gateway.process.log),
        }

    async def do(self, what: Do, _milliseconds: int) -> None:
        """Kill it, stop it, or have it go on; it starts and ends with its gateway."""
        numbers = {Do.KILL: signal.SIGKILL, Do.STOP: signal.SIGSTOP, Do.CONTINUE: signal.SIGCONT}
        if what not in numbers:
            raise NotPossibleError(f"{self.name} starts and ends with {self._gateway.name}")
        pid = self.pid
        if not pid:
            raise NotPossibleError(f"{self.name} does not run")
        os.kill(pid, numbers[what])
        self._stopped = pid if what is Do.STOP else 0


def _children(pid: int) -> list[int]:
    """List the processes that a process has started, from whichever thread."""
    found: list[int] = []
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        with suppress(OSError):  # threads come and go
            found += map(int, task.read_text().split())
    return found


def _is_envoy(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/comm").read_text().startswith("envoy")
    except OSError:
        return False


class Database:
    """The fleet's own PostgreSQL."""

    name = DATABASE

    def __init__(self, postgres: Postgres) -> None:
        self._postgres = postgres
        self._slowed = 0
        self._starts = 1

    def row(self) -> dict[str, Any]:
        """Say how it stands, for machines."""
        return {
            "name": self.name,
            "service": "",
            "state": "running" if self._postgres.pid else "ended",
            "pid": self._postgres.pid,
            "port": self._postgres.port,
            "metrics_port": -1,
            "starts": self._starts,
            "log": str(self._postgres.log),
        }

    async def do(self, what: Do, milliseconds: int) -> None:
        """Do something to it; returns when it is done."""
        match what:
            case Do.KILL | Do.RESTART:
                await self._crash()
                await self._start()
            case Do.STOP:
                await self._crash()
            case Do.CONTINUE | Do.START:
                await self._start()
            case Do.SLOW:
                await self._postgres.slow(milliseconds)

    async def _crash(self) -> None:
        if not self._postgres.pid:
            raise NotPossibleError(f"{self.name} does not run")
        await asyncio.to_thread(self._postgres.crash)

    async def _start(self) -> None:
        if self._postgres.pid:
            raise NotPossibleError(f"{self.name} runs already")
        await asyncio.to_thread(self._postgres.start)
        self._starts += 1


def _how(code: int) -> str:
    """Say how a process ended."""
    return f"was ended by {signal.Signals(-code).name}" if code < 0 else f"has ended with {code}"
