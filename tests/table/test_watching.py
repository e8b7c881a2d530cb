"""Watches over real gRPC: what they begin with, how they resume, and how they end."""

import asyncio
import random
from collections.abc import Callable
from typing import Any

import grpc
import pytest
from prometheus_client import generate_latest

from gouji.engine import Action
from gouji.serving.errors import reason_of
from gouji.serving.testing import until
from gouji.table import watch
from gouji.v1.events_pb2 import Event

ONE_BURNER = ["KK3", "AAw5599", "3", "224567", "3", "3"]
LEAD = Action.parse("0 play KK")


async def collect(stream: Any, count: int) -> list[Event]:
    """Read events until there are so many, then hang up."""
    events: list[Event] = []
    while len(events) < count:
        message = await stream.read()
        events += message.batch.events
    stream.cancel()
    return events


async def reason_at_end(stream: Any) -> str | None:
    """Read a stream to its end, and give the reason of the error."""

    async def drain() -> None:
        while await stream.read() is not grpc.aio.EOF:
            pass

    with pytest.raises(grpc.aio.AioRpcError) as failed:
        await drain()
    return reason_of(failed.value)


@pytest.fixture
async def people(serve: Any, fixed_deal: Callable[..., None]) -> Any:
    fixed_deal(ONE_BURNER)
    async with serve(answers_least_ms=60_000, answers_most_ms=60_000, heartbeat_seconds=1) as running:
        await running.rows.place("t1", people=6)
        await running.service().open("t1")
        yield running


async def test_a_watch_begins_with_a_snapshot_and_the_log_so_far(people: Any) -> None:
    stream = people.player("p0").watch("t1")
    first = await stream.read()
    assert len(first.snapshot.cards) == 3
    assert [event.sequence for event in first.batch.events] == [1, 2, 3]
    assert not first.batch.events[0].HasField("turn")
    assert first.batch.events[2].turn.seat_plus_one == 1
    assert first.batch.last_sequence == 3
    assert first.batch.HasField("now")
    second = await stream.read()
    assert not second.HasField("snapshot")
    stream.cancel()


async def test_a_watch_from_an_event_on_begins_there(people: Any) -> None:
    first = await people.player("p1").watch("t1", 2).read()
    assert first.batch.events[0].sequence == 2
    none = await people.player("p2").watch("t1", 5, spectate=True).read()
    assert list(none.batch.events) == []
    assert none.HasField("snapshot")
    assert await reason_at_end(people.player("p2").watch("t1", 99)) == "resume_from"


async def test_without_events_a_heart_beat_comes(people: Any) -> None:
    stream = people.operator().watch("t1")
    await stream.read()
    beat = await stream.read()
    assert list(beat.batch.events) == []
    assert beat.batch.last_sequence == 3
    stream.cancel()


async def test_spectators_see_no_cards_and_are_not_shown_as_present(people: Any) -> None:
    streams = [people.player("stranger").watch("t1"), people.operator().watch("t1")]
    streams.append(people.player("p0").watch("t1", spectate=True))
    for stream in streams:
        message = await stream.read()
        assert not message.snapshot.cards
        (dealt,) = (e.hand_dealt for e in message.batch.events if e.HasField("hand_dealt"))
        assert not any(hand.cards for hand in dealt.hands)
        stream.cancel()
    assert len(await people.rows.log("t1")) == 3


async def test_a_player_who_watches_is_shown_to_be_there_and_to_have_gone(people: Any) -> None:
    streams = [people.player("p3").watch("t1") for _ in range(2)]
    for stream in streams:
        await stream.read()
    seen = people.player("p4").watch("t1", 4)
    (came,) = (await collect(seen, 1))[:1]
    assert (came.seat_changed.seat, came.seat_changed.connected) == (3, True)
    streams[0].cancel()
    streams[1].cancel()
    events = await collect(people.operator().watch("t1", 5), 3)
    assert {(e.seat_changed.seat, e.seat_changed.connected) for e in events} == {
        (4, True),
        (3, False),
        (4, False),
    }


async def test_an_event_is_shown_to_each_seat_with_what_that_seat_is_asked(people: Any) -> None:
    streams = {seat: people.player(f"p{seat}").watch("t1", spectate=seat == 5) for seat in range(6)}
    for stream in streams.values():
        await stream.read()
    await people.player("p0").act("t1", 1, LEAD)
    for seat, stream in streams.items():
        events: list[Event] = []
        while not any(event.HasField("action_taken") for event in events):
            events += (await stream.read()).batch.events
        (taken,) = (event for event in events if event.HasField("action_taken"))
        assert taken.turn.answers_open
        assert taken.turn.seat_plus_one == (2 if seat == 1 else 0)
        stream.cancel()


