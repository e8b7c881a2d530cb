"""SQL of parties. PostgreSQL locks a party's row first, then players of the lobby, then tickets by id.

Times are microseconds from 1970 on. Every method of `Parties` raises `StorageUnavailable` when the database cannot
be reached.
"""

import uuid
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Final

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from gouji.matchmaking import presence
from gouji.matchmaking.blocks import blocked, refuse_blocked
from gouji.matchmaking.party import Invite, Party, PartyMember
from gouji.matchmaking.presence import Whereabouts
from gouji.matchmaking.withdrawals import cancel_of_party
from gouji.serving.database import Database
from gouji.serving.errors import ServiceError
from gouji.serving.schema import active_seats, lobby_players, parties, party_invites, party_members, players

MOST_SHOWN: Final = 20
"""Invitations that a player is shown, however many invite it."""

__all__ = ["Parties", "Party", "PartyMember", "party_of", "party_with"]


async def party_of(connection: AsyncConnection, party_id: str, *, lock: bool = False) -> Party | None:
    """Read a party; None when there is none. With ``lock`` nobody changes it before the transaction's end."""
    query = sa.select(parties.c.leader).where(parties.c.party_id == party_id)
    leader = await connection.scalar(query.with_for_update() if lock else query)
    if leader is None:
        return None
    came = sa.select(party_members).where(party_members.c.party_id == party_id)
    came = came.order_by(party_members.c.joined_at, party_members.c.player_id)
    asked = sa.select(party_invites.c.player_id, party_invites.c.expires_at)
    asked = asked.where(party_invites.c.party_id == party_id).order_by(party_invites.c.player_id)
    members = [PartyMember(row.player_id, row.name, row.ready) for row in await connection.execute(came)]
    invites = [Invite(row.player_id, row.expires_at) for row in await connection.execute(asked)]
    return Party(party_id, leader, tuple(members), tuple(invites))


async def party_with(connection: AsyncConnection, player_id: str, *, lock: bool = False) -> Party | None:
    """Read the party that a player is in; None when it is in none. ``lock`` as in `party_of`."""
    mine = sa.select(party_members.c.party_id).where(party_members.c.player_id == player_id)
    while party_id := await connection.scalar(mine):
        party = await party_of(connection, party_id, lock=lock)
        if party and player_id in party.player_ids:
            return party
    return None


@dataclass(frozen=True, slots=True)
class Invitation:
    """What somebody who is invited is told: to which party, by whom, until when."""

    party_id: str
    leader: str
    name: str
    expires_at: int


@dataclass(frozen=True, slots=True)
class Lobby:
    """What a player is shown. ``version`` rises with each change of it but those of ``there``."""

    version: int
    party: Party | None
    invitations: tuple[Invitation, ...]
    names: Mapping[str, str]
    there: Mapping[str, Whereabouts]


