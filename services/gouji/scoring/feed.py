"""SQL of the feed of what happened, for studios' own systems: events are kept and numbered.

An event is written in the transaction of what it tells. It gets its number later, under a lock, when somebody looks:
so numbers have no gaps, and no reader passes one by because an earlier number was committed after a later one.
"""

from collections.abc import Sequence
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from gouji.scoring.events import deleted
from gouji.serving.database import Database
from gouji.serving.schema import feed_events, webhook_deliveries
from gouji.v1 import feed_pb2

NUMBERED_AT_ONCE: Final = 1000
"""Events that get their number in one transaction."""

_LOCK: Final = "feed"


async def add(database: Database, connection: AsyncConnection, event: feed_pb2.FeedEvent) -> None:
    """Write an event in the transaction of what it tells; one that was written under the same id stands."""
    row = {"event_id": event.event_id, "payload": event.SerializeToString(), "created_at": database.now()}
    await connection.execute(database.insert(feed_events).values(row).on_conflict_do_nothing())


def read(row: Any) -> feed_pb2.FeedEvent:
    """Make an event of a row with ``sequence``, ``payload`` and ``created_at``."""
    event = feed_pb2.FeedEvent.FromString(row.payload)
    event.sequence = row.sequence
    event.at.FromMicroseconds(row.created_at)
    return event


class Feed:
    """The events in a database. Every method raises `StorageUnavailable` when it cannot be reached."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def number(self) -> None:
        """Give the events that have none their numbers."""
        unnumbered = sa.select(feed_events.c.id).where(feed_events.c.sequence.is_(None))
        async with self._database.connect() as connection:
            if await connection.scalar(unnumbered.limit(1)) is None:
                return
        async with self._database.begin() as connection:
            await self._database.hold(connection, [_LOCK])
            first = (await connection.scalar(sa.select(sa.func.max(feed_events.c.sequence))) or 0) + 1
            found = await connection.scalars(unnumbered.order_by(feed_events.c.id).limit(NUMBERED_AT_ONCE))
            rows = [{"which": id_, "number": number} for number, id_ in enumerate(found, start=first)]
            if rows:
                change = sa.update(feed_events).where(feed_events.c.id == sa.bindparam("which"))
                await connection.execute(change.values(sequence=sa.bindparam("number")), rows)

    async def after(self, sequence: int, most: int) -> tuple[Sequence[feed_pb2.FeedEvent], int]:
        """Read the events after a number, and say which is the oldest that is kept, 0 for none."""
        await self.number()
        row = feed_events.c
        query = sa.select(row.sequence, row.payload, row.created_at).where(row.sequence > sequence)
        async with self._database.connect() as connection:
            oldest = await connection.scalar(sa.select(sa.func.min(row.sequence)))
            rows = await connection.execute(query.order_by(row.sequence).limit(most))
            return [read(one) for one in rows], oldest or 0

    async def tell_deletion(self, player_id: str) -> None:
        """Have it told that a player was deleted; once."""
        async with self._database.begin() as connection:
            await add(self._database, connection, deleted(player_id))

    async def prune(self, seconds: int) -> None:
        """Forget events that are older, and their deliveries; the last one stays, since numbers go on from it."""
        row = feed_events.c
        last = sa.select(sa.func.max(row.sequence)).scalar_subquery()
        old = sa.delete(feed_events).where(
            row.created_at < self._database.now() - seconds * 1_000_000, row.sequence < last
        )
        async with self._database.begin() as connection:
            await connection.execute(old)
            oldest = await connection.scalar(sa.select(sa.func.min(row.sequence)))
            forgotten = webhook_deliveries.c.sequence < (oldest or 0)
            await connection.execute(sa.delete(webhook_deliveries).where(forgotten))
