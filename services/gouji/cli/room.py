"""Rooms for `gouji play`: come into one, or open one, and wait for its match."""

from contextlib import aclosing
from typing import Final

from rich.console import Console

from gouji.client import Rooms, Session
from gouji.serving.app import StartError
from gouji.v1.room_pb2 import ROOM_STATE_PLAYING, Room, RoomSettings

ROOM_BOTS: Final = "planner"
"""Level of the bots that take the seats of those who are not there."""


async def table_of_room(session: Session, code: str, console: Console) -> str:
    """Come into a room and return the table of its next match. Raises `ClientError`, `StartError`."""
    rooms = Rooms(session)
    await rooms.join(code)
    return await _next_table(rooms, console, people=None)


async def table_of_own_room(session: Session, settings: RoomSettings, people: int, console: Console) -> str:
    """Open a room and start when so many have seats; returns the table. Raises `ClientError`, `StartError`."""
    rooms = Rooms(session)
    room = await rooms.create(settings)
    invitation = f"gouji play --address {session.address} --room {room.code}"
    console.print(f"Your room is open: `{invitation}` brings others in.", soft_wrap=True)
    return await _next_table(rooms, console, people)


async def _next_table(rooms: Rooms, console: Console, people: int | None) -> str:
    """Wait for the room's match; start it when ``people`` have seats."""
    told = ""
    async with aclosing(rooms.watch()) as states:
        async for room in states:
            if room.state == ROOM_STATE_PLAYING:
                return room.table_id
            names = [person.name for person in room.people if person.seat_plus_one]
            if people and len(names) >= people:
                return await rooms.start(room.matches + 1)
            if (line := _waiting(room, names, people)) != told:
                console.print(line, soft_wrap=True)
                told = line
    raise StartError("You are in the room no longer: it was closed, or its host sent you away.")


def _waiting(room: Room, names: list[str], people: int | None) -> str:
    host = next((person.name for person in room.people if person.player_id == room.host), "its host")
    until = f"the match starts when {people} are there" if people else f"{host} starts the match"
    return f"In the room: {', '.join(names) or 'nobody has a seat'}; {until}."
