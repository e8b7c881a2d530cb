"""SQL of the events' records, of boards, and of what tables made. Times are the database's own, in microseconds."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable
from typing import Any

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from gouji.serving.database import Database, chunks
from gouji.serving.schema import (
    hand_corrections,
    hand_results,
    match_results,
    outbox,
    players,
    tables,
    tournament_boards,
    tournament_entries,
    tournament_people,
    tournaments,
)
from gouji.tournament.chance import board_id
from gouji.tournament.course import FROZEN, Ended
from gouji.tournament.names import named
from gouji.v1 import scoring_pb2
from gouji.v1.tournament_log_pb2 import TournamentEntry


class StillPlayed(Exception):
    """A board that was to be opened has a table at which it is played."""


class Store:
    """Events as the database keeps them. Every method raises `StorageUnavailable` when it cannot be reached."""

    def __init__(self, database: Database) -> None:
        self.database = database

    # Events

    async def create(self, tournament_id: str, sealed: bytes, first: TournamentEntry) -> bool:
        """Write a new event with its first entry; False when there is one of this id."""
        row = {"tournament_id": tournament_id, "secret": sealed, "created_at": self.database.now()}
        once = self.database.insert(tournaments).values(**row).on_conflict_do_nothing()
        async with self.database.begin() as connection:
            if await connection.scalar(once.returning(tournaments.c.tournament_id)) is None:
                return False
            await self.append(connection, tournament_id, first)
        return True

    async def secret(self, tournament_id: str) -> bytes | None:
        """Read an event's secret, sealed; None when there is no such event."""
        query = sa.select(tournaments.c.secret).where(tournaments.c.tournament_id == tournament_id)
        async with self.database.connect() as connection:
            found: bytes | None = await connection.scalar(query)
        return found

    async def under_way(self) -> list[str]:
        """List the events in which something may come by itself."""
        query = sa.select(tournaments.c.tournament_id).where(sa.not_(tournaments.c.done))
        async with self.database.connect() as connection:
            return list(await connection.scalars(query.order_by(tournaments.c.tournament_id)))

    async def close(self, tournament_id: str, corrections: int) -> None:
        """Note that nothing more comes by itself in an event, if there are no more than so many corrections in it."""
        ended = sa.update(tournaments).where(tournaments.c.tournament_id == tournament_id)
        ended = ended.where(_corrections(tournament_id).scalar_subquery() == corrections)
        async with self.database.begin() as connection:
            await self.lock(connection, tournament_id)  # whoever corrects a result has it looked at again
            await connection.execute(ended.values(done=True))

    async def newest(self, most: int, *, open_only: bool) -> list[str]:
        """List events, the newest first."""
        row = tournaments.c
        query = sa.select(row.tournament_id).order_by(row.created_at.desc(), row.tournament_id.desc()).limit(most)
        if open_only:
            query = query.where(sa.not_(row.done))
        async with self.database.connect() as connection:
            return list(await connection.scalars(query))

    # Records

    async def lock(self, connection: AsyncConnection, tournament_id: str) -> bool:
        """Let nobody else write in this event until the transaction ends; False when there is no such event."""
        query = sa.select(tournaments.c.tournament_id).where(tournaments.c.tournament_id == tournament_id)
        return await connection.scalar(query.with_for_update()) is not None

    async def entries(self, connection: AsyncConnection, tournament_id: str, after: int) -> list[TournamentEntry]:
        """Read an event's record behind entry ``after``."""
        row = tournament_entries.c
        query = sa.select(row.entry).where(row.tournament_id == tournament_id, row.seq > after).order_by(row.seq)
        return [TournamentEntry.FromString(entry) for entry in await connection.scalars(query)]

    async def append(self, connection: AsyncConnection, tournament_id: str, entry: TournamentEntry) -> None:
        """Write an entry, under the event's lock, and what others look at beside the record.

        Raises `StillPlayed` for one that opens a board too early: a table was placed after somebody looked.
        """
        row = {"tournament_id": tournament_id, "seq": entry.sequence, "entry": entry.SerializeToString()}
        await connection.execute(sa.insert(tournament_entries).values(**row))
        if people := sorted({seat.player_id for seat in named(entry) if seat.player_id}):
            once = self.database.insert(tournament_people).on_conflict_do_nothing()
            await connection.execute(once, [{"player_id": one, "tournament_id": tournament_id} for one in people])
        if entry.HasField("round_paired"):
            await self._announce_boards(connection, tournament_id, entry)
        if entry.HasField("board_opened"):
            await self._open(connection, board_id(tournament_id, entry.board_opened.round, entry.board_opened.board))

    async def events_of(self, player_id: str) -> list[str]:
        """List the events in whose records a player is named."""
        query = sa.select(tournament_people.c.tournament_id).where(tournament_people.c.player_id == player_id)
        async with self.database.connect() as connection:
            return list(await connection.scalars(query.order_by(tournament_people.c.tournament_id)))

    async def rewrite(
        self, connection: AsyncConnection, tournament_id: str, change: Callable[[TournamentEntry], bool]
    ) -> None:
        """Put what ``change`` makes of entries in their place, under the event's lock, where it says that it did."""
        for entry in await self.entries(connection, tournament_id, 0):
            if change(entry):
                key = tournament_entries.c.tournament_id == tournament_id, tournament_entries.c.seq == entry.sequence
                changed = sa.update(tournament_entries).where(*key).values(entry=entry.SerializeToString())
                await connection.execute(changed)

    async def _open(self, connection: AsyncConnection, name: str) -> None:
        """Open a board: first nobody is placed there any more, then nobody may be playing it."""
        opened = sa.update(tournament_boards).where(tournament_boards.c.board_id == name)
        await connection.execute(opened.values(opened_at=self.database.now()))
        if await connection.scalar(_played([name]).where(tables.c.state != FROZEN)) is not None:
            raise StillPlayed(name)

    async def _announce_boards(self, connection: AsyncConnection, tournament_id: str, entry: TournamentEntry) -> None:
        number = entry.round_paired.round
        names = [board_id(tournament_id, number, board + 1) for board in range(len(entry.round_paired.commitments))]
        once = self.database.insert(tournament_boards).on_conflict_do_nothing()
        await connection.execute(once, [{"board_id": name} for name in names])

    # What others have written

    async def names(self, player_ids: Collection[str]) -> dict[str, str]:
        """Read the names of players; those that there are not are missing."""
        query = sa.select(players.c.player_id, players.c.name).where(players.c.player_id.in_(player_ids))
        async with self.database.connect() as connection:
            return {row.player_id: row.name for row in await connection.execute(query)}

    async def ended(self, table_ids: Iterable[str]) -> dict[str, Ended]:
        """Say of tables that have ended what was made there; one whose result is still on its way is missing."""
        found: dict[str, Ended] = {}
        async with self.database.connect() as connection:
            for some in chunks(table_ids):
                found |= await self._ended(connection, some)
        return found

    async def corrected(self, tournament_id: str) -> tuple[dict[str, Ended], int]:
        """Say what stands at the tables of an event whose results were corrected; and how many there are."""
        async with self.database.snapshot() as connection:
            count = await connection.scalar(_corrections(tournament_id)) or 0
            if not count:
                return {}, 0
            query = _corrections(tournament_id, hand_corrections.c.table_id).distinct()
            return await self._ended(connection, list(await connection.scalars(query))), count

    async def played(self, board_ids: Iterable[str], ruled: Collection[str] = ()) -> set[str]:
        """Say which of these boards are played at some table, or may be: not at those of ``ruled`` that stand still."""
        found = set[str]()
        async with self.database.connect() as connection:
            for some in chunks(board_ids):
                found |= set(await connection.scalars(_played(some, ruled)))
        return found

    async def _ended(self, connection: AsyncConnection, table_ids: list[str]) -> dict[str, Ended]:
        on_its_way = sa.exists().where(outbox.c.table_id == tables.c.table_id, outbox.c.delivered_at.is_(None))
        query = sa.select(tables.c.table_id, tables.c.state, on_its_way.label("pending"))
        stopped = tables.c.state.in_(("over", FROZEN))
        rows = (await connection.execute(query.where(tables.c.table_id.in_(table_ids), stopped))).all()
        results = await _results(connection, [row.table_id for row in rows if row.state == "over"])
        known = {row.table_id: _ending(row, *results.get(row.table_id, ({}, {}))) for row in rows}
        return {table_id: ended for table_id, ended in known.items() if ended is not None}


