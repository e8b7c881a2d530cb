"""A server with a door, ways to it, and crowds that watch: what the door's measures and fault tests have in common."""

import asyncio
import itertools
import time
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import grpc

from gouji.cli.serve import SERVICES
from gouji.client import ClientError, Patience
from gouji.fleet.process import Process, environment_of, free_port
from gouji.serving.database import Database
from gouji.serving.settings import Settings
from gouji.v1 import gateway_pb2, gateway_pb2_grpc, matchmaking_pb2, matchmaking_pb2_grpc, table_pb2, table_pb2_grpc
from gouji.v1.events_pb2 import Seat
from gouji.v1.rules_pb2 import MatchLength
from gouji.wire.headers import SERVER_HEADER

STREAMS_A_CONNECTION = 1000
OPENING_AT_ONCE = 50
OWN = [("grpc.use_local_subchannel_pool", 1), ("grpc.max_reconnect_backoff_ms", 1000)]


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
    """Watches that are held open, each counting what it hears, and opened again when they break.

    Every break is counted in ``broken``, by what it was.
    """

    def __init__(self, way: Way, table_ids: Sequence[str]) -> None:
        self._way = way
        self._table_ids = itertools.cycle(table_ids)
        self._channel = way.channel
        self._tasks: list[asyncio.Task[None]] = []
        self._heard: list[int] = []
        self._begun: list[float] = []
        self.broken: Counter[str] = Counter()

    async def grow(self, number: int) -> None:
        """Open watches until there are so many; each has had its first message then."""
        while len(self._tasks) < number:
            if len(self._tasks) % STREAMS_A_CONNECTION == 0:
                self._channel = self._way.another()
            for _ in range(min(OPENING_AT_ONCE, number - len(self._tasks))):
                self._heard.append(0)
                self._begun.append(0.0)
                self._tasks.append(asyncio.create_task(self._follow(len(self._heard) - 1, self._channel)))
            await self.began(since=0.0)

    async def hear(self, times: int) -> None:
        """Wait until each watch has heard something so many times more."""
        goal = [heard + times for heard in self._heard]
        while any(h < g for h, g in zip(self._heard, goal, strict=True)):  # noqa: ASYNC110 - a count has no event
            await asyncio.sleep(0.05)

    async def began(self, since: float) -> list[float]:
        """Wait until each watch has begun after a moment; gives how many seconds after it."""
        while any(begun <= since for begun in self._begun):  # noqa: ASYNC110 - a list has no event
            await asyncio.sleep(0.05)
        return [begun - since for begun in self._begun]

    async def leave(self) -> None:
        """Hang up."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _follow(self, number: int, channel: grpc.aio.Channel) -> None:
        table_id, failures, patience = next(self._table_ids), 0, Patience()
        while True:
            try:
                async for _ in self._way.watch(table_id, channel):
                    if not self._heard[number] or failures:
                        self._begun[number] = time.monotonic()
                    self._heard[number] += 1
                    failures = 0
                raise EOFError
            except (grpc.aio.AioRpcError, EOFError) as error:
                why, asked = _told(error)
                self.broken[why] += not failures
                await asyncio.sleep(patience.delay(failures, asked))
                failures += 1
                if why not in _BROKE:  # as the SDK does
                    with suppress(grpc.aio.AioRpcError):
                        await self._way.locate(table_id)


_BROKE = ("ended", *(code.name for code in grpc.StatusCode))
"""How a stream breaks of which nobody says why."""


def _told(error: Exception) -> tuple[str, float | None]:
    """Say why a stream broke, and after how many seconds one is asked to come again."""
    if not isinstance(error, grpc.aio.AioRpcError):
        return "ended", None
    failed = ClientError.of(error)
    return failed.reason or failed.code.name, failed.retry_after


def envoy_of(pid: int) -> int:
    """Find the Envoy that a process has started."""
    for task in Path(f"/proc/{pid}/task").iterdir():
        for child in (task / "children").read_text().split():
            if Path(f"/proc/{child}/comm").read_text().startswith("envoy"):
                return int(child)
    raise SystemExit("there is no Envoy")
