"""SQL of deliveries: which event goes to which endpoint, and how that stands. Times are the database's own."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from gouji.scoring import feed
from gouji.serving.database import Database
from gouji.serving.schema import feed_events, webhook_deliveries, webhook_endpoints
from gouji.v1 import feed_pb2

SPREAD_AT_ONCE: Final = 1000
"""Events that become deliveries in one transaction."""

_ROW: Final = webhook_deliveries.c


class State(StrEnum):
    """Where a delivery is in its life; a parked one was given up."""

    PENDING = "pending"
    DELIVERED = "delivered"
    PARKED = "parked"


@dataclass(frozen=True, slots=True)
class Claimed:
    """An event that is to be sent now; ``tries`` counts this one too."""

    event: feed_pb2.FeedEvent
    tries: int


@dataclass(frozen=True, slots=True)
class Kept:
    """A delivery as the database has it."""

    endpoint: str
    sequence: int
    event_id: str
    state: str
    tries: int
    due_at: int
    outcome: str


@dataclass(frozen=True, slots=True)
class Standing:
    """How the sending to an endpoint stands."""

    pending: int = 0
    parked: int = 0
    sequence: int = 0


class Deliveries:
    """Deliveries in a database. Every method raises `StorageUnavailable` when it cannot be reached."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def spread(self, endpoint: str) -> None:
        """Make deliveries of the events that an endpoint has not got yet; one that is new gets those from now on."""
        if await self._has_all(endpoint):
            return
        async with self._database.begin() as connection:
            seen = await self._lock(connection, endpoint)
            newer = sa.select(feed_events.c.sequence).where(feed_events.c.sequence > seen)
            found = await connection.scalars(newer.order_by(feed_events.c.sequence).limit(SPREAD_AT_ONCE))
            rows = [
                {"endpoint": endpoint, "sequence": number, "state": State.PENDING, "outcome": ""} for number in found
            ]
            if rows:
                await connection.execute(sa.insert(webhook_deliveries).values(due_at=self._database.now()), rows)
                this = webhook_endpoints.c.endpoint == endpoint
                moved = sa.update(webhook_endpoints).where(this).values(sequence=rows[-1]["sequence"])
                await connection.execute(moved)

    async def _has_all(self, endpoint: str) -> bool:
        last = sa.select(webhook_endpoints.c.sequence).where(webhook_endpoints.c.endpoint == endpoint)
        newest = sa.select(sa.func.coalesce(sa.func.max(feed_events.c.sequence), 0))
        async with self._database.connect() as connection:
            seen = await connection.scalar(last)
            return seen is not None and seen >= (await connection.scalar(newest) or 0)

    async def _lock(self, connection: AsyncConnection, endpoint: str) -> int:
        """Give the last event that an endpoint has got, and let nobody else spread to it until the commit."""
        last = sa.func.coalesce(sa.select(sa.func.max(feed_events.c.sequence)).scalar_subquery(), 0)
        new = self._database.insert(webhook_endpoints).values(endpoint=endpoint, sequence=last)
        await connection.execute(new.on_conflict_do_nothing(index_elements=["endpoint"]))
        query = sa.select(webhook_endpoints.c.sequence).where(webhook_endpoints.c.endpoint == endpoint)
        return int((await connection.execute(query.with_for_update())).scalar_one())

    async def claim(self, endpoint: str, most: int, lease_seconds: float) -> Sequence[Claimed]:
        """Take deliveries that are due; they are due again when the lease is over, unless they are settled."""
        now = self._database.now()
        due = sa.select(_ROW.sequence).where(_ROW.endpoint == endpoint, _ROW.state == State.PENDING, _ROW.due_at <= now)
        due = due.order_by(_ROW.due_at, _ROW.sequence).limit(most).with_for_update(skip_locked=True)
        async with self._database.begin() as connection:
            taken = list(await connection.scalars(due))
            if not taken:
                return []
            change = sa.update(webhook_deliveries).where(_ROW.endpoint == endpoint, _ROW.sequence.in_(taken))
            later = now + round(lease_seconds * 1_000_000)
            change = change.values(due_at=later, tries=_ROW.tries + 1).returning(_ROW.sequence, _ROW.tries)
            tries = {row.sequence: row.tries for row in await connection.execute(change)}
            row = feed_events.c
            events = sa.select(row.sequence, row.payload, row.created_at).where(row.sequence.in_(taken))
            rows = await connection.execute(events.order_by(row.sequence))
            return [Claimed(feed.read(one), tries[one.sequence]) for one in rows]

    async def settle(
        self, endpoint: str, claimed: Claimed, state: State, outcome: str, pause_seconds: float = 0
    ) -> None:
        """Note what came of a try; nothing where somebody else has tried since."""
        this = (_ROW.endpoint == endpoint) & (_ROW.sequence == claimed.event.sequence)
        change = sa.update(webhook_deliveries).where(this, _ROW.state == State.PENDING, _ROW.tries == claimed.tries)
        due = self._database.now() + round(pause_seconds * 1_000_000)
        async with self._database.begin() as connection:
            await connection.execute(change.values(state=state, outcome=outcome, due_at=due))

    # For operators

    async def standing(self) -> dict[str, Standing]:
        """Say of all endpoints that ever were how they stand."""
        counts = sa.select(_ROW.endpoint, _ROW.state, sa.func.count().label("deliveries"))
        counts = counts.where(_ROW.state != State.DELIVERED).group_by(_ROW.endpoint, _ROW.state)
        async with self._database.connect() as connection:
            seen = {row.endpoint: row.sequence for row in await connection.execute(sa.select(webhook_endpoints))}
            found = {(row.endpoint, row.state): row.deliveries for row in await connection.execute(counts)}
        return {
            name: Standing(found.get((name, State.PENDING), 0), found.get((name, State.PARKED), 0), sequence)
            for name, sequence in seen.items()
        }

    async def find(self, endpoint: str, state: str, most: int) -> Sequence[Kept]:
        """List deliveries, the newest events first; an empty text does not matter."""
        query = sa.select(webhook_deliveries, feed_events.c.event_id)
        query = query.join(feed_events, feed_events.c.sequence == _ROW.sequence)
        for column, wanted in ((_ROW.endpoint, endpoint), (_ROW.state, state)):
            query = query.where(column == wanted) if wanted else query
        async with self._database.connect() as connection:
            rows = await connection.execute(query.order_by(_ROW.sequence.desc(), _ROW.endpoint).limit(most))
            return [Kept(**one) for one in rows.mappings()]

    async def retry(self, endpoint: str, sequence: int) -> int:
        """Have parked deliveries tried from the beginning: of one event, or with 0 all. Returns how many there were."""
        parked = (_ROW.endpoint == endpoint) & (_ROW.state == State.PARKED)
        which = parked & (_ROW.sequence == sequence) if sequence else parked
        change = sa.update(webhook_deliveries).where(which)
        async with self._database.begin() as connection:
            again = change.values(state=State.PENDING, tries=0, due_at=self._database.now())
            return (await connection.execute(again)).rowcount
