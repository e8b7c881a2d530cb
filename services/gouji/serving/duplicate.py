"""Duplicate boards: what was played at a tournament's board stays shut until its last table has ended."""

import sqlalchemy as sa

from gouji.serving.database import Database
from gouji.serving.errors import ServiceError
from gouji.serving.schema import tables, tournament_boards


async def is_shut(database: Database, table_id: str) -> bool:
    """Say whether a table plays a board that is not open; one that nobody has announced never is."""
    row = tournament_boards.c
    query = (
        sa.select(tables.c.table_id)
        .join_from(tables, tournament_boards, tables.c.board_id == row.board_id, isouter=True)
        .where(tables.c.table_id == table_id, tables.c.board_id.is_not(None), row.opened_at.is_(None))
    )
    async with database.connect() as connection:
        return await connection.scalar(query) is not None


def board_shut() -> ServiceError:
    """Make the refusal of whatever would tell of a board that is shut."""
    return ServiceError("board_shut", "The board is shut until the last of its tables has ended.")
