"""Players who are out while tokens of theirs may still be good: who was deleted, or banned, or removed by a moderator.

Each process looks for them in the database: within seconds it takes no token of who was deleted or banned, and ends
their streams. A player who was removed loses its streams alone. Whoever was banned before any token that is still good
was given has none: no token is renewed for it.
"""

import asyncio
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from gouji.serving.clock import Clock
from gouji.serving.database import Database
from gouji.serving.errors import ServiceError
from gouji.serving.sanctions import BAN, REMOVAL, Sanction, banned, holding, removed
from gouji.serving.schema import deletions, sanctions

LOOK_SECONDS: Final = 2.0
"""How often it is looked who is out."""

_SLACK_SECONDS: Final = 120
"""By how much clocks may differ, and how long a token is on its way."""

_DELETED: Final = Sanction("", "deletion", 0, None, "")


@dataclass(slots=True, eq=False)
class Stream:
    """A stream of a player's: the time-out that ends it, and why it was ended, once it was."""

    scope: asyncio.Timeout
    error: ServiceError | None = None

    def end(self, error: ServiceError) -> None:
        """Have the time-out come at once."""
        if self.error is None and not self.scope.expired():
            self.error = error
            self.scope.reschedule(0)


class Barred:
    """Who is out just now; `run` runs for ever, and ends at once in a process without a database."""

    def __init__(self, database: Callable[[], Database | None], clock: Clock, token_seconds: int) -> None:
        """Take how long an access token is good: who is out for longer has none."""
        self._database = database
        self._clock = clock
        self._horizon_us = (token_seconds + _SLACK_SECONDS) * 1_000_000
        self._out: Mapping[str, Sanction] = {}
        self._removed: Mapping[str, Sanction] = {}
        self._streams: defaultdict[str, set[Stream]] = defaultdict(set)

    def refuse(self, player_id: str) -> None:
        """Raise `ServiceError` `unknown_player` for one who was deleted, `banned` for one who is."""
        if player_id in self._out:
            raise _error(self._out[player_id])

    async def run(self) -> None:
        """Look for ever."""
        while self._database() is not None:
            await self._clock.sleep(LOOK_SECONDS)
            await self.look()

    async def look(self) -> None:
        """See who is out, and end their streams. Raises `StorageUnavailable`."""
        database = self._database()
        if database is None:
            return
        lately = database.now() - self._horizon_us
        gone = sa.select(deletions.c.player_id).where(deletions.c.requested_at > lately)
        held = sa.select(sanctions).where(sanctions.c.since_at > lately, sanctions.c.kind.in_((BAN, REMOVAL)))
        async with database.connect() as connection:
            found = [Sanction(**row) for row in (await connection.execute(held.where(holding(database)))).mappings()]
            deleted = dict.fromkeys(await connection.scalars(gone), _DELETED)
        self._note(
            {one.player_id: one for one in found if one.kind == BAN} | deleted,
            {one.player_id: one for one in found if one.kind == REMOVAL},
        )

    @contextmanager
    def ending(self, player_id: str, scope: asyncio.Timeout) -> Iterator[Stream]:
        """Have a time-out that was entered come at once when this player is put out within the block."""
        stream = Stream(scope)
        self._streams[player_id].add(stream)
        try:
            yield stream
        finally:
            self._streams[player_id].discard(stream)
            if not self._streams[player_id]:
                del self._streams[player_id]

    def _note(self, out: Mapping[str, Sanction], removed: Mapping[str, Sanction]) -> None:
        """Take in who is out, and end the streams of those of whom that is new."""
        for now, before in ((out, self._out), (removed, self._removed)):
            for player_id, sanction in now.items():
                if before.get(player_id) != sanction:
                    for stream in self._streams.get(player_id, ()):
                        stream.end(_error(sanction))
        self._out, self._removed = out, removed


def _error(sanction: Sanction) -> ServiceError:
    if sanction.kind == BAN:
        return banned(sanction)
    return removed(sanction) if sanction.kind == REMOVAL else ServiceError("unknown_player", "This player was deleted.")


async def refuse_living(connection: AsyncConnection, player_id: str) -> None:
    """Raise `ServiceError` `unknown_player` for one who was not deleted: nothing is to be taken from it."""
    if await connection.scalar(sa.select(deletions.c.player_id).where(deletions.c.player_id == player_id)) is None:
        raise ServiceError("unknown_player", "No such player was deleted.")
