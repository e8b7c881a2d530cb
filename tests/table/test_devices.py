"""Several devices of one player: all see, the newest acts."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import grpc
import pytest

from gouji.engine import Action
from gouji.serving.errors import ServiceError, reason_of
from gouji.serving.testing import until
from gouji.table.devices import MOST_DEVICES, Devices
from gouji.v1 import table_pb2
from gouji.wire import action_to_proto

LEAD = Action.parse("0 play KK")


def came(*devices: str) -> Devices:
    made = Devices()
    for device in devices:
        made.come(0, device, take_over=False)
    return made


def test_of_the_devices_that_watch_the_one_that_came_last_acts() -> None:
    devices = came("a", "b", "a")
    assert [devices.may_act(0, device, {"a", "b"}) for device in "ab"] == [False, True]
    assert [devices.may_act(0, device, {"a"}) for device in "ab"] == [True, False]
    assert all(devices.may_act(0, device, set()) for device in "abc")
    assert devices.may_act(1, "c", {"c"})
    devices.come(0, "a", take_over=True)
    assert [devices.may_act(0, device, {"a", "b"}) for device in "ab"] == [True, False]


def test_a_seat_remembers_so_many_devices() -> None:
    devices = came(*(str(n) for n in range(MOST_DEVICES + 1)))
    assert devices.may_act(0, "x", {"0"})
    assert not devices.may_act(0, "x", {"1"})


def lead(device: str, command_id: str = "c1", turn: int = 1) -> table_pb2.ActRequest:
    action = action_to_proto(LEAD)
    return table_pb2.ActRequest(table_id="t1", command_id=command_id, turn=turn, action=action, device=device)


async def test_an_older_device_is_told_that_another_acts_and_may_take_over(
    serve_sqlite: Any, fixed_deal: Callable[..., None]
) -> None:
    fixed_deal(["KK3", "AAw5599", "3", "224567", "3", "3"])
    async with serve_sqlite(answers_least_ms=60_000, answers_most_ms=60_000) as running:
        await running.rows.place("t1", people=6)
        player = running.player("p0")
        old = player.watch("t1", device="old")
        await old.read()
        new = player.watch("t1", device="new")
        await new.read()

        async def refused(request: table_pb2.ActRequest) -> str | None:
            with pytest.raises(grpc.aio.AioRpcError) as failed:
                await player.send(request)
            return reason_of(failed.value)

        before = await running.rows.log("t1")
        assert await refused(lead("old")) == "other_device"
        assert await refused(lead("")) == "other_device"
        assert await refused(lead("x" * 65)) == "malformed"
        assert await running.rows.log("t1") == before
        again = player.watch("t1", device="old")
        await again.read()
        assert await refused(lead("old")) == "other_device"
        claimed = player.watch("t1", device="old", take_over=True)
        await claimed.read()
        assert await refused(lead("new")) == "other_device"
        done = await player.send(lead("old"))
        # Whichever device asks, what was done is done.
        repeated = await player.send(lead("new"))
        assert (repeated.outcome, repeated.sequence) == (table_pb2.OUTCOME_DUPLICATE, done.sequence)
        live = await running.host.find("t1")
        for stream in (old, again, claimed):
            stream.cancel()
        await until(lambda: live.watchers.devices(0) == {"new"})
        assert await refused(lead("new", "c2", 9)) == "stale_turn"
        new.cancel()


async def test_an_older_device_neither_takes_the_seat_back_nor_leaves(serve_sqlite: Any) -> None:
    async with serve_sqlite() as running:
        await running.rows.place("t1", people=6)
        player = running.player("p0")
        for device in ("old", "new"):
            await player.watch("t1", device=device).read()

        async def take_seat(device: str) -> int:
            request = table_pb2.TakeSeatRequest(table_id="t1", device=device)
            return int((await player.stub.TakeSeat(request, metadata=player.metadata)).sequence)

        async def leave(device: str) -> int:
            request = table_pb2.LeaveRequest(table_id="t1", device=device)
            return int((await player.stub.Leave(request, metadata=player.metadata)).sequence)

        async def refused(call: Awaitable[int]) -> str | None:
            with pytest.raises(grpc.aio.AioRpcError) as failed:
                await call
            return reason_of(failed.value)

        before = await running.rows.log("t1")
        assert [await refused(take_seat("old")), await refused(leave("old"))] == ["other_device"] * 2
        assert [await refused(take_seat("x" * 65)), await refused(leave("x" * 65))] == ["malformed"] * 2
        assert await running.rows.log("t1") == before
        assert await take_seat("new") == 0
        assert await leave("new") > before[-1].sequence
        # Nobody watches the seat any more: whichever device asks, it has left.
        assert await leave("old") == 0
        assert await refused(take_seat("old")) == "seat_left"


async def test_a_watch_may_begin_at_the_table_as_it_is_and_does_when_it_is_too_far_behind(serve_sqlite: Any) -> None:
    async with serve_sqlite(replay_events=20) as running:
        await running.rows.place("t1")
        await running.player("stranger").events("t1", stay=True)
        log = await running.rows.log("t1")
        last = len(log)
        for first, request, begins in ((1, {}, last + 1), (last - 19, {}, last - 19), (last - 20, {}, last + 1)):
            message = await running.player("stranger").watch("t1", first, **request).read()
            assert (message.start.from_sequence, message.batch.last_sequence) == (begins, last)
            assert [event.sequence for event in message.batch.events] == list(range(begins, last + 1))
            assert message.HasField("snapshot")
            assert message.start.opened.table_id == "t1"
        message = await running.player("stranger").watch("t1", last, from_now=True).read()
        assert (message.start.from_sequence, list(message.batch.events)) == (last + 1, [])


async def test_a_live_watch_from_now_goes_on_with_the_next_event(
    serve_sqlite: Any, fixed_deal: Callable[..., None]
) -> None:
    fixed_deal(["KK3", "AAw5599", "3", "224567", "3", "3"])
    async with serve_sqlite(answers_least_ms=60_000, answers_most_ms=60_000) as running:
        await running.rows.place("t1", people=6)
        player = running.player("p0")
        await player.observe("t1")
        stream = running.player("p1").watch("t1", from_now=True)
        message = await stream.read()
        assert not message.batch.events
        begins = message.start.from_sequence
        assert (begins, message.start.turn.seat_plus_one) == (message.batch.last_sequence + 1, 1)
        assert len(message.snapshot.cards) == 7
        await player.act("t1", 1, LEAD)
        events: list[Any] = []
        while not any(event.HasField("action_taken") for event in events):
            events += (await stream.read()).batch.events
        assert [event.sequence for event in events] == list(range(begins, begins + len(events)))
        stream.cancel()


async def test_who_comes_back_as_it_leaves_for_good_does_not_watch_from_its_old_seat(
    serve_sqlite: Any, hold_commits: Callable[[], asyncio.Event]
) -> None:
    async with serve_sqlite() as running:
        await running.rows.place("t1", people=6)
        await running.player("p0").watch("t1").read()
        live = await running.host.find("t1")
        await live.settled()
        may_commit = hold_commits()
        leaving = asyncio.create_task(live.leave_for_good(0))
        await until(lambda: live.writing)
        coming = asyncio.create_task(live.join(0, 1))
        await asyncio.sleep(0)
        may_commit.set()
        await leaving
        with pytest.raises(ServiceError) as sent_away:
            await coming
        assert (sent_away.value.reason, sent_away.value.metadata) == ("resume_from", {"from_sequence": "1"})
        assert not live.watchers.watches(0)
