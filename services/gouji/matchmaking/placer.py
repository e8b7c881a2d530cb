"""Placing tables past the queues."""

import uuid
from collections.abc import Set
from typing import Final

import grpc

from gouji.matchmaking.matches import Matches
from gouji.matchmaking.metrics import MatchmakingMetrics
from gouji.matchmaking.placing import Placement, of_request
from gouji.matchmaking.wakeups import Wakeups
from gouji.serving.channels import Channels
from gouji.serving.errors import ServiceError
from gouji.v1 import bot_pb2, bot_pb2_grpc, matchmaking_pb2

BOTS_TIMEOUT_SECONDS: Final = 2.0
"""How long the bot service may take to list its levels."""


class Placer:
    """Places tables past the queues."""

    def __init__(self, matches: Matches, wakeups: Wakeups, metrics: MatchmakingMetrics, bots: "BotLevels") -> None:
        self._matches = matches
        self._wakeups = wakeups
        self._metrics = metrics
        self._bots = bots

    async def place(self, request: matchmaking_pb2.PlaceTableRequest, now: int) -> str:
        """Check a request, place its table and have the table service told; returns the table's id."""
        levels = await self._bots.known({seat.bot_level for seat in request.seats} - {""})
        placement = of_request(request, uuid.uuid4().hex, levels)
        table_id = await self._matches.place(placement, now)
        if table_id == placement.table_id:
            self.announce(placement, now)
        else:
            self._wakeups.put(table_id)
        return table_id

    def announce(self, placement: Placement, now: int) -> None:
        """Count a table that was placed, and have the table service told."""
        self._metrics.claimed(1, [placement], now)
        self._wakeups.put(placement.table_id)


class BotLevels:
    """The bot service's levels, remembered."""

    def __init__(self, channels: Channels) -> None:
        self._channels = channels
        self._levels: list[str] = []

    async def known(self, wanted: Set[str]) -> list[str]:
        """List the levels, weakest first; the bot service is asked when one that is wanted is not known."""
        if not wanted <= set(self._levels):
            stub: bot_pb2_grpc.BotServiceAsyncStub = self._channels.stub("bot", bot_pb2_grpc.BotServiceStub)
            try:
                response = await stub.ListBots(bot_pb2.ListBotsRequest(), timeout=BOTS_TIMEOUT_SECONDS)
            except grpc.aio.AioRpcError as error:
                raise ServiceError("overloaded", "The bot service does not answer.", retry_after_ms=1000) from error
            self._levels = [level.level for level in response.levels]
        return self._levels
