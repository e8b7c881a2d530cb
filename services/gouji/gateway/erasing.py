"""Does what is left to do after players were deleted, until it is done, whatever stops in between.

Each service takes out what it has of a player; every step may be done again, and is when its outcome is unknown. A
token of the player's may have been taken somewhere just before all processes knew of the deletion, so the steps are
done at once and once more after a while: nothing can come after that.
"""

import asyncio
from typing import Final

import grpc

from gouji.gateway.deletions import Deletion, Deletions
from gouji.gateway.metrics import GatewayMetrics
from gouji.gateway.store import Store
from gouji.gateway.table_servers import ASK_SECONDS, TableServers
from gouji.serving.app import App
from gouji.serving.barred import LOOK_SECONDS
from gouji.v1 import (
    feed_pb2,
    feed_pb2_grpc,
    matchmaking_pb2,
    matchmaking_pb2_grpc,
    table_pb2,
    tournament_pb2,
    tournament_pb2_grpc,
)

AT_ONCE: Final = 8
"""Deletions gone on with side by side."""

POLL_SECONDS: Final = 1.0
"""How often it is looked for something to do."""

STEP_SECONDS: Final = 20.0
"""How long a service may take for a step."""

LEASE_SECONDS: Final = 4 * STEP_SECONDS
"""After how long another process goes on with what one has begun."""

LONGEST_PAUSE_SECONDS: Final = 300
"""The longest pause between two tries."""


class Eraser:
    """Goes on with deletions; `run` runs for ever."""

    def __init__(self, app: App, deletions: Deletions, store: Store, metrics: GatewayMetrics) -> None:
        self._deletions = deletions
        self._servers = TableServers(store, app.channels)
        self._channels = app.channels
        self._clock = app.clock
        self._log = app.log
        self._metrics = metrics
        self._settled_us = round((2 * LOOK_SECONDS + app.settings.request_timeout_seconds) * 1_000_000)

    async def run(self) -> None:
        """Go on for ever. Raises `StorageUnavailable`; whoever runs it then runs it again."""
        while True:
            if await self.go_on() < AT_ONCE:
                await self._clock.sleep(POLL_SECONDS)

    async def go_on(self) -> int:
        """Go on with what is due; returns how many deletions that were."""
        claimed = await self._deletions.claim(AT_ONCE, LEASE_SECONDS)
        await asyncio.gather(*map(self._erase, claimed))
        return len(claimed)

    async def _erase(self, deletion: Deletion) -> None:
        try:
            again = await self._step(deletion.player_id)
        except grpc.aio.AioRpcError as error:
            again = True
            self._log.warning("deletion_held_up", player=deletion.player_id, status=error.code().name)
        if again:
            await self._deletions.later(deletion, min(2 ** min(deletion.tries, 10), LONGEST_PAUSE_SECONDS))
        elif deletion.age < self._settled_us:
            await self._deletions.later(deletion, (self._settled_us - deletion.age) / 1_000_000)
        else:
            await self._deletions.done(deletion)
            self._metrics.deletions.inc()
            self._log.info("player_deleted", player=deletion.player_id, requested_by=deletion.requested_by)

    async def _step(self, player_id: str) -> bool:
        """Have every service take out what it has; say whether there is more to do. Raises grpc.aio.AioRpcError."""
        lobby: matchmaking_pb2_grpc.MatchmakingServiceAsyncStub = self._channels.stub(
            "matchmaking", matchmaking_pb2_grpc.MatchmakingServiceStub
        )
        feed: feed_pb2_grpc.FeedServiceAsyncStub = self._channels.stub("scoring", feed_pb2_grpc.FeedServiceStub)
        tournaments: tournament_pb2_grpc.TournamentServiceAsyncStub = self._channels.stub(
            "scoring", tournament_pb2_grpc.TournamentServiceStub
        )
        left = matchmaking_pb2.RemoveFromLobbyRequest(player_id=player_id)
        lobby_again = (await lobby.RemoveFromLobby(left, timeout=STEP_SECONDS)).again
        tables_again = await self._remove_from_tables(player_id)
        out = tournament_pb2.RemoveFromTournamentsRequest(player_id=player_id)
        await tournaments.RemoveFromTournaments(out, timeout=STEP_SECONDS)
        await feed.TellDeletion(feed_pb2.TellDeletionRequest(player_id=player_id), timeout=STEP_SECONDS)
        return lobby_again or tables_again

    async def _remove_from_tables(self, player_id: str) -> bool:
        """Ask any table server, and the one that has the player's table where that is another."""
        request = table_pb2.RemoveFromTablesRequest(player_id=player_id)
        answer = await self._servers.ask(player_id, lambda stub: stub.RemoveFromTables(request, timeout=ASK_SECONDS))
        return answer is None or answer.again
