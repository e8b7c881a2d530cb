"""What a table does when bots answer late, badly or not at all, and how they are asked."""

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Any

import grpc
import pytest

from gouji.bot.service import choose
from gouji.engine import Action
from gouji.serving.app import App
from gouji.serving.auth import ANY_ROLE
from gouji.table.service import bind as bind_table
from gouji.table.table import Table
from gouji.v1 import actions_pb2, bot_pb2, bot_pb2_grpc, cards_pb2, events_pb2
from gouji.wire import action_to_proto, observation_from_proto

CLOCK, BOT = events_pb2.DECIDED_BY_CLOCK, events_pb2.DECIDED_BY_BOT
UNLAWFUL = action_to_proto(Action.parse("0 play WWWW"))
UNREADABLE = actions_pb2.Action(play=actions_pb2.Play(cards=cards_pb2.Cards(ranks=[0])))


class Bots(bot_pb2_grpc.BotServiceServicer):
    """Notes what it is asked, and answers as it is told to."""

    def __init__(self) -> None:
        self.requests: list[bot_pb2.DecideRequest] = []
        self.answer: Callable[[bot_pb2.Decision], bot_pb2.Choice] = choose
        self.wait = 0.0
        self.fails = False

    async def Decide(  # noqa: N802
        self, request: bot_pb2.DecideRequest, context: Any
    ) -> bot_pb2.DecideResponse:
        self.requests.append(request)
        await asyncio.sleep(self.wait)
        if self.fails:
            await context.abort(grpc.StatusCode.UNAVAILABLE, "away")
        return bot_pb2.DecideResponse(choices=map(self.answer, request.decisions))

    def bind(self, app: App) -> None:
        roles = {"ListBots": ANY_ROLE, "Decide": ANY_ROLE, "Hint": ANY_ROLE}
        app.add_servicer(bot_pb2_grpc.add_BotServiceServicer_to_server, self, "gouji.v1.BotService", roles=roles)


@pytest.fixture
def bots() -> Bots:
    return Bots()


@pytest.fixture
async def running(serve_sqlite: Any, bots: Bots) -> AsyncIterator[Any]:
    async with serve_sqlite({"table": bind_table, "bot": bots.bind}, bot_deadline_ms=200) as made:
        yield made


async def acts(running: Any, table_id: str, count: int) -> list[events_pb2.ActionTaken]:
    """Wait until the log has so many acts, and give them."""
    async with asyncio.timeout(30):
        while True:
            log = await running.rows.log(table_id)
            found = [event.action_taken for event in log if event.HasField("action_taken")]
            if len(found) >= count:
                return found[:count]
            await asyncio.sleep(0.01)


@pytest.mark.parametrize(
    ("choice", "cause"),
    [
        (bot_pb2.Choice(action=UNLAWFUL), "cards_not_held"),
        (bot_pb2.Choice(action=UNREADABLE), "malformed"),
        (bot_pb2.Choice(error="unknown_bot_level"), "unknown_bot_level"),
        (bot_pb2.Choice(), "missing"),
    ],
)
async def test_for_a_bot_without_a_lawful_choice_the_mildest_is_done(
    running: Any, bots: Bots, choice: bot_pb2.Choice, cause: str
) -> None:
    bots.answer = lambda _: choice
    await running.rows.place("t1")
    await running.service().open("t1")
    decided = await acts(running, "t1", 10)
    assert {act.decided_by for act in decided} == {CLOCK}
    assert running.metric("gouji_table_clock_expiries_total") >= len(decided)
    assert running.metric("gouji_table_bot_failures_total", cause=cause) > 0


async def test_bots_that_are_away_or_late_hold_nothing_up(running: Any, bots: Bots) -> None:
    bots.fails = True
    await running.rows.place("t1")
    await running.service().open("t1")
    assert {act.decided_by for act in await acts(running, "t1", 5)} == {CLOCK}
    assert running.metric("gouji_table_bot_failures_total", cause="unavailable") > 0
    bots.fails, bots.wait = False, 30
    done = len([e for e in await running.rows.log("t1") if e.HasField("action_taken")])
    await acts(running, "t1", done + 2)
    assert running.metric("gouji_table_bot_failures_total", cause="deadline_exceeded") > 0


async def test_without_a_bot_service_the_match_goes_on(serve_sqlite: Any) -> None:
    async with serve_sqlite({"table": bind_table}) as running:
        await running.rows.place("t1")
        await running.service().open("t1")
        assert {act.decided_by for act in await acts(running, "t1", 5)} == {CLOCK}


async def test_a_bot_is_given_its_own_seats_view_and_no_more(running: Any, bots: Bots) -> None:
    await running.rows.place("t1", rules={"burn_guard": "false"})
    await running.service().open("t1")
    await acts(running, "t1", 60)
    seeds = set()
    for request in bots.requests:
        for decision in request.decisions:
            seen = observation_from_proto(decision.observation)
            assert seen.question is not None
            assert seen.seat is not None
            assert len(seen.cards) + len(seen.seats[seen.seat].played) == 36
            assert decision.level == "random"
            seeds.add(decision.seed)
    assert len(seeds) == sum(len(request.decisions) for request in bots.requests)


async def test_decisions_due_at_the_same_moment_go_out_in_one_call(running: Any, bots: Bots) -> None:
    for n in range(20):
        await running.rows.place(f"t{n}", bot_pace_ms=300)
    async with asyncio.timeout(20):
        while not any(len(request.decisions) > 1 for request in bots.requests):  # noqa: ASYNC110
            await asyncio.sleep(0.01)


async def test_all_bots_that_are_asked_in_private_are_asked_at_once(
    running: Any, bots: Bots, fixed_deal: Callable[..., None]
) -> None:
    fixed_deal(["KK3", "AAw5", "3", "224567", "AAw5", "3"])
    lead = action_to_proto(Action.parse("0 play KK"))
    decline = action_to_proto(Action.parse("0 pass"))
    questions: list[list[int]] = []

    def answer(decision: bot_pb2.Decision) -> bot_pb2.Choice:
        leads = observation_from_proto(decision.observation).question == "lead"
        return bot_pb2.Choice(action=lead if leads else decline)

    bots.answer = answer
    await running.rows.place("t1")
    await running.service().open("t1")
    await acts(running, "t1", 2)
    questions = [[d.observation.viewer_plus_one - 1 for d in request.decisions] for request in bots.requests]
    assert questions[:3] == [[0], [4, 1], [3]]
    log = await running.rows.log("t1")
    closed = [event.answers_closed for event in log if event.HasField("answers_closed")]
    assert [(d.seat, d.decided_by) for d in closed[-1].declines] == [(4, BOT), (1, BOT)]


async def test_bots_think_as_long_as_the_secret_says_and_the_action_suggests(running: Any, bots: Bots) -> None:
    await running.rows.place("t1", rules={"burn": "false", "revolution": "off"}, bot_pace_ms=50)
    await running.service().open("t1")
    await acts(running, "t1", 12)
    table, thought = Table("t1"), 0
    for event in await running.rows.log("t1"):
        if event.HasField("action_taken"):
            taken, hand = event.action_taken, table.hand
            assert hand is not None
            effort = 0.6 if taken.action.HasField("pass_turn") else 1.5 if hand.question == "lead" else 1.0
            least = effort * table.thought_for(taken.seat) * 50_000
            assert event.at.ToMicroseconds() - table.began >= int(least)
            thought += 1
        table.fold(event)
    assert thought >= 12
