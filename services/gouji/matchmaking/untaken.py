"""How many placed tables wait for a server, and how long: none has room, or none is there."""

from contextlib import suppress
from typing import Final

import sqlalchemy as sa

from gouji.matchmaking.metrics import MatchmakingMetrics
from gouji.serving.clock import Clock, microseconds
from gouji.serving.database import Database
from gouji.serving.errors import StorageUnavailable
from gouji.serving.schema import tables

LOOK_SECONDS: Final = 2.0
"""How often they are counted."""

MOST_COUNTED: Final = 10_000
"""How far they are counted."""


class Untaken:
    """Looks at them for ever."""

    def __init__(self, database: Database, metrics: MatchmakingMetrics, clock: Clock) -> None:
        self._database = database
        self._metrics = metrics
        self._clock = clock

    async def run(self) -> None:
        """Take one look after another."""
        while True:
            with suppress(StorageUnavailable):
                await self.look()
            await self._clock.sleep(LOOK_SECONDS)

    async def look(self) -> None:
        """Count the tables that no server has taken yet, and see since when the first of them waits."""
        waiting = sa.select(tables.c.created_at).where(tables.c.state == "placed")
        some = waiting.order_by(tables.c.created_at).limit(MOST_COUNTED).subquery()
        query = sa.select(sa.func.count(), sa.func.min(some.c.created_at)).select_from(some)
        async with self._database.connect() as connection:
            count, oldest = (await connection.execute(query)).one()
        now = microseconds(self._clock.now())
        self._metrics.untaken.set(count)
        self._metrics.untaken_seconds.set(max(now - oldest, 0) / 1_000_000 if count else 0)
