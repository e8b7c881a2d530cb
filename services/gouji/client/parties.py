"""Parties, and whom one may want to invite to them."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing

import grpc

from gouji.client.session import Metadata, Session
from gouji.v1 import friends_pb2_grpc, party_pb2_grpc
from gouji.v1.friends_pb2 import (
    AddFriendRequest,
    BlockedPlayer,
    BlockPlayerRequest,
    Friend,
    FriendState,
    ListBlockedPlayersRequest,
    ListFriendsRequest,
    ListRecentPlayersRequest,
    RecentPlayer,
    RemoveFriendRequest,
    UnblockPlayerRequest,
)
from gouji.v1.party_pb2 import (
    AnswerInvitationRequest,
    HandOverPartyRequest,
    InvitePlayerRequest,
    LeavePartyRequest,
    Party,
    RemoveMemberRequest,
    SetReadyRequest,
    WatchPartyRequest,
    WatchPartyResponse,
)


class Parties:
    """The party of the session's player. Every call may be repeated; failures raise `ClientError`."""

    def __init__(self, session: Session) -> None:
        self._session = session

    async def watch(self) -> AsyncGenerator[WatchPartyResponse, None]:
        """Follow the party and the invitations to others until the caller stops; broken streams are opened again."""

        async def open_stream(
            metadata: Metadata,
        ) -> "grpc.aio.UnaryStreamCall[WatchPartyRequest, WatchPartyResponse]":
            return self._stub.WatchParty(WatchPartyRequest(), metadata=metadata)

        async with aclosing(self._session.follow(open_stream)) as responses:
            async for response in responses:
                yield response

    async def invite(self, player_id: str) -> Party:
        """Invite somebody; the party is made if there is none."""
        return (await self._session.call(self._stub.InvitePlayer, InvitePlayerRequest(player_id=player_id))).party

    async def accept(self, party_id: str) -> Party:
        """Come in."""
        request = AnswerInvitationRequest(party_id=party_id, accept=True)
        return (await self._session.call(self._stub.AnswerInvitation, request)).party

    async def decline(self, party_id: str) -> None:
        """Decline an invitation."""
        await self._session.call(self._stub.AnswerInvitation, AnswerInvitationRequest(party_id=party_id))

    async def ready(self, *, ready: bool = True) -> Party:
        """Say that one is ready to queue, or no longer."""
        return (await self._session.call(self._stub.SetReady, SetReadyRequest(ready=ready))).party

    async def hand_over(self, player_id: str) -> Party:
        """Have another member lead."""
        return (await self._session.call(self._stub.HandOverParty, HandOverPartyRequest(player_id=player_id))).party

    async def remove(self, player_id: str) -> Party:
        """Send a member away, or take an invitation back."""
        return (await self._session.call(self._stub.RemoveMember, RemoveMemberRequest(player_id=player_id))).party

    async def leave(self) -> None:
        """Leave the party."""
        await self._session.call(self._stub.LeaveParty, LeavePartyRequest())

    @property
    def _stub(self) -> "party_pb2_grpc.PartyServiceAsyncStub":
        return party_pb2_grpc.PartyServiceStub(self._session.channel())


class Friends:
    """Whom the session's player knows. Every call may be repeated; failures raise `ClientError`."""

    def __init__(self, session: Session) -> None:
        self._session = session

    async def add(self, player_id: str) -> FriendState.ValueType:
        """Ask somebody to be a friend, or agree; returns how the two stand now."""
        return (await self._session.call(self._stub.AddFriend, AddFriendRequest(player_id=player_id))).state

    async def remove(self, player_id: str) -> None:
        """Be friends no longer."""
        await self._session.call(self._stub.RemoveFriend, RemoveFriendRequest(player_id=player_id))

    async def known(self) -> Sequence[Friend]:
        """List friends, and who asks or is asked to be one."""
        return (await self._session.call(self._stub.ListFriends, ListFriendsRequest())).friends

    async def recent(self) -> Sequence[RecentPlayer]:
        """List whom the player last played with."""
        return (await self._session.call(self._stub.ListRecentPlayers, ListRecentPlayersRequest())).players

    async def block(self, player_id: str) -> None:
        """Never meet somebody."""
        await self._session.call(self._stub.BlockPlayer, BlockPlayerRequest(player_id=player_id))

    async def unblock(self, player_id: str) -> None:
        """Take a block back."""
        await self._session.call(self._stub.UnblockPlayer, UnblockPlayerRequest(player_id=player_id))

    async def blocked(self) -> Sequence[BlockedPlayer]:
        """List whom the player has blocked."""
        return (await self._session.call(self._stub.ListBlockedPlayers, ListBlockedPlayersRequest())).players

    @property
    def _stub(self) -> "friends_pb2_grpc.FriendServiceAsyncStub":
        return friends_pb2_grpc.FriendServiceStub(self._session.channel())
