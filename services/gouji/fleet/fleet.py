"""All processes together: started in order, kept alive, disturbed by name, and ended the other way round."""

import asyncio
import os
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from itertools import groupby
from pathlib import Path
from typing import Any, Final

from gouji.fleet.control import Control, Request
from gouji.fleet.faults import Do, Fault
from gouji.fleet.layout import PROCESSES, Place, addresses, in_turn, lay_out
from gouji.fleet.members import Database, Door, NotPossibleError, Server, Tell
from gouji.fleet.postgres import Postgres, find_postgres
from gouji.fleet.process import EndedEarlyError, Process, free_port
from gouji.serving import database as databases
from gouji.serving.app import StartError, must_be_reached

_LOOK_SECONDS: Final = 0.2
_CONNECTIONS: Final = 20
"""Connections to PostgreSQL that each process may have, with what it keeps beside its pool."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What is to be started. ``folder`` gets keys, logs and the control socket.

    ``settings`` are variables of the environment of every process; ports are the first of their kind, 0 for free ones,
    -1 for none. Without a ``database_url`` there is a PostgreSQL of the fleet's own, which ends with it.
    """

    folder: Path
    processes: Mapping[str, int] = field(default_factory=lambda: PROCESSES)
    settings: Mapping[str, str] = field(default_factory=dict)
    database_url: str | None = None
    port: int = 0
    metrics_port: int = 0
    door_port: int = 0
    restart: bool = True

    @property
    def logs(self) -> Path:
        """Where the logs are, one for each process."""
        return self.folder / "logs"


class Fleet:
    """What runs. Made by `running`."""

    def __init__(self, plan: Plan, servers: Sequence[Server], database: Database | None, door_port: int) -> None:
        self.door = f"http://127.0.0.1:{door_port}" if door_port > 0 else None
        """Where players come in, as in `http://127.0.0.1:8080`; None without a door."""
        self._plan = plan
        self._servers = servers
        first = next(server for server in servers if server.place.has_door)
        door = Door(first, door_port) if door_port > 0 else None
        self._others: dict[str, Door | Database] = {other.name: other for other in (database, door) if other}
        self._changing = asyncio.Lock()

    def described(self) -> dict[str, Any]:
        """Say what there is and how it stands, for machines."""
        members = [*self._others.values(), *self._servers]
        return {
            "folder": str(self._plan.folder),
            "door": self.door,
            "gateway": next(one.place.address for one in self._servers if one.place.service == "gateway"),
            "processes": [member.row() for member in members],
        }

    async def start(self) -> None:
        """Start all in order; returns when all serve. `StartError` when one does not."""
        try:
            for server in self._servers:
                server.begin()
            await asyncio.gather(*(server.process.ready() for server in self._servers))
        except (EndedEarlyError, TimeoutError) as error:
            raise StartError(str(error) or "Not all processes serve in time; their logs say why.") from error

    async def keep(self) -> None:
        """Start again whatever dies, until cancelled."""
        while True:
            await asyncio.sleep(_LOOK_SECONDS)
            for server in self._servers:
                server.look()

    async def end(self) -> None:
        """End all, the last ones first, those of one service together.

        So tables are suspended before what they need goes.
        """
        for _, group in groupby(reversed(self._servers), key=lambda server: server.place.service):
            await asyncio.gather(*(server.end() for server in group))

    def kill(self) -> None:
        """End all at once."""
        for server in self._servers:
            server.process.kill()

    async def throw(self, fault: Fault) -> list[str]:
        """Do this to whoever has the name, one after another; returns their names. `NotPossibleError` if it cannot."""
        found = self._named(fault.name)
        if not found:
            raise NotPossibleError(f"there is no {fault.name}")
        for member in found:
            if fault.do in (Do.RESTART, Do.START):  # these take their time, and must not overlap
                async with self._changing:
                    await member.do(fault.do, fault.milliseconds)
            else:
                await member.do(fault.do, fault.milliseconds)
        return [member.name for member in found]

    def _named(self, name: str) -> Sequence[Server | Door | Database]:
        if name in self._others:
            return [self._others[name]]
        return [server for server in self._servers if fnmatchcase(server.name, name)]

    async def answer(self, request: Request) -> dict[str, Any]:
        """Do what came in by the control socket."""
        done = await self.throw(request.fault) if request.fault else []
        return {"done": done, "fleet": self.described()}


