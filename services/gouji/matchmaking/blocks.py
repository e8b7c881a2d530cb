"""SQL of blocks: who must not meet whom. A block counts both ways, and nobody is told who made it."""

from collections.abc import Iterable

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from gouji.serving.database import chunks
from gouji.serving.errors import ServiceError
from gouji.serving.schema import blocks


async def blocked(connection: AsyncConnection, player_ids: Iterable[str]) -> dict[str, frozenset[str]]:
    """Say of each of these players whom it must not meet: whom it has blocked, and who has blocked it."""
    found: dict[str, set[str]] = {player_id: set() for player_id in player_ids}
    for some in chunks(found):
        for one, other in ((blocks.c.player_id, blocks.c.blocked_id), (blocks.c.blocked_id, blocks.c.player_id)):
            for player_id, avoided in await connection.execute(sa.select(one, other).where(one.in_(some))):
                found[player_id].add(avoided)
    return {player_id: frozenset(avoided) for player_id, avoided in found.items()}


async def refuse_blocked(connection: AsyncConnection, player_id: str, others: Iterable[str]) -> None:
    """Raise `ServiceError` `not_welcome` when this player must not meet one of the others."""
    if (await blocked(connection, [player_id]))[player_id] & frozenset(others):
        raise ServiceError("not_welcome", "You cannot meet here.")
