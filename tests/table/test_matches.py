"""Whole matches over real gRPC: bots among themselves, people and bots, from the first event to scoring."""

import asyncio
import random
from typing import Any

import sqlalchemy as sa

from gouji.serving.schema import active_seats, hand_results
from gouji.serving.testing import until
from gouji.v1 import events_pb2, scoring_pb2
from gouji.v1.events_pb2 import Event


async def ended(running: Any, table_id: str) -> None:
    async with asyncio.timeout(60):
        while (await running.rows.table(table_id)).state != "over":
            await asyncio.sleep(0.02)


async def test_bots_play_a_match_to_the_end_and_scoring_has_every_hand(serve: Any) -> None:
    async with serve() as running:
        await running.rows.place("t1", length={"hands": 2})
        await running.service().open("t1")
        await ended(running, "t1")
        log = await running.rows.log("t1")
        assert [event.sequence for event in log] == list(range(1, len(log) + 1))
        assert log[0].HasField("table_opened")
        assert log[-1].HasField("match_ended")
        played = [event for event in log if event.HasField("hand_ended") and not event.hand_ended.voided]
        assert len(played) == 2

        async def recorded() -> bool:
            return len(await running.rows.all(sa.select(hand_results))) == 2

        async with asyncio.timeout(10):
            while not await recorded():
                await asyncio.sleep(0.05)
        results = await running.rows.all(sa.select(hand_results).order_by(hand_results.c.hand))
        messages = [scoring_pb2.HandResult.FromString(row.payload) for row in results]
        assert [list(message.scores) for message in messages] == [list(e.hand_ended.scores) for e in played]
        assert [message.last for message in messages] == [False, True]
        row = await running.rows.table("t1")
        assert (row.owner, bool(row.ended_at)) == (None, True)
