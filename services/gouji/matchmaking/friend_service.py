"""Friends and blocks over gRPC: unpacks, asks the store, packs."""

from typing import Any, Final

from gouji.matchmaking.friends import Friends
from gouji.matchmaking.party_service import presence_message
from gouji.serving.app import App
from gouji.serving.auth import Role, Roles, caller
from gouji.serving.clock import microseconds, moment
from gouji.serving.requests import check_id
from gouji.v1 import friends_pb2, friends_pb2_grpc

ROLES: Final[Roles] = {
    "AddFriend": {Role.PLAYER},
    "RemoveFriend": {Role.PLAYER},
    "ListFriends": {Role.PLAYER},
    "ListRecentPlayers": {Role.PLAYER},
    "BlockPlayer": {Role.PLAYER},
    "UnblockPlayer": {Role.PLAYER},
    "ListBlockedPlayers": {Role.PLAYER},
}
"""Who may call what."""


class FriendServicer(friends_pb2_grpc.FriendServiceServicer):
    """Whom the caller knows. What is no id is refused with `malformed`."""

    def __init__(self, app: App, friends: Friends) -> None:
        self._clock = app.clock
        self._friends = friends

    async def AddFriend(  # noqa: N802 - gRPC's name
        self, request: friends_pb2.AddFriendRequest, context: Any
    ) -> friends_pb2.AddFriendResponse:
        """Ask somebody to be a friend, or agree. Refused with `unknown_player`, `not_welcome`, `too_often`."""
        check_id("player_id", request.player_id)
        standing = await self._friends.add(caller(context).player_id, request.player_id, self._now())
        return friends_pb2.AddFriendResponse(state=_state(standing))

    async def RemoveFriend(  # noqa: N802 - gRPC's name
        self, request: friends_pb2.RemoveFriendRequest, context: Any
    ) -> friends_pb2.RemoveFriendResponse:
        """Be friends no longer; who is none stays so."""
        check_id("player_id", request.player_id)
        await self._friends.remove(caller(context).player_id, request.player_id)
        return friends_pb2.RemoveFriendResponse()

    async def ListFriends(  # noqa: N802 - gRPC's name
        self, _request: friends_pb2.ListFriendsRequest, context: Any
    ) -> friends_pb2.ListFriendsResponse:
        """List friends, and who asks or is asked."""
        response = friends_pb2.ListFriendsResponse()
        for one in await self._friends.known(caller(context).player_id, self._now()):
            friend = response.friends.add(player_id=one.player_id, name=one.name, state=_state(one.standing))
            if one.there:
                friend.presence.CopyFrom(presence_message(one.there))
        return response

    async def ListRecentPlayers(  # noqa: N802 - gRPC's name
        self, _request: friends_pb2.ListRecentPlayersRequest, context: Any
    ) -> friends_pb2.ListRecentPlayersResponse:
        """List whom the caller last played with."""
        response = friends_pb2.ListRecentPlayersResponse()
        for one in await self._friends.recent(caller(context).player_id, self._now()):
            player = response.players.add(player_id=one.player_id, name=one.name)
            player.presence.CopyFrom(presence_message(one.there))
            player.played.FromDatetime(moment(one.played_at or 0))
        return response

    async def BlockPlayer(  # noqa: N802 - gRPC's name
        self, request: friends_pb2.BlockPlayerRequest, context: Any
    ) -> friends_pb2.BlockPlayerResponse:
        """Never meet somebody. Refused with `unknown_player`, `too_often`."""
        check_id("player_id", request.player_id)
        await self._friends.block(caller(context).player_id, request.player_id)
        return friends_pb2.BlockPlayerResponse()

    async def UnblockPlayer(  # noqa: N802 - gRPC's name
        self, request: friends_pb2.UnblockPlayerRequest, context: Any
    ) -> friends_pb2.UnblockPlayerResponse:
        """Take a block back; where there is none nothing happens."""
        check_id("player_id", request.player_id)
        await self._friends.unblock(caller(context).player_id, request.player_id)
        return friends_pb2.UnblockPlayerResponse()

    async def ListBlockedPlayers(  # noqa: N802 - gRPC's name
        self, _request: friends_pb2.ListBlockedPlayersRequest, context: Any
    ) -> friends_pb2.ListBlockedPlayersResponse:
        """List whom the caller has blocked."""
        response = friends_pb2.ListBlockedPlayersResponse()
        for one in await self._friends.blocked(caller(context).player_id):
            response.players.add(player_id=one.player_id, name=one.name)
        return response

    def _now(self) -> int:
        return microseconds(self._clock.now())


def _state(standing: Any) -> friends_pb2.FriendState.ValueType:
    return friends_pb2.FriendState.Value(f"FRIEND_STATE_{standing.name}")
