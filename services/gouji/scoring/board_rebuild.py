"""What results make of live boards: to compare with what stands there, and to put in its place.

Archived boards stay as they are.
"""

from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from gouji.scoring.board_store import FOLDING
from gouji.scoring.boards import ALL, HUNDREDTHS, WIDTHS, Kind
from gouji.scoring.history_store import RATED
from gouji.scoring.rated import standing_revision
from gouji.scoring.rating import SETTLED
from gouji.scoring.season_store import COUNTING
from gouji.serving.database import Database
from gouji.serving.schema import (
    board_counts,
    board_entries,
    board_moves,
    boards,
    match_results,
    match_seats,
    rated_matches,
    rating_changes,
    seasons,
)
from gouji.wire.bots import BOT

_match, _seat, _change, _rated = match_results.c, match_seats.c, rating_changes.c, rated_matches.c
_BOARD: Final = ("season_id", "kind", "preset", "region")
_ENTRY: Final = ("player_id", "score", "matches", "listed")


@dataclass(frozen=True, slots=True)
class _Cut:
    """Boards of one season, or of all time: by preset or over all, by region or over all."""

    season_id: str
    span: Sequence[sa.ColumnElement[bool]]
    by_preset: bool
    by_region: bool

    @property
    def dimensions(self) -> list[sa.ColumnElement[str]]:
        """What the boards differ by."""
        return [*([_match.preset] if self.by_preset else []), *([_match.region] if self.by_region else [])]

    @property
    def matches(self) -> list[sa.ColumnElement[bool]]:
        """Which matches count; those without a region stand on no board of one."""
        return [RATED, *self.span, *([_match.region != ALL] if self.by_region else [])]

    def named(self, kind: Kind) -> list[sa.ColumnElement[str]]:
        """Give the columns of `_BOARD`."""
        preset = _match.preset if self.by_preset else sa.literal(ALL, sa.Text)
        region = _match.region if self.by_region else sa.literal(ALL, sa.Text)
        columns = (sa.literal(self.season_id, sa.Text), sa.literal(kind.value, sa.Text), preset, region)
        return [column.label(name) for name, column in zip(_BOARD, columns, strict=True)]


async def rebuild(database: Database, connection: AsyncConnection) -> None:
    """Make all live boards anew within the caller's transaction, right after a revision of all ratings was written.

    No result may be recorded meanwhile.
    """
    await database.hold(connection, [COUNTING])
    await database.hold(connection, [FOLDING])
    live = sa.select(boards.c.board_id).where(boards.c.players.is_(None))
    for table in (board_entries, board_moves, board_counts):
        await connection.execute(sa.delete(table).where(table.c.board_id.in_(live)))
    revision = await standing_revision(connection)
    for cut in _cuts(await _open_seasons(connection)):
        await _write(database, connection, _points(cut))
        if cut.by_preset:
            await _write(database, connection, _ratings(cut, revision))
    for width in WIDTHS:
        await connection.execute(_count(width, live))


async def wrong_points(connection: AsyncConnection) -> AsyncIterator[tuple[str, dict[str, Any], bool]]:
    """Find where live boards of points and results differ: on which board, the row, and whether it stands there."""
    mine, names = board_entries.c, (*_BOARD, *_ENTRY[:3])
    stands = (
        sa.select(*(boards.c[name] for name in _BOARD), mine.player_id, mine.score, mine.matches)
        .join_from(boards, board_entries, mine.board_id == boards.c.board_id)
        .where(boards.c.kind == Kind.POINTS.value, boards.c.players.is_(None), mine.listed)
    )
    cuts = _cuts(await _open_seasons(connection))
    made = _columns(sa.union_all(*(_columns(_points(cut), names) for cut in cuts)), names)
    differences: dict[bool, Any] = {True: sa.except_(stands, made), False: sa.except_(made, stands)}
    for stored, difference in differences.items():
        for row in (await connection.execute(difference)).mappings():
            found = {str(name): value for name, value in row.items()}
            yield "/".join(found.pop(name) or "all" for name in _BOARD), found, stored


