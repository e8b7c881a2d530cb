"""SQL that keeps leaderboards up: in the transactions of results, and behind them.

A result changes its players' own rows and inserts what moved, so that two results meet only in a player that is in
both. What moved is folded into the counts of players by score afterwards, by one process at a time.
"""

from collections.abc import Mapping, Sequence
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

_Entries = dict[tuple[int, str], Entry]
"""What people have on boards."""


class Boards:
    """Leaderboards in the database, as results change them."""

    def __init__(self, database: Database, schedule: Schedule) -> None:
        self._database = database
        self._seasons = Seasons(database, schedule)

    async def count(
        self,
        connection: AsyncConnection,
        match: Counted,
        points: Mapping[str, int],
        scores: Mapping[str, int | None],
        matches: int = 1,
    ) -> None:
        """Add what people made of a match to the boards of points, and put their ratings after it on those of ratings.

        In the transaction that records it; ``scores`` are None of provisional ratings. A correction adds what differs,
        with ``matches`` 0; one that voids the match takes it back with -1. One match a transaction: so no two writers
        wait for each other in a ring.
        """
        people = {Kind.POINTS: points, Kind.RATING: scores}
        if not any(people.values()):
            return
        season = await self._seasons.counting(connection, match.ended_at)
        kinds = await self._ids(connection, [one for kind in people for one in boards_of(kind, season, match)])
        before = await self._held(connection, sorted((one, who) for one, kind in kinds.items() for who in people[kind]))

        def later(kind: Kind, who: str, entry: Entry) -> Entry:
            return gained(entry, points[who], matches) if kind is Kind.POINTS else rated(entry, scores[who], matches)

        after = {(one, who): later(kinds[one], who, entry) for (one, who), entry in before.items()}
        await self._put(connection, before, after)

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

    async def _put(self, connection: AsyncConnection, before: _Entries, after: _Entries) -> None:
        """Write what people have on boards now, and what moved."""
        mine = board_entries.c
        changed = sa.update(board_entries).where(
            mine.board_id == sa.bindparam("board"), mine.player_id == sa.bindparam("player")
        )
        rows = [{"board": board_id, "player": player, **entry._asdict()} for (board_id, player), entry in after.items()]
        await connection.execute(changed, rows)
        moves = [(board_id, move(before[board_id, player], entry)) for (board_id, player), entry in after.items()]
        if moved := [{"board_id": board_id, **one._asdict()} for board_id, one in moves if one]:
            await connection.execute(board_moves.insert(), moved)

    async def _ids(self, connection: AsyncConnection, wanted: Sequence[Board]) -> dict[int, Kind]:
        """Find the boards' ids and of what they are; those that nobody stood on yet are made."""
        keys = sorted((board.season, board.kind.value, board.preset, board.region) for board in wanted)
        named = sa.tuple_(*(boards.c[name] for name in _NAMED)).in_(keys)
        query = sa.select(boards.c.board_id, boards.c.kind).where(named)
        found = (await connection.execute(query)).all()
        if len(found) < len(wanted):
            once = self._database.insert(boards).on_conflict_do_nothing(index_elements=_NAMED)
            await connection.execute(once, [dict(zip(_NAMED, key, strict=True)) for key in keys])
            found = (await connection.execute(query)).all()
        return {row.board_id: Kind(row.kind) for row in found}

    async def _held(self, connection: AsyncConnection, keys: Sequence[tuple[int, str]]) -> _Entries:
        """Lock people's rows on boards; who is not there yet gets an empty one. Both in one order: nobody deadlocks."""
        mine = board_entries.c
        once = self._database.insert(board_entries).on_conflict_do_nothing(index_elements=["board_id", "player_id"])
        empty = Entry(0, 0, listed=False)._asdict()
        await connection.execute(once, [{"board_id": board, "player_id": player, **empty} for board, player in keys])
        query = (
            sa.select(board_entries)
            .where(mine.board_id.in_({one for one, _ in keys}), mine.player_id.in_({who for _, who in keys}))
            .order_by(mine.board_id, mine.player_id)
            .with_for_update()
        )
        rows = {(row.board_id, row.player_id): row for row in await connection.execute(query)}
        return {key: Entry(rows[key].score, rows[key].matches, rows[key].listed) for key in keys}

    async def _count(self, connection: AsyncConnection, moves: Sequence[tuple[int, int | None, int | None]]) -> None:
        statement = self._database.insert(board_counts)
        added = statement.on_conflict_do_update(
            index_elements=_COUNT_KEY, set_={"players": board_counts.c.players + statement.excluded.players}
        )
        rows = [{**count._asdict(), "players": players} for count, players in sorted(folded(moves).items())]
        if rows:
            await connection.execute(added, rows)
