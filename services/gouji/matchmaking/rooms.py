"""SQL of rooms. PostgreSQL locks a room's row first, then tickets and seats as the store of tickets does.

Times are microseconds from 1970 on. Every method of `Rooms` raises `StorageUnavailable` when the database cannot be
reached.
"""

import uuid
from collections.abc import Awaitable, Callable, Collection, Iterable
from dataclasses import replace
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from gouji.matchmaking.blocks import refuse_blocked
from gouji.matchmaking.codes import make_code
from gouji.matchmaking.feeds import GONE
from gouji.matchmaking.room import Room, RoomPerson, RoomState, request_id
from gouji.serving.database import Database, chunks
from gouji.serving.errors import ServiceError
from gouji.serving.schema import room_seats, rooms, tables
from gouji.v1 import room_pb2

_HOST_SEAT: Final = 0

_GOES_ON: Final = sa.exists().where(tables.c.table_id == rooms.c.table_id, tables.c.state.not_in(("over", "frozen")))
"""The room's match: one that has stopped for a fault lets its players go."""

_PLAYED_OUT: Final = (rooms.c.state == RoomState.PLAYING.value) & ~_GOES_ON

Place = Callable[[AsyncConnection, Room], Awaitable[str]]
"""Places the table of a room's match within a transaction; returns its id."""


