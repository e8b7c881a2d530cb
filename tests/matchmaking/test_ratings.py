"""How strong people and bots are, as scoring says over gRPC, or does not."""

from typing import Any

import grpc
import pytest

from gouji.bot.service import bind as bind_bot
from gouji.engine import PRESETS
from gouji.matchmaking.policy import DEFAULT, Level
from gouji.matchmaking.ratings import UNKNOWN, BotRatings, Ratings
from gouji.serving.app import App
from gouji.serving.auth import Role
from gouji.serving.bot_levels import BotLevels
from gouji.serving.errors import ServiceError
from gouji.serving.settings import Settings
from gouji.serving.testing import running_app
from gouji.v1 import scoring_pb2, scoring_pb2_grpc

EARNED = {("bot:random", "qingdao"): (11.5, 2.0, False), ("bot:greedy", "qingdao"): (27.0, 8.0, True)}
"""Mean, deviation, provisional."""


class Scoring(scoring_pb2_grpc.ScoringServiceServicer):
    """Stands where scoring is, which answers while it is up."""

    up = True

    async def GetRatings(self, request: Any, context: Any) -> scoring_pb2.GetRatingsResponse:  # noqa: N802
        if not self.up:
            await context.abort(grpc.StatusCode.UNAVAILABLE, "down")
        found = scoring_pb2.GetRatingsResponse()
        for player_id in request.player_ids:
            mu, sigma, provisional = EARNED.get((player_id, request.family), (25.0, 25 / 3, True))
            found.ratings.add(player_id=player_id, mu=mu, sigma=sigma, provisional=provisional)
        return found

    def bind(self, app: App) -> None:
        methods = scoring_pb2.DESCRIPTOR.services_by_name["ScoringService"].methods_by_name
        add = scoring_pb2_grpc.add_ScoringServiceServicer_to_server
        app.add_servicer(add, self, "gouji.v1.ScoringService", roles=dict.fromkeys(methods, (Role.SERVICE,)))


async def test_bots_have_the_rating_that_they_earned_or_else_a_guess(settings: Settings) -> None:
    scoring = Scoring()
    async with running_app(settings, {"scoring": scoring.bind, "bot": bind_bot}) as app:
        bots = BotRatings(Ratings(app.channels, app.log), BotLevels(app.channels), app.clock)
        await bots.refresh()
        assert bots.earned.keys() == PRESETS.keys()
        assert bots.earned["qingdao"] == (Level("random", 11.5, 2.0), *DEFAULT.levels[1:])
        assert bots.earned["standard"] == DEFAULT.levels
        before = dict(bots.earned)
        scoring.up = False
        await bots.refresh()
        assert bots.earned == before


async def test_nothing_is_earned_while_nobody_answers(settings: Settings) -> None:
    scoring = Scoring()
    scoring.up = False
    async with running_app(settings, {"scoring": scoring.bind, "bot": bind_bot}) as app:
        ratings = Ratings(app.channels, app.log)
        bots = BotRatings(ratings, BotLevels(app.channels), app.clock)
        await bots.refresh()
        assert bots.earned == {}
        assert await ratings.of(["ann"], "standard") == {"ann": UNKNOWN}


async def test_without_the_bot_service_no_levels_are_known(settings: Settings) -> None:
    async with running_app(settings, {"scoring": Scoring().bind}) as app:
        bots = BotRatings(Ratings(app.channels, app.log), BotLevels(app.channels), app.clock)
        with pytest.raises(ServiceError) as caught:
            await bots.refresh()
        assert (caught.value.reason, bots.earned) == ("overloaded", {})