class Parties:
    """Parties in a database. What changes is told by the numbers of its members and of who is invited (`presence`)."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def invite(self, player_id: str, name: str, other: str, until: int, now: int) -> Party:
        """Invite somebody to the player's party, which is made when it has none.

        Raises `ServiceError`: `unknown_player`, `not_welcome` when one who is there must not meet the other,
        `not_leader`, `party_full`, `too_often`; `in_party` when the player comes into another party meanwhile.
        """
        async with self._database.begin() as connection:
            await refuse_unknown(connection, player_id, other)
            before = await party_with(connection, player_id, lock=True)
            party = before or Party(uuid.uuid4().hex, player_id, (PartyMember(player_id, name),))
            await refuse_blocked(connection, other, party.player_ids)
            return await self._save(connection, before, _fresh(party, now).with_invite(player_id, other, until), now)

    async def accept(self, party_id: str, player_id: str, name: str, now: int) -> Party:
        """Bring an invited player in; one who is there already stays.

        Raises `ServiceError`: `no_invitation`, also where there is no such party; `party_full`, `not_welcome`, and
        `in_party` when the player is in another.
        """
        async with self._database.begin() as connection:
            party = await party_of(connection, party_id, lock=True)
            if party is None:
                raise ServiceError("no_invitation", "You are not invited to this party, or not any more.")
            if player_id not in party.player_ids:
                await refuse_blocked(connection, player_id, party.player_ids)
            return await self._save(connection, party, party.with_member(player_id, name, now), now)

    async def decline(self, party_id: str, player_id: str, now: int) -> Party | None:
        """Take a player's invitation away; returns the party, None where there is none."""
        async with self._database.begin() as connection:
            party = await party_of(connection, party_id, lock=True)
            return await self._save(connection, party, party.without_invite(player_id), now) if party else None

    async def leave(self, player_id: str, now: int) -> Party | None:
        """Take a player out of its party; returns what is left of it, None when it was in none."""
        async with self._database.begin() as connection:
            party = await party_with(connection, player_id, lock=True)
            return await self._save(connection, party, party.without(player_id), now) if party else None

    async def change(self, player_id: str, decide: Callable[[Party], Party], now: int) -> Party:
        """Change the party that a player is in. Raises `ServiceError` `no_party`, and what ``decide`` raises."""
        async with self._database.begin() as connection:
            party = await party_with(connection, player_id, lock=True)
            if party is None:
                raise ServiceError("no_party", "You are in no party.")
            return await self._save(connection, party, decide(party), now)

    async def lobby(self, player_id: str, now: int) -> Lobby:
        """Read what a player is shown: its party, who invites it, and who of all these is there."""
        async with self._database.connect() as connection:
            number = sa.select(lobby_players.c.version).where(lobby_players.c.player_id == player_id)
            version = await connection.scalar(number) or 0
            whole = await party_with(connection, player_id)
            party = _fresh(whole, now) if whole else None
            invitations = await _invitations(connection, player_id, now)
            ids = concerned(party) if party else frozenset()
            there = await presence.whereabouts(connection, ids, now)
            return Lobby(version, party, invitations, await names_of(connection, ids), there)

    async def sweep(self, before: int, now: int) -> int:
        """End parties of which nobody was seen since ``before`` and nobody sits at a table; returns how many."""
        member = party_members.c
        here = sa.select(member.party_id).outerjoin(lobby_players, lobby_players.c.player_id == member.player_id)
        here = here.outerjoin(active_seats, active_seats.c.player_id == member.player_id)
        here = here.where((lobby_players.c.seen_at >= before) | active_seats.c.player_id.is_not(None))
        idle = sa.select(parties.c.party_id).where(parties.c.created_at < before, parties.c.party_id.not_in(here))
        async with self._database.connect() as connection:
            ids = list(await connection.scalars(idle))
        return sum([await self._end(idle.where(parties.c.party_id == party_id), now) for party_id in ids])

    async def _end(self, which: sa.Select[str], now: int) -> bool:
        """End a party if it is still to be found so, and nobody is changing it."""
        async with self._database.begin() as connection:
            party_id = await connection.scalar(which.with_for_update(skip_locked=True))
            party = await party_of(connection, party_id) if party_id else None
            if party:
                await self._save(connection, party, replace(party, members=()), now)
            return party is not None

    async def _save(self, connection: AsyncConnection, before: Party | None, after: Party, now: int) -> Party:
        """Write what has changed; a party without members is taken away. Raises `ServiceError` `in_party`."""
        if after == before:
            return after
        if before is None:
            row = {"party_id": after.party_id, "leader": after.leader, "created_at": now}
            await connection.execute(sa.insert(parties).values(row))
        old = before or replace(after, members=(), invites=())
        await self._save_members(connection, old, after, now)
        await self._save_invites(connection, old, after)
        this = parties.c.party_id == after.party_id
        if not after.members:
            await connection.execute(sa.delete(parties).where(this))
        elif after.leader != old.leader:
            await connection.execute(sa.update(parties).where(this).values(leader=after.leader))
        await presence.stir(self._database, connection, concerned(old) | concerned(after))
        if after.ends_ticket_of(old):
            await cancel_of_party(connection, after.party_id)
        return after

    async def _save_members(self, connection: AsyncConnection, old: Party, new: Party, now: int) -> None:
        this = party_members.c.party_id == new.party_id
        gone = old.player_ids - new.player_ids
        if gone:
            await connection.execute(sa.delete(party_members).where(this, party_members.c.player_id.in_(gone)))
        for member in set(new.members) - set(old.members):
            same = this & (party_members.c.player_id == member.player_id)
            if member.player_id in old.player_ids:
                await connection.execute(sa.update(party_members).where(same).values(ready=member.ready))
            else:
                await self._add_member(connection, new.party_id, member, now)

    async def _add_member(self, connection: AsyncConnection, party_id: str, member: PartyMember, now: int) -> None:
        once = self._database.insert(party_members).on_conflict_do_nothing(index_elements=["player_id"])
        row = {"party_id": party_id, "player_id": member.player_id, "name": member.name, "ready": member.ready}
        added = await connection.execute(once.values(row | {"joined_at": now}).returning(party_members.c.player_id))
        if added.first() is None:
            raise ServiceError("in_party", "You are in another party; leave it first.")

    async def _save_invites(self, connection: AsyncConnection, old: Party, new: Party) -> None:
        this = party_invites.c.party_id == new.party_id
        invites = new.invites if new.members else ()
        changed = {invite.player_id for invite in set(old.invites) - set(invites)}
        if changed:
            await connection.execute(sa.delete(party_invites).where(this, party_invites.c.player_id.in_(changed)))
        rows = [
            {"party_id": new.party_id, "player_id": invite.player_id, "expires_at": invite.expires_at}
            for invite in sorted(set(invites) - set(old.invites), key=lambda invite: invite.player_id)
        ]
        if rows:
            await connection.execute(sa.insert(party_invites), rows)


