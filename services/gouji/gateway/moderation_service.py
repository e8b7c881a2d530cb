"""Moderation over gRPC: unpacks, asks, packs."""

from typing import Any, Final

from google.protobuf.timestamp_pb2 import Timestamp

from gouji.gateway.acts import WantedActs, find_acts
from gouji.serving.app import App
from gouji.serving.auth import Role, Roles
from gouji.serving.errors import malformed
from gouji.serving.requests import LONGEST_ID, read_limit
from gouji.v1 import moderation_pb2, moderation_pb2_grpc

_MODERATORS: Final = frozenset({Role.MODERATOR, Role.OPERATOR})

ROLES: Final[Roles] = {"ListActs": _MODERATORS}
"""Who may call what."""

DEFAULT_LIMIT, MOST_LIMIT = 100, 1000
"""Rows in one answer."""

_LARGEST: Final = 2**63 - 1


def bind_moderation(app: App) -> None:
    """Add moderation to a process."""
    app.add_servicer(
        moderation_pb2_grpc.add_ModerationServiceServicer_to_server,
        ModerationServicer(app),
        "gouji.v1.ModerationService",
        roles=ROLES,
    )


class ModerationServicer(moderation_pb2_grpc.ModerationServiceServicer):
    """What moderators do."""

    def __init__(self, app: App) -> None:
        self._database = app.database

    async def ListActs(  # noqa: N802 (gRPC's name)
        self, request: moderation_pb2.ListActsRequest, _context: Any
    ) -> moderation_pb2.ListActsResponse:
        """List what was done, the newest first."""
        for name in ("actor", "player_id", "table_id", "method"):
            _check_wish(name, getattr(request, name))
        wanted = WantedActs(
            request.actor, request.player_id, request.table_id, request.method, min(request.before, _LARGEST)
        )
        most = read_limit(request.limit, DEFAULT_LIMIT, MOST_LIMIT)
        found = await find_acts(self._database, wanted, most + 1)
        return moderation_pb2.ListActsResponse(acts=map(_act, found[:most]), more=len(found) > most)


def _check_wish(field: str, given: str) -> None:
    """Take a text by which rows are found, also an empty one. PostgreSQL refuses NUL."""
    if len(given) > LONGEST_ID or not given.isprintable():
        raise malformed(field, f"is not up to {LONGEST_ID} characters that can be shown")


def _act(row: Any) -> moderation_pb2.Act:
    return moderation_pb2.Act(**{name: value for name, value in row.items() if name != "at"}, at=_time(row["at"]))


def _time(microseconds: int) -> Timestamp:
    moment = Timestamp()
    moment.FromMicroseconds(microseconds)
    return moment
