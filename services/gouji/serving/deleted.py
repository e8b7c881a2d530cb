"""Players who were deleted while tokens of theirs may still be good: no process takes these within seconds.

Each process looks for them in the database. Their streams end; what is asked with their tokens is refused.
"""

import asyncio
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from gouji.serving.clock import Clock
from gouji.serving.database import Database
from gouji.serving.errors import ServiceError
from gouji.serving.schema import deletions

LOOK_SECONDS: Final = 2.0
"""How often it is looked who was deleted."""

_SLACK_SECONDS: Final = 120
"""By how much clocks may differ, and how long a token is on its way."""


class Deleted:
    """Who was deleted lately; `run` runs for ever, and ends at once in a process without a database."""

    def __init__(self, database: Callable[[], Database | None], clock: Clock, token_seconds: int) -> None:
        """Take how long an access token is good: who was deleted longer ago has none."""
        self._database = database
        self._clock = clock
        self._horizon_us = (token_seconds + _SLACK_SECONDS) * 1_000_000
        self._lately: frozenset[str] = frozenset()
        self._streams: defaultdict[str, set[asyncio.Timeout]] = defaultdict(set)

    def refuse(self, player_id: str) -> None:
        """Raise `ServiceError` `unknown_player` for one who was deleted."""
        if player_id in self._lately:
            raise ServiceError("unknown_player", "This player was deleted.")

    def add(self, player_id: str) -> None:
        """Note one whom this process has deleted."""
        self._note(self._lately | {player_id})

    async def run(self) -> None:
        """Look for ever."""
        while self._database() is not None:
            await self._clock.sleep(LOOK_SECONDS)
            await self.look()

    async def look(self) -> None:
        """See who was deleted, and end their streams. Raises `StorageUnavailable`."""
        database = self._database()
        if database is None:
            return
        lately = deletions.c.requested_at > database.now() - self._horizon_us
        async with database.connect() as connection:
            self._note(frozenset(await connection.scalars(sa.select(deletions.c.player_id).where(lately))))

    @contextmanager
    def ending(self, player_id: str, scope: asyncio.Timeout) -> Iterator[None]:
        """Have a time-out that was entered come at once when this player is deleted within the block."""
        self._streams[player_id].add(scope)
        try:
            yield
        finally:
            self._streams[player_id].discard(scope)
            if not self._streams[player_id]:
                del self._streams[player_id]

    def _note(self, lately: frozenset[str]) -> None:
        for player_id in lately - self._lately:
            for scope in self._streams.get(player_id, ()):
                if not scope.expired():
                    scope.reschedule(0)
        self._lately = lately


async def refuse_living(connection: AsyncConnection, player_id: str) -> None:
    """Raise `ServiceError` `unknown_player` for one who was not deleted: nothing is to be taken from it."""
    if await connection.scalar(sa.select(deletions.c.player_id).where(deletions.c.player_id == player_id)) is None:
        raise ServiceError("unknown_player", "No such player was deleted.")