def _played(board_ids: Collection[str], ruled: Collection[str] = ()) -> sa.Select[Any]:
    row = tables.c
    goes_on = (row.state != "over") & ((row.state != FROZEN) | row.table_id.not_in(ruled))
    return sa.select(row.board_id).distinct().where(row.board_id.in_(board_ids), goes_on)


def _corrections(tournament_id: str, what: Any = None) -> sa.Select[Any]:
    """Count the corrections of an event's results, or select something of each."""
    match = match_results.c
    query = sa.select(sa.func.count() if what is None else what).join_from(
        hand_corrections, match_results, match.table_id == hand_corrections.c.table_id
    )
    return query.where(match.tournament == tournament_id)


_Hands = dict[int, scoring_pb2.HandResult]
"""Results of a match by hand."""


async def _results(connection: AsyncConnection, table_ids: list[str]) -> dict[str, tuple[_Hands, _Hands]]:
    """Read the results of matches as scoring has recorded them, and what corrections have put in their places."""
    found: defaultdict[str, tuple[_Hands, _Hands]] = defaultdict(lambda: ({}, {}))
    for later, table in enumerate((hand_results, hand_corrections)):
        row = table.c
        query = sa.select(row.table_id, row.hand, row.payload).where(row.table_id.in_(table_ids))
        query = query.order_by(row.number) if later else query
        for table_id, hand, payload in await connection.execute(query):
            found[table_id][later][hand] = scoring_pb2.HandResult.FromString(payload)
    return found


def _ending(row: Any, results: _Hands, corrected: _Hands) -> Ended | None:
    """Say how a table ended; None while its result is on its way."""
    last = next((result for result in results.values() if result.last), None)
    if last is not None and len(last.match_team_scores) == 2 and last.order:
        bots = tuple(seat for seat, held in enumerate(last.seats) if not held.player_id)
        made = _made(last, results, corrected)
        return Ended(row.state, made, _absent(last), last.hand, bots, corrected=bool(corrected))
    return None if row.pending and row.state != FROZEN else Ended(row.state)


def _made(last: scoring_pb2.HandResult, results: _Hands, corrected: _Hands) -> tuple[int, int] | None:
    """Add up what the even and the odd seats made of a match; None when no hand of it counts any more."""
    even, odd = last.match_team_scores
    for hand, now in corrected.items():
        before = results[hand].team_scores
        even += (now.team_scores[0] if now.team_scores else 0) - before[0]
        odd += (now.team_scores[1] if now.team_scores else 0) - before[1]
    counts = any(result.order for result in (results | corrected).values())
    return (even, odd) if counts else None


def _absent(result: scoring_pb2.HandResult) -> tuple[int, ...]:
    """Give the seats of people who decided nothing."""
    seats = enumerate(zip(result.seats, result.conduct, strict=False))
    return tuple(seat for seat, (held, conduct) in seats if held.player_id and not conduct.by_player)
