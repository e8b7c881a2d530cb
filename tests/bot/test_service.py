"""The bot service over real gRPC."""

import asyncio
import math
import random
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import grpc
import pytest
from prometheus_client import CollectorRegistry

from gouji.bot.metrics import BotMetrics
from gouji.bot.searches import Searches
from gouji.bot.service import BotServicer, bind, choose, offered
from gouji.engine import Action, Hand, RuleSet
from gouji.players import PLAYERS
from gouji.players.advice import advise
from gouji.players.search import SearchPlayer
from gouji.serving.app import App, StartError
from gouji.serving.clock import SystemClock
from gouji.serving.errors import reason_of
from gouji.serving.settings import Settings
from gouji.serving.testing import running_app, until
from gouji.v1 import bot_pb2, bot_pb2_grpc, observation_pb2
from gouji.wire import action_from_proto, observation_to_proto

STANDARD = RuleSet.parse("standard")
LEVELS = ["random", "careless", "greedy", "casual", "planner", "search"]


def dealt(number: int = 1) -> Hand:
    """A hand dealt and played on to its first lead."""
    hand = Hand.deal(STANDARD, number.to_bytes(32, "big"))
    while hand.phase != "play":
        hand.apply(hand.default_action())
    return hand


def decision(hand: Hand, level: str = "greedy", seat: int | None = None, seed: int = 5) -> bot_pb2.Decision:
    observation = hand.observe(hand.turn if seat is None else seat)
    return bot_pb2.Decision(level=level, observation=observation_to_proto(observation), seed=seed)


@pytest.fixture
async def app(tmp_path: Path) -> AsyncIterator[App]:
    # A busy machine must not cut a search short: it would choose otherwise.
    settings = Settings(data_directory=tmp_path, bot_search_ms=60_000, bot_search_threads=2)
    async with running_app(settings, {"bot": bind}) as running:
        yield running


@pytest.fixture
def bots(app: App) -> Any:
    return app.channels.stub("bot", bot_pb2_grpc.BotServiceStub)


async def test_the_levels_are_listed_weakest_first(bots: Any) -> None:
    answer = await bots.ListBots(bot_pb2.ListBotsRequest())
    assert [level.level for level in answer.levels] == list(PLAYERS) == LEVELS
    assert all(level.summary for level in answer.levels)


@pytest.mark.parametrize("level", PLAYERS)
async def test_a_choice_is_what_the_player_decides_for_that_observation_and_seed(bots: Any, level: str) -> None:
    hand = dealt()
    assert hand.turn is not None
    answer = await bots.Decide(bot_pb2.DecideRequest(decisions=[decision(hand, level)]))
    action = action_from_proto(hand.turn, answer.choices[0].action)
    assert action == PLAYERS[level]().decide(hand.observe(hand.turn), 5, math.inf)
    assert hand.refusal(action) is None


@pytest.mark.parametrize("level", LEVELS[:-1])
def test_what_has_happened_changes_no_choice_of_the_quick_levels(level: str) -> None:
    hand = Hand.deal(RuleSet.parse("qingdao"), bytes(32), history=True)
    while hand.turn is not None:
        seen = hand.observe(hand.turn)
        chosen = choose(decision(hand, level))
        assert action_from_proto(hand.turn, chosen.action) == PLAYERS[level]().decide(seen, 5, math.inf)
        hand.apply(PLAYERS["planner"]().decide(seen, 5, math.inf))


async def test_one_bad_decision_leaves_the_rest_of_the_batch_alone(bots: Any) -> None:
    hand = dealt()
    assert hand.turn is not None
    other = (hand.turn + 1) % 6
    malformed = decision(hand)
    malformed.observation.cards[0].rank = 99  # type: ignore[assignment]
    batch = [
        decision(hand),
        decision(hand, "grandmaster"),
        malformed,
        bot_pb2.Decision(level="random"),
        decision(hand, seat=other),
        decision(hand, "random"),
    ]
    answer = await bots.Decide(bot_pb2.DecideRequest(decisions=batch))
    errors = [choice.error for choice in answer.choices]
    assert errors == ["", "unknown_bot_level", "malformed", "malformed", "not_your_turn", ""]
    assert [choice.HasField("action") for choice in answer.choices] == [not error for error in errors]


async def test_an_observation_with_rules_that_there_are_not_is_malformed(bots: Any) -> None:
    bad = decision(dealt())
    bad.observation.rules.preset = "bridge"
    answer = await bots.Decide(bot_pb2.DecideRequest(decisions=[bad]))
    assert answer.choices[0].error == "malformed"


