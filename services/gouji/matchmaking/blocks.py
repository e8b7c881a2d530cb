"""Who has blocked whom."""

from collections.abc import Iterable

from sqlalchemy.ext.asyncio import AsyncConnection


async def blocked(_connection: AsyncConnection, player_ids: Iterable[str]) -> dict[str, frozenset[str]]:
    """Say for each player whom it has blocked, and who has blocked it."""
    return dict.fromkeys(player_ids, frozenset())
