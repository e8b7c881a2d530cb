"""The SQL of tickets: who waits where, and what became of it.

PostgreSQL locks rows, and everybody locks them in one order, so that nobody waits in a ring: players' names, a match
or a request's table and the board that it plays, parties by id, then tickets by id, then seats by player, then the
table servers' counts. Whoever only tidies up skips what is locked.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from gouji.matchmaking.parties import Party, party_of
from gouji.matchmaking.tickets import STANDING, Member, State, Ticket, Wish
from gouji.matchmaking.withdrawals import WAITING, end
from gouji.serving.clock import moment
from gouji.serving.database import Database, chunks
from gouji.serving.errors import ServiceError
from gouji.serving.schema import active_seats, matches, paused_queues, queue_pauses, ticket_members, tickets

MOST_QUEUES: Final = 4
"""Queues in which a player may stand at a time."""

OVERLAP_US: Final = 2_000_000
"""How long after it was written a change may still be committed."""

RECENT_US: Final = 3_600_000_000
"""How long opponents of a match are recent."""


class Store:
    """Tickets in a database. Times are microseconds from 1970 on.

    Every method raises `StorageUnavailable` when the database cannot be reached.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    async def party(self, party_id: str) -> Party | None:
        """Read a party; None when there is none."""
        async with self._database.connect() as connection:
            return await party_of(connection, party_id)

    async def recent_opponents(self, player_ids: Sequence[str], now: int) -> dict[str, frozenset[str]]:
        """Find whom these players met on the other team within the last hour."""
        async with self._database.connect() as connection:
            rows = await connection.execute(_met(player_ids, now - RECENT_US))
        met: defaultdict[str, set[str]] = defaultdict(set)
        for player, opponent in rows:
            met[player].add(opponent)
        return {player: frozenset(opponents) for player, opponents in met.items()}

    async def enqueue(self, ticket: Ticket, party: Party | None = None) -> tuple[Ticket, bool]:
        """Put a new ticket into its queue; if its leader has one there, renew and return that, and True.

        Raises `ServiceError`: `already_seated` when one of its players sits at a table; `already_queued` when another
        than the leader stands in the queue; `queue_paused`, `player_paused`, `too_many_queues`; `party_not_ready`
        when the party is no longer as it was.
        """
        players = [member.player_id for member in ticket.members]
        async with self._database.begin() as connection:
            await self._database.hold(connection, players)
            if party is not None:
                await _refuse_changed(connection, party)
            stood = await self._stands(connection, ticket, players)
            if stood is not None:
                return (await _read(connection, [stood]))[stood], True
            await _refuse_paused(connection, ticket)
            await connection.execute(sa.insert(tickets).values(_row(ticket) | {"changed_at": self._database.now()}))
            await connection.execute(sa.insert(ticket_members), [_member_row(ticket, one) for one in ticket.members])
        return ticket, False

    async def get(self, ticket_id: str) -> Ticket | None:
        """Read a ticket in whatever state; None when there is none."""
        return (await self.many([ticket_id])).get(ticket_id)

    async def many(self, ticket_ids: Iterable[str]) -> dict[str, Ticket]:
        """Read tickets by id; those that do not exist are missing."""
        async with self._database.connect() as connection:
            return await _read(connection, ticket_ids)

    async def standing_of(self, player_id: str) -> list[Ticket]:
        """Read the tickets of a player that wait or gather, the oldest first."""
        own = sa.select(ticket_members.c.ticket_id).where(
            ticket_members.c.player_id == player_id, ticket_members.c.state.in_(STANDING)
        )
        async with self._database.connect() as connection:
            found = await _read(connection, await connection.scalars(own))
        return sorted(found.values(), key=lambda ticket: (ticket.created_at, ticket.ticket_id))

    async def position(self, ticket: Ticket) -> int:
        """Count the tickets of the queue that wait longer, plus one."""
        older = sa.tuple_(tickets.c.created_at, tickets.c.ticket_id) < (ticket.created_at, ticket.ticket_id)
        ahead = sa.select(sa.func.count()).where(WAITING, tickets.c.queue == ticket.wish.queue, older)
        async with self._database.connect() as connection:
            return 1 + (await connection.scalar(ahead) or 0)

    async def line(self, queues: Collection[str]) -> list[tuple[str, str]]:
        """List who waits in these queues, the oldest first: (queue, ticket)."""
        query = sa.select(tickets.c.queue, tickets.c.ticket_id).where(WAITING, tickets.c.queue.in_(queues))
        async with self._database.connect() as connection:
            rows = await connection.execute(query.order_by(tickets.c.created_at, tickets.c.ticket_id))
        return [(row.queue, row.ticket_id) for row in rows]

    async def changes(self, queues: Collection[str], since: int) -> tuple[set[str], int]:
        """Name the tickets of these queues that changed after a moment, or shortly before; and say how late it is."""
        late = tickets.c.changed_at > since - OVERLAP_US
        async with self._database.single() as connection:
            now = await connection.scalar(sa.select(self._database.now())) or 0
            query = sa.select(tickets.c.ticket_id).where(tickets.c.queue.in_(queues), late)
            return set(await connection.scalars(query)) if queues else set(), now

    async def expected(self, queues: Collection[str], now: int) -> dict[str, int]:
        """Say how long people of the last hour's matches waited, by queue, on the average."""
        query = sa.select(matches.c.queue, sa.func.avg(matches.c.mean_wait)).group_by(matches.c.queue)
        lately = matches.c.queue.in_(queues), matches.c.created_at > now - RECENT_US
        async with self._database.connect() as connection:
            return {queue: int(wait) for queue, wait in await connection.execute(query.where(*lately))}

    async def cancel(self, ticket_id: str) -> Ticket:
        """Take a ticket, which must exist, out of its queue; one no longer waiting stays as it was."""
        async with self._database.begin() as connection:
            await end(connection, [ticket_id], State.CANCELLED)
            return (await _read(connection, [ticket_id]))[ticket_id]

    async def lapse(self, ticket_ids: Iterable[str], now: int) -> None:
        """End the tickets that were found past their lease, unless they have changed since."""
        for ids in chunks(ticket_ids):
            async with self._database.begin() as connection:
                late = _idle(ids).where(tickets.c.expires_at <= now)
                await end(connection, list(await connection.scalars(late)), State.LAPSED)

    async def withdraw(self, ticket_ids: Iterable[str]) -> None:
        """End the tickets of players who sit at a table elsewhere, unless they have changed since."""
        for ids in chunks(ticket_ids):
            async with self._database.begin() as connection:
                await end(connection, list(await connection.scalars(_idle(ids))), State.CANCELLED)

    async def renew(self, ticket_ids: Iterable[str], expires_at: int) -> None:
        """Lengthen the leases of those that still wait; one that is being claimed is passed over."""
        for ids in chunks(ticket_ids):
            change = sa.update(tickets).where(tickets.c.ticket_id.in_(_idle(ids)))
            async with self._database.begin() as connection:
                await connection.execute(change.values(expires_at=expires_at))

    async def _stands(self, connection: AsyncConnection, ticket: Ticket, players: Sequence[str]) -> str | None:
        """Say which ticket stands in the way as it is the leader's; refuse for what else does."""
        found = await _lock_standing(connection, players)
        late = {row.ticket_id for row in found if _is_late(row, ticket)}
        await end(connection, sorted(late), State.LAPSED)
        here = {row.player_id: row for row in found if row.queue == ticket.wish.queue and row.ticket_id not in late}
        own = here.get(ticket.leader)
        if own is not None and own.state == State.GATHERING:
            return str(own.ticket_id)
        await _refuse_seated(connection, players)
        if own is not None:
            longer = sa.update(tickets).where(tickets.c.ticket_id == own.ticket_id)
            await connection.execute(longer.values(expires_at=ticket.expires_at))
            return str(own.ticket_id)
        if here:
            metadata = {"player_id": min(here)}
            raise ServiceError("already_queued", f"{min(here)} stands in this queue already.", metadata=metadata)
        _refuse_many(found, late)
        return None


