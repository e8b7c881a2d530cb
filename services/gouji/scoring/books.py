"""SQL of the sums that follow from results, by match, seat and hand. Written in the result's own transaction.

Who writes a match holds its name first, then locks ratings, then players on boards, each in the order of their keys: no
two writers wait in a ring.
"""

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from gouji.scoring.ledger import entries, match_sum, seat_sums
from gouji.serving.database import Database
from gouji.serving.schema import match_results, match_seats, player_points
from gouji.v1.scoring_pb2 import HandResult


def preset_of(result: HandResult) -> str:
    """Name the family of a result's rules."""
    return result.rules.preset or "standard"


def region_of(result: HandResult) -> str:
    """Name the region of a result's queue; empty for none."""
    return result.queue.partition("/")[0]


class Books:
    """The sums in a database. Every method writes within its caller's transaction."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def write_match(self, connection: AsyncConnection, results: Sequence[HandResult]) -> None:
        """Put the sums over all results of a match in the place of those that stand."""
        await self.put(connection, match_results, match_rows(results))
        await self.put(connection, match_seats, seat_rows(results))

    async def write_points(self, connection: AsyncConnection, result: HandResult) -> None:
        """Put what the people made of a hand in the place of what stands."""
        mine = player_points.c
        hand = (mine.table_id == result.table_id) & (mine.hand == result.hand)
        await connection.execute(sa.delete(player_points).where(hand))
        await self.add_points(connection, result)

    async def add_points(self, connection: AsyncConnection, result: HandResult) -> None:
        """Write what the people made of a hand of which nothing stands."""
        rows = points_rows(result)
        if rows:
            await connection.execute(sa.insert(player_points), rows)

    async def put(self, connection: AsyncConnection, table: sa.Table, rows: Sequence[dict[str, Any]]) -> None:
        """Write rows, over those of the same keys; columns that they leave out stay as they are."""
        key = [column.name for column in table.primary_key]
        statement = self._database.insert(table)
        new = {name: statement.excluded[name] for name in rows[0] if name not in key}
        await connection.execute(statement.on_conflict_do_update(index_elements=key, set_=new), list(rows))


def match_rows(results: Sequence[HandResult]) -> list[dict[str, object]]:
    """Write the sums over all results of a match as a row of `match_results`."""
    first = results[0]
    row: dict[str, object] = {
        "table_id": first.table_id,
        "preset": preset_of(first),
        "queue": first.queue,
        "region": region_of(first),
        "tournament": first.tournament or None,
    }
    return [row | match_sum(results)._asdict()]


def seat_rows(results: Sequence[HandResult]) -> list[dict[str, object]]:
    """Write what the seats made of a match as rows of `match_seats`."""
    table_id, ended_at = results[0].table_id, match_sum(results).ended_at
    return [
        {"table_id": table_id, "seat": number, "player_id": held.player_id or None, "bot_level": held.bot_level or None}
        | {"ended_at": ended_at, **made._asdict()}
        for number, (held, made) in enumerate(zip(results[0].seats, seat_sums(results), strict=True))
    ]


def points_rows(result: HandResult) -> list[dict[str, object]]:
    """Write what the people made of a hand as rows of `player_points`."""
    of_hand = {"table_id": result.table_id, "hand": result.hand, "preset": preset_of(result)}
    return [of_hand | entry._asdict() for entry in entries(result)]
