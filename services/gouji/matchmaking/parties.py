"""Parties: players who queue together."""

from dataclasses import dataclass

from sqlalchemy.ext.asyncio import AsyncConnection


@dataclass(frozen=True, slots=True)
class PartyMember:
    """A member of a party."""

    player_id: str
    name: str
    ready: bool


@dataclass(frozen=True, slots=True)
class Party:
    """A party; its leader queues it."""

    party_id: str
    leader: str
    members: tuple[PartyMember, ...]


async def party_of(_connection: AsyncConnection, _party_id: str) -> Party | None:
    """Find a party; None when there is none."""
    return None
