"""Rooms over real gRPC, on both databases."""

import asyncio
import random
from collections.abc import Callable
from typing import Any

import grpc
import pytest
import sqlalchemy as sa
from google.protobuf.duration_pb2 import Duration

from gouji.matchmaking import lobby
from gouji.matchmaking.rooms import Rooms
from gouji.serving.schema import parties, rooms
from gouji.serving.settings import Settings
from gouji.serving.testing import until
from gouji.v1.room_pb2 import ROOM_STATE_OPEN, ROOM_STATE_PLAYING, STARTER_SEATED, RoomSettings
from gouji.v1.rules_pb2 import Clock, Delay, MatchLength, RuleSet

BOTS = RoomSettings(bot_level="greedy", spectators=True)
PEOPLE = RoomSettings()
REFUSALS = {
    *("", "unknown_room", "in_room", "no_room", "room_full", "seat_taken", "not_host", "unknown_player"),
    *("room_changed", "seats_empty", "already_seated"),
}
NAMES = ("ann", "bob", "cid", "dan", "eve", "fay", "gus")


def seats(room: Any) -> dict[str, int]:
    """Who sits where, from 0; spectators have -1."""
    return {person.player_id: person.seat_plus_one - 1 for person in room.people}


async def opened(host: Any, *others: Any, settings: RoomSettings = BOTS) -> Any:
    """Open a room and have the others come in by its code."""
    room = (await host.call("CreateRoom", settings=settings)).room
    for other in others:
        room = (await other.call("JoinRoom", code=room.code)).room
    return room


async def test_whoever_has_the_code_comes_in_and_all_see_it(desk: Any, guests: Any, seen: Any) -> None:
    ann, bob, cid, dan = await guests(desk, "ann", "bob", "cid", "dan")
    made = await ann.call("CreateRoom", settings=BOTS)
    room = made.room
    assert not made.stood
    assert (room.host, room.state, seats(room)) == ("ann", ROOM_STATE_OPEN, {"ann": 0})
    watch = ann.open("WatchRoom")
    await watch.read()
    written = room.code.lower().replace("0", "o").replace("1", "l").replace("-", " ")
    assert seats((await bob.call("JoinRoom", code=written)).room)["bob"] == 1
    await seen(watch, lambda message: len(message.room.people) == 2)
    await cid.call("JoinRoom", code=room.code, seat_plus_one=5)
    await cid.call("JoinRoom", code=room.code)
    assert (await dan.refused("JoinRoom", code=room.code, seat_plus_one=5))[0] == "seat_taken"
    await dan.call("JoinRoom", code=room.code, spectate=True)
    shown = await seen(watch, lambda message: len(message.room.people) == 4)
    assert seats(shown.room) == {"ann": 0, "bob": 1, "cid": 4, "dan": -1}
    assert shown.room.code == room.code


async def test_opening_a_room_twice_opens_one(desk: Any, guests: Any) -> None:
    ann, bob = await guests(desk, "ann", "bob")
    several = await asyncio.gather(*(ann.call("CreateRoom", settings=BOTS) for _ in range(5)))
    assert len({made.room.room_id for made in several}) == 1
    assert sorted(made.stood for made in several) == [False, True, True, True, True]
    await bob.call("JoinRoom", code=several[0].room.code)
    reason, metadata = await bob.refused("CreateRoom")
    assert (reason, metadata["room_id"]) == ("in_room", several[0].room.room_id)


async def test_who_is_in_a_room_cannot_come_into_another(desk: Any, guests: Any) -> None:
    ann, bob = await guests(desk, "ann", "bob")
    one, other = await opened(ann), await opened(bob)
    reason, metadata = await bob.refused("JoinRoom", code=one.code)
    assert (reason, metadata["room_id"]) == ("in_room", other.room_id)
    await bob.call("LeaveRoom")
    await bob.call("JoinRoom", code=one.code)
    assert (await ann.refused("JoinRoom", code=other.code))[0] == "unknown_room"


