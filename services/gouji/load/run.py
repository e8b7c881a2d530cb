"""A whole run: client processes are started and heard, servers looked at, faults thrown, and all put together."""

import asyncio
import json
import os
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Final

from gouji.fleet.control import Control
from gouji.fleet.faults import Fault
from gouji.load.notes import Notes
from gouji.load.profile import Profile
from gouji.load.report import Moment, Outcome, Thrown
from gouji.load.usage import Usage
from gouji.load.worker import Job, new_run
from gouji.serving.app import StartError

_LOOK_SECONDS: Final = 1.0
_START_SECONDS: Final = 3.0
"""What client processes need to begin together."""

_END_SECONDS: Final = 60.0
_LONGEST_LINE: Final = 64 * 2**20
_LOST_BYTES: Final = 2000

Heard = Callable[[Moment], None]
"""Hears each second how it stands."""


@dataclass
class _Client:
    """One client process: what it said last, and its notes at the end."""

    process: asyncio.subprocess.Process
    progress: dict[str, Any] = field(default_factory=dict)
    done: dict[str, Any] | None = None
    errors: bytes = b""

    @classmethod
    async def start(cls, job: Job) -> "_Client":
        pipe = asyncio.subprocess.PIPE
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "gouji.load.worker"),
            stdin=pipe,
            stdout=pipe,
            stderr=pipe,
            limit=_LONGEST_LINE,
            env={"GRPC_VERBOSITY": "NONE", **os.environ},
            start_new_session=True,
        )
        client = cls(process)
        assert process.stdin  # noqa: S101 - asked for above
        process.stdin.write(job.model_dump_json().encode() + b"\n")
        return client

    async def hear(self) -> None:
        """Take in all that it says, to its end."""
        assert self.process.stdout  # noqa: S101
        assert self.process.stderr  # noqa: S101
        complaining = asyncio.create_task(self.process.stderr.read())
        async for line in self.process.stdout:
            told = json.loads(line)
            self.progress = told.get("progress", self.progress)
            self.done = told.get("done", self.done)
        self.errors = await complaining
        await self.process.wait()

    def stop(self) -> None:
        """Ask it to come to its end."""
        if self.process.stdin:
            self.process.stdin.close()


class Run:
    """One run against an address; with the ``control`` of its cluster, servers are looked at and disturbed."""

    def __init__(self, name: str, profile: Profile, address: str, control: Control | None, heard: Heard) -> None:
        self._name = name
        self._profile = profile
        self._address = address
        self._control = control
        self._heard = heard
        self._began = time.time() + _START_SECONDS
        self._usage = Usage(self._began)
        self._course: list[Moment] = []
        self._thrown: list[Thrown] = []
        self._stopped = asyncio.Event()

    def stop(self) -> None:
        """End the run early: what has been measured counts."""
        self._stopped.set()

    async def play(self) -> Outcome:
        """Do all of it."""
        run = new_run()
        jobs = [
            Job(profile=self._profile, address=self._address, number=number, began=self._began, run=run)
            for number in range(self._profile.clients)
        ]
        clients = [await _Client.start(job) for job in jobs]
        beside = [
            asyncio.create_task(self._look(clients)),
            asyncio.create_task(self._disturb()),
            asyncio.create_task(self._stop(clients)),
        ]
        try:
            async with asyncio.timeout(_START_SECONDS + self._profile.length + _END_SECONDS):
                await asyncio.gather(*(client.hear() for client in clients))
        except TimeoutError:
            pass  # who has not come to an end is lost
        finally:
            for task in beside:
                task.cancel()
            await asyncio.gather(*beside, return_exceptions=True)
            for client in clients:
                if client.process.returncode is None:
                    client.process.kill()
        return self._outcome(clients)

    def _outcome(self, clients: Sequence[_Client]) -> Outcome:
        notes = Notes(self._began + self._profile.warmup)
        for client in clients:
            if client.done:
                notes.add(client.done)
        seconds = min(time.time() - self._began, self._profile.length) - self._profile.warmup
        return Outcome(
            name=self._name,
            profile=self._profile,
            address=self._address,
            started=datetime.fromtimestamp(self._began, UTC).isoformat(timespec="seconds"),
            seconds=max(seconds, 0.0),
            notes=notes,
            course=self._course,
            thrown=self._thrown,
            servers=self._usage.samples,
            lost=[_last_words(client) for client in clients if not client.done],
        )

    async def _stop(self, clients: Sequence[_Client]) -> None:
        await self._stopped.wait()
        for client in clients:
            client.stop()

    async def _look(self, clients: Sequence[_Client]) -> None:
        """See each second how it stands."""
        await asyncio.sleep(self._began - time.time())
        due = time.time()
        while True:
            moment = _moment(time.time() - self._began, [client.progress for client in clients])
            self._course.append(moment)
            self._heard(moment)
            if self._control:
                try:
                    rows = (await self._control.ask())["fleet"]["processes"]
                except StartError:
                    rows = []
                await asyncio.to_thread(self._usage.look, rows)
            due += _LOOK_SECONDS
            await asyncio.sleep(due - time.time())

    async def _disturb(self) -> None:
        """Throw the profile's faults, each when it is due, whatever has become of those before."""
        async with asyncio.TaskGroup() as group:
            for fault in sorted(self._profile.faults, key=lambda fault: fault.at):
                await asyncio.sleep(self._began + fault.at - time.time())
                group.create_task(self._throw(Fault(do=fault.do, name=fault.name, milliseconds=fault.milliseconds)))

    async def _throw(self, fault: Fault) -> None:
        began, error = time.time(), ""
        try:
            if not self._control:
                raise StartError("there is no cluster to do it to")
            await self._control.ask(fault)
        except StartError as failed:
            error = str(failed)
        self._thrown.append(Thrown(began - self._began, str(fault), time.time() - began, error))


def _moment(at: float, progress: Sequence[dict[str, Any]]) -> Moment:
    names = ("players", "tables", "commands", "events", "failures", "absorbed", "violated")
    return Moment(at, **{name: sum(one.get(name, 0) for one in progress) for name in names})


def _last_words(client: _Client) -> str:
    told = client.errors[-_LOST_BYTES:].decode(errors="replace").strip()
    return told or f"it ended with {client.process.returncode}"