async def test_an_empty_batch_has_no_choices(bots: Any) -> None:
    assert not (await bots.Decide(bot_pb2.DecideRequest())).choices


async def test_only_services_may_ask_for_decisions_and_players_may_list(app: App) -> None:
    token = app.tokens.mint_player("p1", "Wang").access_token
    async with grpc.aio.insecure_channel(app.address) as channel:
        stub: Any = bot_pb2_grpc.BotServiceStub(channel)
        mine = (("authorization", f"Bearer {token}"),)
        assert (await stub.ListBots(bot_pb2.ListBotsRequest(), metadata=mine)).levels
        with pytest.raises(grpc.aio.AioRpcError) as refused:
            await stub.Decide(bot_pb2.DecideRequest(), metadata=mine)
    assert reason_of(refused.value) == "forbidden"


async def test_a_player_is_given_a_hint_for_its_own_seat(app: App) -> None:
    hand = dealt()
    assert hand.turn is not None
    token = app.tokens.mint_player("p1", "Wang").access_token
    mine = (("authorization", f"Bearer {token}"),)
    async with grpc.aio.insecure_channel(app.address) as channel:
        stub: Any = bot_pb2_grpc.BotServiceStub(channel)
        request = bot_pb2.HintRequest(observation=observation_to_proto(hand.observe(hand.turn)))
        hint = await stub.Hint(request, metadata=mine)
        advice = advise(hand.observe(hand.turn))
        assert action_from_proto(hand.turn, hint.action) == advice.action
        assert (hint.why, hint.english, hint.chinese) == (advice.why, *advice.sentence)
        crowded = bot_pb2.HintRequest(observation=request.observation)
        crowded.observation.cards.extend(list(crowded.observation.cards) * 3)
        other = observation_to_proto(hand.observe((hand.turn + 1) % 6))
        for refused, reason in (
            (bot_pb2.HintRequest(), "malformed"),
            (crowded, "malformed"),
            (bot_pb2.HintRequest(observation=other), "not_your_turn"),
        ):
            with pytest.raises(grpc.aio.AioRpcError) as error:
                await stub.Hint(refused, metadata=mine)
            assert reason_of(error.value) == reason
    count = app.metrics.registry.get_sample_value
    assert count("gouji_bot_hints_total", {"outcome": "given"}) == 1
    assert count("gouji_bot_hints_total", {"outcome": "malformed"}) == 2


async def test_decisions_are_counted_by_level_and_outcome(app: App, bots: Any) -> None:
    batch = [decision(dealt()), decision(dealt(), "grandmaster")]
    await bots.Decide(bot_pb2.DecideRequest(decisions=batch))
    count = app.metrics.registry.get_sample_value
    assert count("gouji_bot_decisions_total", {"level": "greedy", "outcome": "decided"}) == 1
    assert count("gouji_bot_decisions_total", {"level": "unknown", "outcome": "unknown_bot_level"}) == 1


class SteppingClock(SystemClock):
    """Three seconds pass whenever one looks."""

    passed = 0.0

    def monotonic(self) -> float:
        self.passed += 3
        return self.passed


async def test_what_the_deadline_leaves_no_time_for_is_not_decided() -> None:
    server = grpc.aio.server()
    metrics, clock = BotMetrics(CollectorRegistry()), SteppingClock()
    servicer = BotServicer(metrics, clock, Searches(metrics, clock, 1, 1.0), list(PLAYERS))
    bot_pb2_grpc.add_BotServiceServicer_to_server(servicer, server)
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    try:
        async with grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
            stub: Any = bot_pb2_grpc.BotServiceStub(channel)
            request = bot_pb2.DecideRequest(decisions=[decision(dealt())] * 3)
            answer = await stub.Decide(request, timeout=10)
    finally:
        await server.stop(None)
    assert [choice.error for choice in answer.choices] == ["", "deadline", "deadline"]


