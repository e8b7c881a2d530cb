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


async def party_of(_connection: AsyncConnection, _party_id: str, *, lock: bool = False) -> Party | None:  # noqa: ARG001
    """Read a party; None when there is none. With ``lock`` nobody changes it before the transaction's end."""
    return None