@asynccontextmanager
async def running(plan: Plan, tell: Tell) -> AsyncIterator[Fleet]:
    """Run a fleet, ready when the block begins, ended in order with it. `StartError` says why it cannot start."""
    plan.logs.mkdir(parents=True, exist_ok=True)
    plan.folder.chmod(0o700)  # keys are in there, and whoever reaches the socket may do all of it
    control = Control(plan.folder)
    await control.must_be_free()
    postgres = None if plan.database_url else _own_postgres(plan)
    try:
        if postgres:
            await asyncio.to_thread(postgres.start)
        url = plan.database_url or (postgres.url if postgres else "")
        await _migrate(url)
        fleet = _fleet(plan, url, Database(postgres) if postgres else None, tell)
        try:
            await fleet.start()
            async with control.serving(fleet.answer):
                keeping = asyncio.create_task(fleet.keep())
                try:
                    yield fleet
                finally:
                    keeping.cancel()
                    with suppress(asyncio.CancelledError):
                        await keeping
            await fleet.end()
        finally:
            fleet.kill()
    finally:
        if postgres:
            await asyncio.to_thread(postgres.close)


def _own_postgres(plan: Plan) -> Postgres:
    if not find_postgres():
        raise StartError("There is no PostgreSQL on this machine: install it, or name one with --database-url.")
    return Postgres(connections=_CONNECTIONS * (sum(plan.processes.values()) + 1))


async def _migrate(url: str) -> None:
    database = databases.Database(url)
    try:
        with must_be_reached(database):
            await database.upgrade()
    finally:
        await database.close()


def _fleet(plan: Plan, url: str, database: Database | None, tell: Tell) -> Fleet:
    free = iter(free_port, None)
    door_port = next(free) if plan.door_port == 0 else plan.door_port
    ports = in_turn(plan.port, free, [door_port])
    metrics_ports = in_turn(plan.metrics_port, free, [door_port])
    try:
        places = lay_out(plan.processes, ports, metrics_ports)
    except ValueError as error:
        raise StartError(str(error)) from None
    _must_differ(places)
    common = {
        **{name: value for name, value in os.environ.items() if not name.startswith("GOUJI_")},
        **plan.settings,
        **addresses(places),
        "GOUJI_DATABASE_URL": url,
        "GOUJI_DATA_DIRECTORY": str(plan.folder),
        "GOUJI_LOG_FORMAT": "json",
        "GOUJI_HOST": "127.0.0.1",
        "GOUJI_ADVERTISE_ADDRESS": "",
    }
    servers = [_server(plan, place, common, door_port, tell) for place in places]
    return Fleet(plan, servers, database, door_port)


def _must_differ(places: Sequence[Place]) -> None:
    """Raise `StartError` when ports of gRPC run into those of the metrics."""
    if {place.port for place in places} & {place.metrics_port for place in places}:
        raise StartError("--port and --metrics-port are too near to each other for so many processes.")


def _server(plan: Plan, place: Place, common: Mapping[str, str], door_port: int, tell: Tell) -> Server:
    door = {"GOUJI_DOOR_PORT": str(door_port), "GOUJI_WEB_PORT": "0" if door_port > 0 else "-1"}
    own = {
        **common,
        "GOUJI_METRICS_PORT": str(place.metrics_port),
        **(door if place.has_door else {"GOUJI_DOOR_PORT": "-1", "GOUJI_WEB_PORT": "-1"}),
    }
    process = Process(place.name, (place.service,), place.port, own, plan.logs / f"{place.name}.log")
    return Server(place, process, tell, restart=plan.restart)