@pytest.mark.parametrize(
    ("settings_given", "reason"),
    [
        (RoomSettings(rules=RuleSet(preset="x")), "unknown_rule_option"),
        (RoomSettings(rules=RuleSet(overrides={"calls": "true"})), "rules_conflict"),
        (RoomSettings(length=MatchLength(hands=99)), "malformed"),
        (RoomSettings(clock=Clock(answers_least_ms=2, answers_most_ms=1)), "malformed"),
        (RoomSettings(starter=9), "malformed"),
        (RoomSettings(bot_level="genius"), "unknown_bot_level"),
    ],
)
async def test_how_no_room_can_play(
    sqlite_settings: Settings, desks: Callable[..., Any], guests: Any, settings_given: RoomSettings, reason: str
) -> None:
    async with desks(sqlite_settings) as desk:
        ann, bob = await guests(desk, "ann", "bob")
        assert (await ann.refused("CreateRoom", settings=settings_given))[0] == reason
        await opened(bob)
        assert (await bob.refused("ChangeRoom", settings=settings_given))[0] == reason


async def test_a_started_room_has_a_table_as_it_was_set(desk: Any, guests: Any, seen: Any) -> None:
    ann, bob, cid = await guests(desk, "ann", "bob", "cid")
    settings = RoomSettings(
        rules=RuleSet(preset="qingdao"),
        length=MatchLength(hands=2),
        clock=Clock(turn_ms=7000),
        bot_level="random",
        bot_pace_ms=9,
        spectators=True,
        spectator_delay=Delay(moves=4),
    )
    room = await opened(ann, bob, settings=settings)
    await cid.call("JoinRoom", code=room.code, spectate=True)
    await bob.call("MoveSeat", seat_plus_one=4)
    watch = cid.open("WatchRoom")
    table_id = (await ann.call("StartRoom", match=1)).table_id
    shown = (await seen(watch, lambda message: message.room.state == ROOM_STATE_PLAYING)).room
    assert (shown.table_id, shown.matches) == (table_id, 1)
    [spec] = await desk.books.specs()
    assert (spec.table_id, spec.rules.preset, spec.length, spec.clock) == (
        table_id,
        "qingdao",
        MatchLength(hands=2),
        Clock(turn_ms=7000),
    )
    assert (spec.bot_pace_ms, spec.queue, spec.spectator_delay, spec.no_spectators) == (9, "", Delay(moves=4), False)
    assert [seat.player_id or seat.bot_level for seat in spec.seats] == [
        *("ann", "random", "random"),
        *("bob", "random", "random"),
    ]
    assert await desk.books.seats() == {"ann": (table_id, 0), "bob": (table_id, 3)}
    await until(lambda: desk.tables.opened == [table_id])


async def test_a_room_without_spectators_has_a_table_without(desk: Any, guests: Any) -> None:
    ann, bob = await guests(desk, "ann", "bob")
    room = await opened(ann, settings=RoomSettings(bot_level="greedy"))
    assert (await bob.refused("JoinRoom", code=room.code, spectate=True))[0] == "room_full"
    assert (await ann.refused("MoveSeat"))[0] == "room_full"
    await ann.call("StartRoom", match=1)
    [spec] = await desk.books.specs()
    assert spec.no_spectators


async def test_a_room_of_people_starts_when_six_are_there(desk: Any, guests: Any) -> None:
    ann, *others = await guests(desk, *NAMES[:6])
    room = await opened(ann, *others[:4], settings=PEOPLE)
    assert (await ann.refused("StartRoom", match=1))[0] == "seats_empty"
    await others[4].call("JoinRoom", code=room.code)
    assert (await ann.call("StartRoom", match=1)).table_id


async def test_a_match_without_anybody_does_not_start(desk: Any, guests: Any) -> None:
    [ann] = await guests(desk, "ann")
    await opened(ann)
    await ann.call("MoveSeat", seat_plus_one=0)
    assert (await ann.refused("StartRoom", match=1))[0] == "seats_empty"


async def test_who_may_start(desk: Any, guests: Any) -> None:
    ann, bob, cid = await guests(desk, "ann", "bob", "cid")
    room = await opened(ann, bob)
    await cid.call("JoinRoom", code=room.code, spectate=True)
    assert (await bob.refused("StartRoom", match=1))[0] == "not_host"
    assert (await bob.refused("ChangeRoom", settings=BOTS))[0] == "not_host"
    for_all = RoomSettings(bot_level="greedy", spectators=True, starter=STARTER_SEATED)
    await ann.call("ChangeRoom", settings=for_all)
    assert (await cid.refused("StartRoom", match=1))[0] == "not_host"
    assert (await bob.call("StartRoom", match=1)).table_id


