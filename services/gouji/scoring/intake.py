"""How results come in and are corrected: each time one transaction, with all that follows from it."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from gouji.scoring import feed
from gouji.scoring.board_store import Boards
from gouji.scoring.boards import Counted, more, points_of, scores_of
from gouji.scoring.books import Books, preset_of, region_of
from gouji.scoring.events import finished
from gouji.scoring.hands import Hands, nameless, read_hands_of
from gouji.scoring.rated import Rated, Ratings
from gouji.scoring.rating import match_to_rate
from gouji.scoring.seasons import Schedule
from gouji.serving.database import Database
from gouji.serving.errors import ServiceError
from gouji.serving.schema import hand_corrections, hand_results, outbox, tournaments
from gouji.v1.scoring_pb2 import HandResult

MOST_CORRECTIONS: Final = 1000
"""Most corrections of one match: whoever looks at it reads them all."""


@dataclass(frozen=True, slots=True)
class Ruling:
    """A correction as it is asked for: ``result`` holds the outcome alone, or ``voided``."""

    table_id: str
    hand: int
    revision: int
    result: HandResult
    reason: str
    by: str


class Intake:
    """Takes results in. Both methods raise `StorageUnavailable` when the outcome is unknown: ask again."""

    def __init__(self, database: Database, schedule: Schedule) -> None:
        self._database = database
        self._books = Books(database)
        self._ratings = Ratings(database)
        self._boards = Boards(database, schedule)

    async def record(self, message: HandResult) -> bool:
        """Record a result that has passed the ledger's check, once; say whether it was recorded before.

        Points and, with a match's last result, ratings are written in the same transaction. Raises `ServiceError`:
        `result_conflict` when another result stands, `unknown_result` when no table has written this one.
        """
        result = nameless(message)
        async with self._database.begin() as connection:
            hands = await self._hold(connection, result.table_id)
            kept = next((kept for kept in hands.results if kept.hand == result.hand), None)
            if kept is not None:
                _refuse_other(kept, result)
                return True
            await _prove(connection, message)
            await self._keep(connection, result)
            await self._books.add_points(connection, result)
            await self._conclude(connection, hands.standing(), Hands([*hands.results, result], hands.corrections))
        return False

    async def correct(self, ruling: Ruling) -> int:
        """Put a new revision in the place of the one that stands; give its number.

        Raises `ServiceError`: `unknown_result`, or `result_changed` when another revision stands.
        """
        async with self._database.begin() as connection:
            hands = await self._hold(connection, ruling.table_id)
            old = _standing(hands, ruling)
            new = _ruled(old, ruling)
            await self._keep_correction(connection, ruling, len(hands.corrections) + 1, new)
            await self._books.write_points(connection, new)
            before = hands.standing()
            await self._conclude(connection, before, await read_hands_of(connection, ruling.table_id))
            await _tell_tournament(connection, new.tournament)
        return new.revision

    async def _hold(self, connection: AsyncConnection, table_id: str) -> Hands:
        """Keep others from writing this match until the commit, and read what there is of it."""
        await self._database.hold(connection, [f"match/{table_id}"])
        return await read_hands_of(connection, table_id)

    async def _keep(self, connection: AsyncConnection, result: HandResult) -> None:
        payload = _payload(result)
        row = {
            "table_id": result.table_id,
            "hand": result.hand,
            "payload": payload,
            "payload_hash": hashlib.sha256(payload).digest(),
            "preset": preset_of(result),
            "queue": result.queue,
            "ended_at": result.ended.ToMicroseconds(),
            "recorded_at": self._database.now(),
        }
        await connection.execute(sa.insert(hand_results).values(**row))

    async def _keep_correction(
        self, connection: AsyncConnection, ruling: Ruling, number: int, result: HandResult
    ) -> None:
        row = {
            "table_id": ruling.table_id,
            "hand": ruling.hand,
            "revision": result.revision,
            "number": number,
            "payload": _payload(nameless(result)),
            "corrected_by": ruling.by,
            "reason": ruling.reason,
            "corrected_at": self._database.now(),
        }
        await connection.execute(sa.insert(hand_corrections).values(**row))

    async def _conclude(self, connection: AsyncConnection, before: Sequence[HandResult], hands: Hands) -> None:
        """Write what follows from the results of a match, given those of ``before``."""
        now = hands.standing()
        await self._books.write_match(connection, now)
        await self._rate(connection, before, hands)
        event = finished(now, len(hands.corrections))
        if event is not None:
            await feed.add(self._database, connection, event)

    async def _rate(self, connection: AsyncConnection, before: Sequence[HandResult], hands: Hands) -> None:
        """Count a match that has ended, or what a correction changes of it, on boards and in ratings."""
        now = hands.standing()
        old, new = match_to_rate(before), match_to_rate(now)
        match = new or old
        if match is None or old == new:
            return
        counted = Counted(match.ended_at, preset_of(now[0]), region_of(now[0]))
        matches = (new is not None) - (old is not None)
        added = more(points_of(now) if new else {}, points_of(before) if old else {})
        rated = Rated(now[0].table_id, preset_of(now[0]), match, len(hands.corrections))
        if await self._ratings.is_rated(connection, rated.table_id):
            made = await self._ratings.rerate(connection, rated, old, new)
        else:
            made = await self._ratings.rate(connection, rated) if new else {}
        await self._boards.count(connection, counted, added, scores_of(made), matches)


async def _tell_tournament(connection: AsyncConnection, tournament_id: str) -> None:
    """Have an event look at the results of its tables again, also one that is over."""
    event = tournaments.c.tournament_id == tournament_id
    if tournament_id:
        await connection.execute(sa.update(tournaments).where(event).values(done=False))


def _payload(result: HandResult) -> bytes:
    # Maps have no order of their own: only the deterministic form is the same for the same content.
    return result.SerializeToString(deterministic=True)


def _refuse_other(kept: HandResult, result: HandResult) -> None:
    """Refuse another result than the one that was recorded."""
    if nameless(kept) != result:
        raise ServiceError(
            "result_conflict", f"Another result stands for hand {result.hand} of table {result.table_id}."
        )


async def _prove(connection: AsyncConnection, result: HandResult) -> None:
    """Refuse what no table has written: only who owns a table can write to its outbox."""
    written = sa.select(outbox.c.payload).where(outbox.c.table_id == result.table_id, outbox.c.hand == result.hand)
    payload = await connection.scalar(written)
    if payload is None or HandResult.FromString(payload) != result:
        raise ServiceError(
            "unknown_result", f"No table has written this result for hand {result.hand} of table {result.table_id}."
        )


def _standing(hands: Hands, ruling: Ruling) -> HandResult:
    """Find the result to be corrected."""
    standing = next((result for result in hands.standing() if result.hand == ruling.hand), None)
    if standing is None or standing.abandoned:
        raise ServiceError("unknown_result", f"No hand {ruling.hand} of table {ruling.table_id} is recorded.")
    if standing.revision != ruling.revision:
        raise ServiceError(
            "result_changed",
            f"Revision {standing.revision} of hand {ruling.hand} stands; look at it before you correct it.",
            metadata={"revision": str(standing.revision)},
        )
    if len(hands.corrections) >= MOST_CORRECTIONS:
        raise ServiceError("overloaded", f"A match takes {MOST_CORRECTIONS} corrections at most.")
    return standing


def _ruled(old: HandResult, ruling: Ruling) -> HandResult:
    """Make the next revision of a result."""
    new = HandResult()
    new.CopyFrom(old)
    for name in ("voided", "order", "scores", "team_scores"):
        new.ClearField(name)
    new.MergeFrom(ruling.result)
    new.revision = old.revision + 1
    new.sweep = bool(new.team_scores) and len({seat % 2 for seat in new.order[:3]}) == 1
    return new
