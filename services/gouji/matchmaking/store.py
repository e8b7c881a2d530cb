"""The SQL of matchmaking: tickets, the seats of players, and tables placed.

PostgreSQL locks rows, and everybody locks them in one order, so that nobody waits in a ring: a request's
table, then tickets by id, then seats by player, then the table servers' counts. Whoever only tidies up skips what is
locked.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from gouji.matchmaking.placement import addresses, reserve
from gouji.matchmaking.placing import Placement
from gouji.matchmaking.policy import Member, Waiting
from gouji.matchmaking.tickets import State, Ticket, Wish
from gouji.serving.database import Database
from gouji.serving.errors import ServiceError
from gouji.serving.schema import active_seats, tables, tickets

_CHUNK: Final = 1000
"""Ids in one statement: both databases take some 32,000 parameters."""

_WAITING: Final = tickets.c.state == State.WAITING.value


@dataclass(frozen=True, slots=True)
class Found:
    """What was found waiting at one moment.

    ``waiting`` can be matched, the oldest first. ``lapsed`` are the ids of tickets past their lease.
    ``seated`` are tickets of players who meanwhile got a seat: (ticket, table, seat).
    """

    waiting: list[Waiting]
    lapsed: list[str]
    seated: list[tuple[str, str, int]]


class Store:
    """Tickets and placements in a database. Times are microseconds from 1970 on.

    Every method raises `StorageUnavailable` when the database cannot be reached.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    async def enqueue(self, ticket: Ticket) -> tuple[Ticket, bool]:
        """Put a new ticket into its queue; if the player has one there, renew and return that, and True.

        Raises `ServiceError` `already_seated` when the player sits at a table.
        """
        async with self._database.begin() as connection:
            seats = await _seats(connection, [ticket.player_id])
            if ticket.player_id in seats:
                raise already_seated(ticket.player_id, seats[ticket.player_id])
            await _lapse_standing(connection, ticket)
            while not await self._insert(connection, ticket):
                # The one in the way may be gone by the time that it is looked for: then the way is free.
                if standing := await _renew_standing(connection, ticket):
                    return standing, True
        return ticket, False

    async def get(self, ticket_id: str) -> Ticket | None:
        """Read a ticket in whatever state; None when there is none."""
        return (await self.many([ticket_id])).get(ticket_id)

    async def many(self, ticket_ids: Iterable[str]) -> dict[str, Ticket]:
        """Read tickets by id; those that do not exist are missing."""
        found: dict[str, Ticket] = {}
        async with self._database.connect() as connection:
            for ids in _chunks(ticket_ids):
                rows = await connection.execute(sa.select(tickets).where(tickets.c.ticket_id.in_(ids)))
                found |= {row.ticket_id: _ticket(row) for row in rows}
        return found

    async def position(self, ticket: Ticket) -> int:
        """Count the tickets of the queue that wait longer, plus one."""
        older = sa.tuple_(tickets.c.created_at, tickets.c.ticket_id) < (ticket.created_at, ticket.ticket_id)
        ahead = sa.select(sa.func.count()).where(_WAITING, tickets.c.queue == ticket.wish.queue, older)
        async with self._database.connect() as connection:
            return 1 + (await connection.scalar(ahead) or 0)

    async def cancel(self, ticket_id: str) -> Ticket:
        """Take a ticket, which must exist, out of its queue; one no longer waiting stays as it was."""
        this = tickets.c.ticket_id == ticket_id
        async with self._database.begin() as connection:
            await connection.execute(sa.update(tickets).where(this, _WAITING).values(state=State.CANCELLED))
            return _ticket((await connection.execute(sa.select(tickets).where(this))).one())

    async def look(self, now: int) -> Found:
        """Read all waiting tickets."""
        found = Found([], [], [])
        async with self._database.connect() as connection:
            rows = await connection.execute(_LOOK)
            for ticket, player, name, queue, rules, length, since, patience, expires, table, seat in rows:
                if table is not None:
                    found.seated.append((ticket, table, seat))
                elif expires <= now:
                    found.lapsed.append(ticket)
                else:
                    members, accepted = (Member(player, name),), tuple(rules.split("\n"))
                    found.waiting.append(Waiting(ticket, queue, members, False, accepted, length, since, patience))
        return found

    async def tidy(self, found: Found, now: int) -> None:
        """End the tickets that were found lapsed or of seated players, unless they have changed since."""
        for ids in _chunks(found.lapsed):
            lapsed = _idle(ids).where(tickets.c.expires_at <= now)
            change = sa.update(tickets).where(tickets.c.ticket_id.in_(lapsed)).values(state=State.LAPSED)
            async with self._database.begin() as connection:
                await connection.execute(change)
        if found.seated:
            async with self._database.begin() as connection:
                await _match(connection, found.seated)

    async def renew(self, ticket_ids: Iterable[str], expires_at: int) -> None:
        """Lengthen the leases of those that still wait; one that is being claimed is passed over."""
        for ids in _chunks(ticket_ids):
            change = sa.update(tickets).where(tickets.c.ticket_id.in_(_idle(ids)))
            async with self._database.begin() as connection:
                await connection.execute(change.values(expires_at=expires_at))

    async def claim(self, placements: Sequence[Placement], now: int) -> list[Placement]:
        """Turn tickets into tables, in one transaction. Returns the tables made.

        A table is made whole or not at all: not when one of its tickets no longer waits or a player has a
        seat. Every ticket of a player who gets a seat is matched to it, in other queues too. A table for which no
        server has room waits for one.
        """
        async with self._database.begin() as connection:
            waiting = await _lock_waiting(connection, placements)
            able = [one for one in placements if all(ticket.ticket_id in waiting for ticket in one.tickets)]
            seated = await self._occupy(connection, able)
            made = [one for one in able if one.players.keys() <= seated]
            if len(made) < len(able):
                await _vacate(connection, {one.table_id for one in able} - {one.table_id for one in made})
            if made:
                await _match(connection, _seating(made, waiting))
                servers = await reserve(connection, [placement.table_id for placement in made])
                rows = [_table(placement, now, servers.get(placement.table_id)) for placement in made]
                await connection.execute(sa.insert(tables), rows)
        return made

    async def place(self, placement: Placement, now: int) -> str:
        """Place a table as asked for; returns its id, or that of the table which the request got before.

        Raises `ServiceError` `already_seated` when one of the players has a seat; then nothing is done.
        """
        async with self._database.begin() as connection:
            return await self.place_within(connection, placement, now)

    async def place_within(self, connection: AsyncConnection, placement: Placement, now: int) -> str:
        """Do the same as part of the connection's transaction."""
        once = self._database.insert(tables).on_conflict_do_nothing(index_elements=["request_id"])
        row = await connection.execute(once.returning(tables.c.table_id), _table(placement, now))
        if row.first() is None:
            before = sa.select(tables.c.table_id).where(tables.c.request_id == placement.request_id)
            return str(await connection.scalar(before))
        waiting = await _lock_waiting(connection, [placement])
        elsewhere = sorted(placement.players.keys() - await self._occupy(connection, [placement]))
        if elsewhere:
            seats = await _seats(connection, elsewhere)
            raise already_seated(elsewhere[0], seats.get(elsewhere[0], ""))
        await _match(connection, _seating([placement], waiting))
        await _assign(connection, placement.table_id)
        return placement.table_id

    async def addresses(self, table_ids: Sequence[str]) -> dict[str, str]:
        """Give the addresses of the servers that these tables are placed for and that have not taken them yet."""
        async with self._database.connect() as connection:
            return await addresses(connection, table_ids)

    async def _insert(self, connection: AsyncConnection, ticket: Ticket) -> bool:
        """Insert a ticket unless the player has one waiting in that queue."""
        once = self._database.insert(tickets).on_conflict_do_nothing(
            index_elements=["player_id", "queue"], index_where=sa.text("state = 'waiting'")
        )
        inserted = await connection.execute(once.returning(tickets.c.ticket_id), _row(ticket))
        return inserted.first() is not None

    async def _occupy(self, connection: AsyncConnection, placements: Iterable[Placement]) -> set[str]:
        """Give the players their seats; returns those who got one, the others have another."""
        rows = [
            {"player_id": player_id, "table_id": placement.table_id, "seat": seat}
            for placement in placements
            for player_id, seat in placement.players.items()
        ]
        if not rows:
            return set()
        once = self._database.insert(active_seats).on_conflict_do_nothing(index_elements=["player_id"])
        rows.sort(key=lambda row: str(row["player_id"]))
        return set(await connection.scalars(once.returning(active_seats.c.player_id), rows))


