"""Delayed views: spectators and directors see the table as it stood, and nothing tells how it stands."""

import random
from collections.abc import Callable, Sequence
from typing import Any

import grpc
import pytest

from gouji.serving.errors import ServiceError, refusal_of
from gouji.serving.testing import until
from gouji.table.behind import Behind, delay_of
from gouji.table.projection import DIRECTOR, project
from gouji.table.table import Table
from gouji.table.views import Views
from gouji.v1 import rules_pb2, table_pb2
from gouji.v1.events_pb2 import Event

HELD = ["KK3", "AA5599", "344", "224567", "3", "35"]
HOUR_MS = 3_600_000


def shown_by_moves(log: Sequence[Event], moves: int) -> int:
    """Count the events of a log that so many moves have followed; all of one that has ended."""
    if log and log[-1].HasField("match_ended"):
        return len(log)
    count = 0
    for n in range(len(log)):
        if sum(event.HasField("action_taken") for event in log[n + 1 :]) >= moves:
            count = n + 1
    return count


async def finished_log(serve: Any) -> list[Event]:
    async with serve() as running:
        await running.rows.place("t1")
        await running.player("stranger").events("t1")
        return await running.rows.log("t1")


async def test_a_view_shows_each_event_when_so_many_moves_have_followed_and_as_it_was_then(serve_sqlite: Any) -> None:
    log = await finished_log(serve_sqlite)
    behind, plain = Behind("t1", None, rules_pb2.Delay(moves=3)), Table("t1")
    behind.catch_up([])
    watcher, moment = await behind.join(None, 0)
    assert (moment.last_sequence, moment.HasField("observation"), list(moment.seats)) == (0, False, [])
    seen: list[Event] = []
    for count, event in enumerate(log, start=1):
        behind.put(event)
        behind.put(event)
        behind.release(event.at.ToMicroseconds())
        seen += [shown.event for shown in watcher.take()]
        assert behind.shown == len(seen) == shown_by_moves(log[:count], 3)
    expected = []
    for event in log:
        plain.fold(event)
        expected.append(project(event, None, plain.asking))
    assert seen == expected
    assert behind.done


async def test_a_view_shows_each_event_after_its_time(serve_sqlite: Any) -> None:
    log = (await finished_log(serve_sqlite))[:40]
    begun = log[0].at.ToMicroseconds()
    for n, event in enumerate(log):
        event.at.FromMicroseconds(begun + n * 1_000_000)
    behind = Behind("t1", None, rules_pb2.Delay(milliseconds=5000))
    behind.put(log[-1])  # what comes before the log is read waits for it
    behind.catch_up(log)
    for second in range(len(log)):
        behind.release(begun + second * 1_000_000 - 1)
        assert behind.shown == max(second - 5, 0)
    behind.release(begun + 60_000_000)
    assert behind.shown == len(log)


def test_who_is_behind_and_how_far() -> None:
    spec = table_pb2.TableSpec()
    for viewer in (None, *range(6)):
        assert delay_of(spec, viewer, 60) is None
    usual = delay_of(spec, DIRECTOR, 60)
    assert usual is not None
    assert (usual.moves, usual.milliseconds) == (0, 60_000)
    spec.spectator_delay.moves = 2
    spec.director_delay.milliseconds = 7
    assert delay_of(spec, None, 60) == spec.spectator_delay
    assert delay_of(spec, DIRECTOR, 60) == spec.director_delay
    assert delay_of(spec, 3, 60) is None


async def resume_at(stream: Any) -> str:
    with pytest.raises(grpc.aio.AioRpcError) as failed:
        await stream.read()
    refusal = refusal_of(failed.value)
    assert refusal is not None
    assert refusal.reason == "resume_from"
    return refusal.metadata["from_sequence"]


async def test_spectators_are_never_told_of_what_they_may_not_see_yet(
    serve: Any, fixed_deal: Callable[..., None]
) -> None:
    fixed_deal(HELD)
    chance = random.Random(4)
    async with serve(answers_least_ms=0, answers_most_ms=0, heartbeat_seconds=1) as running:
        await running.rows.place("t1", people=6, spectator_delay=rules_pb2.Delay(moves=2), rules={"revolution": "off"})
        watching = running.player("stranger").watch("t1")
        first = await watching.read()
        assert (list(first.batch.events), first.batch.last_sequence, first.HasField("snapshot")) == ([], 0, False)
        assert not first.start.HasField("opened")
        told: list[int] = []
        for n in range(12):
            seats = [f"p{seat}" for seat in range(6)]
            asked = [who for who in seats if (await running.player(who).observe("t1")).turn.question]
            if asked:
                turn, action = await running.player(asked[0]).legal("t1", chance)
                await running.player(asked[0]).act("t1", turn, action, f"c{n}")
            seen = await running.player("stranger").observe("t1")
            own = await running.player("p0").observe("t1", spectate=True)
            log = await running.rows.log("t1")
            may = shown_by_moves(log, 2)
            for moment in (seen, own):
                assert moment.last_sequence <= may
                assert moment.turn.number <= moment.last_sequence
                assert not moment.observation.cards
            told.append(seen.last_sequence)
            assert int(await resume_at(running.player("stranger").watch("t1", may + 2))) <= may + 1
        assert max(told) > 2
        assert (await running.player("p0").observe("t1")).last_sequence > max(told)
        events: list[Event] = []
        while len(events) < max(told):
            batch = (await watching.read()).batch
            events += batch.events
            assert batch.last_sequence == len(events)
            assert len(events) <= shown_by_moves(await running.rows.log("t1"), 2)
        assert [event.sequence for event in events] == list(range(1, len(events) + 1))
        watching.cancel()