def _columns(made: Any, names: Sequence[str]) -> Any:
    one = made.subquery()
    return sa.select(*(one.c[name] for name in names))


async def _open_seasons(connection: AsyncConnection) -> Sequence[sa.Row[Any]]:
    return (await connection.execute(sa.select(seasons).where(seasons.c.final_at.is_(None)))).all()


def _cuts(still: Sequence[sa.Row[Any]]) -> Iterator[_Cut]:
    over = _match.ended_at.is_not(None)
    spans = {row.season_id: [_match.ended_at >= row.begins_at, _match.ended_at < row.ends_at] for row in still}
    for (season_id, span), by_preset, by_region in product(
        {ALL: [over], **spans}.items(), (False, True), (False, True)
    ):
        yield _Cut(season_id, span, by_preset, by_region)


def _points(cut: _Cut) -> Any:
    points = sa.cast(sa.func.sum(_seat.points), sa.BigInteger)
    made = (_seat.player_id, points.label("score"), sa.func.count().label("matches"), sa.true().label("listed"))
    return (
        sa.select(*cut.named(Kind.POINTS), *made)
        .join_from(match_seats, match_results, _match.table_id == _seat.table_id)
        .where(_seat.bot_level.is_(None), *cut.matches)
        .group_by(_seat.player_id, *cut.dimensions)
    )


def _ratings(cut: _Cut, revision: int) -> Any:
    """Select the ratings after the last match that counts; a match stands once in a revision that was made anew."""
    alike = [_change.player_id, *cut.dimensions]
    latest = sa.func.row_number().over(partition_by=alike, order_by=_change.number.desc())
    sure = sa.cast(sa.func.round((_change.mu_after - 3 * _change.sigma_after) * HUNDREDTHS), sa.BigInteger)
    listed = _change.sigma_after <= SETTLED
    one = (
        sa.select(
            *cut.named(Kind.RATING),
            _change.player_id,
            sa.case((listed, sure), else_=0).label("score"),
            sa.func.count().over(partition_by=alike).label("matches"),
            listed.label("listed"),
            latest.label("latest"),
        )
        .join_from(rating_changes, rated_matches, _rated.number == _change.number)
        .join(match_results, _match.table_id == _rated.table_id)
        .where(_rated.revision == revision, ~_change.player_id.startswith(BOT), *cut.matches)
        .subquery()
    )
    return sa.select(*(one.c[name] for name in (*_BOARD, *_ENTRY))).where(one.c.latest == 1)


async def _write(database: Database, connection: AsyncConnection, made: Any) -> None:
    """Write who stands on boards; those that nobody stood on yet are made."""
    one = made.subquery()
    key = [one.c[name] for name in _BOARD]
    # SQLite takes ON CONFLICT for a join unless the SELECT before it has a WHERE.
    named = sa.select(*key).where(one.c.player_id.is_not(None)).distinct()
    new = database.insert(boards).from_select(list(_BOARD), named)
    await connection.execute(new.on_conflict_do_nothing(index_elements=list(_BOARD)))
    same = sa.and_(*(boards.c[name] == one.c[name] for name in _BOARD), boards.c.players.is_(None))
    entries = sa.select(boards.c.board_id, *(one.c[name] for name in _ENTRY)).join_from(one, boards, same)
    await connection.execute(board_entries.insert().from_select(["board_id", *_ENTRY], entries))


def _count(width: int, live: sa.Select[Any]) -> sa.Insert:
    mine = board_entries.c
    low = mine.score.op("&")(sa.literal_column(str(-width)))
    counted = (
        sa.select(mine.board_id, sa.literal(width, sa.Integer), low, sa.func.count())
        .where(mine.listed, mine.board_id.in_(live))
        .group_by(mine.board_id, low)
    )
    return board_counts.insert().from_select(["board_id", "width", "low", "players"], counted)
