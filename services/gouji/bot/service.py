"""The bot service over gRPC: `bind` and the servicer. A choice depends on observation and seed alone."""

import asyncio
import math
from typing import Any, Final

import grpc

from gouji.bot.metrics import BotMetrics
from gouji.engine import EngineError
from gouji.players import PLAYERS
from gouji.players.advice import advise
from gouji.serving.app import App
from gouji.serving.auth import ANY_ROLE, Role
from gouji.serving.clock import Clock
from gouji.serving.errors import ServiceError, malformed
from gouji.v1 import bot_pb2, bot_pb2_grpc
from gouji.wire import action_to_proto, observation_from_proto

Context = grpc.aio.ServicerContext[Any, Any]

ROLES: Final = {"ListBots": ANY_ROLE, "Decide": {Role.SERVICE}, "Hint": ANY_ROLE}
"""Who may call what."""

DEADLINE_SHARE: Final = 0.8
"""Part of a call's remaining time that may be spent on deciding; the rest is for the way back."""

MOST_CARDS: Final = 80
"""More than a hand of six packs holds after all tributes: who asks for a hint about more is refused."""


def bind(app: App) -> None:
    """Add the bots to a process."""
    servicer = BotServicer(BotMetrics(app.metrics.registry), app.clock)
    app.add_servicer(
        bot_pb2_grpc.add_BotServiceServicer_to_server,
        servicer,
        bot_pb2.DESCRIPTOR.services_by_name["BotService"].full_name,
        roles=ROLES,
    )


class BotServicer(bot_pb2_grpc.BotServiceServicer):
    """Unpacks, asks the players, packs."""

    def __init__(self, metrics: BotMetrics, clock: Clock) -> None:
        self._metrics = metrics
        self._clock = clock

    async def ListBots(  # noqa: N802 (gRPC's name)
        self, _request: bot_pb2.ListBotsRequest, _context: Context
    ) -> bot_pb2.ListBotsResponse:
        """List the levels, weakest first."""
        levels = (bot_pb2.BotLevel(level=level, summary=player.summary) for level, player in PLAYERS.items())
        return bot_pb2.ListBotsResponse(levels=levels)

    async def Decide(  # noqa: N802 (gRPC's name)
        self, request: bot_pb2.DecideRequest, context: Context
    ) -> bot_pb2.DecideResponse:
        """Decide for each seat by itself: one that cannot be decided has an `error`, and the others go on.

        Errors are reasons: `unknown_bot_level`, `malformed` for what is no observation of a hand,
        `not_your_turn` for a seat that is not asked, `deadline` for those that no time was left for.
        """
        remaining = context.time_remaining()
        until = None if remaining is None else self._clock.monotonic() + remaining * DEADLINE_SHARE
        response = bot_pb2.DecideResponse()
        for decision in request.decisions:
            response.choices.append(self._decide(decision, until))
            # A decision takes about a millisecond and holds the interpreter: a thread would free nobody.
            await asyncio.sleep(0)
        return response

    async def Hint(  # noqa: N802 (gRPC's name)
        self, request: bot_pb2.HintRequest, _context: Context
    ) -> bot_pb2.HintResponse:
        """Say what the planner would do and why; refused as `malformed`, or `not_your_turn` to who is not asked."""
        try:
            hint = hint_for(request)
        except ServiceError as error:
            self._metrics.hints.labels(error.reason).inc()
            raise
        self._metrics.hints.labels("given").inc()
        return hint

    def _decide(self, decision: bot_pb2.Decision, until: float | None) -> bot_pb2.Choice:
        level = decision.level if decision.level in PLAYERS else "unknown"
        began = self._clock.monotonic()
        if until is not None and began > until:
            choice = bot_pb2.Choice(error="deadline")
        else:
            choice = choose(decision)
            self._metrics.decision_seconds.labels(level).observe(self._clock.monotonic() - began)
        self._metrics.decisions.labels(level, choice.error or "decided").inc()
        return choice


def choose(decision: bot_pb2.Decision) -> bot_pb2.Choice:
    """Ask the player of that level: the same choice whenever observation and seed are the same."""
    player = PLAYERS.get(decision.level)
    if player is None:
        return bot_pb2.Choice(error="unknown_bot_level")
    try:
        observation = observation_from_proto(decision.observation)
        if observation.question is None:
            return bot_pb2.Choice(error="not_your_turn")
        action = player().decide(observation, decision.seed, math.inf)
    except (EngineError, ValueError, ArithmeticError):
        # What was wrong may quote cards, so it is not passed on.
        return bot_pb2.Choice(error="malformed")
    return bot_pb2.Choice(action=action_to_proto(action))


def hint_for(request: bot_pb2.HintRequest) -> bot_pb2.HintResponse:
    """Advise the seat of an observation. Raises `ServiceError`."""
    if len(request.observation.cards) > MOST_CARDS:
        raise malformed("observation.cards", f"A hand has at most {MOST_CARDS} cards.")
    try:
        observation = observation_from_proto(request.observation)
        if observation.question is None:
            raise ServiceError("not_your_turn", "The observation is of a seat that is not asked.")
        advice = advise(observation)
    except (EngineError, ValueError, ArithmeticError) as error:
        # What was wrong may quote cards, so it is not passed on.
        raise malformed("observation", "This is no observation of a hand.") from error
    said = advice.sentence
    return bot_pb2.HintResponse(
        action=action_to_proto(advice.action), why=advice.why, english=said.english, chinese=said.chinese
    )
