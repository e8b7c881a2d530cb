"""Duplicate boards: what was played at a tournament's board stays shut until its last table has ended."""

from typing import Any

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from gouji.serving.database import Database
from gouji.serving.errors import ServiceError
from gouji.serving.schema import tables, tournament_boards


async def is_shut(database: Database, table_id: str) -> bool:
    """Say whether a table plays a board that is not open; one that nobody has announced never is."""
    async with database.connect() as connection:
        return bool(await connection.scalar(sa.select(plays_shut(sa.literal(table_id)))))


def plays_shut(table_id: sa.ColumnElement[Any]) -> sa.Exists:
    """Say the same in SQL of any statement's column of tables' ids."""
    row = tournament_boards.c
    return (
        sa.select(sa.literal(1))
        .select_from(tables)
        .join(tournament_boards, tables.c.board_id == row.board_id, isouter=True)
        .where(tables.c.table_id == table_id, tables.c.board_id.is_not(None), row.opened_at.is_(None))
        .exists()
    )


async def keep_shut(connection: AsyncConnection, board_id: str) -> bool:
    """Keep a board from being opened until the transaction ends; False for one that is open already."""
    row = tournament_boards.c
    opened = sa.select(row.opened_at).where(row.board_id == board_id).with_for_update(read=True)
    return await connection.scalar(opened) is None


def board_shut() -> ServiceError:
    """Make the refusal of whatever would tell of a board that is shut."""
    return ServiceError("board_shut", "The board is shut until the last of its tables has ended.")