async def test_a_match_that_is_over_is_not_to_those_who_are_behind(serve: Any) -> None:
    delays = {
        "spectator_delay": rules_pb2.Delay(milliseconds=HOUR_MS),
        "director_delay": rules_pb2.Delay(milliseconds=0),
    }
    async with serve(heartbeat_seconds=1) as running:
        await running.rows.place("t1", **delays)
        directed = running.director().watch("t1")
        seen = [event async for message in directed for event in message.batch.events]
        assert seen[-1].HasField("match_ended")
        (dealt,) = (event.hand_dealt for event in seen if event.HasField("hand_dealt"))
        assert [len(hand.cards) for hand in dealt.hands] == [36] * 6
        row = await running.rows.table("t1")
        assert (row.state, row.owner) == ("over", running.host._lease.server_id)
        for who in (running.player("stranger"), running.operator()):
            moment = await who.observe("t1")
            assert moment == table_pb2.ObserveResponse(turn=moment.turn)
            assert not moment.presence
            assert moment.turn.number == 0
            stream = who.watch("t1", stay=True)
            for _ in range(2):
                message = await stream.read()
                assert (list(message.batch.events), message.batch.last_sequence) == ([], 0)
                assert not message.HasField("snapshot")
            stream.cancel()
            assert await resume_at(who.watch("t1", 5)) == "1"


async def test_directors_are_behind_unless_the_table_says_otherwise(
    serve_sqlite: Any, fixed_deal: Callable[..., None]
) -> None:
    fixed_deal(HELD)
    async with serve_sqlite(director_delay_seconds=3600) as running:
        await running.rows.place("t1", people=6)
        await running.rows.place("t2", people=6, director_delay=rules_pb2.Delay())
        seen = await running.director().observe("t1")
        assert (seen.last_sequence, list(seen.hands)) == (0, [])
        message = await running.director().watch("t2").read()
        seen = await running.director().observe("t2")
        for hands in (message.start.hands, seen.hands):
            assert [len(hand.cards) for hand in hands] == list(map(len, HELD))
        assert not (await running.director().observe("t2", spectate=True)).hands
        assert not (await running.operator().observe("t2")).hands
        with pytest.raises(grpc.aio.AioRpcError) as failed:
            await running.director().act("t2", *(await running.player("p0").legal("t2", random.Random(1))))
        assert failed.value.code() == grpc.StatusCode.PERMISSION_DENIED


async def test_a_delayed_view_that_fails_ends_its_watchers(serve_sqlite: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    async with serve_sqlite() as running:
        await running.rows.place("t1", people=6, spectator_delay=rules_pb2.Delay(milliseconds=HOUR_MS))
        watching = running.player("stranger").watch("t1")
        messages = aiter(watching)
        await anext(messages)

        def fail(_behind: Behind, _now: int) -> int:
            raise RuntimeError

        monkeypatch.setattr(Behind, "release", fail)
        with pytest.raises(grpc.aio.AioRpcError) as failed:
            [_ async for _ in messages]
        refusal = refusal_of(failed.value)
        assert refusal is not None
        assert refusal.reason == "internal"


async def test_a_view_that_is_first_wanted_when_all_may_be_shown_ends_its_watchers(serve_sqlite: Any) -> None:
    async with serve_sqlite() as running:
        await running.rows.place("t1", length={"hands": 1}, bot_pace_ms=1, spectator_delay=rules_pb2.Delay(moves=1))
        await running.service().open("t1")
        live = await running.host.find("t1")
        # Found while the match went on, looked at when its last event was in the log.
        await until(lambda: live.table.over and not live.writing, 60)
        behind = await Views(running.app, running.host._store, running.host._metrics).of("t1", live, None)
        watcher, moment = await behind.join(None, 1)
        assert moment.last_sequence == len(await running.rows.log("t1"))
        assert not watcher.check()


async def test_views_that_are_closed_send_their_watchers_elsewhere(serve_sqlite: Any) -> None:
    async with serve_sqlite() as running:
        await running.rows.place("t1", people=6, spectator_delay=rules_pb2.Delay(milliseconds=HOUR_MS))
        await running.service().open("t1")
        views = Views(running.app, running.host._store, running.host._metrics)
        behind = await views.of("t1", await running.host.find("t1"), None)
        watcher, _ = await behind.join(None, 0)
        await views.close()
        with pytest.raises(ServiceError) as told:
            watcher.check()
        assert told.value.reason == "draining"
