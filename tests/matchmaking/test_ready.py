"""What becomes of a match that has to be confirmed: decided, and done on both databases."""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import grpc
import pytest
import sqlalchemy as sa

from gouji.matchmaking.parties import Parties, Party
from gouji.matchmaking.policy import DEFAULT, Member, Waiting
from gouji.matchmaking.ready import Chair, Gathering, Verdict, next_step, pause_of
from gouji.matchmaking.tickets import Ticket
from gouji.serving.errors import ServiceError, reason_of
from gouji.serving.schema import players
from gouji.serving.settings import Settings
from gouji.serving.testing import until

Make = Callable[..., Ticket]
Rooms = Callable[..., Any]

SECOND = 1_000_000
PERIOD = 10


def chairs(*confirmed: bool, tickets: str = "abcdef") -> tuple[Chair, ...]:
    return tuple(Chair(n, f"p{n}", tickets[n], there, True) for n, there in enumerate(confirmed))


def gathering(*confirmed: bool, tickets: str = "abcdef", extended: bool = False) -> Gathering:
    seated = chairs(*confirmed, tickets=tickets)
    return Gathering("tb1", "R", "L", 25.0, 100, extended, frozenset(range(len(confirmed))), seated)


def single(
    name: str,
    avoids: str = "",
    *,
    bots_after: int | None = 0,
    rules: str = "R",
    rating: float = 25.0,
    latency_ms: int = 0,
) -> Waiting:
    member = Member(name, name, rating, 8.0, frozenset([avoids] if avoids else []), frozenset())
    return Waiting(f"t-{name}", "q", (member,), False, (rules,), "L", 0, bots_after, latency_ms)


def test_nothing_happens_before_the_time() -> None:
    assert next_step(gathering(True, False, True, True, True, True), [single("x")], 99) is None


def test_who_does_not_confirm_is_replaced_by_the_oldest_that_fits() -> None:
    match = gathering(True, True, False, True, True, True)
    step = next_step(match, [single("old", avoids="p1"), single("no", rules="X"), single("fits"), single("late")], 100)
    assert step is not None
    assert step.verdict is Verdict.PLACED
    assert [chair.player_id for chair in step.missed] == ["p2"]
    assert [(seat, ticket.ticket_id) for seat, ticket in step.taken] == [(2, "t-fits")]


@pytest.mark.parametrize("far", [{"rating": 25.0 + DEFAULT.band + 1}, {"latency_ms": 500, "bots_after": None}])
def test_who_is_too_far_off_replaces_nobody_before_it_has_waited(far: dict[str, Any]) -> None:
    match = gathering(True, True, False, True, True, True)
    soon, late = next_step(match, [single("far", **far)], 100), next_step(match, [single("far", **far)], 600 * SECOND)
    assert soon is not None
    assert late is not None
    assert [len(step.taken) for step in (soon, late)] == [0, 1]


def test_replacements_do_not_avoid_each_other() -> None:
    match = gathering(False, False, True, True, True, True)
    step = next_step(match, [single("x"), single("y", avoids="x"), single("z")], 100)
    assert step is not None
    assert [ticket.ticket_id for _, ticket in step.taken] == ["t-x", "t-z"]


def test_a_match_of_people_looks_one_period_longer_and_then_takes_bots() -> None:
    first = next_step(gathering(True, False, True, True, True, True), [], 100)
    assert first is not None
    assert (first.verdict, first.left) == (Verdict.GATHERING, (1,))
    later = replace(gathering(True, True, True, True, True, True, extended=True), ready_by=200)
    later = replace(later, chairs=tuple(chair for chair in later.chairs if chair.seat != 1))
    found = next_step(later, [single("x")], 150)
    assert found is not None
    assert (found.verdict, len(found.taken)) == (Verdict.PLACED, 1)
    over = next_step(later, [], 200)
    assert over is not None
    assert (over.verdict, over.left) == (Verdict.PLACED, (1,))


