"""What the door costs: time that it adds to calls and to events, streams that it bears, and memory a stream.

    .venv/bin/python loadtest/door.py --streams 5000

Starts all services in one process with their door, on SQLite, and calls them by the door and past it in turn. Then it
opens watches by the door, as many as asked for, and waits until each has had heart-beats. Exits with 1 when one broke.
"""

import argparse
import asyncio
import itertools
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import grpc
from cluster import free_port
from servers import Process, environment_of
from usage import resident

from gouji.cli.serve import SERVICES
from gouji.serving.auth import tokens_for
from gouji.serving.clock import SystemClock
from gouji.serving.database import Database
from gouji.serving.settings import Settings
from gouji.v1 import gateway_pb2, gateway_pb2_grpc, matchmaking_pb2, matchmaking_pb2_grpc, table_pb2, table_pb2_grpc
from gouji.v1.events_pb2 import Seat
from gouji.v1.rules_pb2 import MatchLength
from gouji.wire.headers import SERVER_HEADER

ROUNDS = 20
STREAMS_A_CONNECTION = 1000
OPENING_AT_ONCE = 50
HEARTBEATS = 2
OWN = [("grpc.use_local_subchannel_pool", 1)]


class Way:
    """One way to the services: by the door, or past it."""

    def __init__(self, address: str, token: str) -> None:
        self._address = address
        self._token = ("authorization", f"Bearer {token}")
        self.server_id = ""
        self.channel = grpc.aio.insecure_channel(address, options=OWN)
        self._more: list[grpc.aio.Channel] = [self.channel]

    @property
    def headers(self) -> tuple[tuple[str, str], ...]:
        """What goes with each call."""
        return (self._token, (SERVER_HEADER, self.server_id))

    def watch(self, table_id: str, channel: grpc.aio.Channel | None = None) -> Any:
        """Watch a table."""
        stub: Any = table_pb2_grpc.TableServiceStub(channel or self.channel)
        return stub.Watch(table_pb2.WatchRequest(table_id=table_id, from_now=True), metadata=self.headers)

    async def locate(self, table_id: str) -> Any:
        """Ask which server has a table."""
        stub: Any = gateway_pb2_grpc.SessionServiceStub(self.channel)
        return await stub.LocateTable(gateway_pb2.LocateTableRequest(table_id=table_id), metadata=self.headers)

    def another(self) -> grpc.aio.Channel:
        """Open another connection."""
        self._more.append(grpc.aio.insecure_channel(self._address, options=OWN))
        return self._more[-1]

    async def close(self) -> None:
        """Close all of them."""
        for channel in self._more:
            await channel.close()


@asynccontextmanager
async def server(folder: Path, **settings_too: str) -> AsyncIterator[tuple[Process, int, Settings]]:
    """Run everything, with a door at the port that is given, too; ``settings_too`` are variables of the environment."""
    settings = Settings(database_url=f"sqlite:///{folder}/door.sqlite", data_directory=folder)
    database = Database(settings.database_url)
    await database.upgrade()
    await database.close()
    port, door = free_port(), free_port()
    environment = {
        **environment_of(settings.database_url, folder, port),
        "GOUJI_DOOR_PORT": str(door),
        "GOUJI_DOOR_ADDRESS_CALLS_PER_SECOND": "1000000",
        "GOUJI_PLAYER_CALLS_PER_SECOND": "1000000",
        **settings_too,
    }
    process = Process("all", tuple(SERVICES), port, environment, folder / "all.log")
    process.start()
    try:
        await process.ready()
        yield process, door, settings
    finally:
        process.kill()


async def place(way: Way, name: str, pace_ms: int) -> str:
    """Place a table of six bots, past the door."""
    stub: Any = matchmaking_pb2_grpc.MatchmakingServiceStub(way.channel)
    request = matchmaking_pb2.PlaceTableRequest(
        request_id=name, length=MatchLength(hands=32), seats=[Seat(bot_level="random")] * 6, bot_pace_ms=pace_ms
    )
    table_id: str = (await stub.PlaceTable(request, metadata=way.headers)).table_id
    found = None
    while found is None:
        with suppress(grpc.aio.AioRpcError):
            found = await way.locate(table_id)
    return table_id


