"""How far this process's clock is from the database's: leases go by one, players' clocks by the other."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import Final

import sqlalchemy as sa
from prometheus_client import Gauge

from gouji.serving.clock import Clock, microseconds
from gouji.serving.database import Database
from gouji.serving.errors import StorageUnavailable

LOOK_SECONDS: Final = 30.0
"""How often they are compared."""


class Skew:
    """Compares the two for ever, once there is a database."""

    def __init__(self, database: Callable[[], Database | None], clock: Clock, shown: Gauge) -> None:
        self._database = database
        self._clock = clock
        self._shown = shown

    async def run(self) -> None:
        """Compare them again and again, until cancelled."""
        while True:
            database = self._database()
            if database is not None:
                with suppress(StorageUnavailable):
                    await self.look(database)
            await asyncio.sleep(LOOK_SECONDS)

    async def look(self, database: Database) -> None:
        """Ask for the database's time once, and take it for that of the middle of the question."""
        async with database.single() as connection:
            asked = microseconds(self._clock.now())
            theirs = await connection.scalar(sa.select(database.now())) or 0
            answered = microseconds(self._clock.now())
        self._shown.set((theirs - (asked + answered) / 2) / 1_000_000)