def test_a_match_with_somebody_who_wants_people_alone_is_dissolved_rather_than_filled_by_bots() -> None:
    some = tuple(chair._replace(bots=chair.seat != 2) for chair in chairs(True, True, True, True, True))
    later = Gathering("tb1", "R", "L", 25.0, 200, True, frozenset(range(6)), some)
    over = next_step(later, [], 200)
    assert over is not None
    assert (over.verdict, over.missed, over.others) == (Verdict.DISSOLVED, (), some)
    found = next_step(later, [single("people-only", bots_after=None)], 200)
    assert found is not None
    assert found.verdict is Verdict.PLACED


def test_a_newcomer_who_wants_people_alone_does_not_end_up_with_bots() -> None:
    four = Gathering("tb1", "R", "L", 25.0, 200, True, frozenset(range(6)), chairs(True, True, True, True))
    over = next_step(four, [single("people-only", bots_after=None)], 200)
    assert over is not None
    assert (over.verdict, over.taken, over.others) == (Verdict.DISSOLVED, (), four.chairs)


def test_where_bots_play_anyway_they_take_the_seat_at_once() -> None:
    step = next_step(gathering(True, False), [single("people-only", bots_after=None)], 100)
    assert step is not None
    assert (step.verdict, step.left, step.taken) == (Verdict.PLACED, (1,), ())


def test_a_partys_others_lose_their_seats_with_the_one_that_is_missing() -> None:
    step = next_step(gathering(True, False, True, True, True, True, tickets="aabcde"), [], 100)
    assert step is not None
    assert [chair.player_id for chair in step.others] == ["p0"]
    assert step.left == (0, 1)


def test_a_match_of_which_nobody_is_left_is_dissolved() -> None:
    step = next_step(gathering(True, False, False, tickets="aab"), [single("x")], 100)
    assert step is not None
    assert step.verdict is Verdict.DISSOLVED


