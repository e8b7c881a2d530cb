"""Rooms: private tables with an invite code."""

from collections.abc import AsyncGenerator
from contextlib import aclosing

import grpc

from gouji.client.errors import ClientError
from gouji.client.session import Metadata, Session
from gouji.v1 import room_pb2_grpc
from gouji.v1.room_pb2 import (
    ChangeRoomRequest,
    CreateRoomRequest,
    HandOverRoomRequest,
    JoinRoomRequest,
    KickPlayerRequest,
    LeaveRoomRequest,
    ListRoomsRequest,
    MoveSeatRequest,
    Room,
    RoomSettings,
    RoomSummary,
    StartRoomRequest,
    WatchRoomRequest,
    WatchRoomResponse,
)


class Rooms:
    """The room of the session's player. Every call may be repeated; failures raise `ClientError`.

    Seats count from 0; None is no seat.
    """

    def __init__(self, session: Session) -> None:
        self._session = session

    async def create(self, settings: RoomSettings | None = None) -> Room:
        """Open a room; whoever is host of one gets that one, as it is."""
        return (await self._session.call(self._stub.CreateRoom, CreateRoomRequest(settings=settings))).room

    async def join(self, code: str, *, seat: int | None = None, spectate: bool = False) -> Room:
        """Come in by an invite code: to a seat, to any that is free, or without one."""
        request = JoinRoomRequest(code=code, seat_plus_one=_plus_one(seat), spectate=spectate)
        return (await self._session.call(self._stub.JoinRoom, request)).room

    async def join_listed(self, room_id: str, *, seat: int | None = None, spectate: bool = False) -> Room:
        """Come into a room of the list."""
        request = JoinRoomRequest(room_id=room_id, seat_plus_one=_plus_one(seat), spectate=spectate)
        return (await self._session.call(self._stub.JoinRoom, request)).room

    async def watch(self) -> AsyncGenerator[Room, None]:
        """Follow the room until the player is in it no longer; broken streams are opened again.

        Raises `ClientError` `no_room` when it is in none from the beginning.
        """

        async def open_stream(metadata: Metadata) -> "grpc.aio.UnaryStreamCall[WatchRoomRequest, WatchRoomResponse]":
            return self._stub.WatchRoom(WatchRoomRequest(), metadata=metadata)

        begun = False
        try:
            async with aclosing(self._session.follow(open_stream)) as responses:
                async for response in responses:
                    if not response.HasField("room"):
                        return
                    begun = True
                    yield response.room
        except ClientError as error:
            if not begun or error.reason != "no_room":
                raise

    async def change(self, settings: RoomSettings) -> Room:
        """Play otherwise from the next match on."""
        return (await self._session.call(self._stub.ChangeRoom, ChangeRoomRequest(settings=settings))).room

    async def move(self, seat: int | None, player_id: str = "") -> Room:
        """Take another seat or stand up; a host moves others, too."""
        request = MoveSeatRequest(player_id=player_id, seat_plus_one=_plus_one(seat))
        return (await self._session.call(self._stub.MoveSeat, request)).room

    async def kick(self, player_id: str) -> Room:
        """Send somebody away for good."""
        return (await self._session.call(self._stub.KickPlayer, KickPlayerRequest(player_id=player_id))).room

    async def hand_over(self, player_id: str) -> Room:
        """Make another one host."""
        return (await self._session.call(self._stub.HandOverRoom, HandOverRoomRequest(player_id=player_id))).room

    async def start(self, match: int, *, swap_sides: bool = False) -> str:
        """Start a match, `Room.matches` plus one; returns its table. With ``swap_sides`` the teams change sides."""
        request = StartRoomRequest(match=match, swap_sides=swap_sides)
        return (await self._session.call(self._stub.StartRoom, request)).table_id

    async def leave(self) -> None:
        """Leave the room."""
        await self._session.call(self._stub.LeaveRoom, LeaveRoomRequest())

    async def listed(
        self, *, preset: str = "", free_seat: bool = False, spectators: bool = False, people_only: bool = False
    ) -> AsyncGenerator[RoomSummary, None]:
        """Find open rooms, the newest first, page by page."""
        request = ListRoomsRequest(preset=preset, free_seat=free_seat, spectators=spectators, people_only=people_only)
        while True:
            page = await self._session.call(self._stub.ListRooms, request)
            for room in page.rooms:
                yield room
            if not page.next_page_token:
                return
            request.page_token = page.next_page_token

    @property
    def _stub(self) -> "room_pb2_grpc.RoomServiceAsyncStub":
        return room_pb2_grpc.RoomServiceStub(self._session.channel())


def _plus_one(seat: int | None) -> int:
    return 0 if seat is None else seat + 1