async def test_starting_at_once_and_again_gives_one_table(
    settings: Settings, desks: Callable[..., Any], guests: Any, ledger: Any
) -> None:
    async with desks(settings) as here, desks(settings) as there:
        [ann], [again] = await guests(here, "ann"), await guests(there, "ann")
        await opened(ann)
        answers = await asyncio.gather(*(one.call("StartRoom", match=1) for one in (ann, again) * 5))
        [table_id] = {answer.table_id for answer in answers}
        assert [spec.table_id for spec in await here.books.specs()] == [table_id]
        assert (await ann.refused("StartRoom", match=2))[0] == "room_changed"
        await ledger.end_match(table_id)
        assert (await ann.call("StartRoom", match=1)).table_id == table_id
        assert (await ann.refused("StartRoom", match=3))[0] == "room_changed"
        assert (await again.call("StartRoom", match=2)).table_id != table_id


async def test_waiting_tickets_of_those_who_sit_down_are_cancelled(desk: Any, guests: Any) -> None:
    ann, bob = await guests(desk, "ann", "bob")
    mine = (await desk.player("ann").create(no_bots=True)).ticket.ticket_id
    yours = (await desk.player("bob").create(no_bots=True)).ticket.ticket_id
    await opened(ann)
    await ann.call("StartRoom", match=1)
    assert await desk.books.states(mine, yours) == ["cancelled", "waiting"]
    assert (await desk.player("ann").settled(mine)).table_id == ""
    await bob.call("LeaveRoom")


async def test_who_plays_elsewhere_keeps_a_room_from_starting(desk: Any, guests: Any, ledger: Any) -> None:
    ann, bob = await guests(desk, "ann", "bob")
    await opened(ann, bob)
    ticket = (await desk.player("ann").create(no_bots=True)).ticket.ticket_id
    await ledger.sit("bob", "secret table")
    assert await ann.refused("StartRoom", match=1) == ("already_seated", {"player_id": "bob"})
    room = await ann.room()
    assert (room.state, room.matches, room.table_id) == (ROOM_STATE_OPEN, 0, "")
    assert await desk.books.states(ticket) == ["waiting"]
    assert await desk.books.specs() == []
    await ledger.end_match("secret table")
    assert (await ann.call("StartRoom", match=1)).table_id


@pytest.mark.parametrize("how", ["over", "frozen"])
async def test_after_the_match_the_room_is_there_for_another(
    desk: Any, guests: Any, ledger: Any, seen: Any, how: str
) -> None:
    ann, bob = await guests(desk, "ann", "bob")
    await opened(ann, bob)
    watch = bob.open("WatchRoom")
    first = (await ann.call("StartRoom", match=1)).table_id
    await seen(watch, lambda message: message.room.state == ROOM_STATE_PLAYING)
    await ledger.end_match(first, how)
    shown = (await seen(watch, lambda message: message.room.state == ROOM_STATE_OPEN)).room
    assert (seats(shown), shown.table_id, shown.matches) == ({"ann": 0, "bob": 1}, first, 1)
    second = (await ann.call("StartRoom", match=2)).table_id
    assert await desk.books.seats() == {"ann": (second, 0), "bob": (second, 1)}
    await ledger.end_match(second, how)
    third = (await ann.call("StartRoom", match=3, swap_sides=True)).table_id
    assert await desk.books.seats() == {"ann": (third, 1), "bob": (third, 2)}
    assert seats(await bob.room()) == {"ann": 1, "bob": 2}
    assert len({first, second, third}) == 3