def concerned(party: Party) -> frozenset[str]:
    """Who is shown something of a party: its members and who is invited."""
    return party.player_ids | {invite.player_id for invite in party.invites}


def _fresh(party: Party, now: int) -> Party:
    """Forget invitations that have lapsed."""
    return replace(party, invites=tuple(invite for invite in party.invites if invite.expires_at > now))


async def refuse_unknown(connection: AsyncConnection, player_id: str, other: str) -> None:
    """Raise `ServiceError` `unknown_player` when the other is nobody, or the player itself."""
    known = await connection.scalar(sa.select(players.c.player_id).where(players.c.player_id == other))
    if known is None or other == player_id:
        raise ServiceError("unknown_player", "There is no such other player.")


async def _invitations(connection: AsyncConnection, player_id: str, now: int) -> tuple[Invitation, ...]:
    """Read who invites a player, the latest first, without those whom it must not meet."""
    query = (
        sa.select(party_invites.c.party_id, parties.c.leader, party_members.c.name, party_invites.c.expires_at)
        .join_from(party_invites, parties, parties.c.party_id == party_invites.c.party_id)
        .join(party_members, party_members.c.player_id == parties.c.leader)
        .where(party_invites.c.player_id == player_id, party_invites.c.expires_at > now)
        .order_by(party_invites.c.expires_at.desc(), party_invites.c.party_id)
        .limit(MOST_SHOWN)
    )
    found = [Invitation(*row) for row in await connection.execute(query)]
    avoided = (await blocked(connection, [player_id]))[player_id] if found else frozenset()
    return tuple(invitation for invitation in found if invitation.leader not in avoided)


async def names_of(connection: AsyncConnection, player_ids: Iterable[str]) -> dict[str, str]:
    """Read what players are called; one who does not exist is missing."""
    query = sa.select(players.c.player_id, players.c.name).where(players.c.player_id.in_(list(player_ids)))
    return {row.player_id: row.name for row in await connection.execute(query)}