async def seats_of(connection: AsyncConnection, player_ids: Sequence[str]) -> dict[str, str]:
    """Find the tables at which these players sit."""
    seats = sa.select(active_seats.c.player_id, active_seats.c.table_id)
    rows = await connection.execute(seats.where(active_seats.c.player_id.in_(player_ids)))
    return {row.player_id: row.table_id for row in rows}


def already_seated(player_id: str, table_id: str) -> ServiceError:
    """Say that a player has a seat, and where."""
    metadata = {"player_id": player_id, "table_id": table_id}
    return ServiceError("already_seated", f"{player_id} sits at table {table_id}.", metadata=metadata)


def _met(player_ids: Sequence[str], since: int) -> sa.Select[Any]:
    own, other = ticket_members.alias("own"), ticket_members.alias("other")
    then, theirs = tickets.alias("then"), tickets.alias("theirs")
    return (
        sa.select(own.c.player_id, other.c.player_id)
        .join_from(own, then, then.c.ticket_id == own.c.ticket_id)
        .join(theirs, theirs.c.table_id == then.c.table_id)
        .join(other, other.c.ticket_id == theirs.c.ticket_id)
        .where(own.c.player_id.in_(player_ids), own.c.state == State.MATCHED, then.c.created_at > since)
        .where(other.c.state == State.MATCHED, (own.c.seat + other.c.seat) % 2 == 1)
        .distinct()
    )


