"""Handing the tables of a draining server to others, each between two of its steps.

The other server takes: it raises the fence by which this one owned the table, folds the log, and goes on. So an
answer that is lost on the way harms nothing: whoever has the higher fence has the table.
"""

import asyncio
import time
from collections.abc import Callable, Collection
from dataclasses import replace
from typing import Final

import grpc

from gouji.serving.channels import Channels
from gouji.serving.errors import StorageUnavailable
from gouji.serving.logs import Log
from gouji.table.balance import Server, least_loaded
from gouji.table.live import Live
from gouji.table.metrics import TableMetrics
from gouji.table.ownership import Ownership
from gouji.table.refusals import moving
from gouji.v1 import table_pb2, table_pb2_grpc

AT_ONCE: Final = 8
"""Tables on their way at a time: each stands still for no longer than its own way takes."""

ADOPT_SECONDS: Final = 5.0
"""How long another server may take for one table."""


class HandOver:
    """One server's departure. ``drop`` forgets a table and says whether it was still kept here."""

    def __init__(
        self, ownership: Ownership, channels: Channels, metrics: TableMetrics, log: Log, drop: Callable[[Live], bool]
    ) -> None:
        self._ownership = ownership
        self._channels = channels
        self._metrics = metrics
        self._log = log
        self._drop = drop
        self._servers: dict[str, Server] = {}
        self._avoided: set[str] = set()

    async def run(self, server_id: str, lives: Collection[Live]) -> None:
        """Hand over what other servers take; the rest goes on here.

        Raises `StorageUnavailable`.
        """
        self._avoided = {server_id}
        await self._look()
        waiting = list(lives)

        async def work() -> None:
            while waiting and await self._move(server_id, waiting.pop()):
                pass

        await asyncio.gather(*(work() for _ in range(AT_ONCE)))

    async def _look(self) -> None:
        self._servers = {server.server_id: server for server in await self._ownership.servers()}

    async def _move(self, server_id: str, live: Live) -> bool:
        """Find a new server for a table; False when there is none."""
        while live.closed is None:
            target = least_loaded(self._servers.values(), self._avoided)
            if target is None:
                return False
            self._servers[target.server_id] = replace(target, tables=target.tables + 1)
            await self._offer(server_id, live, target)
        return True

    async def _offer(self, server_id: str, live: Live, target: Server) -> None:
        """Offer a table to one server; it goes on here when that one does not take it."""
        began = time.perf_counter()
        live.close(moving())
        await live.written()
        stub: table_pb2_grpc.TableServiceAsyncStub = self._channels.stub_at(
            target.address, table_pb2_grpc.TableServiceStub
        )
        offer = table_pb2.AdoptRequest(table_id=live.table.table_id, owner=server_id, fence=live.lane.fence)
        try:
            await stub.Adopt(offer, timeout=ADOPT_SECONDS)
        except grpc.aio.AioRpcError as error:
            self._avoided.add(target.server_id)
            self._log.warning("table_not_adopted", server=target.server_id, status=error.code().name, **live.place)
            await self._refused(server_id, live)
            self._metrics.handover_seconds.labels("refused").observe(time.perf_counter() - began)
            return
        self._metrics.handover_seconds.labels("taken").observe(time.perf_counter() - began)
        if self._drop(live):
            self._metrics.handed_over.inc()
            self._log.info("table_handed_over", server=target.server_id, **live.place)
            live.move(target.server_id, target.address)

    async def _refused(self, server_id: str, live: Live) -> None:
        try:
            standing = await self._ownership.standing(live.table.table_id)
            ours = standing is not None and standing.owner == server_id
        except StorageUnavailable:
            ours = False
        if ours and not live.lane.broken:
            live.reopen()
        elif self._drop(live):
            live.leave(moving())
