"""Placing tables past the queues."""

import uuid

from gouji.matchmaking.matches import Matches
from gouji.matchmaking.metrics import MatchmakingMetrics
from gouji.matchmaking.placing import Placement, of_request
from gouji.matchmaking.wakeups import Wakeups
from gouji.serving.bot_levels import BotLevels
from gouji.v1 import matchmaking_pb2


class Placer:
    """Places tables past the queues."""

    def __init__(self, matches: Matches, wakeups: Wakeups, metrics: MatchmakingMetrics, bots: BotLevels) -> None:
        self._matches = matches
        self._wakeups = wakeups
        self._metrics = metrics
        self._bots = bots

    async def place(self, request: matchmaking_pb2.PlaceTableRequest, now: int) -> str:
        """Check a request, place its table and have the table service told; returns the table's id."""
        levels = await self._bots.known({seat.bot_level for seat in request.seats if not seat.player_id} - {""})
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
