"""SQL that reads leaderboards: pages, a player's rank and its neighbours, of live boards and archived ones alike.

A rank is worked out from counts of players by score and from what moved since, so it is exact at any moment and costs
the same among ten players or a million.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from gouji.scoring.boards import WIDTHS, Board, low, ranks
from gouji.serving.database import Database
from gouji.serving.pages import Place
from gouji.serving.schema import archived_standings, board_counts, board_entries, board_moves, boards, players


@dataclass(frozen=True, slots=True)
class Standing:
    """A player on a board; the name is empty of one that was deleted."""

    rank: int
    player_id: str
    name: str
    score: int
    matches: int

    @property
    def place(self) -> Place:
        """Where a page that ends with it ends."""
        return Place(self.score, self.player_id)


@dataclass(frozen=True, slots=True)
class Found:
    """Neighbours on a board, best first, and how many ``players`` it has in all."""

    standings: Sequence[Standing] = ()
    players: int = 0


_NOBODY: Final = Found()


class Standings:
    """Leaderboards as they are read. Each method sees one moment, and raises `StorageUnavailable`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def page(self, board: Board, limit: int, after: Place | None) -> Found:
        """List the best players of a board, or those after a place; none on a board that nobody stands on."""
        async with self._database.snapshot() as connection:
            view = await _view(connection, board)
            return await _ranked(connection, view, await _below(connection, view, limit, after)) if view else _NOBODY

    async def around(self, board: Board, player_id: str, each: int) -> Found:
        """Find a player and up to so many on each side of it; nobody for a player who has no rank there."""
        async with self._database.snapshot() as connection:
            view = await _view(connection, board)
            rows = await _around(connection, view, player_id, each) if view else ()
            return await _ranked(connection, view, rows) if view and rows else _NOBODY


class _View(NamedTuple):
    """Where a board's rows are. ``players`` is how many an archived one has; None for one that results change."""

    board_id: int
    players: int | None

    @property
    def table(self) -> sa.Table:
        return board_entries if self.players is None else archived_standings

    @property
    def order(self) -> sa.Tuple:
        return sa.tuple_(self.table.c.score, self.table.c.player_id)

    def rows(self) -> sa.Select[Any]:
        mine = self.table.c
        query = (
            sa.select(self.table, players.c.name)
            .join_from(self.table, players, players.c.player_id == mine.player_id, isouter=True)
            .where(mine.board_id == self.board_id)
        )
        return query.where(board_entries.c.listed) if self.players is None else query


async def _view(connection: AsyncConnection, board: Board) -> _View | None:
    named = {"season_id": board.season, "kind": board.kind.value, "preset": board.preset, "region": board.region}
    query = sa.select(boards.c.board_id, boards.c.players).where(*(boards.c[key] == named[key] for key in named))
    row = (await connection.execute(query)).one_or_none()
    return _View(row.board_id, row.players) if row else None


async def _below(connection: AsyncConnection, view: _View, limit: int, place: Place | None) -> Sequence[Any]:
    """List the best rows, or those after a place."""
    query = view.rows().order_by(view.table.c.score.desc(), view.table.c.player_id.desc()).limit(limit)
    return list(await connection.execute(query if place is None else query.where(view.order < place)))


async def _around(connection: AsyncConnection, view: _View, player_id: str, each: int) -> Sequence[Any]:
    """List a player's row and up to so many on each side of it, best first, in one statement; none without the row."""
    score, player, rows = view.table.c.score, view.table.c.player_id, view.rows()
    mine = rows.with_only_columns(score, player, maintain_column_froms=True).where(player == player_id).cte()
    place = sa.tuple_(sa.select(mine.c.score).scalar_subquery(), sa.select(mine.c.player_id).scalar_subquery())
    above = rows.where(view.order > place).order_by(score, player).limit(each).subquery()
    below = rows.where(view.order <= place).order_by(score.desc(), player.desc()).limit(each + 1).subquery()
    both = sa.union_all(above.select(), below.select()).order_by(sa.desc("score"), sa.desc("player_id"))
    return list(await connection.execute(both))


async def _ranked(connection: AsyncConnection, view: _View, rows: Sequence[Any]) -> Found:
    """Give neighbouring rows their ranks: those that are written, or worked out."""
    if view.players is not None:
        return Found([_standing(row.rank, row) for row in rows], view.players)
    scores = [row.score for row in rows]
    marks = list(dict.fromkeys(scores))[:2]
    counts = sa.select(_everybody(view.board_id), *(_ahead(view.board_id, mark) for mark in marks))
    everybody, *ahead = (await connection.execute(counts)).one()
    return Found([_standing(*one) for one in zip(ranks(scores, ahead), rows, strict=True)], everybody)


def _standing(rank: int, row: Any) -> Standing:
    return Standing(rank, row.player_id, row.name or "", row.score, row.matches)


def _everybody(board_id: int) -> sa.ColumnElement[int]:
    """Count the players of a board."""
    coarse = board_counts.c.width == max(WIDTHS)
    return _counted(board_id, coarse) + _moved(
        board_id, board_moves.c.after.is_not(None), board_moves.c.before.is_not(None)
    )


def _ahead(board_id: int, score: int) -> sa.ColumnElement[int]:
    """Count the players with more than a score."""
    mine, (fine, coarse) = board_counts.c, WIDTHS
    shared = low(score, coarse)
    further = (mine.width == coarse) & (mine.low > shared)
    near = (mine.width == fine) & (mine.low > score) & (mine.low < shared + coarse)
    moved = _moved(board_id, board_moves.c.after > score, board_moves.c.before > score)
    return _counted(board_id, further) + _counted(board_id, near) + moved


def _counted(board_id: int, which: sa.ColumnElement[bool]) -> sa.ColumnElement[int]:
    return _sum(board_counts.c.players, board_counts.c.board_id == board_id, which)


def _moved(board_id: int, came: sa.ColumnElement[bool], went: sa.ColumnElement[bool]) -> sa.ColumnElement[int]:
    """Say how many more came than went among the moves that the counts do not hold yet."""
    net = sa.case((came, 1), else_=0) - sa.case((went, 1), else_=0)
    return _sum(net, board_moves.c.board_id == board_id)


def _sum(what: sa.ColumnElement[int], *where: sa.ColumnElement[bool]) -> sa.ColumnElement[int]:
    total = sa.func.coalesce(sa.func.sum(what), 0)
    return sa.select(sa.cast(total, sa.BigInteger)).where(*where).scalar_subquery()
