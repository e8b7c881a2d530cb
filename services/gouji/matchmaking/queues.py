"""The SQL of queues: which process makes a queue's matches, what operators see and do, and what is swept away."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from gouji.matchmaking.shares import share_of
from gouji.matchmaking.tickets import STANDING
from gouji.matchmaking.withdrawals import WAITING
from gouji.serving.database import Database
from gouji.serving.schema import (
    matches,
    matchmakers,
    paused_queues,
    queue_leases,
    queue_pauses,
    ticket_members,
    tickets,
)

FORGOTTEN_US: Final = 86_400_000_000
"""After this time a match that was not confirmed is forgotten."""

_SWEPT: Final = 1000
_HOUR_US: Final = 3_600_000_000
GATHERING: Final = matches.c.state == "gathering"
"""Whether a match gathers."""


@dataclass(frozen=True, slots=True)
class Lease:
    """The right to make a queue's matches; the fence rises with each owner."""

    queue: str
    owner: str
    fence: int


@dataclass(slots=True)
class Standing:
    """A queue as operators see it; waits are in microseconds, ``matches`` those of the last hour."""

    queue: str
    tickets: int = 0
    players: int = 0
    longest_wait: int = 0
    mean_wait: int = 0
    gathering: int = 0
    matches: int = 0
    matched_after: int = 0
    paused: bool = False
    reason: str = ""
    holder: str = ""


class Queues:
    """Queues in a database. Every method raises `StorageUnavailable` when it cannot be reached."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def busy(self) -> list[str]:
        """Name the queues in which somebody waits, or has a match to confirm."""
        async with self._database.single() as connection:
            return sorted(await connection.scalars(_BUSY))

    async def paused(self) -> dict[str, str]:
        """Name the paused queues, each with its reason."""
        query = sa.select(paused_queues.c.queue, paused_queues.c.reason)
        async with self._database.single() as connection:
            return {row.queue: row.reason for row in await connection.execute(query)}

    async def hold(self, owner: str, queues: Collection[str], seconds: float) -> list[Lease]:
        """Take or renew this owner's share of the leases, and give up what is more; returns all that it has."""
        length = round(seconds * 1_000_000)
        alive = await self._alive(owner, length)
        row, now = queue_leases.c, self._database.now()
        query = sa.select(queue_leases, (row.expires_at - now).label("left")).where(
            row.queue.in_(queues), row.expires_at > now
        )
        async with self._database.single() as connection:
            known = {found.queue: found for found in await connection.execute(query)}
        share = share_of(owner, queues, {queue: found.owner for queue, found in known.items()}, alive)
        if share.give:
            await self._give(owner, share.give)
        mine = [found for found in known.values() if found.owner == owner and found.queue not in share.give]
        late = [found.queue for found in mine if _is_late(found.left, length)]
        held = [Lease(found.queue, owner, found.fence) for found in mine if found.queue not in late]
        due = [*late, *share.take]
        return held + (await self._take(owner, due, length) if due else [])

    async def _alive(self, owner: str, length: int) -> list[str]:
        """Say, and see, which processes there are."""
        row, now = matchmakers.c, self._database.now()
        query = sa.select(row.owner, (row.expires_at - now).label("left")).where(row.expires_at > now)
        async with self._database.single() as connection:
            left = {found.owner: found.left for found in await connection.execute(query)}
        if owner in left and not _is_late(left[owner], length):
            return list(left)
        insert = self._database.insert(matchmakers).values(owner=owner, expires_at=now + length)
        here = insert.on_conflict_do_update(index_elements=["owner"], set_={"expires_at": now + length})
        async with self._database.begin() as connection:
            await connection.execute(here)
        # Whoever came at the same time is seen by one of the two at least.
        async with self._database.single() as connection:
            return [found.owner for found in await connection.execute(query)]

    async def _give(self, owner: str, queues: Collection[str]) -> None:
        given = sa.update(queue_leases).where(queue_leases.c.owner == owner, queue_leases.c.queue.in_(queues))
        async with self._database.begin() as connection:
            await connection.execute(given.values(expires_at=0))

    async def _take(self, owner: str, queues: Iterable[str], length: int) -> list[Lease]:
        row, now = queue_leases.c, self._database.now()
        rows = [{"queue": queue, "owner": owner, "fence": 1, "expires_at": now + length} for queue in sorted(queues)]
        insert = self._database.insert(queue_leases)
        taken = insert.on_conflict_do_update(
            index_elements=["queue"],
            set_={
                "owner": owner,
                "fence": row.fence + sa.case((row.owner == owner, 0), else_=1),
                "expires_at": now + length,
            },
            where=(row.owner == owner) | (row.expires_at <= now),
        ).returning(row.queue, row.fence)
        held = []
        async with self._database.begin() as connection:
            for values in rows:
                got = (await connection.execute(taken.values(values))).first()
                held += [Lease(got.queue, owner, got.fence)] if got else []
        return held

    async def release(self, owner: str) -> None:
        """Give up all leases, so that others may take them at once."""
        given = sa.update(queue_leases).where(queue_leases.c.owner == owner).values(expires_at=0)
        async with self._database.begin() as connection:
            await connection.execute(given)
            await connection.execute(sa.delete(matchmakers).where(matchmakers.c.owner == owner))

    async def standing(self, now: int) -> list[Standing]:
        """Say how all queues stand that somebody waits in, that had a match of late, or that are paused."""
        found: dict[str, Standing] = {}

        def of(queue: str) -> Standing:
            return found.setdefault(queue, Standing(queue))

        async with self._database.connect() as connection:
            for row in await connection.execute(_waits(now)):
                one = of(row.queue)
                one.tickets, one.longest_wait, one.mean_wait = row.tickets, row.longest, int(row.mean)
            for row in await connection.execute(_players()):
                of(row.queue).players = row.players
            for row in await connection.execute(_made(now)):
                one = of(row.queue)
                one.gathering, one.matches, one.matched_after = row.gathering, row.made, int(row.mean)
            for row in await connection.execute(sa.select(paused_queues)):
                one = of(row.queue)
                one.paused, one.reason = True, row.reason
            alive = sa.select(queue_leases).where(queue_leases.c.expires_at > self._database.now())
            for row in await connection.execute(alive):
                if row.queue in found:
                    found[row.queue].holder = row.owner
        return sorted(found.values(), key=lambda one: one.queue)

    async def find_tickets(self, queue: str, state: str, player_id: str, most: int) -> list[str]:
        """Find tickets, the oldest first; what is empty does not matter. Returns their ids."""
        query = sa.select(tickets.c.ticket_id).order_by(tickets.c.created_at, tickets.c.ticket_id).limit(most)
        if queue:
            query = query.where(tickets.c.queue == queue)
        if state:
            query = query.where(tickets.c.state == state)
        if player_id:
            own = sa.select(ticket_members.c.ticket_id).where(ticket_members.c.player_id == player_id)
            query = query.where(tickets.c.ticket_id.in_(own))
        async with self._database.connect() as connection:
            return list(await connection.scalars(query))

    async def find_matches(self, queue: str, most: int) -> list[Any]:
        """Find matches, the newest first; an empty queue is any."""
        query = sa.select(matches).order_by(matches.c.created_at.desc(), matches.c.table_id).limit(most)
        if queue:
            query = query.where(matches.c.queue == queue)
        async with self._database.connect() as connection:
            return list(await connection.execute(query))

    async def pause(self, queue: str, reason: str, operator: str) -> None:
        """Pause a queue; one that is paused gets the new reason."""
        values = {"reason": reason, "operator": operator, "paused_at": self._database.now()}
        insert = self._database.insert(paused_queues).values(queue=queue, **values)
        async with self._database.begin() as connection:
            await connection.execute(insert.on_conflict_do_update(index_elements=["queue"], set_=values))

    async def resume(self, queue: str) -> None:
        """Have a queue go on; nothing happens to one that is not paused."""
        async with self._database.begin() as connection:
            await connection.execute(sa.delete(paused_queues).where(paused_queues.c.queue == queue))

    async def sweep(self, now: int, keep_seconds: int) -> int:
        """Delete some tickets and matches that ended long ago, and what is forgotten; returns how many tickets."""
        before = now - keep_seconds * 1_000_000
        old = sa.select(tickets.c.ticket_id).where(tickets.c.state.not_in(STANDING), tickets.c.expires_at < before)
        async with self._database.begin() as connection:
            ids = list(await connection.scalars(old.limit(_SWEPT)))
            await connection.execute(sa.delete(ticket_members).where(ticket_members.c.ticket_id.in_(ids)))
            await connection.execute(sa.delete(tickets).where(tickets.c.ticket_id.in_(ids)))
            await connection.execute(sa.delete(matches).where(matches.c.created_at < before, ~GATHERING))
            struck = queue_pauses.c.struck_at < now - FORGOTTEN_US
            await connection.execute(sa.delete(queue_pauses).where(struck, queue_pauses.c.until < now))
            idle = queue_leases.c.expires_at < self._database.now() - _HOUR_US
            await connection.execute(sa.delete(queue_leases).where(idle))
            gone = matchmakers.c.expires_at < self._database.now() - _HOUR_US
            await connection.execute(sa.delete(matchmakers).where(gone))
        return len(ids)