async def calls(ways: Sequence[Way], table_id: str, number: int) -> list[list[float]]:
    """Call each way in turn, one call at a time; gives the seconds of each."""
    found: list[list[float]] = [[] for _ in ways]
    for _ in range(ROUNDS):
        for way, times in zip(ways, found, strict=True):
            for _ in range(number // ROUNDS):
                began = time.perf_counter()
                await way.locate(table_id)
                times.append(time.perf_counter() - began)
    return found


async def deliveries(ways: Sequence[Way], table_id: str, number: int) -> list[list[float]]:
    """Watch a table both ways at once; gives the seconds from each event to its receipt."""

    async def follow(way: Way) -> list[float]:
        found: list[float] = []
        stream = way.watch(table_id)
        await stream.read()
        while len(found) < number and (message := await stream.read()) is not grpc.aio.EOF:
            now = time.time()
            found += [now - event.at.ToNanoseconds() / 1e9 for event in message.batch.events]
        stream.cancel()
        return found

    return list(await asyncio.gather(*map(follow, ways)))


class Crowd:
    """Watches that are held open, each counting what it hears."""

    def __init__(self, way: Way, table_ids: Sequence[str]) -> None:
        self._way = way
        self._table_ids = itertools.cycle(table_ids)
        self._channel = way.channel
        self._tasks: list[asyncio.Task[None]] = []
        self._heard: list[int] = []
        self.broken = 0

    async def grow(self, number: int) -> None:
        """Open watches until there are so many; each has had its first message then."""
        while len(self._tasks) < number:
            if len(self._tasks) % STREAMS_A_CONNECTION == 0:
                self._channel = self._way.another()
            some = [self._open() for _ in range(OPENING_AT_ONCE)]
            await asyncio.gather(*(begun.wait() for begun in some))

    async def hear(self, times: int) -> None:
        """Wait until each watch has heard something so many times more."""
        goal = [heard + times for heard in self._heard]
        while any(h < g for h, g in zip(self._heard, goal, strict=True)) and not self.broken:  # noqa: ASYNC110
            await asyncio.sleep(0.2)

    async def leave(self) -> None:
        """Hang up."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _open(self) -> asyncio.Event:
        begun = asyncio.Event()
        self._heard.append(0)
        self._tasks.append(asyncio.create_task(self._follow(len(self._heard) - 1, begun, self._channel)))
        return begun

    async def _follow(self, number: int, begun: asyncio.Event, channel: grpc.aio.Channel) -> None:
        try:
            stream = self._way.watch(next(self._table_ids), channel)
            while await stream.read() is not grpc.aio.EOF:
                self._heard[number] += 1
                begun.set()
            self.broken += 1
        except grpc.aio.AioRpcError as error:
            self.broken += 1
            print(f"broken: {error.code().name} {error.details()}")
        finally:
            begun.set()


def envoy_of(pid: int) -> int:
    """Find the Envoy that a process has started."""
    for task in Path(f"/proc/{pid}/task").iterdir():
        for child in (task / "children").read_text().split():
            if Path(f"/proc/{child}/comm").read_text().startswith("envoy"):
                return int(child)
    raise SystemExit("there is no Envoy")


def told(name: str, times: Sequence[Sequence[float]]) -> None:
    """Print p50 and p99 of both ways, and their differences."""
    past, door = (sorted(one) for one in times)
    for share in (50, 99):
        direct, by = (one[len(one) * share // 100] * 1000 for one in (past, door))
        print(f"{name}, p{share}: {direct:.2f} ms past the door, {by:.2f} ms by it, {by - direct:+.2f} ms")


async def measure(folder: Path, options: argparse.Namespace) -> bool:
    """Do all of it; returns whether no stream broke."""
    async with server(folder) as (process, port, settings):
        token = tokens_for(settings, SystemClock()).mint_operator("loadtest")
        past, door = ways = Way(process.address, token), Way(f"127.0.0.1:{port}", token)
        quick = await place(past, "quick", 20)
        still = [await place(past, f"still{n}", 3_600_000) for n in range(20)]
        past.server_id = door.server_id = (await door.locate(quick)).server_id
        await calls(ways, quick, ROUNDS * 10)
        told("call", await calls(ways, quick, options.calls))
        told("event", await deliveries(ways, quick, options.events))
        try:
            return await streams(process, Crowd(door, still), options.streams)
        finally:
            for way in ways:
                await way.close()


async def streams(process: Process, crowd: Crowd, number: int) -> bool:
    """Open streams, and print what they take; returns whether none broke."""
    envoy, warm = envoy_of(process.pid), min(1000, number // 2)
    await crowd.grow(warm)
    pids = (envoy, process.pid)
    before = [resident(pid) for pid in pids]
    began = time.monotonic()
    await crowd.grow(number)
    seconds = time.monotonic() - began
    await crowd.hear(HEARTBEATS)
    more = number - warm
    grown = [(resident(pid) - then) / more / 1024 for pid, then in zip(pids, before, strict=True)]
    print(f"{number} streams, {more / seconds:.0f} opened a second, {crowd.broken} broken")
    print(f"memory a stream: {grown[0]:.1f} KiB in Envoy, {grown[1]:.1f} KiB in the server")
    print(f"Envoy has {resident(envoy) >> 20} MiB")
    await crowd.leave()
    return not crowd.broken


def main(arguments: Sequence[str] | None = None) -> int:
    """Read the options and run; returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--calls", type=int, default=4000, help="calls each way (4000)")
    parser.add_argument("--events", type=int, default=2000, help="events each way (2000)")
    parser.add_argument("--streams", type=int, default=5000, help="streams to hold at a time (5000)")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        return 0 if asyncio.run(measure(Path(folder), options)) else 1


if __name__ == "__main__":
    sys.exit(main())
