"""The cycle on both databases, its time driven by hand."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from gouji.matchmaking import watches
from gouji.matchmaking.policy import Level
from gouji.matchmaking.tickets import Ticket
from gouji.matchmaking.watches import View, positions_of
from gouji.serving.errors import ServiceError

Make = Callable[..., Ticket]
Rooms = Callable[..., Any]


@pytest.fixture
def room(rooms: Rooms) -> Any:
    return rooms(ready_seconds=0)


async def test_six_people_get_a_table_in_one_look(room: Any, make_ticket: Make) -> None:
    await room.queue(*(make_ticket(n, at=room.now) for n in range(7)))
    [made] = await room.turn()
    assert made.players.keys() == {f"p{n}" for n in range(6)}
    assert await room.turn() == []
    assert room.sample("gouji_tables_placed_total", kind="people") == 1
    assert room.sample("gouji_ticket_wait_seconds_count", kind="people") == 6
    assert room.sample("gouji_match_unevenness_bucket", kind="people", le="0.01") == 1
    assert room.sample("gouji_match_spread_count", kind="people") == 1
    assert room.sample("gouji_tickets_waiting") == 1


async def test_bots_fill_when_the_time_has_come_and_not_before(room: Any, make_ticket: Make) -> None:
    await room.queue(*(make_ticket(n, at=room.now) for n in range(3)))
    await room.clock.advance(9.9)
    assert await room.turn() == []
    await room.clock.advance(0.1)
    [made] = await room.turn()
    assert sum(bool(seat.bot_level) for seat in made.spec.seats) == 3
    assert {seat.name for seat in made.spec.seats if seat.player_id} == {"P0", "P1", "P2"}
    assert made.spec.bot_pace_ms == 600
    assert room.sample("gouji_ticket_wait_seconds_sum", kind="bots") == pytest.approx(30)


async def test_bots_are_chosen_by_what_they_have_earned_by_now(room: Any, make_ticket: Make) -> None:
    levels = []
    for number, rating in enumerate((10.0, 24.0)):
        room.bots["standard"] = (Level("random", rating), Level("greedy", 32.0))
        await room.queue(make_ticket(number, at=room.now, bots_after_ms=0))
        [made] = await room.turn()
        levels.append({seat.bot_level for seat in made.spec.seats} - {""})
    assert levels == [{"greedy"}, {"random"}]


async def test_a_ticket_that_nobody_watches_lapses(room: Any, make_ticket: Make) -> None:
    await room.queue(make_ticket(1, at=room.now, bots_after_ms=None))
    await room.clock.advance(29.9)
    await room.turn()
    assert await room.books.states("t1") == ["waiting"]
    await room.clock.advance(0.1)
    await room.turn()
    assert await room.books.states("t1") == ["lapsed"]


async def test_a_watched_ticket_waits_until_its_watcher_has_been_gone_for_a_lease(room: Any, make_ticket: Make) -> None:
    ticket = make_ticket(1, at=room.now, bots_after_ms=None)
    await room.queue(ticket)
    with room.watches.follow(View(ticket, 1)):
        for _ in range(30):
            await room.clock.advance(5)
            await room.turn()
        assert await room.books.states("t1") == ["waiting"]
    await room.clock.advance(31)
    await room.turn()
    assert await room.books.states("t1") == ["lapsed"]


async def test_watchers_are_told_of_their_place_and_of_the_end(room: Any, make_ticket: Make) -> None:
    first, second = (make_ticket(n, at=room.now + n, bots_after_ms=None) for n in range(2))
    await room.queue(first, second)
    with room.watches.follow(View(first, 1)) as ahead, room.watches.follow(View(second, 2)) as behind:
        await room.books.store.cancel("t0")
        await room.turn()
        assert ((await ahead.next(1)).ticket.state, ahead.view.position) == ("cancelled", 0)
        assert ((await behind.next(1)).ticket.state, behind.view.position) == ("waiting", 1)
    assert not room.watches.ticket_ids


async def test_in_a_long_queue_the_end_is_told_at_once_and_places_now_and_then(
    room: Any, make_ticket: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watches, "SHORT", 0)
    first, second, third = (make_ticket(n, at=room.now + n, bots_after_ms=None) for n in range(3))
    await room.queue(first, second)
    with room.watches.follow(View(first, 1)) as ahead, room.watches.follow(View(second, 2)) as behind:
        await room.turn()
        await room.books.store.cancel("t0")
        await room.queue(third)
        with room.watches.follow(View(third, 3)) as last:
            await room.turn()
            assert ((await ahead.next(1)).ticket.state, ahead.view.position) == ("cancelled", 0)
            assert (behind.view.position, last.view.position) == (2, 3)
            await room.clock.advance(watches.PLACES_SECONDS)
            await room.turn()
            assert ((await behind.next(1)).position, (await last.next(1)).position) == (1, 2)


async def test_all_watchers_of_a_ticket_are_told_that_it_is_matched(room: Any, make_ticket: Make) -> None:
    ticket = make_ticket(1, at=room.now, bots_after_ms=0)
    await room.queue(ticket)
    with room.watches.follow(View(ticket, 1)) as one, room.watches.follow(View(ticket, 1)) as other:
        [made] = await room.turn()
        for watch in (one, other):
            view = await watch.next(1)
            assert (view.ticket.state, view.ticket.table_id) == ("matched", made.table_id)
            assert made.players == {"p1": view.ticket.members[0].seat}


async def test_without_change_the_same_is_shown_again_as_a_heart_beat(room: Any, make_ticket: Make) -> None:
    ticket = make_ticket(1, at=room.now)
    await room.queue(ticket)
    with room.watches.follow(View(ticket, 1)) as watch:
        await room.turn()
        assert await watch.next(0.01) == View(ticket, 1)


async def test_closing_ends_the_watches(room: Any, make_ticket: Make) -> None:
    with room.watches.follow(View(make_ticket(1), 1)) as watch:
        await room.watches.close()
        with pytest.raises(ServiceError) as caught:
            await watch.next(1)
    assert caught.value.reason == "draining"


async def test_one_process_makes_a_queues_matches_and_another_when_it_has_gone(rooms: Rooms, make_ticket: Make) -> None:
    one, other = rooms(ready_seconds=0), rooms(ready_seconds=0)
    await one.queue(*(make_ticket(n, at=one.now) for n in range(13)))
    assert len(await one.turn()) == 2
    await one.queue(*(make_ticket(n, at=one.now) for n in range(20, 26)))
    assert await other.turn() == []
    assert (one.sample("gouji_queues_held"), other.sample("gouji_queues_held")) == (1, 0)
    await one.cycle.release()
    assert len(await other.turn()) == 1
    assert await one.turn() == []


async def test_a_queue_whose_process_died_is_taken_when_its_lease_is_over(rooms: Rooms, make_ticket: Make) -> None:
    dead, other = (rooms(ready_seconds=0, queue_lease_seconds=1) for _ in range(2))
    await dead.turn()
    await dead.queue(make_ticket(1, at=dead.now, bots_after_ms=None))
    await dead.turn()
    await dead.queue(*(make_ticket(n, at=dead.now) for n in range(2, 8)))
    assert await other.turn() == []

    async def taken_over() -> bool:
        return bool(await other.turn())

    assert await other.books.come_true(taken_over)


async def test_many_processes_make_each_table_once(rooms: Rooms, make_ticket: Make) -> None:
    several = [rooms(ready_seconds=0) for _ in range(3)]
    for start in range(0, 48, 12):
        await several[0].queue(*(make_ticket(n, at=several[0].now + n) for n in range(start, start + 12)))
        made = await asyncio.gather(*(room.turn() for room in several))
        assert sum(len(some) for some in made) == 2
        await several[start // 12 % 3].cycle.release()
    assert len(await several[0].books.seats()) == 48


async def test_a_paused_queue_makes_no_matches_until_it_goes_on(room: Any, make_ticket: Make) -> None:
    await room.queue(*(make_ticket(n, at=room.now) for n in range(6)))
    await room.books.queues.pause("local/quick", "repairs", "op")
    assert await room.turn() == []
    with pytest.raises(ServiceError) as caught:
        await room.queue(make_ticket(7, at=room.now))
    assert caught.value.reason == "queue_paused"
    await room.books.queues.resume("local/quick")
    assert len(await room.turn()) == 1


async def test_people_are_told_how_long_others_waited(room: Any, make_ticket: Make) -> None:
    await room.queue(*(make_ticket(n, at=room.now - 4_000_000) for n in range(6)))
    await room.turn()
    ticket = make_ticket(9, at=room.now, bots_after_ms=None)
    await room.queue(ticket)
    with room.watches.follow(View(ticket, 0)) as watch:
        await room.turn()
        assert (await watch.next(1)).expected == 4_000_000


async def test_what_ended_long_ago_is_swept_away(room: Any, make_ticket: Make) -> None:
    await room.queue(*(make_ticket(n, at=room.now) for n in range(6)), make_ticket(7, at=room.now))
    await room.turn()
    await room.clock.advance(86_400 + 31)
    await room.turn()
    left = await room.books.store.many([f"t{n}" for n in range(8)])
    assert [ticket.state for ticket in left.values()] == ["lapsed"]
    assert await room.books.queues.find_matches("", 9) == []


async def test_a_new_ticket_ends_the_pause(room: Any, make_ticket: Make) -> None:
    async def seated() -> bool:
        return bool(await room.books.seats())

    running = asyncio.create_task(room.cycle.run())
    try:
        await room.queue(*(make_ticket(n, at=room.now) for n in range(6)))
        room.cycle.wake()
        assert await room.books.come_true(seated)
    finally:
        running.cancel()


def test_places_are_counted_in_each_queue() -> None:
    line = [("local/quick", "t1"), ("local/long", "t2"), ("local/quick", "t3")]
    assert dict(positions_of(line)) == {"t1": 1, "t2": 1, "t3": 2}
