"""SQL of the seasons: in which one a match counts, and when they become final.

A season that has begun is written down, so that another schedule in the settings changes what comes and not what was.
A match counts in the season in which it ended by its own table's clock, also when its result comes late, until that
season is made final.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from gouji.scoring.boards import ALL
from gouji.scoring.seasons import CURRENT, Schedule, Season, between
from gouji.serving.clock import microseconds, moment
from gouji.serving.database import Database
from gouji.serving.errors import ServiceError
from gouji.serving.schema import seasons

COUNTING: Final = "seasons count"
"""Name that is held together by results that count, and alone by who makes seasons final or boards anew."""

_BEGINNING: Final = "seasons begin"


class State(StrEnum):
    """How far a season is."""

    OPEN = "open"
    """Its end is yet to come."""

    ENDED = "ended"
    """It is over, and results that come late still count."""

    FINAL = "final"
    """Nothing counts in it any more; its ranks stay as they are."""


@dataclass(frozen=True, slots=True)
class Stored:
    """A season as it is written down; ``final_at`` is None until it is final."""

    season: Season
    final_at: int | None

    def state(self, now: int) -> State:
        """Say how far it is at a moment."""
        if self.final_at is not None:
            return State.FINAL
        return State.OPEN if now < microseconds(self.season.ends) else State.ENDED


class Seasons:
    """Seasons in the database. Methods without a connection are one transaction, or raise `StorageUnavailable`."""

    def __init__(self, database: Database, schedule: Schedule) -> None:
        self._database = database
        self._schedule = schedule

    async def counting(self, connection: AsyncConnection, ended_at: int) -> str:
        """Name the season in which a match that ended then counts; `ALL` when there is none, or none any more.

        The season is not made final before the connection's transaction ends.
        """
        await self._database.hold(connection, [COUNTING], shared=True)
        stored = await self._at(connection, ended_at) or await self._begin(connection, ended_at)
        return stored.season.season_id if stored and stored.final_at is None else ALL

    async def begin(self, now: int) -> None:
        """Write down the season of this moment, unless it is."""
        async with self._database.connect() as connection:
            begun = await self._at(connection, now)
        if begun is None and self._schedule.season_at(moment(now)):
            async with self._database.begin() as connection:
                await self._begin(connection, now)

    async def named(self, name: str, now: int) -> Stored:
        """Find a season by its id, or by `current` the one that is on; raises `ServiceError` `unknown_season`."""
        async with self._database.connect() as connection:
            if name == CURRENT:
                found = await self._at(connection, now)
            else:
                query = sa.select(seasons).where(seasons.c.season_id == name)
                row = (await connection.execute(query)).one_or_none()
                found = _stored(row) if row else None
        if found is None:
            raise ServiceError("unknown_season", "There is no such season; ListSeasons lists them.")
        return found

    async def newest(self, limit: int, before: int | None) -> list[Stored]:
        """List seasons, the newest first; only those that began before a moment, unless it is None."""
        query = sa.select(seasons).order_by(seasons.c.begins_at.desc()).limit(limit)
        if before is not None:
            query = query.where(seasons.c.begins_at < before)
        async with self._database.connect() as connection:
            return [_stored(row) for row in await connection.execute(query)]

    async def make_final(self, now: int, grace: int) -> None:
        """Have nothing count any more in seasons that ended ``grace`` ago; results that are being recorded still do."""
        due = (seasons.c.final_at.is_(None)) & (seasons.c.ends_at <= now - grace)
        async with self._database.connect() as connection:
            found = await connection.scalar(sa.select(sa.func.count()).select_from(seasons).where(due))
        if found:
            async with self._database.begin() as connection:
                await self._database.hold(connection, [COUNTING])
                await connection.execute(sa.update(seasons).where(due).values(final_at=now))

    async def _at(self, connection: AsyncConnection, time: int) -> Stored | None:
        latest = sa.select(seasons).where(seasons.c.begins_at <= time).order_by(seasons.c.begins_at.desc()).limit(1)
        row = (await connection.execute(latest)).one_or_none()
        return _stored(row) if row and time < row.ends_at else None

    async def _begin(self, connection: AsyncConnection, time: int) -> Stored | None:
        """Write down the season of a moment as the schedule has it, as far as other seasons leave it the time."""
        scheduled = self._schedule.season_at(moment(time))
        if scheduled is None:
            return None
        await self._database.hold(connection, [_BEGINNING])
        if begun := await self._at(connection, time):
            return begun
        others = [_stored(row).season for row in await connection.execute(sa.select(seasons))]
        season = between(scheduled, others, moment(time))
        if season.season_id in {other.season_id for other in others}:
            return None  # what was written down under this name ended at another time
        await connection.execute(seasons.insert().values(_row(season)))
        return Stored(season, None)


def _row(season: Season) -> dict[str, object]:
    return {
        "season_id": season.season_id,
        "name": season.name,
        "begins_at": microseconds(season.begins),
        "ends_at": microseconds(season.ends),
    }


def _stored(row: sa.Row[Any]) -> Stored:
    return Stored(Season(row.season_id, row.name, moment(row.begins_at), moment(row.ends_at)), row.final_at)
