"""The SQL of matches: tickets claimed, seats given, confirmed and filled anew, tables placed.

Rows are locked in the order that `gouji.matchmaking.store` says.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence, Set
from typing import Any

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from gouji.matchmaking.placement import addresses, reserve
from gouji.matchmaking.placing import Placement
from gouji.matchmaking.queues import GATHERING, Lease, is_held
from gouji.matchmaking.ready import Chair, Gathering
from gouji.matchmaking.store import already_seated, seats_of
from gouji.matchmaking.tickets import State
from gouji.matchmaking.withdrawals import WAITING
from gouji.serving.database import Database, now_in
from gouji.serving.duplicate import keep_shut
from gouji.serving.errors import ServiceError
from gouji.serving.schema import active_seats, matches, tables, ticket_members, tickets
from gouji.v1 import table_pb2


class Matches:
    """Matches and placements in a database. Times are microseconds from 1970 on.

    Every method raises `StorageUnavailable` when the database cannot be reached.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    async def claim(
        self, placements: Sequence[Placement], lease: Lease, now: int, ready_by: int | None
    ) -> list[Placement]:
        """Turn tickets into tables, in one transaction, unless the lease is lost. Returns the tables made.

        A table is made whole or not at all: not when one of its tickets no longer waits as it did or a player has a
        seat. With ``ready_by``, tables whose people have to confirm gather: nobody plays there until they are
        placed. A table for which no server has room waits for one.
        """
        async with self._database.begin() as connection:
            if not await is_held(connection, lease):
                return []
            waiting = await _lock_waiting(connection, placements)
            able = [one for one in placements if _is_whole(one, waiting)]
            seated = await occupy(self._database, connection, able)
            made = [one for one in able if one.players.keys() <= seated]
            if len(made) < len(able):
                await vacate_tables(connection, {one.table_id for one in able} - {one.table_id for one in made})
            for state, some in _by_state(made, gather=ready_by is not None):
                await _seat(connection, some, State.GATHERING if state == "gathering" else State.MATCHED)
                await _note(connection, some, state, now, ready_by or now)
                servers = await reserve(connection, [one.table_id for one in some])
                rows = [table_row(one, now, state, servers.get(one.table_id)) for one in some]
                await connection.execute(sa.insert(tables), rows)
        return made

    async def place(self, placement: Placement, now: int) -> str:
        """Place a table as asked for; returns its id, or that of the table which the request got before.

        Raises `ServiceError`, and then nothing is done: `already_seated` when one of the players has a seat,
        `wrong_stage` for a tournament's board that is open. The next look at the queues cancels tickets with which the
        players wait.
        """
        async with self._database.begin() as connection:
            return await self.place_within(connection, placement, now)

    async def place_within(self, connection: AsyncConnection, placement: Placement, now: int) -> str:
        """Do the same as part of the connection's transaction."""
        once = self._database.insert(tables).on_conflict_do_nothing(index_elements=["request_id"])
        row = await connection.execute(once.returning(tables.c.table_id), table_row(placement, now, "placed"))
        if row.first() is None:
            before = sa.select(tables.c.table_id).where(tables.c.request_id == placement.request_id)
            return str(await connection.scalar(before))
        board = placement.spec.board.board_id
        if board and not await keep_shut(connection, board):
            raise ServiceError("wrong_stage", "The board is open: nobody plays it any more.")
        elsewhere = sorted(placement.players.keys() - await occupy(self._database, connection, [placement]))
        if elsewhere:
            seats = await seats_of(connection, elsewhere)
            raise already_seated(elsewhere[0], seats.get(elsewhere[0], ""))
        await _assign(connection, placement.table_id)
        return placement.table_id

    async def addresses(self, table_ids: Sequence[str]) -> dict[str, str]:
        """Give the addresses of the servers that these tables are placed for and that have not taken them yet."""
        async with self._database.connect() as connection:
            return await addresses(connection, table_ids)

    async def confirm(self, ticket_id: str, player_id: str) -> str | None:
        """Note that a player is there; returns the table if it was the last one, and the table is placed by that.

        Nothing happens to a ticket that does not gather.
        """
        async with self._database.begin() as connection:
            table = await connection.scalar(sa.select(tickets.c.table_id).where(tickets.c.ticket_id == ticket_id))
            match = await lock_match(connection, table) if table else None
            if match is None:
                return None
            own = ticket_members.c.ticket_id == ticket_id, ticket_members.c.player_id == player_id
            change = sa.update(ticket_members).where(*own, ticket_members.c.state == State.GATHERING)
            await connection.execute(change.values(confirmed=True))
            chairs = await _chairs(connection, match.table_id)
            if match.extended or not all(chair.confirmed for chair in chairs):
                return None
            await settle(connection, match.table_id)
        return str(match.table_id)

    async def undecided(self, queue: str, now: int) -> list[str]:
        """Name the tables of a queue whose time to confirm is over, or that look for replacements, by that time."""
        query = sa.select(matches.c.table_id).where(GATHERING, matches.c.queue == queue)
        query = query.where((matches.c.ready_by <= now) | matches.c.extended)
        async with self._database.single() as connection:
            return list(await connection.scalars(query.order_by(matches.c.ready_by)))