_LOOK: Final = (
    sa.select(
        tickets.c.ticket_id,
        tickets.c.player_id,
        tickets.c.player_name,
        tickets.c.queue,
        tickets.c.rules,
        tickets.c.length,
        tickets.c.created_at,
        tickets.c.bots_after_ms * 1000,
        tickets.c.expires_at,
        active_seats.c.table_id,
        active_seats.c.seat,
    )
    .select_from(tickets.outerjoin(active_seats, tickets.c.player_id == active_seats.c.player_id))
    .where(_WAITING)
    .order_by(tickets.c.created_at, tickets.c.ticket_id)
)


def already_seated(player_id: str, table_id: str) -> ServiceError:
    """Say that a player has a seat, and where."""
    metadata = {"player_id": player_id, "table_id": table_id}
    return ServiceError("already_seated", f"{player_id} sits at table {table_id}.", metadata=metadata)


async def _seats(connection: AsyncConnection, player_ids: Sequence[str]) -> dict[str, str]:
    """Find the tables at which these players sit."""
    seats = sa.select(active_seats.c.player_id, active_seats.c.table_id)
    rows = await connection.execute(seats.where(active_seats.c.player_id.in_(player_ids)))
    return {row.player_id: row.table_id for row in rows}


def _standing(change: sa.Update, ticket: Ticket) -> sa.Update:
    """Narrow a change to the player's waiting ticket in the same queue."""
    same = tickets.c.player_id == ticket.player_id, tickets.c.queue == ticket.wish.queue
    return change.where(_WAITING, *same)


