"""One process of all services, tables of bots in it, and those who watch them: well, not at all, or for a moment."""

import asyncio
import os
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import grpc

from gouji.fleet.process import Process, free_port
from gouji.serving.auth import tokens_for
from gouji.serving.clock import SystemClock
from gouji.serving.database import Database
from gouji.serving.settings import Settings
from gouji.v1 import (
    admin_pb2,
    admin_pb2_grpc,
    events_pb2,
    matchmaking_pb2,
    matchmaking_pb2_grpc,
    table_pb2,
    table_pb2_grpc,
)
from gouji.v1.rules_pb2 import MatchLength

SERVICES = ("gateway", "matchmaking", "table", "bot", "scoring")
PAGE_BYTES = 4096


class Gallery:
    """A server and a client that places tables there and watches them."""

    def __init__(self, process: Process, settings: Settings) -> None:
        tokens = tokens_for(settings, SystemClock())
        self._process = process
        self._channel = grpc.aio.insecure_channel(process.address, options=[("grpc.use_local_subchannel_pool", 1)])
        self._metadata = (("authorization", f"Bearer {tokens.mint_operator('watches')}"),)
        self._tables: Any = table_pb2_grpc.TableServiceStub(self._channel)
        self._admin: Any = admin_pb2_grpc.TableAdminServiceStub(self._channel)

    async def close(self) -> None:
        await self._channel.close()

    def memory(self) -> int:
        """Bytes that the server has in memory."""
        statm = Path(f"/proc/{self._process.pid}/statm")
        return int(statm.read_text().split()[1]) * PAGE_BYTES

    async def place(self, name: str, pace_ms: int, hands: int) -> str:
        """Place a table of six bots."""
        stub: Any = matchmaking_pb2_grpc.MatchmakingServiceStub(self._channel)
        request = matchmaking_pb2.PlaceTableRequest(
            request_id=name,
            length=MatchLength(hands=hands),
            seats=[events_pb2.Seat(bot_level="random")] * 6,
            bot_pace_ms=pace_ms,
        )
        return str((await stub.PlaceTable(request, metadata=self._metadata)).table_id)

    async def end(self, table_ids: list[str]) -> None:
        """Have matches end at once, and their memory given back."""
        for table_id in table_ids:
            for call, request in (
                (self._admin.FreezeTable, admin_pb2.FreezeTableRequest(table_id=table_id, reason="measured")),
                (self._admin.AbandonTable, admin_pb2.AbandonTableRequest(table_id=table_id, reason="measured")),
            ):
                await call(request, metadata=self._metadata)

    def watch(self, table_id: str) -> Any:
        return self._tables.Watch(table_pb2.WatchRequest(table_id=table_id), metadata=self._metadata)

    async def glance(self, table_ids: list[str], count: int, at_once: int = 50) -> None:
        """Open so many watches, read of each its first message, and hang up."""
        for start in range(0, count, at_once):
            streams = [self.watch(table_ids[n % len(table_ids)]) for n in range(start, min(start + at_once, count))]
            await asyncio.gather(*(stream.read() for stream in streams))
            for stream in streams:
                stream.cancel()

    async def delays(self, table_ids: list[str], seconds: float) -> list[float]:
        """Watch tables for a while; gives the seconds from each event to its receipt."""
        found: list[float] = []

        async def follow(table_id: str) -> None:
            stream = self.watch(table_id)
            await stream.read()
            while (message := await stream.read()) is not grpc.aio.EOF:
                now = time.time()
                found.extend(now - event.at.ToNanoseconds() / 1e9 for event in message.batch.events)

        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await asyncio.gather(*map(follow, table_ids))
        return found


@asynccontextmanager
async def gallery(folder: Path, **environment: str) -> AsyncIterator[Gallery]:
    """Run the server on SQLite, and a client of it; the server gets the variables of ``environment`` too."""
    settings = Settings(database_url=f"sqlite:///{folder}/watches.sqlite", data_directory=folder)
    database = Database(settings.database_url)
    await database.upgrade()
    await database.close()
    usual = {
        "GOUJI_DATABASE_URL": settings.database_url,
        "GOUJI_DATA_DIRECTORY": str(folder),
        "GOUJI_METRICS_PORT": "-1",
        "GOUJI_LOG_FORMAT": "json",
        "GOUJI_LOG_LEVEL": "info",
    }
    process = Process("all", SERVICES, free_port(), {**_kept(), **usual, **environment}, folder / "all.log")
    process.start()
    try:
        await process.ready()
        made = Gallery(process, settings)
        yield made
        await made.close()
    finally:
        process.kill()


def _kept() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if not name.startswith("GOUJI_")}


def p99(values: list[float]) -> float:
    """Give the value that one in a hundred is over."""
    return sorted(values)[len(values) * 99 // 100]
