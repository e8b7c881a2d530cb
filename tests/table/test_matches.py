"""Whole matches over real gRPC: bots among themselves, people and bots, from the first event to scoring."""

import asyncio
import random
from typing import Any

import pytest
import sqlalchemy as sa

from gouji.serving.schema import active_seats, hand_results
from gouji.serving.testing import until
from gouji.table.loading import fold_log
from gouji.v1 import events_pb2, scoring_pb2


async def test_bots_play_a_match_to_the_end_and_scoring_has_every_hand(serve: Any, come: Any) -> None:
    async with serve() as running:
        await running.rows.place("t1", length={"hands": 2})
        await running.service().open("t1")

        async def recorded() -> bool:
            return len(await running.rows.all(sa.select(hand_results))) == 2

        await come(recorded)
        log = await running.rows.log("t1")
        assert [event.sequence for event in log] == list(range(1, len(log) + 1))
        assert (log[0].WhichOneof("body"), log[-1].WhichOneof("body")) == ("table_opened", "match_ended")
        played = [event for event in log if event.HasField("hand_ended") and not event.hand_ended.voided]
        query = sa.select(hand_results).order_by(hand_results.c.hand)
        results = [scoring_pb2.HandResult.FromString(row.payload) for row in await running.rows.all(query)]
        assert [list(result.scores) for result in results] == [list(e.hand_ended.scores) for e in played]
        assert [result.digest for result in results] == [event.hand_ended.digest for event in played]
        assert [result.last for result in results] == [False, True]
        row = await running.rows.table("t1")
        assert (row.state, row.owner, bool(row.ended_at)) == ("over", None, True)
        assert {event.action_taken.decided_by for event in log if event.HasField("action_taken")} == {
            events_pb2.DECIDED_BY_BOT
        }


@pytest.mark.parametrize("rules", [{"burn_guard": "false"}, {"teams": "false"}], ids=["burning", "for all"])
async def test_many_tables_of_bots_play_side_by_side(serve_sqlite: Any, come: Any, rules: dict[str, str]) -> None:
    async with serve_sqlite() as running:
        for n in range(6):
            await running.rows.place(f"t{n}", rules=rules)

        async def over() -> bool:
            return all([(await running.rows.table(f"t{n}")).state == "over" for n in range(6)])

        await come(over)
        for n in range(6):
            assert fold_log(f"t{n}", await running.rows.log(f"t{n}")).over
        assert running.metric("gouji_table_bot_failures_total", cause="malformed") == 0


async def play_to_the_end(player: Any, table_id: str, chance: random.Random) -> list[Any]:
    """Play one seat by what its watch says, and give all events that it was shown."""
    events, answered = [], set()
    async for message in player.watch(table_id):
        events += message.batch.events
        turn = events[-1].turn if events else None
        if turn is None or not turn.question or turn.number in answered:
            continue
        answered.add(turn.number)
        number, action = await player.legal(table_id, chance)
        if number == turn.number:
            await player.act(table_id, number, action, command_id=f"c{number}")
    return events


async def test_people_and_bots_play_a_hand_and_each_sees_what_the_log_has(serve: Any) -> None:
    async with serve(answers_least_ms=5, answers_most_ms=10) as running:
        await running.rows.place("t1", people=2)
        await running.service().open("t1")
        players = [running.player(f"p{seat}") for seat in range(2)]
        async with asyncio.timeout(100):
            seen = await asyncio.gather(
                *(play_to_the_end(player, "t1", random.Random(seat)) for seat, player in enumerate(players))
            )
        log = await running.rows.log("t1")
        for seat, events in enumerate(seen):
            assert [event.sequence for event in events] == [event.sequence for event in log]
            dealt = next(event.hand_dealt for event in events if event.HasField("hand_dealt"))
            assert [len(hand.cards) for hand in dealt.hands] == [36 * (s == seat) for s in range(6)]
        assert await running.rows.all(sa.select(active_seats)) == []
        by = {event.action_taken.decided_by for event in log if event.HasField("action_taken")}
        assert by >= {events_pb2.DECIDED_BY_PLAYER, events_pb2.DECIDED_BY_BOT}
        assert len(await running.rows.commands("t1")) >= 2
        await until(lambda: running.metric("gouji_tables_live") == 0)


async def test_people_who_never_answer_are_played_by_the_clock(serve_sqlite: Any, come: Any) -> None:
    clock = {"turn_ms": 1, "bank_ms": 1, "answers_least_ms": 1, "answers_most_ms": 1}
    async with serve_sqlite(absent_after_expiries=0) as running:
        await running.rows.place("t1", people=6, clock=clock)

        async def over() -> bool:
            return bool((await running.rows.table("t1")).state == "over")

        await come(over)
        acts = [event.action_taken for event in await running.rows.log("t1") if event.HasField("action_taken")]
        assert {act.decided_by for act in acts} == {events_pb2.DECIDED_BY_CLOCK}