async def lock_match(connection: AsyncConnection, table_id: str) -> Any:
    """Lock a match that gathers; None when it does not, or not any more."""
    query = sa.select(matches).where(matches.c.table_id == table_id, GATHERING).with_for_update()
    return (await connection.execute(query)).one_or_none()


async def read_gathering(connection: AsyncConnection, match: Any) -> tuple[Gathering, table_pb2.TableSpec]:
    """Read a locked match, and its table."""
    stored = await connection.scalar(sa.select(tables.c.spec).where(tables.c.table_id == match.table_id))
    spec = table_pb2.TableSpec.FromString(stored or b"")
    gathering = Gathering(
        table_id=match.table_id,
        rules=match.rules,
        length=match.length,
        rating=match.rating,
        ready_by=match.ready_by,
        extended=match.extended,
        seats=frozenset(n for n, seat in enumerate(spec.seats) if seat.player_id),
        chairs=tuple(await _chairs(connection, match.table_id)),
    )
    return gathering, spec


async def settle(connection: AsyncConnection, table_id: str) -> None:
    """Place a table that gathered; its tickets are matched."""
    theirs = sa.select(tickets.c.ticket_id).where(tickets.c.table_id == table_id, tickets.c.state == State.GATHERING)
    ids = list(await connection.scalars(theirs.order_by(tickets.c.ticket_id).with_for_update()))
    await connection.execute(sa.update(tickets).where(tickets.c.ticket_id.in_(ids)).values(state=State.MATCHED))
    gathers = ticket_members.c.ticket_id.in_(ids), ticket_members.c.state == State.GATHERING
    await connection.execute(sa.update(ticket_members).where(*gathers).values(state=State.MATCHED))
    await connection.execute(sa.update(matches).where(matches.c.table_id == table_id).values(state="placed"))
    await connection.execute(sa.update(tables).where(tables.c.table_id == table_id).values(state="placed"))


async def occupy(database: Database, connection: AsyncConnection, placements: Iterable[Placement]) -> set[str]:
    """Give the players their seats; returns those who got one, the others have another."""
    seats = [(player, one.table_id, seat) for one in placements for player, seat in one.players.items()]
    return await sit_down(database, connection, seats)


async def sit_down(database: Database, connection: AsyncConnection, seats: Iterable[tuple[str, str, int]]) -> set[str]:
    """Give seats: (player, table, seat); returns the players who got one, the others have another."""
    rows = [{"player_id": player, "table_id": table, "seat": seat} for player, table, seat in sorted(seats)]
    if not rows:
        return set()
    once = database.insert(active_seats).on_conflict_do_nothing(index_elements=["player_id"])
    return set(await connection.scalars(once.returning(active_seats.c.player_id), rows))


async def vacate_tables(connection: AsyncConnection, table_ids: Set[str]) -> None:
    """Take back the seats of tables that are not made."""
    await connection.execute(sa.delete(active_seats).where(active_seats.c.table_id.in_(table_ids)))


async def _assign(connection: AsyncConnection, table_id: str) -> None:
    """Give a table its server, if one has room."""
    for server in (await reserve(connection, [table_id])).values():
        await connection.execute(sa.update(tables).where(tables.c.table_id == table_id).values(assigned=server))