async def _lapse_standing(connection: AsyncConnection, ticket: Ticket) -> None:
    late = _standing(sa.update(tickets), ticket).where(tickets.c.expires_at <= ticket.created_at)
    await connection.execute(late.values(state=State.LAPSED))


async def _renew_standing(connection: AsyncConnection, ticket: Ticket) -> Ticket | None:
    renewal = _standing(sa.update(tickets), ticket).values(expires_at=ticket.expires_at)
    row = (await connection.execute(renewal.returning(*tickets.c))).first()
    return _ticket(row) if row else None


async def _lock_waiting(connection: AsyncConnection, placements: Iterable[Placement]) -> dict[str, str]:
    """Lock all waiting tickets of the players, in whatever queue; returns the player of each."""
    players = [player_id for placement in placements for player_id in placement.players]
    waiting = sa.select(tickets.c.ticket_id, tickets.c.player_id).where(_WAITING)
    ordered = waiting.order_by(tickets.c.ticket_id).with_for_update()
    rows = await connection.execute(ordered.where(tickets.c.player_id.in_(players)))
    return {row.ticket_id: row.player_id for row in rows}


async def _vacate(connection: AsyncConnection, table_ids: Set[str]) -> None:
    """Take back the seats of tables that cannot be made."""
    await connection.execute(sa.delete(active_seats).where(active_seats.c.table_id.in_(table_ids)))


async def _assign(connection: AsyncConnection, table_id: str) -> None:
    """Give a table its server, if one has room."""
    for server in (await reserve(connection, [table_id])).values():
        await connection.execute(sa.update(tables).where(tables.c.table_id == table_id).values(assigned=server))


async def _match(connection: AsyncConnection, matches: Iterable[tuple[str, str, int]]) -> None:
    """Match tickets that wait: (ticket, table, seat) each."""
    rows = [{"ticket": ticket, "table": table, "at": seat} for ticket, table, seat in sorted(matches)]
    if rows:
        change = sa.update(tickets).where(tickets.c.ticket_id == sa.bindparam("ticket"), _WAITING)
        change = change.values(state=State.MATCHED, table_id=sa.bindparam("table"), seat=sa.bindparam("at"))
        await connection.execute(change, rows)


def _seating(placements: Iterable[Placement], waiting: Mapping[str, str]) -> Iterator[tuple[str, str, int]]:
    """Say which of the waiting tickets (their players given) are matched to which table and seat."""
    seats = {
        player_id: (placement.table_id, seat)
        for placement in placements
        for player_id, seat in placement.players.items()
    }
    return ((ticket, *seats[player]) for ticket, player in waiting.items() if player in seats)


def _idle(ticket_ids: Sequence[str]) -> sa.Select[tuple[str]]:
    """Select those tickets that wait and that nobody is changing, and lock them."""
    select = sa.select(tickets.c.ticket_id).where(_WAITING, tickets.c.ticket_id.in_(ticket_ids))
    return select.order_by(tickets.c.ticket_id).with_for_update(skip_locked=True)


def _chunks(ticket_ids: Iterable[str]) -> Iterator[list[str]]:
    ids = list(ticket_ids)
    return (ids[start : start + _CHUNK] for start in range(0, len(ids), _CHUNK))


def _row(ticket: Ticket) -> dict[str, Any]:
    return {
        "ticket_id": ticket.ticket_id,
        "player_id": ticket.player_id,
        "player_name": ticket.player_name,
        "queue": ticket.wish.queue,
        "rules": "\n".join(ticket.wish.rules),
        "length": ticket.wish.length,
        "bots_after_ms": ticket.wish.bots_after_ms,
        "state": ticket.state,
        "created_at": ticket.created_at,
        "expires_at": ticket.expires_at,
    }


def _ticket(row: sa.Row[Any]) -> Ticket:
    wish = Wish(row.queue, tuple(row.rules.split("\n")), row.length, row.bots_after_ms)
    return Ticket(
        ticket_id=row.ticket_id,
        player_id=row.player_id,
        player_name=row.player_name,
        wish=wish,
        state=State(row.state),
        created_at=row.created_at,
        expires_at=row.expires_at,
        table_id=row.table_id,
        seat=row.seat,
    )


def _table(placement: Placement, now: int, server: str | None = None) -> dict[str, Any]:
    return {
        "assigned": server,
        "table_id": placement.table_id,
        "spec": placement.spec.SerializeToString(deterministic=True),
        "state": "placed",
        "created_at": now,
        "request_id": placement.request_id,
    }
