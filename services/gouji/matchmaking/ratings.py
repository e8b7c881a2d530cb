"""Ratings of players and bots, as scoring has them."""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Final, NamedTuple

import grpc

from gouji.engine import PRESETS
from gouji.matchmaking.policy import DEFAULT, DEVIATION, RATING, Level
from gouji.serving.bot_levels import BotLevels
from gouji.serving.channels import Channels
from gouji.serving.clock import Clock
from gouji.serving.errors import ServiceError
from gouji.serving.logs import Log
from gouji.v1 import scoring_pb2, scoring_pb2_grpc
from gouji.wire.bots import BOT

BOTS_EVERY_SECONDS: Final = 60.0
"""How often it is asked how strong bots are."""

_TIMEOUT_SECONDS: Final = 1.0


class Rating(NamedTuple):
    """How strong a player seems, and how sure that is."""

    rating: float
    deviation: float


UNKNOWN: Final = Rating(RATING, DEVIATION)
"""The rating of somebody who has not played."""


class Ratings:
    """Asks scoring; while it does not answer, everybody queues as somebody who has not played."""

    def __init__(self, channels: Channels, log: Log) -> None:
        self._channels = channels
        self._log = log

    async def of(self, player_ids: Sequence[str], family: str) -> Mapping[str, Rating]:
        """Look up ratings for games of a preset."""
        found = await self._ask(player_ids, family)
        if found is None:
            return dict.fromkeys(player_ids, UNKNOWN)
        return {one.player_id: Rating(one.mu, one.sigma) for one in found}

    async def of_bots(self, levels: Sequence[str], family: str) -> Mapping[str, Rating] | None:
        """Look up what levels of bots have earned by enough matches of a preset; None while scoring does not answer."""
        found = await self._ask([BOT + level for level in levels], family)
        if found is None:
            return None
        return {one.player_id.removeprefix(BOT): Rating(one.mu, one.sigma) for one in found if not one.provisional}

    async def _ask(self, ids: Sequence[str], family: str) -> Iterable[scoring_pb2.Rating] | None:
        stub: scoring_pb2_grpc.ScoringServiceAsyncStub
        stub = self._channels.stub("scoring", scoring_pb2_grpc.ScoringServiceStub)
        request = scoring_pb2.GetRatingsRequest(player_ids=ids, family=family)
        try:
            return (await stub.GetRatings(request, timeout=_TIMEOUT_SECONDS)).ratings
        except grpc.aio.AioRpcError as error:
            self._log.info("ratings_unknown", status=error.code().name)
            return None


class BotRatings:
    """How strong the bots are, preset by preset. What was known stays while nobody answers."""

    def __init__(self, ratings: Ratings, levels: BotLevels, clock: Clock) -> None:
        self._ratings = ratings
        self._levels = levels
        self._clock = clock
        self.earned: dict[str, tuple[Level, ...]] = {}

    async def run(self) -> None:
        """Ask for ever."""
        while True:
            with suppress(ServiceError):
                await self.refresh()
            await self._clock.sleep(BOTS_EVERY_SECONDS)

    async def refresh(self) -> None:
        """Ask once. Raises `ServiceError` `overloaded` when the bot service does not say which levels there are."""
        guesses = {level.name: level for level in DEFAULT.levels}
        levels = await self._levels.known(guesses.keys())
        for family in PRESETS:
            earned = await self._ratings.of_bots(levels, family)
            if earned is None:
                return
            known = guesses | {name: Level(name, *rating) for name, rating in earned.items()}
            self.earned[family] = tuple(known[name] for name in levels if name in known) or DEFAULT.levels
