"""Parties over gRPC: unpacks, asks the store of parties, packs."""

from collections.abc import AsyncIterator, Callable, Iterable
from typing import Any, Final

from gouji.matchmaking.feeds import Feed
from gouji.matchmaking.parties import Invitation, Lobby, Parties, concerned
from gouji.matchmaking.party import Party
from gouji.matchmaking.presence import Here, Whereabouts, seen
from gouji.serving.app import App
from gouji.serving.auth import Role, Roles, caller
from gouji.serving.clock import microseconds, moment
from gouji.serving.requests import check_id
from gouji.v1 import party_pb2, party_pb2_grpc

ROLES: Final[Roles] = {
    "WatchParty": {Role.PLAYER},
    "InvitePlayer": {Role.PLAYER},
    "AnswerInvitation": {Role.PLAYER},
    "SetReady": {Role.PLAYER},
    "HandOverParty": {Role.PLAYER},
    "RemoveMember": {Role.PLAYER},
    "LeaveParty": {Role.PLAYER},
}
"""Who may call what."""


class PartyServicer(party_pb2_grpc.PartyServiceServicer):
    """What people do in parties."""

    def __init__(self, app: App, parties: Parties, feed: Feed, here: Here) -> None:
        self._database = app.database
        self._clock = app.clock
        self._heartbeat = app.settings.heartbeat_seconds
        self._patience = app.settings.invitation_seconds * 1_000_000
        self._parties = parties
        self._feed = feed
        self._here = here

    async def WatchParty(  # noqa: N802 - gRPC's name
        self, _request: party_pb2.WatchPartyRequest, context: Any
    ) -> AsyncIterator[party_pb2.WatchPartyResponse]:
        """Send the caller's party and invitations now, on each change and as a heart-beat.

        Refused with `too_often` when the caller has too many watches open; ends with `draining` when the server stops.
        """
        player_id = caller(context).player_id
        with self._here.of(player_id), self._feed.follow(player_id) as watch:
            await seen(self._database, [player_id], self._now())
            lobby = await self._parties.lobby(player_id, self._now())
            while True:
                yield party_pb2.WatchPartyResponse(
                    party=party_message(lobby),
                    invitations=[_invitation(invitation) for invitation in lobby.invitations],
                )
                # Where others are, and what has lapsed, raises no number.
                if await watch.change(lobby.version, self._heartbeat) or lobby.party or lobby.invitations:
                    lobby = await self._parties.lobby(player_id, self._now())

    async def InvitePlayer(  # noqa: N802 - gRPC's name
        self, request: party_pb2.InvitePlayerRequest, context: Any
    ) -> party_pb2.InvitePlayerResponse:
        """Invite somebody, or lengthen the invitation.

        Refused with `unknown_player`, `not_welcome`, `not_leader`, `party_full`, `too_often`, `malformed`.
        """
        check_id("player_id", request.player_id)
        who, now = caller(context), self._now()
        until = now + self._patience
        party = await self._parties.invite(who.player_id, who.name, request.player_id, until, now)
        return party_pb2.InvitePlayerResponse(party=await self._told(who.player_id, concerned(party)))

    async def AnswerInvitation(  # noqa: N802 - gRPC's name
        self, request: party_pb2.AnswerInvitationRequest, context: Any
    ) -> party_pb2.AnswerInvitationResponse:
        """Come in or decline.

        Accepting is refused with `no_invitation`, `in_party`, `party_full`, `not_welcome`; both with `malformed`.
        """
        check_id("party_id", request.party_id)
        who, now = caller(context), self._now()
        if request.accept:
            party: Party | None = await self._parties.accept(request.party_id, who.player_id, who.name, now)
        else:
            party = await self._parties.decline(request.party_id, who.player_id, now)
        others = concerned(party) if party else frozenset()
        return party_pb2.AnswerInvitationResponse(party=await self._told(who.player_id, others))

    async def SetReady(  # noqa: N802 - gRPC's name
        self, request: party_pb2.SetReadyRequest, context: Any
    ) -> party_pb2.SetReadyResponse:
        """Say whether the caller is ready. Refused with `no_party`."""
        message = await self._change(context, lambda party, by: party.with_ready(by, ready=request.ready))
        return party_pb2.SetReadyResponse(party=message)

    async def HandOverParty(  # noqa: N802 - gRPC's name
        self, request: party_pb2.HandOverPartyRequest, context: Any
    ) -> party_pb2.HandOverPartyResponse:
        """Make another member lead. Refused with `no_party`, `not_leader`, `unknown_player`."""
        message = await self._change(context, lambda party, by: party.with_leader(by, request.player_id))
        return party_pb2.HandOverPartyResponse(party=message)

    async def RemoveMember(  # noqa: N802 - gRPC's name
        self, request: party_pb2.RemoveMemberRequest, context: Any
    ) -> party_pb2.RemoveMemberResponse:
        """Send a member away, or take an invitation back. Refused with `no_party`, `not_leader`."""
        message = await self._change(
            context, lambda party, by: party.with_removed(by, request.player_id), request.player_id
        )
        return party_pb2.RemoveMemberResponse(party=message)

    async def LeaveParty(  # noqa: N802 - gRPC's name
        self, _request: party_pb2.LeavePartyRequest, context: Any
    ) -> party_pb2.LeavePartyResponse:
        """Leave; who is in no party stays so."""
        player_id = caller(context).player_id
        party = await self._parties.leave(player_id, self._now())
        self._feed.stir({player_id} | (concerned(party) if party else frozenset()))
        return party_pb2.LeavePartyResponse()

    async def _change(
        self, context: Any, decide: Callable[[Party, str], Party], *others: str
    ) -> party_pb2.Party | None:
        """Change the caller's party, have all who see something of it told, and say how it is."""
        by = caller(context).player_id
        party = await self._parties.change(by, lambda party: decide(party, by), self._now())
        return await self._told(by, concerned(party) | {*others})

    async def _told(self, player_id: str, others: Iterable[str]) -> party_pb2.Party | None:
        self._feed.stir({player_id, *others})
        return party_message(await self._parties.lobby(player_id, self._now()))

    def _now(self) -> int:
        return microseconds(self._clock.now())


def party_message(lobby: Lobby) -> party_pb2.Party | None:
    """Say how a party is, to its members; None where there is none."""
    party = lobby.party
    if party is None:
        return None
    message = party_pb2.Party(party_id=party.party_id, leader=party.leader)
    for member in party.members:
        presence = presence_message(lobby.there.get(member.player_id))
        message.members.add(player_id=member.player_id, name=member.name, ready=member.ready, presence=presence)
    for invite in party.invites:
        added = message.invites.add(player_id=invite.player_id, name=lobby.names.get(invite.player_id, ""))
        added.presence.CopyFrom(presence_message(lobby.there.get(invite.player_id)))
        added.expires.FromDatetime(moment(invite.expires_at))
    return message


def presence_message(there: Whereabouts | None) -> party_pb2.PlayerPresence:
    """Say where a player is; of one who is not known, that it is away."""
    if there is None:
        return party_pb2.PlayerPresence()
    return party_pb2.PlayerPresence(online=there.online, in_party=there.in_party, playing=there.playing)


def _invitation(invitation: Invitation) -> party_pb2.PartyInvitation:
    message = party_pb2.PartyInvitation(party_id=invitation.party_id, player_id=invitation.leader, name=invitation.name)
    message.expires.FromDatetime(moment(invitation.expires_at))
    return message
