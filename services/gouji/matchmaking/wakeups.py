"""Telling table servers of the tables that were placed for them, so that they take them at once.

A call that fails does no harm: table servers look for their tables by themselves.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Final

import grpc

from gouji.serving.channels import Channels
from gouji.serving.errors import StorageUnavailable
from gouji.serving.logs import Log
from gouji.serving.tracing import OFF, Origin, Tracing
from gouji.v1 import table_pb2, table_pb2_grpc

_TIMEOUT_SECONDS: Final = 2.0


_AT_ONCE: Final = 200
"""Tables whose servers are looked up in one query."""

Addresses = Callable[[Sequence[str]], Awaitable[Mapping[str, str]]]
"""Looks up the addresses of the servers that tables are placed for."""


class Wakeups:
    """Tables that table servers have yet to be told of."""

    def __init__(self, channels: Channels, log: Log, addresses: Addresses, tracing: Tracing = OFF) -> None:
        self._tracing = tracing
        self._channels = channels
        self._log = log
        self._addresses = addresses
        self._tables: asyncio.Queue[tuple[str, Origin | None]] = asyncio.Queue()

    def put(self, table_id: str) -> None:
        """Have a table told of, soon."""
        self._tables.put_nowait((table_id, self._tracing.here()))

    async def run(self) -> None:
        """Tell of tables for ever, of some that have come together at a time; a server that hangs holds up no other."""
        async with asyncio.TaskGroup() as telling:
            while True:
                some = [await self._tables.get()]
                while not self._tables.empty() and len(some) < _AT_ONCE:
                    some.append(self._tables.get_nowait())
                telling.create_task(self._tell_traced(some))

    async def _tell_traced(self, some: Sequence[tuple[str, Origin | None]]) -> None:
        origins = [origin for _, origin in some if origin]
        with self._tracing.joint("tell table servers", origins, tables=len(some)):
            await self._tell([table_id for table_id, _ in some])

    async def _tell(self, table_ids: Sequence[str]) -> None:
        """Tell of some tables; one that is placed for no server is found by the first that has room."""
        try:
            found = await self._addresses(table_ids)
        except StorageUnavailable as error:
            self._log.info("wake_up_failed", tables=len(table_ids), reason=error.reason)
            return
        await asyncio.gather(*(self._open(address, table_id) for table_id, address in found.items()))

    async def _open(self, address: str, table_id: str) -> None:
        stub: table_pb2_grpc.TableServiceAsyncStub = self._channels.stub_at(address, table_pb2_grpc.TableServiceStub)
        try:
            await stub.Open(table_pb2.OpenRequest(table_id=table_id), timeout=_TIMEOUT_SECONDS)
        except grpc.aio.AioRpcError as error:
            self._log.info("wake_up_failed", table=table_id, status=error.code().name)
