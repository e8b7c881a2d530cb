"""Watchers: bounded, in order, and ended in good order."""

import asyncio

import pytest

from gouji.serving.errors import ServiceError
from gouji.table.refusals import resume_from
from gouji.table.watch import SPREAD_MS, Watcher, Watchers
from gouji.v1.events_pb2 import Event


def event(sequence: int) -> Event:
    return Event(sequence=sequence)


def test_what_is_pending_comes_together_and_in_order() -> None:
    watcher = Watcher(None, first=3)
    for sequence in (1, 2, 3, 4, 5):
        watcher.put(event(sequence))
    assert [entry.sequence for entry in watcher.take()] == [3, 4, 5]
    assert watcher.take() == []


def test_a_watcher_that_falls_behind_ends_with_the_next_event_it_wants() -> None:
    watcher = Watcher(0, first=7, most_pending=2)
    for sequence in (7, 8):
        watcher.put(event(sequence))
    assert watcher.take()
    for sequence in (9, 10, 11, 12):
        watcher.put(event(sequence))
    assert watcher.ended
    assert watcher.take() == []
    with pytest.raises(ServiceError) as refused:
        watcher.check()
    assert (refused.value.reason, refused.value.metadata) == ("resume_from", {"from_sequence": "9"})


def test_an_ended_stream_gives_what_is_pending_first() -> None:
    watcher = Watcher(0, first=1)
    watcher.put(event(1))
    watcher.end(resume_from(2))
    watcher.put(event(2))
    watcher.end()
    assert watcher.check()
    assert [entry.sequence for entry in watcher.take()] == [1]
    with pytest.raises(ServiceError):
        watcher.check()


async def test_waiting_ends_with_an_event_an_end_or_the_time() -> None:
    watcher = Watcher(0, first=1)
    assert not await watcher.wait(0.001)
    watcher.put(event(1))
    assert await watcher.wait(60)
    watcher.take()
    watcher.end()
    assert await watcher.wait(60)
    assert not watcher.check()


async def test_a_stream_that_is_cancelled_as_an_event_comes_is_cancelled() -> None:
    watcher = Watcher(0, first=1)
    waiting = asyncio.create_task(watcher.wait(60))
    await asyncio.sleep(0)
    watcher.put(event(1))
    waiting.cancel()
    await asyncio.wait([waiting])
    assert waiting.cancelled()


def test_an_event_is_made_once_for_each_seat_and_slow_watchers_are_dropped() -> None:
    watchers, made = Watchers(), []
    quick = [Watcher(0, first=1), Watcher(0, first=1), Watcher(None, first=1)]
    slow = Watcher(1, first=1, most_pending=0)
    for watcher in (*quick, slow):
        watchers.add(watcher)

    def project(viewer: int | None) -> Event:
        made.append(viewer)
        return event(1)

    assert watchers.show(project) == 1
    assert sorted(made, key=str) == [0, 1, None]
    assert (len(watchers), watchers.watches(0), watchers.watches(1)) == (3, True, False)
    assert all(watcher.take() for watcher in quick)
    watchers.end()
    assert not len(watchers)
    assert not any(watcher.check() for watcher in quick)


def test_watchers_of_a_table_that_moves_are_told_where_and_spread_out() -> None:
    watchers = Watchers()
    six = [Watcher(seat, first=1) for seat in range(6)]
    for watcher in six:
        watchers.add(watcher)
    watchers.move(9, "there:1")
    assert len(watchers) == 0
    waits = []
    for watcher in six:
        with pytest.raises(ServiceError) as told:
            watcher.check()
        assert (told.value.reason, told.value.metadata) == ("resume_from", {"from_sequence": "9", "address": "there:1"})
        waits.append(told.value.retry_after_ms)
    assert sorted(waits) == [SPREAD_MS * n // 6 for n in range(6)]
