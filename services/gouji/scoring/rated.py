"""SQL of ratings: what they are, and how matches change them, one after the other in one order for all.

A match gets its number in that order while the ratings that it changes are locked; so of two matches with a player in
common the one with the lower number was applied first, and whoever applies them by number gets the same ratings.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from gouji.scoring.rating import MODEL, START, Match, Skill, after, corrected, found
from gouji.serving.database import Database
from gouji.serving.schema import rated_matches, rating_changes, rating_revisions, ratings

FIRST_REVISION: Final = 1
"""The revision of all ratings before they are first made anew."""


@dataclass(frozen=True, slots=True)
class Rated:
    """What changes ratings: a match of a family, with so many corrections of its hands taken into account."""

    table_id: str
    family: str
    match: Match
    corrections: int = 0


class Ratings:
    """Ratings in a database; what is written, is written within the caller's transaction."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def rate(self, connection: AsyncConnection, rated: Rated) -> Mapping[str, Skill]:
        """Apply a match to the ratings of all who played it; give those that they have then."""
        now = await self._locked(connection, rated)
        before = found(now, rated.match)
        return await self._apply(connection, rated, before, after(rated.match, before))

    async def rerate(
        self, connection: AsyncConnection, rated: Rated, old: Match | None, new: Match | None
    ) -> Mapping[str, Skill]:
        """Correct the ratings of all who played a match that was rated: it was ``old`` and is ``new``, None if void."""
        now = await self._locked(connection, rated)
        before = await self._before(connection, rated.table_id)
        return await self._apply(connection, rated, now, corrected(now, before, old, new))

    async def is_rated(self, connection: AsyncConnection, table_id: str) -> bool:
        """Say whether a match has changed the ratings that stand."""
        return await connection.scalar(_first(table_id)) is not None

    async def _locked(self, connection: AsyncConnection, rated: Rated) -> dict[str, Skill]:
        """Read the ratings of all who are involved, and keep others from changing them until the commit."""
        involved = rated.match.involved
        once = self._database.insert(ratings).on_conflict_do_nothing(index_elements=["player_id", "family"])
        await connection.execute(once, [rating_row(one, rated.family, START) for one in involved])
        held = select_ratings(involved, rated.family).order_by(ratings.c.player_id).with_for_update()
        return await read_skills(connection, held)

    async def _apply(
        self, connection: AsyncConnection, rated: Rated, before: Mapping[str, Skill], made: Mapping[str, Skill]
    ) -> Mapping[str, Skill]:
        """Give the match its number, write down what it changes, and change it; give what was made."""
        row = {"revision": _standing(), "model": MODEL, "ended_at": rated.match.ended_at}
        row |= {"table_id": rated.table_id, "corrections": rated.corrections, "family": rated.family}
        number = await connection.scalar(sa.insert(rated_matches).values(**row).returning(rated_matches.c.number))
        changes = [change_row(number or 0, rated.family, one, before[one], made[one]) for one in sorted(made)]
        await connection.execute(sa.insert(rating_changes), changes)
        change = sa.update(ratings).where(
            ratings.c.player_id == sa.bindparam("who"), ratings.c.family == sa.bindparam("of")
        )
        rows = [rating_row(one, rated.family, skill) for one, skill in sorted(made.items())]
        await connection.execute(
            change, [{"who": row.pop("player_id"), "of": row.pop("family"), **row} for row in rows]
        )
        return made

    async def _before(self, connection: AsyncConnection, table_id: str) -> dict[str, Skill]:
        """Read the ratings of all who played a match as it found them."""
        first = rating_changes.c.number == _first(table_id).scalar_subquery()
        rows = await connection.execute(sa.select(rating_changes).where(first))
        return {row.player_id: Skill(row.mu_before, row.sigma_before, row.matches - 1) for row in rows}


async def standing_revision(connection: AsyncConnection) -> int:
    """Say which revision of all ratings stands."""
    return await connection.scalar(sa.select(_standing())) or FIRST_REVISION


def _standing() -> sa.ColumnElement[int]:
    """Say which revision of all ratings stands, in SQL."""
    last = sa.select(sa.func.max(rating_revisions.c.revision)).scalar_subquery()
    return sa.func.coalesce(last, FIRST_REVISION)


def _first(table_id: str) -> sa.Select[int]:
    """Select the number under which a match was rated first."""
    mine = rated_matches.c
    query = sa.select(mine.number).where(mine.revision == _standing(), mine.table_id == table_id)
    return query.order_by(mine.corrections).limit(1)


def select_ratings(rated: Iterable[str], family: str) -> sa.Select[Any]:
    """Select the ratings that some have in a family."""
    return sa.select(ratings).where(ratings.c.family == family, ratings.c.player_id.in_(list(rated)))


async def read_skills(connection: AsyncConnection, query: sa.Select[Any]) -> dict[str, Skill]:
    """Read the ratings that a query selects."""
    rows = await connection.execute(query)
    return {row.player_id: Skill(row.mu, row.sigma, row.matches, row.updated_at) for row in rows}


def change_row(number: int, family: str, rated: str, before: Skill, made: Skill) -> dict[str, object]:
    """Write down what became of one rating, as a row of `rating_changes`."""
    return {
        "number": number,
        "player_id": rated,
        "family": family,
        "mu_before": before.mu,
        "sigma_before": before.sigma,
        "mu_after": made.mu,
        "sigma_after": made.sigma,
        "matches": made.matches,
    }


def rating_row(rated: str, family: str, skill: Skill) -> dict[str, object]:
    """Write a rating as a row of `ratings`."""
    return {
        "player_id": rated,
        "family": family,
        "mu": skill.mu,
        "sigma": skill.sigma,
        "matches": skill.matches,
        "updated_at": skill.at,
    }
