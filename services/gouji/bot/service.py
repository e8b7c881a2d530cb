"""The bot service over gRPC: `bind` and the servicer. A choice depends on observation and seed alone."""

import asyncio
import math
from collections.abc import Collection
from typing import Any, Final

import grpc

from gouji.bot.metrics import BotMetrics
from gouji.bot.searches import Searches
from gouji.engine import EngineError, Observation
from gouji.players import PLAYERS
from gouji.players.advice import advise
from gouji.serving.app import App, StartError
from gouji.serving.auth import ANY_ROLE, Role
from gouji.serving.clock import Clock
from gouji.serving.errors import ServiceError, malformed
from gouji.serving.tracing import OFF, Span, Tracing
from gouji.v1 import bot_pb2, bot_pb2_grpc
from gouji.wire import action_to_proto, observation_from_proto

Context = grpc.aio.ServicerContext[Any, Any]

ROLES: Final = {"ListBots": ANY_ROLE, "Decide": {Role.SERVICE}, "Hint": {Role.PLAYER}}
"""Who may call what."""

DEADLINE_SHARE: Final = 0.8
"""Part of a call's remaining time that may be spent on deciding; the rest is for the way back."""

MOST_CARDS: Final = 80
"""More than a hand of six packs holds after all tributes: who asks for a hint about more is refused."""


def bind(app: App) -> None:
    """Add the bots to a process."""
    metrics, settings = BotMetrics(app.metrics.registry), app.settings
    searches = Searches(metrics, app.clock, settings.bot_search_threads, settings.bot_search_ms / 1000)
    app.on_closed(searches.close)
    servicer = BotServicer(metrics, app.clock, searches, offered(settings.bot_levels), app.tracing)
    app.add_servicer(
        bot_pb2_grpc.add_BotServiceServicer_to_server,
        servicer,
        bot_pb2.DESCRIPTOR.services_by_name["BotService"].full_name,
        roles=ROLES,
    )


def offered(levels: str) -> list[str]:
    """Read which levels are offered, weakest first; all when empty. Raises `StartError` for one that there is not."""
    wanted = {level.strip() for level in levels.split(",")} - {""}
    unknown = wanted - set(PLAYERS)
    if unknown:
        raise StartError(f"GOUJI_BOT_LEVELS: no level {', '.join(sorted(unknown))}; there are {', '.join(PLAYERS)}")
    return [level for level in PLAYERS if level in wanted or not wanted]


class BotServicer(bot_pb2_grpc.BotServiceServicer):
    """Unpacks, asks the players, packs."""

    def __init__(
        self,
        metrics: BotMetrics,
        clock: Clock,
        searches: Searches,
        levels: Collection[str],
        tracing: Tracing = OFF,
    ) -> None:
        self._tracing = tracing
        self._metrics = metrics
        self._clock = clock
        self._searches = searches
        self._levels = levels

    async def ListBots(  # noqa: N802 (gRPC's name)
        self, _request: bot_pb2.ListBotsRequest, _context: Context
    ) -> bot_pb2.ListBotsResponse:
        """List the levels, weakest first."""
        levels = (bot_pb2.BotLevel(level=level, summary=PLAYERS[level].summary) for level in self._levels)
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
        choices: list[bot_pb2.Choice | asyncio.Task[bot_pb2.Choice]] = []
        async with asyncio.TaskGroup() as group:
            for decision in request.decisions:
                # Searches have threads; the others take less than a millisecond, and a thread would free nobody.
                if decision.level == "search" and decision.level in self._levels:
                    choices.append(group.create_task(self._search(decision, until)))
                else:
                    choices.append(self._decide(decision, until))
                await asyncio.sleep(0)
        made = (choice.result() if isinstance(choice, asyncio.Task) else choice for choice in choices)
        return bot_pb2.DecideResponse(choices=made)

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
        with self._tracing.span("decide") as span:
            began = self._clock.monotonic()
            if decision.level not in self._levels:
                choice = bot_pb2.Choice(error="unknown_bot_level")
            elif until is not None and began > until:
                choice = bot_pb2.Choice(error="deadline")
            else:
                choice = choose(decision)
            return self._counted(decision.level, choice, began, span)

    async def _search(self, decision: bot_pb2.Decision, until: float | None) -> bot_pb2.Choice:
        with self._tracing.span("decide") as span:
            began = self._clock.monotonic()
            try:
                observation = _asked(decision, history=True)
                action, level = await self._searches.decide(observation, decision.seed, until)
                choice = bot_pb2.Choice(action=action_to_proto(action), level=level)
            except Unasked as unasked:
                choice = bot_pb2.Choice(error=unasked.reason)
            except _BROKEN:
                choice = bot_pb2.Choice(error="malformed")
            return self._counted("search", choice, began, span)

    def _counted(self, level: str, choice: bot_pb2.Choice, began: float, span: Span) -> bot_pb2.Choice:
        level, outcome = level if level in self._levels else "unknown", choice.error or "decided"
        if outcome not in ("deadline", "unknown_bot_level"):
            spent = self._clock.monotonic() - began
            self._metrics.decision_seconds.labels(level).observe(spent, self._tracing.exemplar())
        self._metrics.decisions.labels(level, outcome).inc()
        span.set(level=level, outcome=outcome)
        return choice


_BROKEN: Final = (EngineError, ValueError, ArithmeticError)
"""What an observation that is none may raise. It may quote cards, so it is not passed on."""


class Unasked(Exception):
    """Nothing can be decided; ``reason`` says why."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


def _asked(decision: bot_pb2.Decision | bot_pb2.HintRequest, *, history: bool = False) -> Observation:
    """Read the observation of a seat that is asked, with or without its history. Raises `Unasked`."""
    if not history:
        # Reading it takes longer than deciding, and all levels but the search go by how the hand stands.
        decision.observation.ClearField("history")
    try:
        observation = observation_from_proto(decision.observation)
    except _BROKEN:
        raise Unasked("malformed") from None
    if observation.question is None:
        raise Unasked("not_your_turn")
    return observation


def choose(decision: bot_pb2.Decision) -> bot_pb2.Choice:
    """Ask the player of that level: the same choice whenever observation and seed are the same."""
    player = PLAYERS.get(decision.level)
    if player is None:
        return bot_pb2.Choice(error="unknown_bot_level")
    try:
        action = player().decide(_asked(decision), decision.seed, math.inf)
    except Unasked as unasked:
        return bot_pb2.Choice(error=unasked.reason)
    except _BROKEN:
        return bot_pb2.Choice(error="malformed")
    return bot_pb2.Choice(action=action_to_proto(action), level=decision.level)


def hint_for(request: bot_pb2.HintRequest) -> bot_pb2.HintResponse:
    """Advise the seat of an observation. Raises `ServiceError`."""
    if len(request.observation.cards) > MOST_CARDS:
        raise malformed("observation.cards", f"A hand has at most {MOST_CARDS} cards.")
    try:
        advice = advise(_asked(request))
    except Unasked as unasked:
        raise ServiceError(unasked.reason, "The observation is of no seat that is asked.") from None
    except _BROKEN:
        raise malformed("observation", "This is no observation of a hand.") from None
    said = advice.sentence
    return bot_pb2.HintResponse(
        action=action_to_proto(advice.action), why=advice.why, english=said.english, chinese=said.chinese
    )