async def test_people_move_and_the_host_moves_them(desk: Any, guests: Any) -> None:
    ann, bob, cid = await guests(desk, "ann", "bob", "cid")
    await opened(ann, bob, cid)
    assert (await bob.refused("MoveSeat", seat_plus_one=1))[0] == "seat_taken"
    assert (await bob.refused("MoveSeat", player_id="cid", seat_plus_one=6))[0] == "not_host"
    assert (await bob.refused("MoveSeat", seat_plus_one=7))[0] == "malformed"
    assert seats((await bob.call("MoveSeat", seat_plus_one=6)).room) == {"ann": 0, "bob": 5, "cid": 2}
    swapped = (await ann.call("MoveSeat", player_id="cid", seat_plus_one=6)).room
    assert seats(swapped) == {"ann": 0, "bob": 2, "cid": 5}
    assert seats((await ann.call("MoveSeat", player_id="bob")).room)["bob"] == -1
    assert (await ann.refused("MoveSeat", player_id="dan", seat_plus_one=2))[0] == "unknown_player"
    taken = (await ann.call("MoveSeat", player_id="bob", seat_plus_one=1)).room
    assert seats(taken) == {"ann": -1, "bob": 0, "cid": 5}


async def test_who_is_sent_away_is_told_and_stays_away(desk: Any, guests: Any, seen: Any) -> None:
    ann, bob = await guests(desk, "ann", "bob")
    room = await opened(ann, bob)
    watch = bob.open("WatchRoom")
    await watch.read()
    assert (await bob.refused("KickPlayer", player_id="ann"))[0] == "not_host"
    assert (await ann.refused("KickPlayer", player_id="ann"))[0] == "unknown_player"
    await ann.call("KickPlayer", player_id="bob")
    await ann.call("KickPlayer", player_id="bob")
    await seen(watch, lambda message: not message.HasField("room"))
    assert await watch.read() is grpc.aio.EOF
    assert (await bob.refused("JoinRoom", code=room.code))[0] == "not_welcome"
    assert (await bob.refused("WatchRoom"))[0] == "no_room"
    assert (await bob.refused("StartRoom", match=1))[0] == "no_room"


async def test_a_room_is_handed_on_and_ends_with_its_last_person(desk: Any, guests: Any) -> None:
    ann, bob, cid, dan = await guests(desk, "ann", "bob", "cid", "dan")
    room = await opened(ann)
    await bob.call("JoinRoom", code=room.code, spectate=True)
    await cid.call("JoinRoom", code=room.code)
    await dan.call("JoinRoom", code=room.code)
    assert (await bob.refused("HandOverRoom", player_id="bob"))[0] == "not_host"
    assert (await ann.refused("HandOverRoom", player_id="eve"))[0] == "unknown_player"
    assert (await ann.call("HandOverRoom", player_id="dan")).room.host == "dan"
    await dan.call("LeaveRoom")
    assert (await bob.room()).host == "ann"
    await ann.call("LeaveRoom")
    await ann.call("LeaveRoom")
    assert (await bob.room()).host == "cid"
    await cid.call("LeaveRoom")
    assert (await bob.room()).host == "bob"
    await bob.call("LeaveRoom")
    assert (await bob.refused("JoinRoom", code=room.code))[0] == "unknown_room"


async def test_two_who_want_the_last_seat_at_once_get_it_once(
    settings: Settings, desks: Callable[..., Any], guests: Any
) -> None:
    async with desks(settings) as here, desks(settings) as there:
        ann, *others = await guests(here, *NAMES[:5])
        [fay], [gus] = await guests(here, "fay"), await guests(there, "gus")
        room = await opened(ann, *others)
        answers = await asyncio.gather(*(one.tried("JoinRoom", code=room.code) for one in (fay, gus)))
        assert sorted(answers) == ["", "room_full"]
        assert sorted(seats(await ann.room()).values()) == list(range(6))


async def test_one_who_comes_while_being_sent_away_is_not_left_half_in(
    settings: Settings, desks: Callable[..., Any], guests: Any
) -> None:
    async with desks(settings) as here, desks(settings) as there:
        ann, *_ = await guests(here, *NAMES)
        others = await guests(there, *NAMES[1:])
        room = await opened(ann)
        for one in others:
            answer, _ = await asyncio.gather(
                one.tried("JoinRoom", code=room.code), ann.call("KickPlayer", player_id=one.player_id)
            )
            assert answer in ("", "not_welcome")
            # Who came after being sent away was not there to be; the next time sees to it.
            await ann.call("KickPlayer", player_id=one.player_id)
            assert seats(await ann.room()) == {"ann": 0}
            assert (await one.refused("JoinRoom", code=room.code))[0] == "not_welcome"


