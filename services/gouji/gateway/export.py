"""All that is stored of a player, as one JSON object: a list of rows for each table that knows it.

Moves are not repeated here: they are in the records of the player's tables, beside those of others.
"""

import json
from collections.abc import AsyncGenerator, Mapping
from datetime import datetime
from typing import Final

import sqlalchemy as sa

from gouji.serving import schema
from gouji.serving.clock import moment
from gouji.serving.database import Database

OWN: Final[Mapping[sa.Table, str]] = {
    schema.players: "player_id",
    schema.identities: "player_id",
    schema.friends: "player_id",
    schema.blocks: "player_id",
    schema.mutes: "player_id",
    schema.sanctions: "player_id",
    schema.reports: "reporter_id",
    schema.lobby_players: "player_id",
    schema.party_members: "player_id",
    schema.party_invites: "player_id",
    schema.room_seats: "player_id",
    schema.ticket_members: "player_id",
    schema.queue_pauses: "player_id",
    schema.active_seats: "player_id",
    schema.table_people: "player_id",
    schema.player_points: "player_id",
    schema.player_totals: "player_id",
    schema.match_seats: "player_id",
    schema.ratings: "player_id",
    schema.rating_changes: "player_id",
    schema.board_entries: "player_id",
    schema.archived_standings: "player_id",
    schema.tournament_people: "player_id",
}
"""Tables with rows about a player, and the column that says about whom."""

_HIDDEN: Final = (sa.LargeBinary,)
"""Of binary columns nothing can be read: of an identity's subject a hash alone is stored."""

_TIMES: Final = ("_at", "until")
"""How the names of columns end that hold times, in microseconds from 1970 on."""


async def export(database: Database, player_id: str) -> AsyncGenerator[str, None]:
    """Write a player's data, a piece each row. Raises `StorageUnavailable`."""
    yield "{" + f'"player_id": {json.dumps(player_id)}'
    async with database.connect() as connection:
        for table, owner in OWN.items():
            yield f',\n"{table.name}": ['
            columns = [column for column in table.c if not isinstance(column.type, _HIDDEN)]
            query = sa.select(*columns).where(table.c[owner] == player_id).order_by(*table.primary_key.columns)
            first = True
            async with connection.stream(query) as rows:
                async for row in rows.mappings():
                    yield ("\n" if first else ",\n") + json.dumps(_readable(row), ensure_ascii=False)
                    first = False
            yield "]"
    yield "}\n"


def _readable(row: sa.RowMapping) -> dict[str, object]:
    return {str(name): _time(value) if str(name).endswith(_TIMES) else value for name, value in row.items()}


def _time(value: object) -> object:
    shown: datetime | None = moment(value) if isinstance(value, int) else None
    return shown.isoformat() if shown else value
