"""SQL of the sums that follow from results: by match and seat, by player. Written in the result's own transaction.

Who writes a match holds its name first, then locks players' totals and then ratings, each in the order of their keys:
no two writers wait in a ring. A player has one row of totals for each preset it played, and one under `ALL_PRESETS`.
"""

from collections.abc import Iterable, Sequence
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from gouji.engine.cards import SEATS
from gouji.scoring.ledger import Totals, entries, match_sum, seat_sums
from gouji.serving.database import Database
from gouji.serving.schema import match_results, match_seats, player_points, player_totals
from gouji.v1.scoring_pb2 import HandResult

ALL_PRESETS: Final = ""
"""The preset of the totals over all presets. No rule set has it: an empty one is recorded as `standard`."""

PLACES: Final = tuple(f"p{place}" for place in range(1, SEATS + 1))
_SUMS: Final = ("hands", "points", *PLACES)


def preset_of(result: HandResult) -> str:
    """Name the family of a result's rules."""
    return result.rules.preset or "standard"


class Books:
    """The sums in a database. Every method writes within its caller's transaction."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def write_match(self, connection: AsyncConnection, results: Sequence[HandResult]) -> None:
        """Put the sums over all results of a match in the place of those that stand."""
        await self.put(connection, match_results, match_rows(results))
        await self.put(connection, match_seats, seat_rows(results))

    async def add_points(self, connection: AsyncConnection, result: HandResult) -> None:
        """Write what the people made of a hand."""
        rows = points_rows(result)
        if rows:
            await connection.execute(sa.insert(player_points), rows)

    async def remove_points(self, connection: AsyncConnection, result: HandResult) -> None:
        """Forget what the people made of a hand."""
        mine = player_points.c
        hand = (mine.table_id == result.table_id) & (mine.hand == result.hand)
        await connection.execute(sa.delete(player_points).where(hand))

    async def add_totals(self, connection: AsyncConnection, preset: str, added: Iterable[Totals]) -> None:
        """Add to the totals of a preset and of all."""
        rows = [totals_row(name, more) for more in added for name in sorted((ALL_PRESETS, preset))]
        if not rows:
            return
        statement = self._database.insert(player_totals)
        new, old = statement.excluded, player_totals.c
        sums = {name: old[name] + new[name] for name in _SUMS}
        # Row by row: a statement of many rows would be compiled anew each time.
        await connection.execute(
            statement.on_conflict_do_update(index_elements=["player_id", "preset"], set_=sums), rows
        )

    async def put(self, connection: AsyncConnection, table: sa.Table, rows: Sequence[dict[str, Any]]) -> None:
        """Write rows, over those of the same keys; columns that they leave out stay as they are."""
        key = [column.name for column in table.primary_key]
        statement = self._database.insert(table)
        new = {name: statement.excluded[name] for name in rows[0] if name not in key}
        await connection.execute(statement.on_conflict_do_update(index_elements=key, set_=new), list(rows))


def totals_row(preset: str, more: Totals) -> dict[str, object]:
    """Write totals as a row; names are in `players`."""
    return {
        "player_id": more.player_id,
        "preset": preset,
        "name": "",
        "hands": more.hands,
        "points": more.points,
        **dict(zip(PLACES, more.places, strict=True)),
    }


def match_rows(results: Sequence[HandResult]) -> list[dict[str, object]]:
    """Write the sums over all results of a match as a row of `match_results`."""
    first = results[0]
    row: dict[str, object] = {
        "table_id": first.table_id,
        "preset": preset_of(first),
        "queue": first.queue,
        "region": first.queue.partition("/")[0],
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
