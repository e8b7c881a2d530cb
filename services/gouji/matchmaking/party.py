"""A party: who is in it, who leads it, who is ready and who is invited. Every change gives a new one; no I/O."""

from collections.abc import Set
from dataclasses import dataclass, replace
from typing import Final, Self

from gouji.serving.errors import ServiceError

MOST_MEMBERS: Final = 6
MOST_INVITES: Final = 12
"""Invitations of one party that stand at a time."""


@dataclass(frozen=True, slots=True)
class PartyMember:
    """Somebody in a party."""

    player_id: str
    name: str
    ready: bool = False


@dataclass(frozen=True, slots=True)
class Invite:
    """Somebody who may come, until a time in microseconds from 1970 on."""

    player_id: str
    expires_at: int


@dataclass(frozen=True, slots=True)
class Party:
    """People who queue together. ``members`` are in the order in which they came, the leader among them.

    A party without members is over.
    """

    party_id: str
    leader: str
    members: tuple[PartyMember, ...]
    invites: tuple[Invite, ...] = ()

    @property
    def player_ids(self) -> frozenset[str]:
        """Who is in it."""
        return frozenset(member.player_id for member in self.members)

    @property
    def ready(self) -> bool:
        """Everybody is ready; the leader is by asking for a match."""
        return all(member.ready for member in self.members if member.player_id != self.leader)

    def with_invite(self, by: str, player_id: str, expires_at: int) -> Self:
        """Invite somebody, or lengthen the invitation.

        Refused: `not_leader`, `party_full`, and `too_often` when too many invitations stand.
        """
        self._led_by(by)
        if player_id in self.player_ids:
            return self
        others = tuple(invite for invite in self.invites if invite.player_id != player_id)
        if len(self.members) >= MOST_MEMBERS:
            raise _full()
        if len(others) >= MOST_INVITES:
            raise ServiceError("too_often", f"{MOST_INVITES} invitations stand already.")
        return replace(self, invites=(*others, Invite(player_id, expires_at)))

    def with_member(self, player_id: str, name: str, now: int) -> Self:
        """Let somebody in who is invited. Refused: `no_invitation`, `party_full`."""
        if player_id in self.player_ids:
            return self
        if not any(invite.player_id == player_id and invite.expires_at > now for invite in self.invites):
            raise ServiceError("no_invitation", "You are not invited to this party, or not any more.")
        if len(self.members) >= MOST_MEMBERS:
            raise _full()
        came = replace(self, members=(*self.members, PartyMember(player_id, name)))
        return came.without_invite(player_id)

    def without_invite(self, player_id: str) -> Self:
        """Take an invitation back, or decline it."""
        return replace(self, invites=tuple(invite for invite in self.invites if invite.player_id != player_id))

    def without(self, player_id: str) -> Self:
        """Let somebody go; if that was the leader, whoever came next leads."""
        left = tuple(member for member in self.members if member.player_id != player_id)
        leader = left[0].player_id if left and player_id == self.leader else self.leader
        return replace(self, members=left, leader=leader)

    def with_removed(self, by: str, player_id: str) -> Self:
        """Have the leader send somebody away, or take an invitation back. Refused: `not_leader`."""
        self._led_by(by)
        return self.without_invite(player_id).without(player_id)

    def with_leader(self, by: str, player_id: str) -> Self:
        """Have the leader hand the lead on. Refused: `not_leader`, `unknown_player` for one who is not here."""
        self._led_by(by)
        if player_id not in self.player_ids:
            raise ServiceError("unknown_player", "This player is not in your party.")
        return replace(self, leader=player_id)

    def with_ready(self, player_id: str, *, ready: bool) -> Self:
        """Note that a member is ready, or no longer."""
        changed = (replace(one, ready=ready) if one.player_id == player_id else one for one in self.members)
        return replace(self, members=tuple(changed))

    def ends_ticket_of(self, before: "Party") -> bool:
        """Whether a ticket of the party as it was before does not stand for this one."""
        gone = _ready(before) - _ready(self)
        return (self.player_ids, self.leader) != (before.player_ids, before.leader) or bool(gone)

    def _led_by(self, player_id: str) -> None:
        if player_id != self.leader:
            raise ServiceError("not_leader", "Only the leader of the party can do that.")


def _ready(party: Party) -> Set[str]:
    return {member.player_id for member in party.members if member.ready}


def _full() -> ServiceError:
    return ServiceError("party_full", f"The party has {MOST_MEMBERS} members.")
