"""Rooms as messages: settings read and checked, a room as those who are there see it. Pure."""

from collections.abc import Collection

from gouji.matchmaking.codes import show_code
from gouji.matchmaking.room import Room
from gouji.matchmaking.teams import SEATS
from gouji.matchmaking.tickets import read_length
from gouji.serving.bot_levels import unknown_level
from gouji.serving.errors import malformed
from gouji.serving.requests import check_clock, read_rules
from gouji.v1 import room_pb2
from gouji.wire import rules_to_proto


def read_settings(given: room_pb2.RoomSettings, levels: Collection[str]) -> room_pb2.RoomSettings:
    """Check how a room is to play, with bots of these ``levels``, and write out what is left to us.

    Raises `ServiceError`: `malformed`, `unknown_bot_level`, the rules' own reasons.
    """
    settings = room_pb2.RoomSettings()
    settings.CopyFrom(given)
    settings.rules.CopyFrom(rules_to_proto(read_rules(given.rules, "settings.rules")))
    settings.length.CopyFrom(read_length(given.length))
    check_clock("settings.clock", given.clock)
    if given.bot_level and given.bot_level not in levels:
        raise unknown_level("settings.bot_level", levels)
    if given.starter not in room_pb2.Starter.values():
        raise malformed("settings.starter", "is none of those that there are")
    settings.starter = given.starter or room_pb2.STARTER_HOST
    return settings


def read_seat(seat_plus_one: int) -> int | None:
    """Read a seat, which 0 stands for none of. Raises `ServiceError` `malformed`."""
    if seat_plus_one > SEATS:
        raise malformed("seat_plus_one", f"is {seat_plus_one}; there are {SEATS} seats")
    return seat_plus_one - 1 if seat_plus_one else None


def room_message(room: Room) -> room_pb2.Room:
    """Say how a room is, to those who are there."""
    return room_pb2.Room(
        room_id=room.room_id,
        code=show_code(room.code),
        host=room.host,
        state=room_pb2.RoomState.Value(f"ROOM_STATE_{room.state.name}"),
        settings=room.settings,
        people=[
            room_pb2.RoomPerson(
                player_id=person.player_id,
                name=person.name,
                seat_plus_one=0 if person.seat is None else person.seat + 1,
            )
            for person in room.people
        ],
        matches=room.matches,
        table_id=room.table_id,
    )
