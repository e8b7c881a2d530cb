"""SQL of who is in the lobby: when each player was last seen, and a number that rises with what it is shown."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from gouji.serving.database import Database, chunks
from gouji.serving.errors import ServiceError
from gouji.serving.schema import active_seats, lobby_players, party_members

SEEN_EVERY_SECONDS: Final = 10
"""How often it is noted that somebody who watches is there."""

MOST_STREAMS: Final = 16
"""Watches that a player may have open at one process."""

_FORGOTTEN: Final = 86_400_000_000
_STALE: Final = 3 * SEEN_EVERY_SECONDS * 1_000_000


@dataclass(frozen=True, slots=True)
class Whereabouts:
    """Whether a player watches the lobby or was just there, is in a party, sits at a table."""

    online: bool
    in_party: bool
    playing: bool


class Here:
    """Who follows the lobby in this process."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._streams: Counter[str] = Counter()

    @contextmanager
    def of(self, player_id: str) -> Iterator[None]:
        """Count a player as here within the block. Raises `ServiceError` `too_often` when it is so too often."""
        if self._streams[player_id] >= MOST_STREAMS:
            raise ServiceError("too_often", f"You have {MOST_STREAMS} watches open here already.")
        self._streams[player_id] += 1
        try:
            yield
        finally:
            self._streams[player_id] -= 1
            if not self._streams[player_id]:
                del self._streams[player_id]

    async def note(self, now: int) -> None:
        """Note in the database that these players are here."""
        await seen(self._database, self._streams, now)


async def seen(database: Database, player_ids: Iterable[str], now: int) -> None:
    """Note that these players are here; whom somebody else is writing of is passed over."""
    for ids in chunks(sorted(player_ids)):
        rows = [{"player_id": player_id, "seen_at": now} for player_id in ids]
        make = database.insert(lobby_players).on_conflict_do_nothing(index_elements=["player_id"])
        free = sa.select(lobby_players.c.player_id).where(lobby_players.c.player_id.in_(ids))
        free = free.order_by(lobby_players.c.player_id).with_for_update(skip_locked=True)
        change = sa.update(lobby_players).where(lobby_players.c.player_id.in_(free)).values(seen_at=now)
        async with database.begin() as connection:
            await connection.execute(make, rows)
            await connection.execute(change)


async def stir(database: Database, connection: AsyncConnection, player_ids: Iterable[str]) -> None:
    """Raise the numbers of these players, since what they are shown has changed."""
    rows = [{"player_id": player_id, "version": 1} for player_id in sorted(player_ids)]
    if rows:
        make = database.insert(lobby_players)
        again = {"version": lobby_players.c.version + 1}
        await connection.execute(make.on_conflict_do_update(index_elements=["player_id"], set_=again), rows)


async def versions(database: Database, player_ids: Iterable[str]) -> dict[str, int]:
    """Read the numbers of these players; one who was never seen is missing."""
    found: dict[str, int] = {}
    async with database.connect() as connection:
        for ids in chunks(sorted(player_ids)):
            query = sa.select(lobby_players.c.player_id, lobby_players.c.version)
            rows = await connection.execute(query.where(lobby_players.c.player_id.in_(ids)))
            found |= {row.player_id: row.version for row in rows}
    return found


async def sweep(database: Database, now: int) -> None:
    """Forget players that have not been seen for a day."""
    async with database.begin() as connection:
        late = sa.select(lobby_players.c.player_id).where(lobby_players.c.seen_at < now - _FORGOTTEN)
        late = late.order_by(lobby_players.c.player_id).with_for_update(skip_locked=True)
        await connection.execute(sa.delete(lobby_players).where(lobby_players.c.player_id.in_(late)))


async def whereabouts(connection: AsyncConnection, player_ids: Iterable[str], now: int) -> dict[str, Whereabouts]:
    """Say where each of these players is."""
    ids = list(player_ids)
    lately = lobby_players.c.seen_at > now - _STALE
    there = set(await connection.scalars(_among(lobby_players.c.player_id, ids).where(lately)))
    members = set(await connection.scalars(_among(party_members.c.player_id, ids)))
    seated = set(await connection.scalars(_among(active_seats.c.player_id, ids)))
    return {one: Whereabouts(one in there or one in seated, one in members, one in seated) for one in ids}


def _among(column: sa.Column[str], player_ids: Sequence[str]) -> sa.Select[str]:
    return sa.select(column).where(column.in_(player_ids))