async def test_a_search_is_made_beside_all_else_and_says_that_it_was(app: App, bots: Any) -> None:
    hands = [dealt(number) for number in range(1, 4)]
    ticks = 0

    async def tick() -> None:
        nonlocal ticks
        while True:
            await asyncio.sleep(0.001)
            ticks += 1

    ticking = asyncio.create_task(tick())
    batch = [decision(hand, "search") for hand in hands] + [decision(hands[0], "planner")]
    answer = await bots.Decide(bot_pb2.DecideRequest(decisions=batch))
    ticking.cancel()
    assert [choice.level for choice in answer.choices] == ["search"] * 3 + ["planner"]
    for hand, choice in zip(hands, answer.choices, strict=False):
        assert hand.turn is not None
        searched = SearchPlayer().decide(hand.observe(hand.turn), 5, math.inf)
        assert action_from_proto(hand.turn, choice.action) == searched
    assert ticks > 3
    count = app.metrics.registry.get_sample_value
    assert count("gouji_bot_decisions_total", {"level": "search", "outcome": "decided"}) == 3
    assert count("gouji_bot_searches") == 0


async def test_more_searches_than_there_is_time_for_are_the_planner_s(app: App, bots: Any) -> None:
    hand = dealt()
    assert hand.turn is not None
    batch = [decision(hand, "search", seed=seed) for seed in range(200)]
    answer = await bots.Decide(bot_pb2.DecideRequest(decisions=batch), timeout=4)
    levels = [choice.level for choice in answer.choices]
    assert set(levels) == {"search", "planner"}
    planned = PLAYERS["planner"]().decide(hand.observe(hand.turn), 5, math.inf)
    instead = [choice for choice in answer.choices if choice.level == "planner"]
    assert {action_from_proto(hand.turn, choice.action) for choice in instead} == {planned}
    assert app.metrics.registry.get_sample_value("gouji_bot_fallbacks_total") == len(instead)


async def test_a_call_that_is_given_up_frees_its_cores(app: App, bots: Any) -> None:
    count = app.metrics.registry.get_sample_value
    call = bots.Decide(bot_pb2.DecideRequest(decisions=[decision(dealt(), "search", seed=seed) for seed in range(30)]))
    await until(lambda: (count("gouji_bot_searches") or 0) > 0)
    call.cancel()
    await until(lambda: count("gouji_bot_searches") == 0)
    assert (count("gouji_bot_decisions_total", {"level": "search", "outcome": "decided"}) or 0) < 30


async def test_a_broken_observation_is_no_search(bots: Any) -> None:
    hand = dealt()
    assert hand.turn is not None
    batch = [bot_pb2.Decision(level="search"), decision(hand, "search", seat=(hand.turn + 1) % 6)]
    answer = await bots.Decide(bot_pb2.DecideRequest(decisions=batch))
    assert [choice.error for choice in answer.choices] == ["malformed", "not_your_turn"]


async def test_only_the_levels_that_are_set_are_offered(tmp_path: Path) -> None:
    assert offered("") == list(PLAYERS)
    assert offered("planner, random") == ["random", "planner"]
    with pytest.raises(StartError, match="no level grandmaster; there are random"):
        offered("random,grandmaster")
    async with running_app(Settings(data_directory=tmp_path, bot_levels="greedy"), {"bot": bind}) as app:
        stub: Any = app.channels.stub("bot", bot_pb2_grpc.BotServiceStub)
        assert [each.level for each in (await stub.ListBots(bot_pb2.ListBotsRequest())).levels] == ["greedy"]
        request = bot_pb2.DecideRequest(decisions=[decision(dealt(), "search"), decision(dealt(), "planner")])
        answer = await stub.Decide(request)
        assert [choice.error for choice in answer.choices] == ["unknown_bot_level"] * 2


@pytest.mark.parametrize("level", ["greedy", "planner"])
def test_a_corrupt_observation_is_answered_and_never_raises(level: str) -> None:
    chance = random.Random(11)
    for _ in range(2000):
        mangled = bytearray(decision(dealt(chance.randrange(20))).observation.SerializeToString())
        for _ in range(chance.randrange(1, 4)):
            mangled[chance.randrange(len(mangled))] = chance.randrange(256)
        try:
            observation = observation_pb2.Observation.FromString(bytes(mangled))
        except Exception:  # noqa: BLE001 (no message at all)
            continue
        choice = choose(bot_pb2.Decision(level=level, observation=observation))
        assert choice.error in {"", "malformed", "not_your_turn"}


def test_an_error_never_tells_cards() -> None:
    bad = decision(dealt())
    bad.observation.cards.add(rank=1, suit=77)  # type: ignore[arg-type]
    assert choose(bad).error == "malformed"


def test_a_choice_can_be_read_back_as_an_action_of_its_seat() -> None:
    hand = dealt(3)
    assert hand.turn is not None
    assert isinstance(action_from_proto(hand.turn, choose(decision(hand)).action), Action)
