"""Watchers: bounded, in order, and ended in good order."""

import asyncio

import pytest

from gouji.serving.errors import ServiceError
from gouji.table.refusals import resume_from
from gouji.table.watch import SPREAD_MS, Guest, Shown, Watcher, Watchers
from gouji.v1.events_pb2 import Event, Said
from gouji.v1.table_pb2 import WatchResponse


def event(sequence: int) -> Event:
    return Event(sequence=sequence)


def shown(*sequences: int) -> list[Shown]:
    return [Shown(event(sequence)) for sequence in sequences]


def taken(watcher: Watcher) -> list[int]:
    return [one.event.sequence for one in watcher.take()]


def test_what_is_pending_comes_together_and_in_order() -> None:
    watcher = Watcher(None, first=3)
    for one in shown(1, 2, 3, 4, 5):
        watcher.put(one)
    assert watcher.taken == 2
    assert taken(watcher) == [3, 4, 5]
    assert watcher.taken == 5
    assert watcher.take() == []


def test_a_watcher_that_falls_behind_ends_with_the_next_event_it_wants() -> None:
    watcher = Watcher(0, first=7, most_pending=2)
    for one in shown(7, 8):
        watcher.put(one)
    assert watcher.take()
    for one in shown(9, 10, 11, 12):
        watcher.put(one)
    assert watcher.ended
    assert watcher.take() == []
    with pytest.raises(ServiceError) as refused:
        watcher.check()
    assert (refused.value.reason, refused.value.metadata) == ("resume_from", {"from_sequence": "9"})


def test_an_ended_stream_gives_what_is_pending_first() -> None:
    watcher = Watcher(0, first=1)
    watcher.put(*shown(1))
    watcher.end(resume_from(2))
    watcher.put(*shown(2))
    watcher.end()
    assert watcher.check()
    assert taken(watcher) == [1]
    with pytest.raises(ServiceError):
        watcher.check()


async def test_waiting_ends_with_an_event_an_end_or_the_time() -> None:
    watcher = Watcher(0, first=1)
    assert not await watcher.wait(0.001)
    watcher.put(*shown(1))
    assert await watcher.wait(60)
    watcher.take()
    watcher.end()
    assert await watcher.wait(60)
    assert not watcher.check()


async def test_a_stream_that_is_cancelled_as_an_event_comes_is_cancelled() -> None:
    watcher = Watcher(0, first=1)
    waiting = asyncio.create_task(watcher.wait(60))
    await asyncio.sleep(0)
    watcher.put(*shown(1))
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
    # One packing serves all who watch from a seat, and whoever else sees the same.
    assert len({id(one) for watcher in quick[:2] for one in watcher.take()}) == 1
    assert quick[2].take()
    watchers.end()
    assert not len(watchers)
    assert not any(watcher.check() for watcher in quick)


def test_who_sees_the_same_event_shares_its_bytes_and_several_make_one_message() -> None:
    watchers, events = Watchers(), [event(1), event(2)]
    three = [Watcher(0, first=1), Watcher(1, first=1), Watcher(None, first=1)]
    for watcher in three:
        watchers.add(watcher)
    for one in events:
        watchers.show(lambda _viewer, one=one: one)  # type: ignore[misc]
    waiting = [watcher.take() for watcher in three]
    assert waiting[0] == waiting[1] == waiting[2]
    packed = b"".join(one.packed for one in waiting[0])
    assert list(WatchResponse.FromString(packed).batch.events) == events


def test_who_has_muted_a_seat_gets_its_words_in_bytes_of_its_own() -> None:
    watchers, said = Watchers(), Event(sequence=1, said=Said(seat=3, phrase="well-played"))
    hearing, deaf = Watcher(0, first=1), Watcher(0, first=1, guest=Guest("p0", muted={3}))
    for watcher in (hearing, deaf):
        watchers.add(watcher)
    watchers.show(lambda _viewer: said)
    [heard], [hushed] = hearing.take(), deaf.take()
    assert heard.event.said.phrase == "well-played"
    assert b"well-played" in heard.packed
    assert b"well-played" not in hushed.packed


def test_watchers_of_a_table_that_moves_are_told_where_and_spread_out() -> None:
    watchers = Watchers()
    six = [Watcher(seat, first=1) for seat in range(6)]
    for watcher in six:
        watchers.add(watcher)
    watchers.move(9, "there", "there:1")
    assert len(watchers) == 0
    waits = []
    for watcher in six:
        with pytest.raises(ServiceError) as told:
            watcher.check()
        where = {"from_sequence": "9", "server_id": "there", "address": "there:1"}
        assert (told.value.reason, told.value.metadata) == ("resume_from", where)
        waits.append(told.value.retry_after_ms)
    assert sorted(waits) == [SPREAD_MS * n // 6 for n in range(6)]


@pytest.mark.parametrize("error", [None, resume_from(9)])
def test_who_comes_to_watchers_that_have_ended_is_ended_as_they_were(error: ServiceError | None) -> None:
    watchers = Watchers()
    watchers.end(error)
    late = Watcher(None, first=9)
    watchers.add(late)
    assert (late.ended, len(watchers)) == (True, 0)
    if error is None:
        assert not late.check()
    else:
        with pytest.raises(ServiceError) as told:
            late.check()
        assert told.value is error


def test_who_comes_to_a_table_that_has_moved_is_sent_after_it_at_once() -> None:
    watchers = Watchers()
    watchers.move(9, "there", "there:1")
    late = Watcher(None, first=9)
    watchers.add(late)
    with pytest.raises(ServiceError) as told:
        late.check()
    assert told.value.metadata == {"from_sequence": "9", "server_id": "there", "address": "there:1"}
    assert told.value.retry_after_ms == 0
