"""SQL of what is read: results, totals and ratings. Every leaderboard is one walk along an index."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from gouji.scoring.books import ALL_PRESETS, PLACES
from gouji.scoring.hands import Correction, read_hands_of
from gouji.scoring.ledger import Totals
from gouji.scoring.rated import read_skills, select_ratings
from gouji.scoring.rating import START, Skill, widened
from gouji.serving.database import Database
from gouji.serving.schema import player_totals, players
from gouji.v1.scoring_pb2 import HandResult


@dataclass(frozen=True, slots=True)
class Ranked:
    """Totals, whose they are, and their place on the leaderboard, from 1."""

    rank: int
    name: str
    totals: Totals


class Store:
    """What scoring knows. Every method raises `StorageUnavailable` when the database cannot be reached."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def leaderboard(self, preset: str, limit: int) -> list[Ranked]:
        """List the best players of a preset; equal points go to fewer hands, then by id."""
        mine = player_totals.c
        query = _named(player_totals).where(mine.preset == preset)
        query = query.order_by(mine.points.desc(), mine.hands, mine.player_id).limit(limit)
        async with self._database.connect() as connection:
            rows = (await connection.execute(query)).all()
        return [_ranked(row, rank) for rank, row in enumerate(rows, start=1)]

    async def player(self, player_id: str) -> Ranked | None:
        """Find a player's totals over all presets; None when it has no hand, or is nobody."""
        mine, other = player_totals.alias(), player_totals.alias()
        ahead = (
            sa.select(sa.func.count())
            .select_from(other)
            .where(other.c.preset == mine.c.preset, _is_ahead(other, mine))
            .scalar_subquery()
        )
        query = _named(mine, ahead.label("ahead")).where(mine.c.player_id == player_id, mine.c.preset == ALL_PRESETS)
        async with self._database.connect() as connection:
            row = (await connection.execute(query)).one_or_none()
        return _ranked(row, row.ahead + 1) if row else None

    async def skills(self, player_ids: Iterable[str], family: str, now: int) -> dict[str, Skill]:
        """Read ratings as they are now; everybody who has none gets that of a beginner."""
        skills = dict.fromkeys(player_ids, START)
        async with self._database.connect() as connection:
            skills |= await read_skills(connection, select_ratings(skills, family))
        return {one: widened(one, skill, now) for one, skill in skills.items()}

    async def match(self, table_id: str) -> tuple[list[HandResult], list[Correction]]:
        """List the results of a match that stand, by hand, with names; and its corrections. Both may be empty."""
        async with self._database.connect() as connection:
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


def _named(totals: sa.FromClause, *more: sa.ColumnElement[Any]) -> sa.Select[Any]:
    """Select totals, each with what its player is called."""
    name = sa.func.coalesce(players.c.name, "").label("called")
    return sa.select(totals, name, *more).join_from(
        totals, players, totals.c.player_id == players.c.player_id, isouter=True
    )


def _is_ahead(other: sa.FromClause, mine: sa.FromClause) -> sa.ColumnElement[bool]:
    """Whether ``other`` comes before ``mine`` in the order of `Store.leaderboard`."""
    ties = [sa.tuple_(rows.c.hands, rows.c.player_id) for rows in (other, mine)]
    return sa.or_(other.c.points > mine.c.points, sa.and_(other.c.points == mine.c.points, ties[0] < ties[1]))


def _ranked(row: sa.Row[Any], rank: int) -> Ranked:
    places = tuple(getattr(row, name) for name in PLACES)
    return Ranked(rank, row.called, Totals(row.player_id, row.hands, row.points, places))
