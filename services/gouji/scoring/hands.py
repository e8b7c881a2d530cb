"""Results as they are kept: without names, revision by revision. Reading them is here, writing in `intake`."""

from collections.abc import Iterable
from dataclasses import dataclass, field

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from gouji.serving.schema import hand_corrections, hand_results
from gouji.v1.scoring_pb2 import HandResult


@dataclass(frozen=True, slots=True)
class Correction:
    """A later revision of a result, why it came about, and when: microseconds from 1970 on."""

    revision: int
    result: HandResult
    reason: str
    at: int


@dataclass(frozen=True, slots=True)
class Hands:
    """The results of one match as they came, and their corrections in order."""

    results: list[HandResult] = field(default_factory=list)
    corrections: list[Correction] = field(default_factory=list)

    def standing(self, corrections: int | None = None) -> list[HandResult]:
        """Give the results that stand after so many corrections, each with its revision; after all when None."""
        stand = {result.hand: result for result in self.results}
        for each in self.corrections[:corrections]:
            stand[each.result.hand] = each.result
        return list(stand.values())


def nameless(result: HandResult) -> HandResult:
    """Copy a result as it is kept: players are told by their ids, revisions by where it is kept."""
    kept = HandResult()
    kept.CopyFrom(result)
    kept.ClearField("revision")
    for seat in kept.seats:
        seat.ClearField("name")
    return kept


async def read_hands(connection: AsyncConnection, table_ids: Iterable[str]) -> dict[str, Hands]:
    """Read all results of some matches, by table; of one that has none an empty list."""
    found = {table_id: Hands() for table_id in table_ids}
    kept, later = hand_results.c, hand_corrections.c
    query = (
        sa.select(kept.table_id, kept.payload).where(kept.table_id.in_(list(found))).order_by(kept.table_id, kept.hand)
    )
    for table_id, payload in await connection.execute(query):
        found[table_id].results.append(_result(payload, 1))
    revised = sa.select(hand_corrections).where(later.table_id.in_(list(found)))
    for row in await connection.execute(revised.order_by(later.table_id, later.number)):
        correction = Correction(row.revision, _result(row.payload, row.revision), row.reason, row.corrected_at)
        found[row.table_id].corrections.append(correction)
    return found


async def read_hands_of(connection: AsyncConnection, table_id: str) -> Hands:
    """Read all results of one match."""
    return (await read_hands(connection, [table_id]))[table_id]


def _result(payload: bytes, revision: int) -> HandResult:
    result = nameless(HandResult.FromString(payload))
    result.revision = revision
    return result
