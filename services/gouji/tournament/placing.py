"""Has an event's tables placed by matchmaking: each once, however often it is asked for."""

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

import grpc

from gouji.serving.channels import Channels
from gouji.serving.clock import Clock
from gouji.serving.errors import refusal_of
from gouji.serving.logs import Log
from gouji.serving.vault import Vault, board_place
from gouji.tournament import chance
from gouji.tournament.metrics import TournamentMetrics
from gouji.tournament.tournament import Round, Spot, Tournament
from gouji.v1 import matchmaking_pb2, matchmaking_pb2_grpc
from gouji.v1.events_pb2 import Board, Seat
from gouji.v1.rules_pb2 import MatchLength
from gouji.v1.tournament_log_pb2 import PlacedTable

AT_ONCE: Final = 16
"""Tables that are asked for side by side."""

TIMEOUT_SECONDS: Final = 5.0
"""How long matchmaking may take for one."""

STAND_IN: Final = "planner"
"""Level of the bots that sit down for players who sit elsewhere, unless the terms name another."""


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """A player who sits at another table."""

    player_id: str


class Placing:
    """Asks matchmaking for tables. Who plays elsewhere is waited for, then a bot sits down instead."""

    def __init__(self, channels: Channels, vault: Vault, clock: Clock, metrics: TournamentMetrics, log: Log) -> None:
        self._channels = channels
        self._vault = vault
        self._clock = clock
        self._metrics = metrics
        self._log = log
        self._side_by_side = asyncio.Semaphore(AT_ONCE)
        self._waiting: dict[str, float] = {}
        """Since when (monotonic) a table has waited for a player, by the id of its request."""

    async def place(self, event: Tournament, spots: Iterable[Spot], secret: bytes) -> dict[Spot, PlacedTable]:
        """Place tables of the event's round; those that could not be placed now are missing."""
        one = event.current
        if one is None:
            return {}
        placed = await asyncio.gather(*(self._place(event, one, spot, secret) for spot in spots))
        return {(table.pairing, table.board): table for table in placed if table is not None}

    async def _place(self, event: Tournament, one: Round, spot: Spot, secret: bytes) -> PlacedTable | None:
        request = self._request(event, one, spot, secret)
        level = event.terms.stand_in_level or STAND_IN
        async with self._side_by_side:
            while isinstance(placed := await self._ask(request), Elsewhere):
                missing = [held for held in request.seats if held.player_id == placed.player_id]
                if not missing or not self._waited(request.request_id, event.terms.stand_in_seconds):
                    return None
                missing[0].CopyFrom(Seat(bot_level=level, name=missing[0].name))
        self._waiting.pop(request.request_id, None)
        pairing, board = spot
        return None if placed is None else PlacedTable(pairing=pairing, board=board, table_id=placed)

    def forget(self, tournament_id: str) -> None:
        """Wait for nobody of an event any more."""
        mine = [request for request in self._waiting if request.startswith(f"tournament/{tournament_id}/")]
        for request in mine:
            del self._waiting[request]

    async def _ask(self, request: matchmaking_pb2.PlaceTableRequest) -> str | Elsewhere | None:
        """Give the table's id, or who sits elsewhere; None when it is to be tried again."""
        stub: matchmaking_pb2_grpc.MatchmakingServiceAsyncStub = self._channels.stub(
            "matchmaking", matchmaking_pb2_grpc.MatchmakingServiceStub
        )
        try:
            answer = await stub.PlaceTable(request, timeout=TIMEOUT_SECONDS)
        except grpc.aio.AioRpcError as error:
            refusal = refusal_of(error)
            reason = refusal.reason if refusal else error.code().name.lower()
            self._metrics.refusals.labels(reason).inc()
            if refusal is not None and reason == "already_seated":
                return Elsewhere(refusal.metadata.get("player_id", ""))
            self._log.warning("table_not_placed", request=request.request_id, reason=reason)
            return None
        self._metrics.placed.inc()
        return str(answer.table_id)

    def _waited(self, request_id: str, seconds: int) -> bool:
        """Say whether a table has waited for its players for so long."""
        now = self._clock.monotonic()
        return now - self._waiting.setdefault(request_id, now) >= seconds

    def _request(self, event: Tournament, one: Round, spot: Spot, secret: bytes) -> matchmaking_pb2.PlaceTableRequest:
        pairing, board = spot
        board_id = chance.board_id(event.tournament_id, one.number, board)
        sealed = self._vault.seal(chance.board_secret(secret, one.number, board), board_place(board_id))
        return matchmaking_pb2.PlaceTableRequest(
            request_id=f"tournament/{board_id}/{pairing}",
            rules=event.terms.rules,
            length=MatchLength(hands=1),
            clock=event.terms.clock,
            seats=[event.entrants[chair.entrant].players[chair.place] for chair in one.chairs(spot)],
            bot_pace_ms=event.terms.bot_pace_ms,
            tournament=event.tournament_id,
            board=Board(board_id=board_id, commitment=one.commitments[board - 1]),
            board_secret=sealed,
        )
