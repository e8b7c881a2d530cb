"""A connection that a process keeps open for as long as it lives, so that others notice its end at once.

When a process is killed the system closes its connections, and PostgreSQL forgets them: long before a lease runs out.
A stopped process or a broken network keeps the connection, and its lease decides. SQLite has one process and no
lifelines.
"""

from contextlib import suppress

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from gouji.serving.database import NO_CONNECTION, Database
from gouji.serving.errors import StorageUnavailable

_NAME = "pid || '/' || CAST(EXTRACT(EPOCH FROM backend_start) * 1000000 AS BIGINT)"
_HELD = sa.select(sa.literal_column(_NAME, sa.Text)).select_from(sa.text("pg_stat_activity"))
_OWN = _HELD.where(sa.text("pid = pg_backend_pid()"))


class Lifeline:
    """One process's connection, opened at first use and again when it has broken."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._connection: AsyncConnection | None = None
        self._name: str | None = None

    async def name(self) -> str | None:
        """Name the open connection; None on SQLite. Raises `StorageUnavailable`."""
        if self._database.dialect == "postgresql" and not await self._open():
            await self.close()
            self._connection = await self._database.open()
            try:
                self._name = await self._connection.scalar(_OWN)
            except NO_CONNECTION as error:
                await self.close()
                raise StorageUnavailable from error
        return self._name

    async def _open(self) -> bool:
        if self._connection is None or self._connection.invalidated:
            return False
        raw = await self._connection.get_raw_connection()
        return not (raw.driver_connection is None or raw.driver_connection.is_closed())

    async def close(self) -> None:
        """Let go of it."""
        connection, self._connection, self._name = self._connection, None, None
        if connection is not None:
            with suppress(*NO_CONNECTION):
                await connection.invalidate()
            await connection.close()


def torn(name: sa.ColumnElement[str | None], settled_seconds: float) -> sa.ColumnElement[bool]:
    """Whether the connection of this name is gone from PostgreSQL.

    Not within so many seconds of PostgreSQL's own start: everybody has yet to come back then.
    """
    age = sa.literal_column("EXTRACT(EPOCH FROM clock_timestamp() - pg_postmaster_start_time())", sa.Float)
    return name.is_not(None) & name.not_in(_HELD) & (age > settled_seconds)
