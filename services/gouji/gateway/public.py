"""What the door lets in: the methods of `gouji.v1` that are not marked internal, and who serves them."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from google.protobuf.descriptor import FileDescriptor, MethodDescriptor

from gouji.v1 import (
    account_pb2,
    admin_pb2,
    bot_pb2,
    feed_pb2,
    friends_pb2,
    gateway_pb2,
    history_pb2,
    leaderboard_pb2,
    matchmaking_pb2,
    moderation_pb2,
    options_pb2,
    party_pb2,
    room_pb2,
    scoring_pb2,
    table_pb2,
    tournament_pb2,
)

SERVED_BY: Final[Mapping[str, str]] = {
    "SessionService": "gateway",
    "AccountService": "gateway",
    "AccountAdminService": "gateway",
    "ModerationService": "gateway",
    "ReportService": "gateway",
    "MatchmakingService": "matchmaking",
    "QueueAdminService": "matchmaking",
    "PartyService": "matchmaking",
    "FriendService": "matchmaking",
    "RoomService": "matchmaking",
    "ScoringService": "scoring",
    "LeaderboardService": "scoring",
    "HistoryService": "scoring",
    "FeedService": "scoring",
    "TournamentService": "scoring",
    "BotService": "bot",
    "TableService": "table",
    "TableAdminService": "table",
}
"""Each gRPC service and the one of ours that has it; what stands in no row is not let in."""

OF_NO_TABLE: Final = frozenset({"ListPhrases", "ListServers", "ListTables"})
"""Methods of table servers that any of them answers alike."""

_FILES: Final[tuple[FileDescriptor, ...]] = tuple(
    module.DESCRIPTOR
    for module in (
        account_pb2,
        admin_pb2,
        bot_pb2,
        feed_pb2,
        friends_pb2,
        gateway_pb2,
        history_pb2,
        leaderboard_pb2,
        matchmaking_pb2,
        moderation_pb2,
        party_pb2,
        room_pb2,
        scoring_pb2,
        table_pb2,
        tournament_pb2,
    )
)


@dataclass(frozen=True, slots=True, order=True)
class Method:
    """A method that may be called from outside."""

    service: str
    name: str
    stream: bool

    @property
    def path(self) -> str:
        """Its path on the wire."""
        return f"/gouji.v1.{self.service}/{self.name}"

    @property
    def server(self) -> str:
        """Who has it; `any_table` for what every table server answers alike."""
        return "any_table" if self.name in OF_NO_TABLE else SERVED_BY[self.service]


def public_methods() -> list[Method]:
    """List all methods that may be called from outside, in order."""
    return sorted(_public())


def _public() -> Iterator[Method]:
    for file in _FILES:
        for service in file.services_by_name.values():
            if service.name in SERVED_BY:
                yield from (
                    Method(service.name, method.name, method.server_streaming)
                    for method in service.methods
                    if not is_internal(method)
                )


def is_internal(method: MethodDescriptor) -> bool:
    """Say whether a method is marked as internal."""
    return bool(method.GetOptions().Extensions[options_pb2.internal])