async def test_a_room_that_starts_while_its_people_are_matched_seats_them_once(
    settings: Settings, desks: Callable[..., Any], guests: Any, ledger: Any
) -> None:
    async with desks(settings, queue_cycle_ms=5) as here, desks(settings, queue_cycle_ms=5) as there:
        [ann] = await guests(here, "ann")
        await opened(ann)
        queue, match = there.player("ann"), 0
        for lap in range(8):
            ticket_id = (await queue.create(bots_after=Duration(nanos=lap * 3_000_000))).ticket.ticket_id
            match = (await ann.room()).matches + 1
            answer = await ann.tried("StartRoom", match=match)
            ticket = await queue.settled(ticket_id)
            [(table_id, _)] = (await here.books.seats()).values()
            assert answer in ("", "already_seated")
            assert (ticket.table_id == "") == (answer == "")
            assert (await ann.room()).table_id == table_id if answer == "" else ticket.table_id == table_id
            await ledger.end_match(table_id)


async def test_players_who_do_what_they_like_are_in_one_room_and_seat_each(
    settings: Settings, desks: Callable[..., Any], guests: Any, ledger: Any
) -> None:
    chance = random.Random(3)
    async with desks(settings) as here, desks(settings) as there:
        mine, yours = await guests(here, *NAMES), await guests(there, *NAMES)
        codes = [(await opened(host)).code for host in mine[:2]]

        async def wander(number: int) -> None:
            for _ in range(15):
                one, other = chance.choice([mine, yours])[number], chance.choice(NAMES)
                name, fields = chance.choice(
                    [
                        ("JoinRoom", {"code": chance.choice(codes)}),
                        ("JoinRoom", {"code": chance.choice(codes), "spectate": True}),
                        ("MoveSeat", {"seat_plus_one": chance.randrange(7)}),
                        ("MoveSeat", {"seat_plus_one": chance.randrange(7), "player_id": other}),
                        ("HandOverRoom", {"player_id": other}),
                        ("StartRoom", {"match": 1, "swap_sides": True}),
                        ("LeaveRoom", {}),
                        ("CreateRoom", {"settings": BOTS}),
                    ]
                )
                assert await one.tried(name, **fields) in REFUSALS

        await asyncio.gather(*(wander(number) for number in range(len(NAMES))))
        store = Rooms(ledger.database)
        found = {name: await store.of_player(name) for name in NAMES}
        several = {room.room_id: room for room in found.values() if room}
        people = [person for room in several.values() for person in room.people]
        assert sorted(one.player_id for one in people) == sorted(name for name in NAMES if found[name])
        for room in several.values():
            assert room.host in room.player_ids
            assert len(room.seated) == sum(person.seat is not None for person in room.people)
        sitting = [seat.player_id for spec in await here.books.specs() for seat in spec.seats if seat.player_id]
        assert sorted(sitting) == sorted(await here.books.seats())


async def test_blocked_players_cannot_join(desk: Any, guests: Any) -> None:
    ann, bob, cid = await guests(desk, "ann", "bob", "cid")
    room = await opened(ann, cid, settings=RoomSettings(bot_level="greedy", listed=True, spectators=True))
    await cid.call("BlockPlayer", player_id="bob")
    for fields in ({"code": room.code}, {"room_id": room.room_id}, {"code": room.code, "spectate": True}):
        assert (await bob.refused("JoinRoom", **fields))[0] == "not_welcome"
    assert list((await bob.call("ListRooms")).rooms) == []
    assert [one.room_id for one in (await ann.call("ListRooms")).rooms] == [room.room_id]
    await cid.call("UnblockPlayer", player_id="bob")
    await bob.call("JoinRoom", room_id=room.room_id)