def test_pauses_grow_to_an_hour() -> None:
    assert [pause_of(strikes) // SECOND for strikes in (1, 2, 3, 4, 9)] == [30, 120, 600, 3600, 3600]


async def six(room: Any, make_ticket: Make) -> str:
    """Six people who gather; returns the table."""
    await room.queue(*(make_ticket(n, at=room.now) for n in range(6)))
    [made] = await room.turn()
    assert await room.books.states(*(f"t{n}" for n in range(6))) == ["gathering"] * 6
    return str(made.table_id)


@pytest.fixture
def room(rooms: Rooms) -> Any:
    return rooms(ready_seconds=PERIOD)


async def confirm(room: Any, *numbers: int) -> list[str | None]:
    return [await room.books.matches.confirm(f"t{n}", f"p{n}") for n in numbers]


async def test_the_last_to_confirm_has_the_table_placed(room: Any, make_ticket: Make) -> None:
    table_id = await six(room, make_ticket)
    assert await room.books.table_states() == {table_id: "gathering"}
    assert await confirm(room, 0, 1, 2, 3, 4, 0) == [None] * 6
    assert await confirm(room, 5, 5) == [table_id, None]
    assert await room.books.table_states() == {table_id: "placed"}
    assert await room.books.states(*(f"t{n}" for n in range(6))) == ["matched"] * 6
    assert len(await room.books.seats()) == 6


async def test_who_does_not_confirm_is_replaced_from_the_queue_and_pays(room: Any, make_ticket: Make) -> None:
    table_id = await six(room, make_ticket)
    await room.queue(make_ticket(7, at=room.now))
    await confirm(room, 0, 1, 2, 3, 4)
    await room.clock.advance(PERIOD)
    await room.turn()
    assert await room.books.table_states() == {table_id: "placed"}
    assert await room.books.states("t0", "t5", "t7") == ["matched", "missed", "matched"]
    [spec] = await room.books.specs()
    sitting = {seat.player_id: (table_id, n) for n, seat in enumerate(spec.seats)}
    assert sitting == await room.books.seats()
    assert sitting.keys() == {"p0", "p1", "p2", "p3", "p4", "p7"}
    assert room.sample("gouji_matches_missed_total") == 1
    with pytest.raises(ServiceError) as caught:
        await room.queue(make_ticket(8, player="p5", at=room.now))
    assert (caught.value.reason, caught.value.metadata) == ("player_paused", {"player_id": "p5"})
    assert caught.value.retry_after_ms == 30_001
    await room.clock.advance(31)
    await room.queue(make_ticket(9, player="p5", at=room.now))


async def test_the_pause_grows_and_is_forgotten_after_a_day(room: Any, make_ticket: Make) -> None:
    waits = []
    for lap, forgiven in enumerate((30, 120, 86_401, 0)):
        mine = make_ticket(10 * lap, player="late", at=room.now)
        await room.queue(mine, *(make_ticket(10 * lap + n, player=f"p{lap}-{n}", at=room.now) for n in range(1, 6)))
        [made] = await room.turn()
        for n in range(1, 6):
            await room.books.matches.confirm(f"t{10 * lap + n}", f"p{lap}-{n}")
        for _ in range(2):
            await room.clock.advance(PERIOD)
            await room.turn()
        assert (await room.books.table_states())[made.table_id] == "placed"
        with pytest.raises(ServiceError) as caught:
            await room.queue(make_ticket(10 * lap + 9, player="late", at=room.now))
        waits.append((caught.value.retry_after_ms or 0) // 1000 + PERIOD)
        await room.clock.advance(forgiven)
    assert waits == [30, 120, 600, 30]


async def test_five_wait_one_period_more_at_most_and_then_a_bot_sits_down(room: Any, make_ticket: Make) -> None:
    table_id = await six(room, make_ticket)
    await confirm(room, 0, 1, 2, 3, 4)
    await room.clock.advance(PERIOD)
    await room.turn()
    assert await room.books.table_states() == {table_id: "gathering"}
    await room.clock.advance(PERIOD)
    await room.turn()
    assert await room.books.table_states() == {table_id: "placed"}
    [spec] = await room.books.specs()
    assert [seat.bot_level for seat in spec.seats if not seat.player_id] == ["planner"]


async def test_those_who_want_people_alone_wait_again_as_long_as_they_have(room: Any, make_ticket: Make) -> None:
    pair = make_ticket(1, players=("zoe", "bob"), at=room.now)
    rest = [make_ticket(n, at=room.now, bots_after_ms=None if n == 3 else 60_000) for n in range(3, 7)]
    await room.queue(pair, *rest)
    await room.turn()
    for player in ("zoe", "bob"):
        await room.books.matches.confirm("t1", player)
    await confirm(room, 3, 4, 5)
    for _ in range(2):
        await room.clock.advance(PERIOD)
        await room.turn()
    assert await room.books.table_states() == {}
    assert await room.books.seats() == {}
    assert await room.books.states("t1", "t3", "t6") == ["waiting", "waiting", "missed"]
    found = {ticket.ticket_id: ticket for ticket in (await room.books.look(room.now)).waiting}
    assert found.keys() == {"t1", "t3", "t4", "t5"}
    assert {ticket.since for ticket in found.values()} == {pair.created_at}
    first = await room.books.store.get("t1")
    assert (first.leader, {member.confirmed for member in first.members}) == ("zoe", {False})
    with pytest.raises(ServiceError) as caught:
        await room.queue(make_ticket(8, player="p6", at=room.now))
    assert caught.value.reason == "player_paused"
    await room.queue(make_ticket(9, at=room.now))
    [again] = await room.turn()
    assert again.players.keys() == {"zoe", "bob", "p3", "p4", "p5", "p9"}


async def test_who_is_left_of_a_pair_takes_a_seat_without_the_other(room: Any, make_ticket: Make) -> None:
    pair = make_ticket(1, players=("ann", "bob"), at=room.now)
    await room.queue(pair, *(make_ticket(n, at=room.now) for n in range(3, 7)))
    await room.turn()
    await confirm(room, 3, 4, 5, 6)
    await room.books.matches.confirm("t1", "bob")
    await room.clock.advance(PERIOD)
    await room.turn()
    await room.clock.advance(31)
    await room.books.store.renew(["t1"], room.now + PERIOD)
    await room.queue(make_ticket(9, player="ann", at=room.now))
    await room.turn()
    assert await room.books.states("t1", "t9") == ["matched", "matched"]
    ticket = await room.books.store.get("t1")
    assert {member.player_id: member.state.value for member in ticket.members} == {"ann": "missed", "bob": "matched"}


async def test_somebody_who_comes_in_the_second_period_sits_down_at_once(room: Any, make_ticket: Make) -> None:
    table_id = await six(room, make_ticket)
    await confirm(room, 0, 1, 2, 3, 4)
    await room.clock.advance(PERIOD)
    await room.turn()
    await room.queue(make_ticket(7, at=room.now))
    await room.turn()
    assert await room.books.table_states() == {table_id: "placed"}
    assert (await room.books.seats())["p7"][0] == table_id


async def test_a_partys_others_wait_again_as_long_as_they_have(room: Any, make_ticket: Make) -> None:
    party = make_ticket(1, players=("ann", "bob", "cy"), at=room.now)
    await room.queue(party, *(make_ticket(n, at=room.now) for n in range(4, 7)))
    [made] = await room.turn()
    await confirm(room, 4, 5, 6)
    for player in ("bob", "cy"):
        await room.books.matches.confirm("t1", player)
    await room.clock.advance(PERIOD)
    await room.turn()
    ticket = await room.books.store.get("t1")
    assert (ticket.state, ticket.created_at, ticket.leader) == ("waiting", party.created_at, "bob")
    assert {member.player_id: member.state.value for member in ticket.members} == {
        "ann": "missed",
        "bob": "waiting",
        "cy": "waiting",
    }
    [again] = (await room.books.look(room.now)).waiting
    assert {member.player_id for member in again.members} == {"bob", "cy"}
    assert (await room.books.seats()).keys() == {"p4", "p5", "p6"}
    await room.clock.advance(PERIOD)
    await room.turn()
    assert (await room.books.table_states())[made.table_id] == "placed"


@pytest.mark.parametrize(("change", "state"), [("none", "waiting"), ("grow", "cancelled"), ("hesitate", "cancelled")])
async def test_a_party_that_changed_while_its_match_gathered_does_not_wait_again(
    room: Any, make_ticket: Make, change: str, state: str
) -> None:
    books, parties = room.books, Parties(room.books.database)
    async with books.database.begin() as connection:
        names = [{"player_id": name, "name": name, "created_at": 0} for name in ("ann", "bob", "cy")]
        await connection.execute(sa.insert(players), names)

    async def bring(guest: str) -> Party:
        party = await parties.invite("ann", "ann", guest, room.now + SECOND, room.now)
        await parties.accept(party.party_id, guest, guest, room.now)
        return await parties.change(guest, lambda one: one.with_ready(guest, ready=True), room.now)

    party = await bring("bob")
    plain = make_ticket(1, players=("ann", "bob"), at=room.now, bots_after_ms=None)
    await books.store.enqueue(replace(plain, party_id=party.party_id), party)
    await room.queue(*(make_ticket(n, at=room.now) for n in range(3, 7)))
    await room.turn()
    await confirm(room, 3, 4, 5)
    for player in ("ann", "bob"):
        await books.matches.confirm("t1", player)
    if change == "grow":
        await bring("cy")
    if change == "hesitate":
        await parties.change("bob", lambda one: one.with_ready("bob", ready=False), room.now)
    for _ in range(2):
        await room.clock.advance(PERIOD)
        await room.turn()
    assert await books.states("t1", "t3", "t6") == [state, "waiting", "missed"]


async def test_a_match_to_which_nobody_comes_is_gone(room: Any, make_ticket: Make) -> None:
    await six(room, make_ticket)
    await room.clock.advance(PERIOD)
    await room.turn()
    assert await room.books.table_states() == {}
    assert await room.books.seats() == {}
    assert await room.books.states(*(f"t{n}" for n in range(6))) == ["missed"] * 6


async def test_one_person_with_bots_need_not_confirm(room: Any, make_ticket: Make) -> None:
    await room.queue(make_ticket(1, at=room.now, bots_after_ms=0))
    [made] = await room.turn()
    assert await room.books.table_states() == {made.table_id: "placed"}


async def test_a_gathering_ticket_is_not_cancelled_and_stands(room: Any, make_ticket: Make) -> None:
    table_id = await six(room, make_ticket)
    assert (await room.books.store.cancel("t0")).state == "gathering"
    again, stood = await room.books.store.enqueue(make_ticket(9, player="p0", at=room.now))
    assert (again.ticket_id, again.table_id, stood) == ("t0", table_id, True)
    assert again.ready_by == room.now + PERIOD * SECOND


async def test_another_process_finishes_what_a_dead_one_left(rooms: Rooms, make_ticket: Make) -> None:
    dead, other = (rooms(ready_seconds=PERIOD, queue_lease_seconds=1) for _ in range(2))
    table_id = await six(dead, make_ticket)
    await confirm(dead, 0, 1, 2, 3, 4)

    async def finished() -> bool:
        await other.turn()
        await other.clock.advance(PERIOD)
        return await other.books.table_states() == {table_id: "placed"}

    assert await other.books.come_true(finished)
    assert await other.books.states("t0", "t5") == ["matched", "missed"]


async def test_confirming_against_the_end_of_the_time_is_one_or_the_other(room: Any, make_ticket: Make) -> None:
    for lap in range(6):
        first = 10 * lap
        await room.queue(*(make_ticket(first + n, at=room.now) for n in range(6)))
        [made] = await room.turn()
        await confirm(room, *range(first, first + 5))
        await room.clock.advance(PERIOD)
        await asyncio.gather(room.turn(), confirm(room, first + 5))
        ticket = await room.books.store.get(f"t{first + 5}")
        state = (await room.books.table_states())[made.table_id]
        assert (ticket.state.value, state) in {("matched", "placed"), ("missed", "gathering")}
        await room.clock.advance(PERIOD)
        await room.turn()
        assert (await room.books.table_states())[made.table_id] == "placed"


async def test_six_people_confirm_and_are_told(settings: Settings, desks: Callable[..., Any]) -> None:
    async with desks(settings, ready_seconds=60) as desk:
        people = [desk.player(f"p{n}") for n in range(6)]
        made = [(await person.create(no_bots=True)).ticket.ticket_id for person in people]
        early = [asyncio.create_task(person.settled(one)) for person, one in zip(people[:5], made[:5], strict=True)]
        watch = people[5].watch(made[5])
        async for response in watch:
            if response.ticket.ready_by.seconds:
                break
        assert desk.tables.opened == []
        [mine] = await people[5].mine()
        assert mine.table_id == response.ticket.table_id
        placed = await people[5].confirm(made[5])
        settled = await asyncio.gather(*early)
        assert {ticket.table_id for ticket in (placed, *settled)} == {placed.table_id}
        assert sorted(ticket.seat for ticket in (placed, *settled)) == list(range(6))
        await until(lambda: desk.tables.opened == [placed.table_id])


async def test_there_is_nothing_to_confirm_without_a_match(settings: Settings, desks: Callable[..., Any]) -> None:
    async with desks(settings, ready_seconds=60) as desk:
        ann = desk.player("ann")
        made = (await ann.create(no_bots=True)).ticket
        for caller, reason in ((ann, "not_gathering"), (desk.player("bob"), "unknown_ticket")):
            with pytest.raises(grpc.aio.AioRpcError) as caught:
                await caller.confirm(made.ticket_id)
            assert reason_of(caught.value) == reason