async def is_held(connection: AsyncConnection, lease: Lease) -> bool:
    """Whether nobody else has taken the queue; nobody can until this transaction ends."""
    row = queue_leases.c
    query = sa.select(row.fence).where(row.queue == lease.queue, row.owner == lease.owner, row.fence == lease.fence)
    return await connection.scalar(query.with_for_update(read=True)) is not None


def _first_of_each(queue: sa.Column[str], which: sa.ColumnElement[bool]) -> sa.Select[str]:
    """Select the queues of rows, however many rows there are: from one to the next along the index."""
    found = sa.select(sa.func.min(queue).label("queue")).where(which).cte(f"found_{queue.table.name}", recursive=True)
    after = sa.select(sa.func.min(queue)).where(which, queue > found.c.queue).scalar_subquery()
    found = found.union_all(sa.select(after).where(found.c.queue.is_not(None)))
    return sa.select(found.c.queue).where(found.c.queue.is_not(None))


_BUSY: Final = _first_of_each(tickets.c.queue, WAITING).union(_first_of_each(matches.c.queue, GATHERING))


def _is_late(left: int, length: int) -> bool:
    """Whether a lease of our own is to be renewed."""
    return left <= length * 2 // 3


def _waits(now: int) -> sa.Select[Any]:
    wait = now - tickets.c.created_at
    return (
        sa.select(
            tickets.c.queue,
            sa.func.count().label("tickets"),
            sa.func.max(wait).label("longest"),
            sa.func.avg(wait).label("mean"),
        )
        .where(WAITING)
        .group_by(tickets.c.queue)
    )


def _players() -> sa.Select[Any]:
    row = ticket_members.c
    return sa.select(row.queue, sa.func.count().label("players")).where(row.state == "waiting").group_by(row.queue)


def _made(now: int) -> sa.Select[Any]:
    gathering = sa.func.sum(sa.case((GATHERING, 1), else_=0))
    return (
        sa.select(
            matches.c.queue,
            gathering.label("gathering"),
            sa.func.count().label("made"),
            sa.func.avg(matches.c.mean_wait).label("mean"),
        )
        .where(matches.c.created_at > now - _HOUR_US)
        .group_by(matches.c.queue)
    )
