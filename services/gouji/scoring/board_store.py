"""SQL that keeps leaderboards up: in the transactions of results, and behind them.

A result changes its players' own rows and inserts what moved, so that two results meet only in a player that is in
both. What moved is folded into the counts of players by score afterwards, by one process at a time.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from gouji.scoring.boards import Board, Counted, Entry, Kind, boards_of, folded, gained, move, rated
from gouji.scoring.season_store import Seasons
from gouji.scoring.seasons import Schedule
from gouji.serving.database import Database
from gouji.serving.schema import archived_standings, board_counts, board_entries, board_moves, boards, seasons

FOLDED_AT_ONCE: Final = 2000
"""Most moves that are folded in one transaction."""

FOLDING: Final = "boards fold"
"""Name that is held by whoever changes counts."""

_NAMED: Final = ("season_id", "kind", "preset", "region")
_COUNT_KEY: Final = ("board_id", "width", "low")


class Boards:
    """Leaderboards in the database, as results change them."""

    def __init__(self, database: Database, schedule: Schedule) -> None:
        self._database = database
        self._seasons = Seasons(database, schedule)

    async def add(
        self, connection: AsyncConnection, match: Counted, points: Mapping[str, int], matches: int = 1
    ) -> None:
        """Add what people made of a match to the boards of points, in the transaction that records it.

        A correction adds what differs, with ``matches`` 0; one that voids the match takes it back with -1. One match a
        transaction, and this before `rate`: so no two writers wait for each other in a ring.
        """
        await self._change(
            connection, Kind.POINTS, match, points, lambda who, entry: gained(entry, points[who], matches)
        )

    async def rate(
        self, connection: AsyncConnection, match: Counted, scores: Mapping[str, int | None], matches: int = 1
    ) -> None:
        """Put people's ratings after a match on the boards of ratings; None for a provisional one.

        ``matches`` is as in `add`.
        """
        await self._change(
            connection, Kind.RATING, match, scores, lambda who, entry: rated(entry, scores[who], matches)
        )

    async def fold(self) -> bool:
        """Fold some of what moved into the counts; returns whether there may be more."""
        mine = board_moves.c
        oldest = sa.select(mine.move_id).order_by(mine.move_id)
        async with self._database.connect() as connection:
            if await connection.scalar(oldest.limit(1)) is None:
                return False
        taken = sa.delete(board_moves).where(mine.move_id.in_(oldest.limit(FOLDED_AT_ONCE)))
        async with self._database.begin() as connection:
            await self._database.hold(connection, [FOLDING])
            rows = (await connection.execute(taken.returning(mine.board_id, mine.before, mine.after))).all()
            await self._count(connection, [(row.board_id, row.before, row.after) for row in rows])
        return len(rows) == FOLDED_AT_ONCE

    async def due(self) -> list[int]:
        """List the boards of final seasons that are not in the archive yet."""
        final = sa.select(seasons.c.season_id).where(seasons.c.final_at.is_not(None))
        query = sa.select(boards.c.board_id).where(boards.c.players.is_(None), boards.c.season_id.in_(final))
        async with self._database.connect() as connection:
            return sorted(await connection.scalars(query))

    async def archive(self, board_id: int) -> bool:
        """Write a board's final ranks, once and for ever, and clear away what kept it up. Its season must be final.

        Returns whether it was not archived before.
        """
        mine = board_entries.c
        rank = sa.func.rank().over(order_by=mine.score.desc())
        final = sa.select(mine.board_id, mine.player_id, rank, mine.score, mine.matches).where(
            mine.board_id == board_id, mine.listed
        )
        names = ["board_id", "player_id", "rank", "score", "matches"]
        async with self._database.begin() as connection:
            await self._database.hold(connection, [FOLDING])
            live = boards.c.players.is_(None)
            if await connection.scalar(sa.select(boards.c.board_id).where(boards.c.board_id == board_id, live)) is None:
                return False
            players = (await connection.execute(archived_standings.insert().from_select(names, final))).rowcount
            for table in (board_entries, board_moves, board_counts):
                await connection.execute(sa.delete(table).where(table.c.board_id == board_id))
            done = sa.update(boards).where(boards.c.board_id == board_id)
            await connection.execute(done.values(players=players))
        return True

    async def _change(
        self,
        connection: AsyncConnection,
        kind: Kind,
        match: Counted,
        who: Iterable[str],
        after: Callable[[str, Entry], Entry],
    ) -> None:
        """Change what people have on all boards of a kind on which a match counts."""
        people = sorted(who)
        if not people:
            return
        season = await self._seasons.counting(connection, match.ended_at)
        ids = await self._ids(connection, boards_of(kind, season, match))
        before = await self._held(connection, ids, people)
        later = {(board_id, player): after(player, entry) for (board_id, player), entry in before.items()}
        mine = board_entries.c
        changed = sa.update(board_entries).where(
            mine.board_id == sa.bindparam("board"), mine.player_id == sa.bindparam("player")
        )
        await connection.execute(
            changed,
            [{"board": board_id, "player": player, **entry._asdict()} for (board_id, player), entry in later.items()],
        )
        moves = [(board_id, move(before[board_id, player], entry)) for (board_id, player), entry in later.items()]
        if rows := [{"board_id": board_id, **moved._asdict()} for board_id, moved in moves if moved]:
            await connection.execute(board_moves.insert(), rows)

    async def _ids(self, connection: AsyncConnection, wanted: Sequence[Board]) -> list[int]:
        """Find the boards' ids, in order; those that nobody stood on yet are made."""
        keys = sorted((board.season, board.kind.value, board.preset, board.region) for board in wanted)
        query = sa.select(boards.c.board_id).where(sa.tuple_(*(boards.c[name] for name in _NAMED)).in_(keys))
        found = list(await connection.scalars(query))
        if len(found) < len(wanted):
            once = self._database.insert(boards).on_conflict_do_nothing(index_elements=_NAMED)
            await connection.execute(once, [dict(zip(_NAMED, key, strict=True)) for key in keys])
            found = list(await connection.scalars(query))
        return sorted(found)

    async def _held(
        self, connection: AsyncConnection, ids: Sequence[int], people: Sequence[str]
    ) -> dict[tuple[int, str], Entry]:
        """Lock people's rows on boards; who is not there yet gets an empty one. Both in one order: nobody deadlocks."""
        mine = board_entries.c
        once = self._database.insert(board_entries).on_conflict_do_nothing(index_elements=["board_id", "player_id"])
        empty = Entry(0, 0, listed=False)._asdict()
        keys = [(board_id, player) for board_id in ids for player in people]
        await connection.execute(once, [{"board_id": board, "player_id": player, **empty} for board, player in keys])
        query = (
            sa.select(board_entries)
            .where(mine.board_id.in_(ids), mine.player_id.in_(people))
            .order_by(mine.board_id, mine.player_id)
            .with_for_update()
        )
        rows = await connection.execute(query)
        return {(row.board_id, row.player_id): Entry(row.score, row.matches, row.listed) for row in rows}

    async def _count(self, connection: AsyncConnection, moves: Sequence[tuple[int, int | None, int | None]]) -> None:
        statement = self._database.insert(board_counts)
        added = statement.on_conflict_do_update(
            index_elements=_COUNT_KEY, set_={"players": board_counts.c.players + statement.excluded.players}
        )
        rows = [{**count._asdict(), "players": players} for count, players in sorted(folded(moves).items())]
        if rows:
            await connection.execute(added, rows)
