"""Rooms over gRPC: unpacks, asks the store of rooms, packs."""

import uuid
from collections.abc import AsyncIterator, Awaitable, Callable, Set
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy.ext.asyncio import AsyncConnection

from gouji.matchmaking.codes import Tries, read_code
from gouji.matchmaking.feeds import Feed
from gouji.matchmaking.matches import Matches
from gouji.matchmaking.placing import Placement, of_request
from gouji.matchmaking.presence import Here
from gouji.matchmaking.room import Room
from gouji.matchmaking.room_list import list_rooms
from gouji.matchmaking.room_messages import read_seat, read_settings, room_message
from gouji.matchmaking.rooms import Rooms, no_room, unknown_room
from gouji.matchmaking.withdrawals import cancel_of_players
from gouji.serving.app import App
from gouji.serving.auth import Caller, Role, Roles, caller
from gouji.serving.clock import microseconds
from gouji.serving.errors import ServiceError
from gouji.serving.peers import peer_of, read_networks
from gouji.serving.requests import check_id
from gouji.v1 import room_pb2, room_pb2_grpc

ROLES: Final[Roles] = {
    "CreateRoom": {Role.PLAYER},
    "JoinRoom": {Role.PLAYER},
    "WatchRoom": {Role.PLAYER},
    "ChangeRoom": {Role.PLAYER},
    "MoveSeat": {Role.PLAYER},
    "KickPlayer": {Role.PLAYER},
    "HandOverRoom": {Role.PLAYER},
    "StartRoom": {Role.PLAYER},
    "LeaveRoom": {Role.PLAYER},
    "ListRooms": {Role.PLAYER, Role.OPERATOR},
    "CloseRoom": {Role.OPERATOR},
}
"""Who may call what."""


@dataclass(frozen=True, slots=True)
class Desk:
    """Where tables are placed: in which store, the bots' levels (asked for when one wanted is new), and who is told."""

    matches: Matches
    levels: Callable[[Set[str]], Awaitable[list[str]]]
    announce: Callable[[Placement, int], None]


