"""SQL that reads what was played: lists of matches, sums over them, and what two players made of each other.

All of it walks a player's matches along one index, the newest first. Matches that were given up are listed, and stand
in no sum.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import sqlalchemy as sa

from gouji.engine.cards import SEATS
from gouji.serving.database import Database
from gouji.serving.duplicate import plays_shut
from gouji.serving.pages import Place
from gouji.serving.schema import match_results, match_seats, players

PLACES: Final = tuple(f"p{place}" for place in range(1, SEATS + 1))
"""Columns of how often a seat was head, second ... last."""

_SUMS: Final = ("points", "hands", *PLACES, "openings", "burns_tried", "burns_won", "sweeps")

_match, _seat = match_results.c, match_seats.c
_other, _rivals = match_seats.alias("other"), match_seats.alias("rivals")

_ALONE: Final = _match.even_points.is_(None)
"""There are no teams."""

_MATES: Final = (_other.c.seat % 2 == _seat.seat % 2) & ~_ALONE

_BEST: Final = sa.select(sa.func.max(_rivals.c.points)).where(
    _rivals.c.table_id == _seat.table_id, _rivals.c.seat != _seat.seat
)
_EVEN_LEAD: Final = _match.even_points - _match.odd_points
_LEAD: Final = sa.case(
    (_ALONE, _seat.points - _BEST.scalar_subquery()), (_seat.seat % 2 == 0, _EVEN_LEAD), else_=-_EVEN_LEAD
)
"""By how much a seat's team made more than the other one; without teams, the seat more than the best of the others."""

RATED: Final = ((_match.queue != "") | _match.tournament.is_not(None)) & ~_match.voided
"""Whether a match changes ratings."""


@dataclass(frozen=True, slots=True)
class Filter:
    """Which matches; times in microseconds, what is empty or None does not matter. ``until`` is just after the last."""

    preset: str = ""
    queue: str = ""
    region: str = ""
    since: int | None = None
    until: int | None = None
    rated: bool | None = None

    def conditions(self) -> list[sa.ColumnElement[bool]]:
        """Say so in SQL, over `match_seats` and `match_results`."""
        named = {"preset": self.preset, "queue": self.queue, "region": self.region}
        found = [_match[column] == value for column, value in named.items() if value]
        if self.since is not None:
            found.append(_seat.ended_at >= self.since)
        if self.until is not None:
            found.append(_seat.ended_at < self.until)
        if self.rated is not None:
            found.append(RATED if self.rated else ~RATED)
        return found


@dataclass(frozen=True, slots=True)
class Played:
    """A match of a player's: its row, with ``seat``, ``lead`` and ``rated``, and those of its seats with names."""

    row: Any
    seats: Sequence[Any]

    @property
    def place(self) -> Place:
        """Where a page that ends with it ends."""
        return Place(self.row.ended_at, self.row.table_id)


