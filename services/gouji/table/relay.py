"""Takes finished hands from the outbox to scoring, until scoring has them."""

import asyncio
from contextlib import suppress
from typing import Final

import grpc

from gouji.serving.channels import Channels
from gouji.serving.clock import Clock
from gouji.serving.errors import StorageUnavailable
from gouji.serving.logs import Log
from gouji.table.metrics import TableMetrics
from gouji.table.store import Store
from gouji.v1 import scoring_pb2, scoring_pb2_grpc

AT_ONCE: Final = 32
"""Hands sent side by side."""

TIMEOUT_SECONDS: Final = 5.0
"""How long scoring may take for one."""

IDLE_SECONDS: Final = 0.5
"""How long to wait when there is nothing to send."""

LONGEST_WAIT_SECONDS: Final = 30.0
"""The longest wait after tries that failed."""

LOOK_SECONDS: Final = 2.0
"""How often it is counted what waits."""


class Relay:
    """Any server relays any table's hands; scoring records each once however often it comes."""

    def __init__(self, store: Store, channels: Channels, clock: Clock, metrics: TableMetrics, log: Log) -> None:
        self._store = store
        self._channels = channels
        self._clock = clock
        self._metrics = metrics
        self._log = log

    async def run(self) -> None:
        """Deliver for ever; after a failure wait, twice as long each time."""
        wait = IDLE_SECONDS
        while True:
            try:
                sent, taken = await self.deliver()
            except StorageUnavailable:
                sent, taken = 1, 0
            wait = IDLE_SECONDS if sent == taken else min(wait * 2, LONGEST_WAIT_SECONDS)
            if taken < AT_ONCE:
                await self._clock.sleep(wait)

    async def watch(self) -> None:
        """Count what waits, for ever."""
        while True:
            with suppress(StorageUnavailable):
                count, seconds = await self._store.outbox()
                self._metrics.outbox.set(count)
                self._metrics.outbox_seconds.set(seconds)
            await self._clock.sleep(LOOK_SECONDS)

    async def deliver(self) -> tuple[int, int]:
        """Send what is due; say how many hands that was, and how many scoring took."""
        async with self._store.undelivered(AT_ONCE) as delivery:
            await asyncio.gather(
                *(self._send(number, result, delivery.taken) for number, result in delivery.results.items())
            )
        self._metrics.hands_delivered.inc(len(delivery.taken))
        self._metrics.delivery_failures.inc(len(delivery.results) - len(delivery.taken))
        return len(delivery.results), len(delivery.taken)

    async def _send(self, number: int, result: scoring_pb2.HandResult, taken: set[int]) -> None:
        stub: scoring_pb2_grpc.ScoringServiceAsyncStub = self._channels.stub(
            "scoring", scoring_pb2_grpc.ScoringServiceStub
        )
        try:
            await stub.RecordHand(scoring_pb2.RecordHandRequest(result=result), timeout=TIMEOUT_SECONDS)
        except grpc.aio.AioRpcError as error:
            self._log.warning("hand_not_taken", table=result.table_id, hand=result.hand, status=error.code().name)
        else:
            taken.add(number)