async def _lock_standing(connection: AsyncConnection, player_ids: Sequence[str]) -> Sequence[Any]:
    """Lock the players' tickets that wait or gather, in whatever queue."""
    member = ticket_members.c
    query = (
        sa.select(member.player_id, tickets.c.ticket_id, tickets.c.queue, tickets.c.state, tickets.c.expires_at)
        .join_from(ticket_members, tickets, member.ticket_id == tickets.c.ticket_id)
        .where(member.player_id.in_(player_ids), member.state.in_(STANDING), tickets.c.state.in_(STANDING))
        .order_by(tickets.c.ticket_id)
        .with_for_update(of=tickets)
    )
    return (await connection.execute(query)).all()


def _is_late(row: Any, ticket: Ticket) -> bool:
    return bool(row.state == State.WAITING and row.expires_at <= ticket.created_at)


async def _refuse_seated(connection: AsyncConnection, player_ids: Sequence[str]) -> None:
    seats = await seats_of(connection, player_ids)
    if seats:
        raise already_seated(*min(seats.items()))


async def _refuse_changed(connection: AsyncConnection, party: Party) -> None:
    now = await party_of(connection, party.party_id, lock=True)
    if now is None or (now.leader, now.members) != (party.leader, party.members):
        raise ServiceError("party_not_ready", "The party has changed meanwhile.")


async def _refuse_paused(connection: AsyncConnection, ticket: Ticket) -> None:
    paused = sa.select(paused_queues.c.reason).where(paused_queues.c.queue == ticket.wish.queue)
    reason = await connection.scalar(paused)
    if reason is not None:
        raise ServiceError("queue_paused", f"The queue is paused: {reason}", metadata={"queue": ticket.wish.queue})
    players = [member.player_id for member in ticket.members]
    waits = sa.select(queue_pauses.c.player_id, queue_pauses.c.until).where(
        queue_pauses.c.player_id.in_(players), queue_pauses.c.until > ticket.created_at
    )
    row = (await connection.execute(waits.order_by(queue_pauses.c.until.desc()))).first()
    if row is not None:
        raise ServiceError(
            "player_paused",
            f"{row.player_id} did not confirm a match, and may queue again at {moment(row.until):%H:%M:%S} UTC.",
            retry_after_ms=(row.until - ticket.created_at) // 1000 + 1,
            metadata={"player_id": row.player_id},
        )


