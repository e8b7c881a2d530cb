"""A bot of somebody's own at a table: it plays as people do, is shown as a bot, and is asked for nothing else."""

import asyncio
import random
from collections.abc import Callable
from typing import Any

import grpc
import pytest

from gouji.engine.records import verify
from gouji.serving.errors import reason_of
from gouji.table.afterwards import rematch_of
from gouji.table.company import Company, people
from gouji.table.records import record_of
from gouji.v1 import events_pb2, scoring_pb2, table_pb2
from gouji.v1.events_pb2 import Event, Seat
from gouji.wire import observation_from_proto

PLAYER, BOT, CLOCK = events_pb2.DECIDED_BY_PLAYER, events_pb2.DECIDED_BY_BOT, events_pb2.DECIDED_BY_CLOCK
ACME = Seat(player_id="bot:acme/1", name="acme 1", bot_level="external")
WITH_BOTS = [ACME, *(Seat(bot_level="random", name=f"Bot {seat}") for seat in range(1, 6))]
WITH_PEOPLE = [ACME, *(Seat(player_id=f"p{seat}", name=f"P{seat}") for seat in range(1, 6))]


async def refused(call: Any) -> str | None:
    with pytest.raises(grpc.aio.AioRpcError) as failed:
        await call
    return reason_of(failed.value)


async def found(running: Any, body: str, count: int = 1) -> list[Event]:
    """Wait until the log has so many events of a kind."""
    async with asyncio.timeout(60):
        while True:
            log = [event for event in await running.rows.log("t1") if event.HasField(body)]
            if len(log) >= count:
                return log
            await asyncio.sleep(0.01)


async def test_it_plays_its_hand_and_is_told_from_people_wherever_it_stands(serve_sqlite: Any) -> None:
    async with serve_sqlite() as running:
        await running.rows.place("t1", seats=WITH_BOTS, rules={"revolution": "off", "burn": "false"})
        await running.service().open("t1")
        acme, chance = running.bot("bot:acme/1"), random.Random(8)
        async for message in acme.watch("t1"):
            if not any(event.turn.question for event in message.batch.events):
                continue
            if (seen := await acme.observe("t1")).turn.question:
                action = chance.choice(observation_from_proto(seen.observation).legal_actions())
                await acme.act("t1", seen.turn.number, action, f"c{seen.turn.number}")
        log = await running.rows.log("t1")
        acts = [event.action_taken for event in log if event.HasField("action_taken")]
        assert {act.decided_by for act in acts if act.seat == 0} == {PLAYER}
        assert {act.decided_by for act in acts if act.seat} == {BOT}
        assert (await running.player("stranger").observe("t1")).seats[0] == ACME
        [result] = [scoring_pb2.HandResult.FromString(row.payload) for row in await running.rows.outbox()]
        assert (result.seats[0].player_id, result.seats[0].bot_level) == ("bot:acme/1", "external")
        assert result.conduct[0].by_player > 0 == result.conduct[0].by_bot
        record = record_of(log)
        assert (record.players[0].name, record.players[0].bot) == ("acme 1", "external")
        assert verify(record) == []


async def test_its_deadline_is_the_tables_clock_and_then_a_stand_in_plays_for_it(
    serve_sqlite: Any, fixed_deal: Callable[..., None]
) -> None:
    fixed_deal(["3456789T"] * 6)
    fast = {"turn_ms": 20, "bank_ms": 0, "absent_after_expiries": 2, "stand_in_level": "random"}
    async with serve_sqlite(**fast) as running:
        await running.rows.place("t1", seats=WITH_BOTS)
        await running.service().open("t1")
        await found(running, "match_ended")
        log = await running.rows.log("t1")
    [change] = [event.seat_changed for event in log if event.HasField("seat_changed")]
    assert (change.seat, change.bot_plays) == (0, True)
    changed = next(event.sequence for event in log if event.HasField("seat_changed"))
    acts = [event for event in log if event.HasField("action_taken") and event.action_taken.seat == 0]
    before = [event.action_taken.decided_by for event in acts if event.sequence < changed]
    after = [event.action_taken.decided_by for event in acts if event.sequence > changed]
    assert before == [CLOCK, CLOCK]
    assert BOT in after
    assert PLAYER not in after


async def test_it_votes_contributes_and_asks_for_nothing(serve_sqlite: Any) -> None:
    async with serve_sqlite(contributions_ms=60_000) as running:
        await running.rows.place("t1", seats=WITH_PEOPLE)
        await running.service().open("t1")
        [committed] = await found(running, "hand_committed")
        assert list(committed.hand_committed.awaited) == [1, 2, 3, 4, 5]
        acme = running.bot("bot:acme/1")
        for method, request in (
            ("Contribute", table_pb2.ContributeRequest(table_id="t1", hand=1, contribution=bytes(32))),
            ("VoteHand", table_pb2.VoteHandRequest(table_id="t1", hand=1, agree=True)),
            ("Ready", table_pb2.ReadyRequest(table_id="t1", ready=True)),
            ("Mute", table_pb2.MuteRequest(table_id="t1", seat=1, muted=True)),
        ):
            assert await refused(getattr(acme.stub, method)(request, metadata=acme.metadata)) == "forbidden"


async def test_people_give_a_hand_up_without_asking_it(serve_sqlite: Any, fixed_deal: Callable[..., None]) -> None:
    fixed_deal(["3456789T"] * 6)
    async with serve_sqlite() as running:
        await running.rows.place("t1", seats=WITH_PEOPLE)
        await running.service().open("t1")
        callers = [running.bot("bot:acme/1"), *(running.player(f"p{seat}") for seat in range(1, 6))]
        streams = [caller.watch("t1") for caller in callers]
        for stream in streams:
            await stream.read()
        await found(running, "seat_changed", 6)
        for caller in callers[1:]:
            request = table_pb2.VoteHandRequest(table_id="t1", hand=1, agree=True)
            await caller.stub.VoteHand(request, metadata=caller.metadata)
        [ended] = (await found(running, "hand_ended"))[:1]
        assert ended.hand_ended.given_up


async def test_it_watches_no_table_that_takes_no_spectators(serve_sqlite: Any) -> None:
    async with serve_sqlite() as running:
        await running.rows.place("t1", people=6, no_spectators=True)
        await running.service().open("t1")
        assert await refused(running.bot("bot:acme/1").observe("t1")) == "not_seated"


def test_in_a_rematch_the_servers_bots_take_its_seat_and_its_wish_is_not_waited_for() -> None:
    spec = table_pb2.TableSpec(table_id="t1", seats=WITH_PEOPLE)
    company = Company(ready=set(range(1, 6)))
    assert people(spec.seats) == [1, 2, 3, 4, 5]
    assert company.all_ready(spec.seats)
    again = rematch_of("t1", spec, "planner")
    assert again.seats[0] == Seat(bot_level="planner", name="acme 1")
    assert list(again.seats[1:]) == WITH_PEOPLE[1:]
