"""SQL of the results, the points, the totals and the ratings.

A player has one row of totals for each preset it played, and one under `ALL_PRESETS`, so that every
leaderboard is one walk along an index.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from gouji.engine.cards import SEATS
from gouji.scoring import feed
from gouji.scoring.ledger import Entry, Totals, totals
from gouji.scoring.rating import START, Match, Skill, after
from gouji.serving.database import Database
from gouji.serving.schema import hand_results, player_points, player_totals, ratings
from gouji.v1.feed_pb2 import FeedEvent

ALL_PRESETS: Final = ""
"""The preset of the totals over all presets. No rule set has it: an empty one is recorded as `standard`."""

_PLACES: Final = tuple(f"p{place}" for place in range(1, SEATS + 1))
_SUMS: Final = ("hands", "points", *_PLACES)
_KEY: Final = ("player_id", "preset")


@dataclass(frozen=True, slots=True)
class Kept:
    """A result as it is stored. Times are microseconds since 1970."""

    table_id: str
    hand: int
    payload: bytes
    payload_hash: bytes
    preset: str
    queue: str
    ended_at: int


@dataclass(frozen=True, slots=True)
class Ranked:
    """Totals and their place on the leaderboard, from 1."""

    rank: int
    totals: Totals


class Store:
    """Results in the database. Every method is one transaction, raises `StorageUnavailable` if it fails."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def record(
        self, kept: Kept, entries: Sequence[Entry], match: Match | None, event: FeedEvent | None = None
    ) -> bytes | None:
        """Write a result, its points and its totals together, and the ratings after a match that ended with it.

        The feed gets the ``event`` that tells of it.

        When the hand is recorded already, nothing changes and the hash of what stands is returned; else None.
        Of writers at the same moment one wins; the others wait for its commit and see what it wrote.
        """
        async with self._database.begin() as connection:
            if not await self._is_new(connection, kept):
                return await _hash_of(connection, kept)
            if entries:
                await connection.execute(player_points.insert(), [_points_row(kept, entry) for entry in entries])
                await connection.execute(self._add_totals(kept.preset, totals(entries)))
            if match is not None:
                await self._rate(connection, kept, match)
            if event is not None:
                await feed.add(self._database, connection, event)
        return None

    async def leaderboard(self, preset: str, limit: int) -> list[Ranked]:
        """List the best players of a preset; equal points go to fewer hands, then by name and id."""
        mine = player_totals.c
        query = (
            sa.select(player_totals)
            .where(mine.preset == preset)
            .order_by(mine.points.desc(), mine.hands, mine.name, mine.player_id)
            .limit(limit)
        )
        async with self._database.connect() as connection:
            rows = (await connection.execute(query)).all()
        return [Ranked(rank, _totals(row)) for rank, row in enumerate(rows, start=1)]

    async def player(self, player_id: str) -> Ranked | None:
        """Find a player's totals over all presets; None when it has no hand, or is nobody."""
        mine, other = player_totals.alias(), player_totals.alias()
        ahead = (
            sa.select(sa.func.count())
            .select_from(other)
            .where(other.c.preset == mine.c.preset, _is_ahead(other, mine))
            .scalar_subquery()
        )
        query = sa.select(mine, ahead.label("ahead")).where(mine.c.player_id == player_id, mine.c.preset == ALL_PRESETS)
        async with self._database.connect() as connection:
            row = (await connection.execute(query)).one_or_none()
        return Ranked(row.ahead + 1, _totals(row)) if row else None

    async def skills(self, player_ids: Iterable[str], family: str) -> dict[str, Skill]:
        """Read ratings; everybody who has none gets that of a beginner."""
        found = dict.fromkeys(player_ids, START)
        async with self._database.connect() as connection:
            return found | await _skills(connection, _of(found, family))

    async def match(self, table_id: str) -> list[bytes]:
        """List the stored results of a match by hand; empty when there is none."""
        query = (
            sa.select(hand_results.c.payload).where(hand_results.c.table_id == table_id).order_by(hand_results.c.hand)
        )
        async with self._database.connect() as connection:
            return list((await connection.execute(query)).scalars())

    async def _is_new(self, connection: AsyncConnection, kept: Kept) -> bool:
        """Write the result unless one stands under its table and hand."""
        row: dict[str, Any] = {field.name: getattr(kept, field.name) for field in fields(kept)}
        statement = (
            self._database.insert(hand_results)
            .values(**row, recorded_at=self._database.now())
            .on_conflict_do_nothing(index_elements=["table_id", "hand"])
            .returning(hand_results.c.hand)
        )
        return (await connection.execute(statement)).one_or_none() is not None

    async def _rate(self, connection: AsyncConnection, kept: Kept, match: Match) -> None:
        """Change the ratings of all who played. Rows are made, then locked, in one order: no two writers deadlock."""
        rated = sorted(set(match.rated))
        once = self._database.insert(ratings).on_conflict_do_nothing(index_elements=["player_id", "family"])
        await connection.execute(once, [_skill_row(one, kept, START) for one in rated])
        held = _of(rated, kept.preset).order_by(ratings.c.player_id).with_for_update()
        skills = after(match, await _skills(connection, held))
        change = sa.update(ratings).where(
            ratings.c.player_id == sa.bindparam("who"), ratings.c.family == sa.bindparam("of")
        )
        rows = [_skill_row(one, kept, skills[one]) for one in rated]
        await connection.execute(
            change, [{"who": row.pop("player_id"), "of": row.pop("family"), **row} for row in rows]
        )

    def _add_totals(self, preset: str, added: Sequence[Totals]) -> sa.sql.dml.Insert:
        """Add to the totals of the preset and of all, in one order everywhere: no two writers deadlock."""
        rows = [_totals_row(name, more) for more in added for name in sorted((ALL_PRESETS, preset))]
        statement = self._database.insert(player_totals).values(rows)
        new, old = statement.excluded, player_totals.c
        sums = {name: old[name] + new[name] for name in _SUMS}
        return statement.on_conflict_do_update(index_elements=_KEY, set_={"name": new.name, **sums})