def _refuse_many(found: Iterable[Any], late: Collection[str]) -> None:
    stands: defaultdict[str, set[str]] = defaultdict(set)
    for row in found:
        if row.ticket_id not in late:
            stands[row.player_id].add(row.queue)
    for player, queues in sorted(stands.items()):
        if len(queues) >= MOST_QUEUES:
            metadata = {"player_id": player}
            raise ServiceError("too_many_queues", f"{player} stands in {len(queues)} queues.", metadata=metadata)


async def _read(connection: AsyncConnection, ticket_ids: Iterable[str]) -> dict[str, Ticket]:
    found: dict[str, Ticket] = {}
    gathers = (matches.c.table_id == tickets.c.table_id) & (tickets.c.state == State.GATHERING)
    for ids in chunks(ticket_ids):
        members: defaultdict[str, list[Any]] = defaultdict(list)
        for row in await connection.execute(sa.select(ticket_members).where(ticket_members.c.ticket_id.in_(ids))):
            members[row.ticket_id].append(row)
        query = sa.select(tickets, matches.c.ready_by).join_from(tickets, matches, gathers, isouter=True)
        rows = await connection.execute(query.where(tickets.c.ticket_id.in_(ids)))
        found |= {row.ticket_id: _ticket(row, members[row.ticket_id]) for row in rows}
    return found


def _idle(ticket_ids: Sequence[str]) -> sa.Select[tuple[str]]:
    """Select those tickets that wait and that nobody is changing, and lock them."""
    select = sa.select(tickets.c.ticket_id).where(WAITING, tickets.c.ticket_id.in_(ticket_ids))
    return select.order_by(tickets.c.ticket_id).with_for_update(skip_locked=True)


def _row(ticket: Ticket) -> dict[str, Any]:
    return {
        "ticket_id": ticket.ticket_id,
        "queue": ticket.wish.queue,
        "leader": ticket.leader,
        "party_id": ticket.party_id,
        "rules": "\n".join(ticket.wish.rules),
        "length": ticket.wish.length,
        "bots_after_ms": ticket.wish.bots_after_ms,
        "both_teams": ticket.wish.both_teams,
        "latency_ms": ticket.wish.latency_ms,
        "state": ticket.state,
        "created_at": ticket.created_at,
        "expires_at": ticket.expires_at,
    }


def _member_row(ticket: Ticket, member: Member) -> dict[str, Any]:
    return {
        "ticket_id": ticket.ticket_id,
        "player_id": member.player_id,
        "queue": ticket.wish.queue,
        "name": member.name,
        "rating": member.rating,
        "deviation": member.deviation,
        "recent": "\n".join(sorted(member.recent)),
        "state": member.state,
    }


def _ticket(row: Any, members: Iterable[Any]) -> Ticket:
    rules = tuple(row.rules.split("\n"))
    ordered = sorted(members, key=lambda member: (member.player_id != row.leader, member.player_id))
    return Ticket(
        ticket_id=row.ticket_id,
        members=tuple(_member(member) for member in ordered),
        wish=Wish(row.queue, rules, row.length, row.bots_after_ms, row.both_teams, row.latency_ms),
        state=State(row.state),
        created_at=row.created_at,
        expires_at=row.expires_at,
        party_id=row.party_id,
        table_id=row.table_id,
        ready_by=row.ready_by,
    )


def _member(row: Any) -> Member:
    return Member(
        player_id=row.player_id,
        name=row.name,
        rating=row.rating,
        deviation=row.deviation,
        recent=frozenset(row.recent.split()),
        state=State(row.state),
        seat=row.seat,
        confirmed=row.confirmed,
    )