async def test_a_room_that_nobody_follows_is_closed_unless_it_plays(
    desk: Any, guests: Any, ledger: Any, operator: Any
) -> None:
    ann, bob, cid = await guests(desk, "ann", "bob", "cid")
    for host in ann, bob, cid:
        await opened(host)
    followed, playing = await bob.room(), await cid.room()
    await cid.call("StartRoom", match=1)
    long_hence, store = 2**60, Rooms(ledger.database)
    await store.seen([followed.room_id], long_hence)
    idle = (await ann.room()).room_id
    assert await store.sweep(long_hence) == [idle]
    assert await store.sweep(long_hence) == []
    assert (await ann.refused("WatchRoom"))[0] == "no_room"
    left = {one.room_id for one in (await operator(desk).call("ListRooms", all=True)).rooms}
    assert left == {followed.room_id, playing.room_id}


async def test_the_process_notes_who_follows_and_sweeps_the_rest(
    settings: Settings, desks: Callable[..., Any], guests: Any, ledger: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lobby, "SEEN_EVERY_SECONDS", 0.02)
    monkeypatch.setattr(lobby, "SWEEP_SECONDS", 0.02)
    async with desks(settings) as desk:
        ann, bob, cid = await guests(desk, "ann", "bob", "cid")
        followed, idle = await opened(ann), await opened(bob)
        watch = ann.open("WatchRoom")
        await watch.read()
        await cid.call("InvitePlayer", player_id="bob")
        this = rooms.c.room_id == followed.room_id
        async with ledger.database.begin() as connection:
            earlier = sa.update(rooms).where(this).values(seen_at=rooms.c.seen_at - 60_000_000)
            long_ago = await connection.scalar(earlier.returning(rooms.c.seen_at))

        async def noted() -> bool:
            async with ledger.database.connect() as connection:
                return await connection.scalar(sa.select(rooms.c.seen_at).where(this)) != long_ago

        async def swept() -> bool:
            async with ledger.database.connect() as connection:
                left = set(await connection.scalars(sa.select(rooms.c.room_id)))
                return left == {followed.room_id} and not await connection.scalar(sa.select(parties.c.party_id))

        assert await desk.books.come_true(noted)
        async with ledger.database.begin() as connection:
            await connection.execute(sa.update(rooms).where(rooms.c.room_id == idle.room_id).values(seen_at=1))
            await connection.execute(sa.update(parties).values(created_at=1))
        assert await desk.books.come_true(swept)
        assert (await ann.room()).room_id == followed.room_id
        assert (await bob.refused("WatchRoom"))[0] == "no_room"
        assert not (await cid.party()).party_id


async def test_a_room_outlives_the_process_that_made_it(
    settings: Settings, desks: Callable[..., Any], guests: Any, ledger: Any
) -> None:
    async with desks(settings) as desk:
        ann, bob = await guests(desk, "ann", "bob")
        room = await opened(ann)
        table_id = (await ann.call("StartRoom", match=1)).table_id
    async with desks(settings) as desk:
        ann, bob = await guests(desk, "ann", "bob")
        await bob.call("JoinRoom", code=room.code)
        assert (await ann.room()).table_id == table_id
        assert (await ann.call("StartRoom", match=1)).table_id == table_id
        await ledger.end_match(table_id)
        again = (await ann.call("StartRoom", match=2)).table_id
        assert await desk.books.seats() == {"ann": (again, 0), "bob": (again, 1)}


async def test_what_changes_at_one_process_is_seen_at_another(
    settings: Settings, desks: Callable[..., Any], guests: Any, operator: Any, seen: Any
) -> None:
    quick = {"lobby_poll_ms": 20, "heartbeat_seconds": 60}
    async with desks(settings, **quick) as here, desks(settings, **quick) as there:
        [ann], [bob] = await guests(here, "ann"), await guests(there, "bob")
        room = await opened(ann)
        await bob.call("JoinRoom", code=room.code)
        watch = bob.open("WatchRoom")
        await watch.read()
        await ann.call("MoveSeat", seat_plus_one=6)
        await seen(watch, lambda message: seats(message.room)["ann"] == 5)
        await operator(here).call("CloseRoom", room_id=room.room_id)
        await operator(here).call("CloseRoom", room_id=room.room_id)
        await seen(watch, lambda message: not message.HasField("room"))
        assert (await ann.refused("WatchRoom"))[0] == "no_room"
        assert (await ann.refused("CloseRoom", room_id=room.room_id))[0] == "forbidden"