class Rooms:
    """Rooms in a database. What changes is told by each room's version."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def create(self, player_id: str, name: str, settings: room_pb2.RoomSettings, now: int) -> tuple[Room, bool]:
        """Open a room with its host in a seat; returns the one that it is host of already, if any, and True.

        Raises `ServiceError` `in_room` when it is in somebody else's.
        """
        host = RoomPerson(player_id, name, _HOST_SEAT)
        room = Room(uuid.uuid4().hex, make_code(), player_id, settings, (host,))
        try:
            async with self._database.begin() as connection:
                row = _row(room) | {"room_id": room.room_id, "code": room.code, "created_at": now, "seen_at": now}
                await connection.execute(sa.insert(rooms).values(row))
                await self._add(connection, room.room_id, host, now)
        except ServiceError as error:
            standing = await self.of_player(player_id) if error.reason == "in_room" else None
            if standing is None or standing.host != player_id:
                raise
            return standing, True
        return room, False

    async def join(
        self, room_id: str, player_id: str, name: str, seat: int | None, now: int, *, spectate: bool, listed: bool
    ) -> Room:
        """Let somebody in; who is there already stays as it is. With ``listed`` only into a room of the list.

        Raises `ServiceError`: `unknown_room`, `in_room`, `not_welcome`, `seat_taken`, `room_full`.
        """
        async with self._database.begin() as connection:
            room = await _read(connection, room_id, lock=True)
            if room is None or (listed and not room.settings.listed and player_id not in room.player_ids):
                raise unknown_room()
            if player_id not in room.player_ids:
                await refuse_blocked(connection, player_id, room.player_ids)
            return await self._save(connection, room, room.with_person(player_id, name, seat, spectate=spectate), now)

    async def change(self, player_id: str, decide: Callable[[Room], Room], now: int) -> Room:
        """Change the room that a player is in. Raises `ServiceError` `no_room`, and what ``decide`` raises."""
        async with self._database.begin() as connection:
            room = await _locked(connection, player_id)
            return await self._save(connection, room, decide(room), now)

    async def leave(self, player_id: str, now: int) -> str | None:
        """Take a player out of its room; returns which that was."""
        async with self._database.begin() as connection:
            room = await _read_with(connection, player_id, lock=True)
            if room:
                await self._save(connection, room, room.without(player_id), now)
            return room.room_id if room else None

    async def start(self, player_id: str, match: int, place: Place, now: int, *, swap_sides: bool) -> tuple[Room, str]:
        """Begin a match and have its table placed, in one transaction; returns the room and the table.

        A match that has begun is not begun again. Raises `ServiceError`: `no_room`, `not_host`, `room_changed`,
        `seats_empty`, and what ``place`` raises; then nothing has happened.
        """
        async with self._database.begin() as connection:
            room = await _locked(connection, player_id)
            asked = sa.select(tables.c.table_id).where(tables.c.request_id == request_id(room.room_id, match))
            if table_id := await connection.scalar(asked):
                return room, str(table_id)
            begun = room.started(player_id, match, swap_sides=swap_sides)
            placed = replace(begun, table_id=await place(connection, begun))
            return await self._save(connection, room, placed, now), placed.table_id

    async def of_player(self, player_id: str) -> Room | None:
        """Read the room that a player is in; None when it is in none."""
        async with self._database.connect() as connection:
            return await _read_with(connection, player_id)

    async def with_code(self, code: str) -> str | None:
        """Find the room of a code."""
        async with self._database.connect() as connection:
            found: str | None = await connection.scalar(sa.select(rooms.c.room_id).where(rooms.c.code == code))
            return found

    async def close(self, room_id: str) -> None:
        """Take a room away with all who are in it; nothing happens where there is none."""
        async with self._database.begin() as connection:
            await connection.execute(sa.delete(rooms).where(rooms.c.room_id == room_id))
            await connection.execute(sa.delete(room_seats).where(room_seats.c.room_id == room_id))

    # What is done for all rooms by the way

    async def versions(self, room_ids: Collection[str]) -> dict[str, int]:
        """Read the versions of rooms; one that is closed has the number `GONE`."""
        found = dict.fromkeys(room_ids, GONE)
        async with self._database.connect() as connection:
            for ids in chunks(sorted(room_ids)):
                query = sa.select(rooms.c.room_id, rooms.c.version).where(rooms.c.room_id.in_(ids))
                found |= {row.room_id: row.version for row in await connection.execute(query)}
        return found

    async def reopen(self) -> list[str]:
        """Open the rooms whose match is over; returns which."""
        async with self._database.begin() as connection:
            which = rooms.c.room_id.in_(_free(_PLAYED_OUT))
            return list(await connection.scalars(_opening(which).returning(rooms.c.room_id)))

    async def seen(self, room_ids: Collection[str], now: int) -> None:
        """Note that somebody follows these rooms; one that is being changed is passed over."""
        for ids in chunks(sorted(room_ids)):
            change = sa.update(rooms).where(rooms.c.room_id.in_(_free(rooms.c.room_id.in_(ids))))
            async with self._database.begin() as connection:
                await connection.execute(change.values(seen_at=now))

    async def sweep(self, before: int) -> list[str]:
        """Close the open rooms that nobody has followed or changed since ``before``; returns which."""
        async with self._database.begin() as connection:
            idle = _free((rooms.c.state == RoomState.OPEN.value) & (rooms.c.seen_at < before))
            ids = list(await connection.scalars(idle))
            await connection.execute(sa.delete(room_seats).where(room_seats.c.room_id.in_(ids)))
            await connection.execute(sa.delete(rooms).where(rooms.c.room_id.in_(ids)))
        return ids

    # Writing

    async def _save(self, connection: AsyncConnection, before: Room, after: Room, now: int) -> Room:
        """Write what has changed; a room without people is taken away. Raises `ServiceError` `in_room`."""
        if after == before:
            return after
        after = replace(after, version=before.version + 1)
        this = rooms.c.room_id == after.room_id
        if after.people:
            await connection.execute(sa.update(rooms).where(this).values(_row(after) | {"seen_at": now}))
        else:
            await connection.execute(sa.delete(rooms).where(this))
        gone = before.player_ids - after.player_ids
        if gone:
            left = (room_seats.c.room_id == after.room_id) & room_seats.c.player_id.in_(gone)
            await connection.execute(sa.delete(room_seats).where(left))
        for person in set(after.people) - set(before.people):
            if person.player_id in before.player_ids:
                same = room_seats.c.player_id == person.player_id
                await connection.execute(sa.update(room_seats).where(same).values(seat=person.seat))
            else:
                await self._add(connection, after.room_id, person, now)
        return after

    async def _add(self, connection: AsyncConnection, room_id: str, person: RoomPerson, now: int) -> None:
        row = {"room_id": room_id, "player_id": person.player_id, "name": person.name, "seat": person.seat}
        once = self._database.insert(room_seats).on_conflict_do_nothing(index_elements=["player_id"])
        added = await connection.execute(once.values(row | {"joined_at": now}).returning(room_seats.c.player_id))
        if added.first() is None:
            other = sa.select(room_seats.c.room_id).where(room_seats.c.player_id == person.player_id)
            metadata = {"room_id": await connection.scalar(other) or ""}
            raise ServiceError("in_room", "You are in another room; leave it first.", metadata=metadata)


def unknown_room() -> ServiceError:
    """Say that there is no such room, whether or not there is."""
    return ServiceError("unknown_room", "There is no such room, or not any more.")


def no_room() -> ServiceError:
    """Say that the caller is in no room."""
    return ServiceError("no_room", "You are in no room.")


async def _read(connection: AsyncConnection, room_id: str, *, lock: bool = False) -> Room | None:
    """Read a room; None when there is none. With ``lock`` nobody changes it, and a match that is over is noted."""
    this = rooms.c.room_id == room_id
    if lock:
        await connection.execute(_opening(this & _PLAYED_OUT))
    query = sa.select(rooms).where(this)
    row = (await connection.execute(query.with_for_update() if lock else query)).one_or_none()
    if row is None:
        return None
    here = sa.select(room_seats).where(room_seats.c.room_id == room_id)
    here = here.order_by(room_seats.c.joined_at, room_seats.c.player_id)
    people = [RoomPerson(one.player_id, one.name, one.seat) for one in await connection.execute(here)]
    return _room(row, people)


async def _read_with(connection: AsyncConnection, player_id: str, *, lock: bool = False) -> Room | None:
    """Read the room that a player is in; None when it is in none. ``lock`` as in `_read`."""
    mine = sa.select(room_seats.c.room_id).where(room_seats.c.player_id == player_id)
    while room_id := await connection.scalar(mine):
        room = await _read(connection, room_id, lock=lock)
        if room and player_id in room.player_ids:
            return room
    return None


async def _locked(connection: AsyncConnection, player_id: str) -> Room:
    room = await _read_with(connection, player_id, lock=True)
    if room is None:
        raise no_room()
    return room


def _opening(which: sa.ColumnElement[bool]) -> sa.Update:
    return sa.update(rooms).where(which).values(state=RoomState.OPEN.value, version=rooms.c.version + 1)


def _free(which: sa.ColumnElement[bool]) -> sa.Select[str]:
    """Select rooms that nobody is changing, and lock them."""
    return sa.select(rooms.c.room_id).where(which).order_by(rooms.c.room_id).with_for_update(skip_locked=True)


def _row(room: Room) -> dict[str, Any]:
    settings = room.settings
    return {
        "host": room.host,
        "state": room.state.value,
        "settings": settings.SerializeToString(deterministic=True),
        "preset": settings.rules.preset,
        "bot_level": settings.bot_level,
        "spectators": settings.spectators,
        "listed": settings.listed,
        "kicked": "\n".join(room.kicked),
        "matches": room.matches,
        "table_id": room.table_id or None,
        "version": room.version,
    }


def _room(row: sa.Row[Any], people: Iterable[RoomPerson]) -> Room:
    return Room(
        room_id=row.room_id,
        code=row.code,
        host=row.host,
        settings=room_pb2.RoomSettings.FromString(row.settings),
        people=tuple(people),
        state=RoomState(row.state),
        kicked=tuple(row.kicked.split("\n")) if row.kicked else (),
        matches=row.matches,
        table_id=row.table_id or "",
        version=row.version,
    )
