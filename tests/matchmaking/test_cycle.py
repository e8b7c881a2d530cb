"""The cycle on both databases, its time driven by hand."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from prometheus_client import CollectorRegistry

from gouji.matchmaking.cycle import Cycle, positions_of
from gouji.matchmaking.metrics import MatchmakingMetrics
from gouji.matchmaking.policy import Waiting
from gouji.matchmaking.tickets import Ticket
from gouji.matchmaking.wakeups import Wakeups
from gouji.matchmaking.watches import View, Watches
from gouji.serving.clock import microseconds
from gouji.serving.errors import ServiceError
from gouji.serving.settings import Settings
from gouji.serving.testing import ManualClock

Make = Callable[..., Ticket]


class Room:
    """A cycle and what it works with, as one process has it."""

    def __init__(self, books: Any, settings: Settings, clock: ManualClock) -> None:
        self.books = books
        self.clock = clock
        self.watches = Watches()
        self.registry = CollectorRegistry()
        metrics = MatchmakingMetrics(self.registry)
        wakeups = Wakeups(None, None, books.store.addresses)  # type: ignore[arg-type]
        self.cycle = Cycle(books.store, self.watches, wakeups, metrics, clock=clock, settings=settings)

    async def queue(self, *tickets: Ticket) -> None:
        for ticket in tickets:
            await self.books.store.enqueue(ticket)

    @property
    def now(self) -> int:
        return microseconds(self.clock.now())

    def sample(self, name: str, **labels: str) -> float | None:
        return self.registry.get_sample_value(name, labels)


@pytest.fixture
def room(books: Any, settings: Settings) -> Room:
    return Room(books, settings, ManualClock())


async def test_six_people_get_a_table_in_one_look(room: Room, make_ticket: Make) -> None:
    await room.queue(*(make_ticket(n, at=room.now) for n in range(7)))
    [made] = await room.cycle.turn()
    assert made.players.keys() == {f"p{n}" for n in range(6)}
    assert await room.cycle.turn() == []
    assert room.sample("gouji_tables_placed_total", kind="people") == 1
    assert room.sample("gouji_ticket_wait_seconds_count", kind="people") == 6
    assert room.sample("gouji_tickets_waiting") == 1


async def test_bots_fill_when_the_time_has_come_and_not_before(room: Room, make_ticket: Make) -> None:
    await room.queue(*(make_ticket(n, at=room.now) for n in range(3)))
    await room.clock.advance(9.9)
    assert await room.cycle.turn() == []
    await room.clock.advance(0.1)
    [made] = await room.cycle.turn()
    assert sum(bool(seat.bot_level) for seat in made.spec.seats) == 3
    assert {seat.name for seat in made.spec.seats if seat.player_id} == {"P0", "P1", "P2"}
    assert made.spec.bot_pace_ms == 600
    assert room.sample("gouji_ticket_wait_seconds_sum", kind="bots") == pytest.approx(30)


async def test_a_ticket_that_nobody_watches_lapses(room: Room, make_ticket: Make) -> None:
    await room.queue(make_ticket(1, at=room.now, bots_after_ms=None))
    await room.clock.advance(29.9)
    await room.cycle.turn()
    assert await room.books.states("t1") == ["waiting"]
    await room.clock.advance(0.1)
    await room.cycle.turn()
    assert await room.books.states("t1") == ["lapsed"]


async def test_a_watched_ticket_waits_until_its_watcher_has_been_gone_for_a_lease(
    room: Room, make_ticket: Make
) -> None:
    ticket = make_ticket(1, at=room.now, bots_after_ms=None)
    await room.queue(ticket)
    with room.watches.follow(View(ticket, 1)):
        for _ in range(30):
            await room.clock.advance(5)
            await room.cycle.turn()
        assert await room.books.states("t1") == ["waiting"]
    await room.clock.advance(31)
    await room.cycle.turn()
    assert await room.books.states("t1") == ["lapsed"]


async def test_watchers_are_told_of_their_place_and_of_the_end(room: Room, make_ticket: Make) -> None:
    first, second = (make_ticket(n, at=room.now + n, bots_after_ms=None) for n in range(2))
    await room.queue(first, second)
    with room.watches.follow(View(first, 1)) as ahead, room.watches.follow(View(second, 2)) as behind:
        await room.books.store.cancel("t0")
        await room.cycle.turn()
        assert ((await ahead.next(1)).ticket.state, ahead.view.position) == ("cancelled", 0)
        assert ((await behind.next(1)).ticket.state, behind.view.position) == ("waiting", 1)
    assert not room.watches.ticket_ids


async def test_all_watchers_of_a_ticket_are_told_that_it_is_matched(room: Room, make_ticket: Make) -> None:
    ticket = make_ticket(1, at=room.now, bots_after_ms=0)
    await room.queue(ticket)
    with room.watches.follow(View(ticket, 1)) as one, room.watches.follow(View(ticket, 1)) as other:
        [made] = await room.cycle.turn()
        for watch in (one, other):
            view = await watch.next(1)
            assert (view.ticket.state, view.ticket.table_id) == ("matched", made.table_id)
            assert made.players == {"p1": view.ticket.seat}


async def test_without_change_the_same_is_shown_again_as_a_heart_beat(room: Room, make_ticket: Make) -> None:
    ticket = make_ticket(1, at=room.now)
    await room.queue(ticket)
    with room.watches.follow(View(ticket, 1)) as watch:
        await room.cycle.turn()
        assert await watch.next(0.01) == View(ticket, 1)


async def test_closing_ends_the_watches(room: Room, make_ticket: Make) -> None:
    with room.watches.follow(View(make_ticket(1), 1)) as watch:
        await room.watches.close()
        with pytest.raises(ServiceError) as caught:
            await watch.next(1)
    assert caught.value.reason == "draining"


async def test_two_processes_make_each_table_once(books: Any, settings: Settings, make_ticket: Make) -> None:
    clock = ManualClock()
    rooms = [Room(books, settings, clock) for _ in range(2)]
    for start in range(0, 60, 12):
        await rooms[0].queue(*(make_ticket(n, at=rooms[0].now + n) for n in range(start, start + 12)))
        made = await asyncio.gather(*(room.cycle.turn() for room in rooms))
        assert sum(len(some) for some in made) == 2
    assert len(await books.seats()) == 60
    lost = sum(room.sample("gouji_claims_lost_total") or 0 for room in rooms)
    assert lost <= 10


async def test_a_new_ticket_ends_the_pause(room: Room, make_ticket: Make) -> None:
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
    ticket = Waiting("t1", "local/quick", (), False, (), "", 0, None)
    second = ticket._replace(ticket_id="t2", queue="local/long")
    assert positions_of([ticket, second, ticket._replace(ticket_id="t3")]) == {"t1": 1, "t2": 1, "t3": 2}
