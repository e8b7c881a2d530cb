"""SQL of the list of rooms: filters and pages."""

from typing import Any, Final

import sqlalchemy as sa

from gouji.matchmaking.room import RoomState
from gouji.matchmaking.teams import SEATS
from gouji.serving.clock import moment
from gouji.serving.database import Database
from gouji.serving.pages import Place, read_token
from gouji.serving.schema import blocks, room_seats, rooms
from gouji.v1 import room_pb2

DEFAULT_PAGE: Final = 50
LARGEST_PAGE: Final = 200


_SEATED: Final = (
    sa.select(sa.func.count())
    .where(room_seats.c.room_id == rooms.c.room_id, room_seats.c.seat.is_not(None))
    .scalar_subquery()
)
_WATCHING: Final = (
    sa.select(sa.func.count())
    .where(room_seats.c.room_id == rooms.c.room_id, room_seats.c.seat.is_(None))
    .scalar_subquery()
)
_HOST_NAME: Final = sa.select(room_seats.c.name).where(room_seats.c.player_id == rooms.c.host).scalar_subquery()


async def list_rooms(
    database: Database, request: room_pb2.ListRoomsRequest, player_id: str | None
) -> room_pb2.ListRoomsResponse:
    """Find rooms, the newest first; for a player none with people whom it must not meet.

    ``player_id`` is None for an operator, who may ask for all. Raises `ServiceError` `malformed`.
    """
    size = min(request.page_size or DEFAULT_PAGE, LARGEST_PAGE)
    query = sa.select(rooms, _SEATED.label("seated"), _WATCHING.label("watching"), _HOST_NAME.label("host_name"))
    query = query.where(*_filters(request, player_id)).order_by(rooms.c.created_at.desc(), rooms.c.room_id.desc())
    async with database.connect() as connection:
        rows = (await connection.execute(query.limit(size + 1))).all()
    response = room_pb2.ListRoomsResponse(rooms=[_summary(row) for row in rows[:size]])
    if len(rows) > size:
        response.next_page_token = Place(rows[size - 1].created_at, rows[size - 1].room_id).token()
    return response


def _filters(request: room_pb2.ListRoomsRequest, player_id: str | None) -> list[sa.ColumnElement[bool]]:
    found: list[sa.ColumnElement[bool]] = []
    if not (request.all and player_id is None):
        found += [rooms.c.listed, rooms.c.state == RoomState.OPEN.value]
    if player_id is not None:
        found.append(~_with_avoided(player_id))
    place = read_token(request.page_token)
    if place is not None:
        found.append(sa.tuple_(rooms.c.created_at, rooms.c.room_id) < place)
    if request.preset:
        found.append(rooms.c.preset == request.preset)
    if request.free_seat:
        found.append(_SEATED < SEATS)
    if request.spectators:
        found.append(rooms.c.spectators)
    if request.people_only:
        found.append(rooms.c.bot_level == "")
    return found


def _with_avoided(player_id: str) -> sa.Exists:
    """Whether somebody is in the room whom the player has blocked, or who has blocked it."""
    by_me = (blocks.c.player_id == player_id) & (blocks.c.blocked_id == room_seats.c.player_id)
    by_other = (blocks.c.blocked_id == player_id) & (blocks.c.player_id == room_seats.c.player_id)
    return sa.exists().where(room_seats.c.room_id == rooms.c.room_id, by_me | by_other)


def _summary(row: sa.Row[Any]) -> room_pb2.RoomSummary:
    summary = room_pb2.RoomSummary(
        room_id=row.room_id,
        host_name=row.host_name or "",
        state=room_pb2.RoomState.Value(f"ROOM_STATE_{row.state.upper()}"),
        settings=room_pb2.RoomSettings.FromString(row.settings),
        seated=row.seated,
        watching=row.watching,
    )
    summary.created.FromDatetime(moment(row.created_at))
    return summary
