"""The one statement by which PostgreSQL takes what steps nearly always write: events and commands.

It locks the tables' fences and writes the rows of those that still hold, in one round trip that is its own
transaction: half the work of a transaction of several statements.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.ext.asyncio import AsyncConnection

from gouji.serving.schema import table_commands, table_events, tables

Row = Mapping[str, Any]
"""A row by the names of its columns."""

_FENCE: Final = "fence"


async def append(
    connection: AsyncConnection, table_ids: Iterable[str], events: Sequence[Row], commands: Sequence[Row]
) -> dict[str, int]:
    """Give the fences of tables, and write of these rows those whose ``fence`` is their table's."""
    given = {"held": sorted(table_ids), **_columns(table_events, events), **_columns(table_commands, commands)}
    return {row.table_id: row.fence for row in await connection.execute(_statement(), given)}


def _columns(table: sa.Table, rows: Sequence[Row]) -> dict[str, list[Any]]:
    return {_parameter(table, name): [row[name] for row in rows] for name in (*table.c.keys(), _FENCE)}


def _parameter(table: sa.Table, name: str) -> str:
    return f"{table.name}_{name}"


@cache
def _statement() -> sa.Select[Any]:
    held = (
        sa.select(tables.c.table_id, tables.c.fence)
        .where(tables.c.table_id == sa.any_(sa.bindparam("held", type_=ARRAY(sa.Text))))
        .order_by(tables.c.table_id)
        .with_for_update(read=True)
        .cte("held")
    )
    written = [_written(table, held) for table in (table_events, table_commands)]
    return sa.select(held.c.table_id, held.c.fence).add_cte(*written)


def _written(table: sa.Table, held: sa.CTE) -> sa.CTE:
    """Insert the rows given of which the fence is held."""
    columns: list[sa.Column[Any]] = [*table.c, tables.c.fence]
    arrays = [sa.bindparam(_parameter(table, one.name), type_=ARRAY(one.type)) for one in columns]
    rows = sa.func.unnest(*arrays).table_valued(*(sa.column(one.name, one.type) for one in columns))
    rows = rows.render_derived(name=f"given_{table.name}")
    good = (rows.c.table_id == held.c.table_id) & (rows.c.fence == held.c.fence)
    chosen = sa.select(*(rows.c[one.name] for one in table.c)).join_from(rows, held, good)
    return sa.insert(table).from_select(table.c.keys(), chosen).cte(f"written_{table.name}")