class History:
    """What was played. Every method raises `StorageUnavailable` when the database cannot be reached."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def matches(
        self, player_id: str, which: Filter, limit: int, after: Place | None, *, mate: str = "", opponent: str = ""
    ) -> list[Played]:
        """List a player's matches, the newest first, or those after a place."""
        query = _of(player_id, which, match_results, _seat.seat, _LEAD.label("lead"), RATED.label("rated"))
        if after is not None:
            query = query.where(sa.tuple_(_seat.ended_at, _seat.table_id) < after)
        if mate:
            query = query.where(_with(mate, _MATES))
        if opponent:
            query = query.where(_with(opponent, ~_MATES))
        query = query.order_by(_seat.ended_at.desc(), _seat.table_id.desc()).limit(limit)
        async with self._database.snapshot() as connection:
            rows = (await connection.execute(query)).all()
            tables = [row.table_id for row in rows]
            seats = (await connection.execute(_seats(tables))).all() if tables else ()
        return [Played(row, [seat for seat in seats if seat.table_id == row.table_id]) for row in rows]

    async def statistics(self, player_id: str, which: Filter) -> Sequence[Any]:
        """Sum up a player's matches by preset: `matches`, `won`, `drawn`, `lost`, and the sums of its seats."""
        inner = _of(player_id, which, _match.preset, _LEAD.label("lead"), _seat.left, *(_seat[name] for name in _SUMS))
        one = inner.where(~_match.voided).subquery()
        sums = [_total(one.c[name]).label(name) for name in _SUMS]
        left = _count_of(one.c.left).label("left")
        query = sa.select(one.c.preset, *_outcomes(one), left, *sums).group_by(one.c.preset).order_by(one.c.preset)
        async with self._database.connect() as connection:
            return (await connection.execute(query)).all()

    async def form(self, player_id: str, which: Filter, limit: int) -> Sequence[Any]:
        """List the `lead` and the `points` of a player's last matches, the newest first."""
        query = _of(player_id, which, _seat.points, _LEAD.label("lead")).where(~_match.voided)
        async with self._database.connect() as connection:
            ordered = query.order_by(_seat.ended_at.desc(), _seat.table_id.desc()).limit(limit)
            return list(await connection.execute(ordered))

    async def head_to_head(self, player_id: str, other_id: str, which: Filter) -> Sequence[Any]:
        """Sum up the matches of two players, by whether they were `mates`, as far as they ever were."""
        columns = (_MATES.label("mates"), _LEAD.label("lead"), _seat.points, _other.c.points.label("other_points"))
        inner = _of(player_id, which, *columns).join(_other, _other.c.table_id == _seat.table_id)
        one = inner.where(_other.c.player_id == other_id, ~_match.voided).subquery()
        sums = [_total(one.c[name]).label(name) for name in ("points", "other_points")]
        async with self._database.connect() as connection:
            query = sa.select(one.c.mates, *_outcomes(one), *sums).group_by(one.c.mates)
            return (await connection.execute(query)).all()

    async def sat(self, player_id: str, table_id: str) -> bool:
        """Whether a player sat at a table of which results are recorded."""
        query = sa.select(_seat.seat).where(_seat.table_id == table_id, _seat.player_id == player_id)
        async with self._database.connect() as connection:
            return (await connection.execute(query)).first() is not None


def _of(player_id: str, which: Filter, *columns: Any) -> sa.Select[Any]:
    """Select from a player's matches that are over; those of a tournament once their board is open."""
    return (
        sa.select(*columns)
        .select_from(match_seats)
        .join(match_results, _match.table_id == _seat.table_id)
        .where(_seat.player_id == player_id, _seat.ended_at.is_not(None), *which.conditions())
        .where(_match.tournament.is_(None) | ~plays_shut(_match.table_id))
    )


def _with(player_id: str, how: sa.ColumnElement[bool]) -> sa.Exists:
    """Whether another player sat there as said."""
    there = (_other.c.table_id == _seat.table_id) & (_other.c.player_id == player_id)
    return sa.exists().where(there, _other.c.seat != _seat.seat, how)


def _seats(tables: Sequence[str]) -> sa.Select[Any]:
    return (
        sa.select(match_seats, players.c.name)
        .join_from(match_seats, players, players.c.player_id == _seat.player_id, isouter=True)
        .where(_seat.table_id.in_(tables))
        .order_by(_seat.table_id, _seat.seat)
    )


def _outcomes(one: sa.Subquery) -> list[sa.ColumnElement[int]]:
    lead = one.c.lead
    outcomes = {"won": lead > 0, "drawn": lead == 0, "lost": lead < 0}
    return [sa.func.count().label("matches"), *(_count_of(which).label(name) for name, which in outcomes.items())]


def _count_of(which: sa.ColumnElement[bool]) -> sa.ColumnElement[int]:
    return _total(sa.case((which, 1), else_=0))


def _total(what: sa.ColumnElement[int]) -> sa.ColumnElement[int]:
    return sa.cast(sa.func.sum(what), sa.BigInteger)