def table_row(placement: Placement, now: int, state: str, server: str | None = None) -> dict[str, Any]:
    """Write a table as its row says it."""
    return {
        "assigned": server,
        "table_id": placement.table_id,
        "spec": placement.spec.SerializeToString(deterministic=True),
        "state": state,
        "created_at": now,
        "request_id": placement.request_id,
        "board_id": placement.spec.board.board_id or None,
    }


async def _lock_waiting(connection: AsyncConnection, placements: Iterable[Placement]) -> dict[str, set[str]]:
    """Lock the tickets that still wait; returns the players of each."""
    ids = {ticket_id for one in placements for ticket_id in one.tickets}
    query = sa.select(tickets.c.ticket_id).where(WAITING, tickets.c.ticket_id.in_(ids))
    locked = list(await connection.scalars(query.order_by(tickets.c.ticket_id).with_for_update()))
    members = sa.select(ticket_members.c.ticket_id, ticket_members.c.player_id).where(
        ticket_members.c.ticket_id.in_(locked), ticket_members.c.state == State.WAITING
    )
    found: defaultdict[str, set[str]] = defaultdict(set)
    for ticket, player in await connection.execute(members):
        found[ticket].add(player)
    return found


def _is_whole(placement: Placement, waiting: dict[str, set[str]]) -> bool:
    """Whether all its tickets wait, with the players that it knows of."""
    return all(
        waiting.get(ticket_id) == {member.player_id for member in ticket.members}
        for ticket_id, ticket in placement.tickets.items()
    )


def _by_state(made: Sequence[Placement], *, gather: bool) -> Iterator[tuple[str, list[Placement]]]:
    """Divide tables into those that gather and those that are placed at once."""
    gathering = [one for one in made if gather and one.asks]
    at_once = [one for one in made if not (gather and one.asks)]
    return ((state, some) for state, some in (("gathering", gathering), ("placed", at_once)) if some)


async def _seat(connection: AsyncConnection, made: Collection[Placement], state: State) -> None:
    """Note the tables in the tickets, if there are any, and the seats in their members."""
    rows = [{"ticket": ticket, "table": one.table_id} for one in made for ticket in one.tickets]
    if not rows:
        return
    change = sa.update(tickets).where(tickets.c.ticket_id == sa.bindparam("ticket"))
    rows.sort(key=lambda row: row["ticket"])
    changed_at = now_in(connection.dialect.name)
    change = change.values(state=state, table_id=sa.bindparam("table"), changed_at=changed_at)
    await connection.execute(change, rows)
    seats = [
        {"ticket": ticket_id, "player": member.player_id, "at": one.players[member.player_id]}
        for one in made
        for ticket_id, ticket in one.tickets.items()
        for member in ticket.members
    ]
    own = ticket_members.c.ticket_id == sa.bindparam("ticket"), ticket_members.c.player_id == sa.bindparam("player")
    sits = sa.update(ticket_members).where(*own).values(state=state, seat=sa.bindparam("at"))
    await connection.execute(sits, seats)


async def _chairs(connection: AsyncConnection, table_id: str) -> list[Chair]:
    row = ticket_members.c
    query = (
        sa.select(row.seat, row.player_id, row.ticket_id, row.confirmed, tickets.c.bots_after_ms.is_not(None))
        .join_from(ticket_members, tickets, row.ticket_id == tickets.c.ticket_id)
        .where(tickets.c.table_id == table_id, row.state == State.GATHERING)
        .order_by(row.seat)
    )
    return [Chair(*found) for found in await connection.execute(query)]


async def _note(connection: AsyncConnection, made: Iterable[Placement], state: str, now: int, ready_by: int) -> None:
    """Write what kind of matches these tables are, as far as they are made of tickets."""
    rows = [
        {
            "table_id": one.table_id,
            "queue": one.proposal.queue,
            "state": state,
            "rules": one.proposal.rules,
            "length": one.proposal.length,
            "bot_level": one.proposal.bot_level,
            "ready_by": ready_by,
            **one.proposal.quality._asdict(),
            "created_at": now,
        }
        for one in made
        if one.proposal
    ]
    if rows:
        await connection.execute(sa.insert(matches), rows)
