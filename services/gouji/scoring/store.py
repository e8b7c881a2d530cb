"""SQL of what is read of results and ratings."""

from collections.abc import Iterable

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from gouji.scoring.hands import Correction, read_hands_of
from gouji.scoring.rated import read_skills, select_ratings
from gouji.scoring.rating import START, Skill, widened
from gouji.serving.database import Database
from gouji.serving.schema import players
from gouji.v1.scoring_pb2 import HandResult


class Store:
    """What scoring knows. Every method raises `StorageUnavailable` when the database cannot be reached."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def skills(self, player_ids: Iterable[str], family: str, now: int) -> dict[str, Skill]:
        """Read ratings as they are now; everybody who has none gets that of a beginner."""
        skills = dict.fromkeys(player_ids, START)
        async with self._database.connect() as connection:
            skills |= await read_skills(connection, select_ratings(skills, family))
        return {one: widened(one, skill, now) for one, skill in skills.items()}

    async def match(self, table_id: str) -> tuple[list[HandResult], list[Correction]]:
        """List the results of a match that stand, by hand, with names; and its corrections. Both may be empty."""
        async with self._database.snapshot() as connection:
            hands = await read_hands_of(connection, table_id)
            standing = sorted(hands.standing(), key=lambda result: result.hand)
            seats = [seat for result in standing for seat in result.seats if seat.player_id]
            names = await _names(connection, {seat.player_id for seat in seats})
        for seat in seats:
            seat.name = names.get(seat.player_id, "")
        return standing, hands.corrections


async def _names(connection: AsyncConnection, player_ids: Iterable[str]) -> dict[str, str]:
    """Read what players are called; one who has been deleted is missing."""
    query = sa.select(players.c.player_id, players.c.name).where(players.c.player_id.in_(list(player_ids)))
    return {row.player_id: row.name for row in await connection.execute(query)}
