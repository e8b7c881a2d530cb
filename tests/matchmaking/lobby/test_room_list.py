"""The public list of rooms, on both databases."""

import base64
import json
from typing import Any

import pytest

from gouji.v1.room_pb2 import ROOM_STATE_OPEN, ROOM_STATE_PLAYING, RoomSettings
from gouji.v1.rules_pb2 import RuleSet


async def listed(guest: Any, **fields: Any) -> list[str]:
    return [room.host_name for room in (await guest.call("ListRooms", **fields)).rooms]


async def test_open_rooms_that_want_to_be_listed_are_found(desk: Any, guests: Any, operator: Any, ledger: Any) -> None:
    ann, bob, cid, dan = await guests(desk, "ann", "bob", "cid", "dan")
    qingdao = RoomSettings(listed=True, rules=RuleSet(preset="qingdao"), spectators=True)
    room = (await ann.call("CreateRoom", settings=qingdao)).room
    await bob.call("CreateRoom", settings=RoomSettings(listed=True, bot_level="greedy"))
    hidden = (await cid.call("CreateRoom", settings=RoomSettings())).room
    assert await listed(dan) == ["Bob", "Ann"]
    assert await listed(dan, preset="qingdao") == ["Ann"]
    assert await listed(dan, preset="standard") == ["Bob"]
    assert await listed(dan, spectators=True) == ["Ann"]
    assert await listed(dan, people_only=True) == ["Ann"]
    assert await listed(dan, people_only=True, preset="standard") == []
    assert await listed(dan, all=True) == ["Bob", "Ann"]
    assert await listed(operator(desk), all=True) == ["Cid", "Bob", "Ann"]
    assert (await dan.refused("JoinRoom", room_id=hidden.room_id))[0] == "unknown_room"
    assert (await dan.refused("JoinRoom", room_id="nothing"))[0] == "unknown_room"
    await dan.call("JoinRoom", room_id=room.room_id, spectate=True)
    [found] = (await cid.call("ListRooms", spectators=True)).rooms
    assert (found.seated, found.watching, found.state) == (1, 1, ROOM_STATE_OPEN)
    assert room.code.encode() not in found.SerializeToString()
    table_id = (await bob.call("StartRoom", match=1)).table_id
    assert await listed(cid) == ["Ann"]
    states = {one.host_name: one.state for one in (await operator(desk).call("ListRooms", all=True)).rooms}
    assert states["Bob"] == ROOM_STATE_PLAYING
    await ledger.end_match(table_id)


async def test_full_rooms_are_left_out_where_a_seat_is_wanted(desk: Any, guests: Any) -> None:
    ann, *others, gus = await guests(desk, "ann", "bob", "cid", "dan", "eve", "fay", "gus")
    room = (await ann.call("CreateRoom", settings=RoomSettings(listed=True, spectators=True))).room
    assert await listed(gus, free_seat=True) == ["Ann"]
    for other in others:
        await other.call("JoinRoom", room_id=room.room_id)
    assert await listed(gus, free_seat=True) == []
    assert await listed(gus) == ["Ann"]


async def test_pages_show_each_room_once_though_rooms_come_and_go(desk: Any, guests: Any) -> None:
    *hosts, late, ann = await guests(desk, *(f"p{n}" for n in range(7)), "late", "ann")
    for host in hosts:
        await host.call("CreateRoom", settings=RoomSettings(listed=True))
    found, token = [], ""
    for page in range(3):
        answer = await ann.call("ListRooms", page_size=3, page_token=token)
        found += [room.host_name for room in answer.rooms]
        token = answer.next_page_token
        if not page:
            await late.call("CreateRoom", settings=RoomSettings(listed=True))
            await hosts[6].call("LeaveRoom")
    assert found == [f"P{n}" for n in range(6, -1, -1)]
    assert token == ""


def token(*parts: Any) -> str:
    return base64.urlsafe_b64encode(json.dumps(parts).encode()).decode()


@pytest.mark.parametrize(
    "given",
    [
        "x",
        "é",
        token(1),
        token("1", "r"),
        token(1, 2),
        token(True, "r"),
        token(2**63, "r"),
        token(1, "\0"),
        token(1.5, "r"),
    ],
)
async def test_what_is_no_page_token(desk: Any, guests: Any, given: str) -> None:
    [ann] = await guests(desk, "ann")
    assert (await ann.refused("ListRooms", page_token=given))[0] == "malformed"


async def test_a_preset_that_no_database_can_look_for_is_refused(desk: Any, guests: Any) -> None:
    [ann] = await guests(desk, "ann")
    assert (await ann.refused("ListRooms", preset="a\0b"))[0] == "malformed"