async def test_streams_cut_at_random_resume_without_gap_or_repetition(serve: Any) -> None:
    async with serve() as running:
        await running.rows.place("t1", length={"hands": 1}, bot_pace_ms=1)
        await running.service().open("t1")

        async def follow(player: Any, chance: random.Random) -> list[Event]:
            events: list[Event] = []
            while not events or not events[-1].HasField("match_ended"):
                stream = player.watch("t1", len(events) + 1)
                wanted = chance.randrange(1, 60)
                async for message in stream:
                    events += message.batch.events
                    wanted -= 1
                    if wanted == 0:
                        stream.cancel()
                        break
            return events

        players = [running.operator(), running.player("stranger"), running.player("another")]
        async with asyncio.timeout(100):
            seen = await asyncio.gather(*(follow(p, random.Random(n)) for n, p in enumerate(players)))
        log = await running.rows.log("t1")
        for events in seen:
            assert [event.sequence for event in events] == list(range(1, len(log) + 1))
            assert [e.WhichOneof("body") for e in events] == [e.WhichOneof("body") for e in log]
        replayed = await running.operator().events("t1")
        for live, again in zip(seen[0], replayed, strict=True):
            live.ClearField("turn")
            assert live == again


async def test_a_watcher_that_does_not_read_is_dropped_and_others_go_on(
    serve_sqlite: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watch.Watcher.__init__, "__defaults__", (20,))
    async with serve_sqlite() as running:
        await running.rows.place("t1", bot_pace_ms=1)
        await running.service().open("t1")
        live = await running.host.find("t1")
        slow, _ = await live.join(None, 1)
        follower = asyncio.create_task(running.operator().events("t1"))
        await until(lambda: slow.ended, 60)
        assert slow not in live.watchers
        assert slow.take() == []
        with pytest.raises(Exception, match="Watch again from event"):
            slow.check()
        log_length = len(await follower)
        assert log_length == len(await running.rows.log("t1"))
        assert running.metric("gouji_table_watch_overflows_total") == 1


async def test_cancelled_watches_leave_nothing_behind(people: Any) -> None:
    live = await people.host.find("t1")
    for _ in range(10):
        streams = [people.player(f"p{n % 6}").watch("t1") for n in range(20)]
        await asyncio.gather(*(stream.read() for stream in streams))
        for stream in streams:
            stream.cancel()
    await until(lambda: len(live.watchers) == 0)
    assert people.metric("gouji_table_watchers") == 0
    assert people.metric("gouji_rpcs_open", service="gouji.v1.TableService", method="Watch") == 0


async def test_watches_end_well_with_the_match(serve_sqlite: Any) -> None:
    async with serve_sqlite() as running:
        await running.rows.place("t1")
        events = await running.player("stranger").events("t1")
        assert events[-1].HasField("match_ended")


async def test_who_begins_to_watch_as_the_match_ends_is_not_left_waiting(serve_sqlite: Any) -> None:
    async with serve_sqlite() as running:
        await running.rows.place("t1", length={"hands": 1}, bot_pace_ms=1)
        await running.service().open("t1")
        live = await running.host.find("t1")
        # Found while the match went on, joined when its last event was written.
        await until(lambda: live.table.over and not live.writing, 60)
        watcher, moment = await live.join(None, 1)
        assert moment.last_sequence == len(await running.rows.log("t1"))
        assert not watcher.check()


async def test_watches_are_sent_away_when_the_server_stops(serve_sqlite: Any, fixed_deal: Callable[..., None]) -> None:
    fixed_deal(ONE_BURNER)
    async with serve_sqlite() as running:
        await running.rows.place("t1", people=6)
        stream = running.player("p0").watch("t1")
        await stream.read()
        told = asyncio.create_task(reason_at_end(stream))
        await asyncio.sleep(0)
        await running.app.stop(grace=5)
        assert await told == "draining"


async def test_a_table_without_spectators_shows_itself_to_its_own_people_alone(serve: Any) -> None:
    async with serve() as running:
        await running.rows.place("t1", people=2, no_spectators=True)
        await running.service().open("t1")
        stranger, own = running.player("px"), running.player("p1")
        for request in ({}, {"spectate": True}):
            assert await reason_at_end(stranger.watch("t1", **request)) == "not_seated"
            with pytest.raises(grpc.aio.AioRpcError) as failed:
                await stranger.observe("t1", **request)
            assert reason_of(failed.value) == "not_seated"
            assert (await own.observe("t1", **request)).last_sequence
        assert (await running.operator().observe("t1", spectate=True)).last_sequence
        assert (await running.director().observe("t1", spectate=True)).last_sequence


async def test_watchers_can_be_counted_while_tables_come_and_go(serve_sqlite: Any) -> None:
    async with serve_sqlite() as running:
        await running.rows.place("t1", people=6)
        stream = running.player("p0").watch("t1")
        await stream.read()
        tables = running.host._tables
        (live,) = tables.values()

        class Coming:
            table = live.table

            @property
            def audience(self) -> int:
                tables["t2"] = live
                return live.audience

        tables["t0"] = Coming()
        page = generate_latest(running.app.metrics.registry).decode()
        assert "gouji_table_watchers 2.0" in page
        del tables["t0"], tables["t2"]
        stream.cancel()