async def _hash_of(connection: AsyncConnection, kept: Kept) -> bytes:
    """Read the hash of the result that stands."""
    query = sa.select(hand_results.c.payload_hash).where(
        hand_results.c.table_id == kept.table_id, hand_results.c.hand == kept.hand
    )
    return bytes((await connection.execute(query)).scalar_one())


def _of(rated: Iterable[str], family: str) -> sa.Select[Any]:
    return sa.select(ratings).where(ratings.c.family == family, ratings.c.player_id.in_(list(rated)))


async def _skills(connection: AsyncConnection, query: sa.Select[Any]) -> dict[str, Skill]:
    return {row.player_id: Skill(row.mu, row.sigma, row.matches) for row in await connection.execute(query)}


def _is_ahead(other: sa.FromClause, mine: sa.FromClause) -> sa.ColumnElement[bool]:
    """Whether ``other`` comes before ``mine`` in the order of `Store.leaderboard`."""
    ties = [sa.tuple_(rows.c.hands, rows.c.name, rows.c.player_id) for rows in (other, mine)]
    return sa.or_(other.c.points > mine.c.points, sa.and_(other.c.points == mine.c.points, ties[0] < ties[1]))


def _points_row(kept: Kept, entry: Entry) -> dict[str, object]:
    return {
        "table_id": kept.table_id,
        "hand": kept.hand,
        "seat": entry.seat,
        "player_id": entry.player_id,
        "preset": kept.preset,
        "points": entry.points,
        "place": entry.place,
    }


def _skill_row(rated: str, kept: Kept, skill: Skill) -> dict[str, object]:
    return {"player_id": rated, "family": kept.preset, "updated_at": kept.ended_at, **skill._asdict()}


def _totals_row(preset: str, more: Totals) -> dict[str, object]:
    return {
        "player_id": more.player_id,
        "preset": preset,
        "name": more.name,
        "hands": more.hands,
        "points": more.points,
        **dict(zip(_PLACES, more.places, strict=True)),
    }


def _totals(row: sa.Row[Any]) -> Totals:
    places = tuple(getattr(row, name) for name in _PLACES)
    return Totals(row.player_id, row.name, row.hands, row.points, places)
