"""Telling the table service of new tables, so that it takes them at once.

A call that fails does no harm: table servers look for placed tables by themselves.
"""

import asyncio
from typing import Final

import grpc

from gouji.serving.channels import Channels
from gouji.serving.logs import Log
from gouji.v1 import table_pb2, table_pb2_grpc

_TIMEOUT_SECONDS: Final = 2.0


class Wakeups:
    """Tables that the table service has yet to be told of."""

    def __init__(self, channels: Channels, log: Log) -> None:
        self._channels = channels
        self._log = log
        self._tables: asyncio.Queue[str] = asyncio.Queue()

    def put(self, table_id: str) -> None:
        """Have a table told of, soon."""
        self._tables.put_nowait(table_id)

    async def run(self) -> None:
        """Tell of tables for ever, all that have come together at a time."""
        stub: table_pb2_grpc.TableServiceAsyncStub = self._channels.stub("table", table_pb2_grpc.TableServiceStub)
        while True:
            table_ids = [await self._tables.get()]
            while not self._tables.empty():
                table_ids.append(self._tables.get_nowait())
            await asyncio.gather(*(self._open(stub, table_id) for table_id in table_ids))

    async def _open(self, stub: "table_pb2_grpc.TableServiceAsyncStub", table_id: str) -> None:
        try:
            await stub.Open(table_pb2.OpenRequest(table_id=table_id), timeout=_TIMEOUT_SECONDS)
        except grpc.aio.AioRpcError as error:
            self._log.info("wake_up_failed", table=table_id, status=error.code().name)