class RoomServicer(room_pb2_grpc.RoomServiceServicer):
    """What people do in rooms. A room in which the caller is not is as unknown as none."""

    def __init__(self, app: App, rooms: Rooms, feed: Feed, here: Here, desk: Desk) -> None:
        self._database = app.database
        self._clock = app.clock
        self._heartbeat = app.settings.heartbeat_seconds
        self._trusted = read_networks(app.settings.trusted_proxies)
        self._tries = Tries(app.database)
        self._rooms = rooms
        self._feed = feed
        self._here = here
        self._desk = desk

    async def CreateRoom(  # noqa: N802 - gRPC's name
        self, request: room_pb2.CreateRoomRequest, context: Any
    ) -> room_pb2.CreateRoomResponse:
        """Open a room, or give the one that the caller is host of.

        Refused with `in_room`, the rules' own reasons, `unknown_bot_level`, `malformed`, and `overloaded` when the
        bot service does not say which levels there are.
        """
        who, settings = caller(context), await self._settings(request.settings)
        room, stood = await self._rooms.create(who.player_id, who.name, settings, self._now())
        return room_pb2.CreateRoomResponse(room=room_message(room), stood=stood)

    async def JoinRoom(  # noqa: N802 - gRPC's name
        self, request: room_pb2.JoinRoomRequest, context: Any
    ) -> room_pb2.JoinRoomResponse:
        """Come in.

        Refused with `unknown_room`, `in_room`, `not_welcome`, `seat_taken`, `room_full`, `malformed`; with `too_often`
        after too many codes of the caller or from its address.
        """
        who, seat = caller(context), read_seat(request.seat_plus_one)
        room_id = await self._found(request, who, context)
        by_list = request.WhichOneof("which") == "room_id"
        room = await self._rooms.join(
            room_id, who.player_id, who.name, seat, self._now(), spectate=request.spectate, listed=by_list
        )
        return room_pb2.JoinRoomResponse(room=room_message(self._told(room)))

    async def WatchRoom(  # noqa: N802 - gRPC's name
        self, _request: room_pb2.WatchRoomRequest, context: Any
    ) -> AsyncIterator[room_pb2.WatchRoomResponse]:
        """Send the room now, on each change and as a heart-beat, until the caller is in it no longer.

        Refused with `no_room`, and `too_often` when the caller has too many watches open; ends with `draining` when the
        server stops.
        """
        who = caller(context)
        first = await self._rooms.of_player(who.player_id)
        if first is None:
            raise no_room()
        with self._here.of(who.player_id), self._feed.follow(first.room_id) as watch:
            while (room := await self._rooms.of_player(who.player_id)) and room.room_id == first.room_id:
                yield room_pb2.WatchRoomResponse(room=room_message(room))
                while not await watch.change(room.version, self._heartbeat):
                    yield room_pb2.WatchRoomResponse(room=room_message(room))
            yield room_pb2.WatchRoomResponse()

    async def ChangeRoom(  # noqa: N802 - gRPC's name
        self, request: room_pb2.ChangeRoomRequest, context: Any
    ) -> room_pb2.ChangeRoomResponse:
        """Play otherwise from the next match on. Refused with `no_room`, `not_host`, and as in `CreateRoom`."""
        settings = await self._settings(request.settings)
        room = await self._change(context, lambda room, by: room.with_settings(by, settings))
        return room_pb2.ChangeRoomResponse(room=room_message(room))

    async def MoveSeat(  # noqa: N802 - gRPC's name
        self, request: room_pb2.MoveSeatRequest, context: Any
    ) -> room_pb2.MoveSeatResponse:
        """Seat the caller, or for the host anybody, elsewhere.

        Refused with `no_room`, `not_host`, `unknown_player`, `seat_taken`, `room_full`, `malformed`.
        """
        seat = read_seat(request.seat_plus_one)
        room = await self._change(context, lambda room, by: room.with_move(by, request.player_id or by, seat))
        return room_pb2.MoveSeatResponse(room=room_message(room))

    async def KickPlayer(  # noqa: N802 - gRPC's name
        self, request: room_pb2.KickPlayerRequest, context: Any
    ) -> room_pb2.KickPlayerResponse:
        """Send somebody away. Refused with `no_room`, `not_host`, and `unknown_player` for the host itself."""
        room = await self._change(context, lambda room, by: room.with_kick(by, request.player_id))
        return room_pb2.KickPlayerResponse(room=room_message(room))

    async def HandOverRoom(  # noqa: N802 - gRPC's name
        self, request: room_pb2.HandOverRoomRequest, context: Any
    ) -> room_pb2.HandOverRoomResponse:
        """Make another one host. Refused with `no_room`, `not_host`, `unknown_player`."""
        room = await self._change(context, lambda room, by: room.with_host(by, request.player_id))
        return room_pb2.HandOverRoomResponse(room=room_message(room))

    async def StartRoom(  # noqa: N802 - gRPC's name
        self, request: room_pb2.StartRoomRequest, context: Any
    ) -> room_pb2.StartRoomResponse:
        """Place the next match's table; the waiting tickets of its people are cancelled.

        Refused with `no_room`, `not_host`, `room_changed`, `seats_empty`; with `already_seated` (metadata
        `player_id`) when one of the people plays elsewhere; and with `overloaded` as in `CreateRoom`.
        """
        who, now = caller(context), self._now()
        before = await self._rooms.of_player(who.player_id)
        if before is None:
            raise no_room()
        levels = await self._desk.levels({before.settings.bot_level} - {""})
        made: list[Placement] = []

        async def place(connection: AsyncConnection, room: Room) -> str:
            placement = of_request(room.request(), uuid.uuid4().hex, levels)
            await cancel_of_players(connection, placement.players)
            try:
                table_id = await self._desk.matches.place_within(connection, placement, now)
            except ServiceError as error:
                raise _elsewhere(error, room) from error
            made.append(placement)
            return table_id

        room, table_id = await self._rooms.start(
            who.player_id, request.match, place, now, swap_sides=request.swap_sides
        )
        for placement in made:
            self._desk.announce(placement, now)
        self._feed.stir([room.room_id])
        return room_pb2.StartRoomResponse(table_id=table_id)

    async def LeaveRoom(  # noqa: N802 - gRPC's name
        self, _request: room_pb2.LeaveRoomRequest, context: Any
    ) -> room_pb2.LeaveRoomResponse:
        """Leave; who is in no room stays so."""
        room_id = await self._rooms.leave(caller(context).player_id, self._now())
        self._feed.stir([room_id] if room_id else [])
        return room_pb2.LeaveRoomResponse()

    async def ListRooms(  # noqa: N802 - gRPC's name
        self, request: room_pb2.ListRoomsRequest, context: Any
    ) -> room_pb2.ListRoomsResponse:
        """Find rooms; for an operator also those that are not in the list. Refused with `malformed`."""
        who = caller(context)
        if "\0" in request.preset:
            check_id("preset", request.preset)
        return await list_rooms(self._database, request, who.player_id if who.role is Role.PLAYER else None)

    async def CloseRoom(  # noqa: N802 - gRPC's name
        self, request: room_pb2.CloseRoomRequest, _context: Any
    ) -> room_pb2.CloseRoomResponse:
        """Close a room. Refused with `malformed` for what is no id."""
        check_id("room_id", request.room_id)
        await self._rooms.close(request.room_id)
        self._feed.stir([request.room_id])
        return room_pb2.CloseRoomResponse()

    async def _found(self, request: room_pb2.JoinRoomRequest, who: Caller, context: Any) -> str:
        """Say which room is meant; tries of codes are counted first."""
        if request.WhichOneof("which") == "room_id":
            check_id("room_id", request.room_id)
            return request.room_id
        await self._tries.count(who.player_id, peer_of(context, self._trusted), self._now())
        code = read_code(request.code)
        room_id = await self._rooms.with_code(code) if code else None
        if room_id is None:
            raise unknown_room()
        return room_id

    async def _settings(self, given: room_pb2.RoomSettings) -> room_pb2.RoomSettings:
        return read_settings(given, await self._desk.levels({given.bot_level} - {""}))

    async def _change(self, context: Any, decide: Callable[[Room, str], Room]) -> Room:
        """Change the caller's room and have its watchers told."""
        by = caller(context).player_id
        return self._told(await self._rooms.change(by, lambda room: decide(room, by), self._now()))

    def _told(self, room: Room) -> Room:
        self._feed.stir([room.room_id])
        return room

    def _now(self) -> int:
        return microseconds(self._clock.now())


def _elsewhere(error: ServiceError, room: Room) -> ServiceError:
    """Say who plays elsewhere, but not at which table: that is nobody's business."""
    player_id = error.metadata.get("player_id", "")
    names = [person.name for person in room.people if person.player_id == player_id]
    if error.reason != "already_seated" or not names:
        return error
    return ServiceError(error.reason, f"{names[0]} plays elsewhere.", metadata={"player_id": player_id})
