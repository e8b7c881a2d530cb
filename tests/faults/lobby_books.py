"""What must hold of tickets, seats and tables at any moment, by the database; and what the tests read there."""

from collections import defaultdict
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from typing import Any

import sqlalchemy as sa

from gouji.serving.database import Database
from gouji.serving.schema import active_seats, matches, tables, ticket_members, tickets
from gouji.v1 import table_pb2

STANDING = ("waiting", "gathering")


@asynccontextmanager
async def one_moment(database: Database) -> AsyncIterator[Any]:
    """A connection that sees all tables as they are at one moment."""
    async with database.connect() as connection:
        if database.dialect == "postgresql":
            await connection.execute(sa.text("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ"))
        yield connection


async def wrongs(database: Database) -> list[str]:
    """Say what is wrong: a player in two matches, a party split, a ticket that fits no table, a seat that fits none."""
    async with one_moment(database) as connection:
        every = {row.ticket_id: row for row in await connection.execute(sa.select(tickets))}
        members = list(await connection.execute(sa.select(ticket_members)))
        seats = {row.player_id: (row.table_id, row.seat) for row in await connection.execute(sa.select(active_seats))}
        states = {row.table_id: row for row in await connection.execute(sa.select(tables))}
        gathers = set(await connection.scalars(sa.select(matches.c.table_id).where(matches.c.state == "gathering")))
    groups: defaultdict[str, list[Any]] = defaultdict(list)
    for member in members:
        groups[member.ticket_id].append(member)
    found = list(_of_seats(seats, states))
    found += [
        wrong for ticket in every.values() for wrong in _of_ticket(ticket, groups[ticket.ticket_id], seats, states)
    ]
    found += _of_players(every, members)
    if gathers != {table_id for table_id, row in states.items() if row.state == "gathering"}:
        found.append("the matches that gather are not the tables that do")
    return found


def _of_seats(seats: dict[str, tuple[str, int]], states: dict[str, Any]) -> Iterator[str]:
    for player, (table_id, seat) in seats.items():
        if table_id not in states:
            yield f"{player} sits at {table_id}, which is not there"
        elif table_pb2.TableSpec.FromString(states[table_id].spec).seats[seat].player_id != player:
            yield f"{player} sits at {table_id}, which does not know"


def _of_ticket(
    ticket: Any, group: list[Any], seats: dict[str, tuple[str, int]], states: dict[str, Any]
) -> Iterator[str]:
    name = f"ticket {ticket.ticket_id} ({ticket.state})"
    present = [member for member in group if member.state != "missed"]
    if {member.state for member in present} - {ticket.state} or not (present or ticket.state == "missed"):
        yield f"{name} has members that are {[member.state for member in group]}"
    if ticket.state not in {"gathering", "matched"}:
        if ticket.state == "waiting" and ticket.table_id:
            yield f"{name} has a table"
        return
    table = states.get(ticket.table_id)
    if table is None:
        yield f"{name} has no table"
    elif table.state != "over":
        if (table.state == "gathering") != (ticket.state == "gathering"):
            yield f"{name} has a table that is {table.state}"
        if any(seats.get(member.player_id) != (ticket.table_id, member.seat) for member in present):
            yield f"{name} has members who do not sit at its table"
    if not ticket.both_teams and len({member.seat % 2 for member in present}) > 1:
        yield f"{name} is split"


def _of_players(every: dict[str, Any], members: list[Any]) -> Iterator[str]:
    stands: set[tuple[str, str]] = set()
    for member in members:
        if member.state in STANDING and every[member.ticket_id].state in STANDING:
            if (member.player_id, member.queue) in stands:
                yield f"{member.player_id} stands in {member.queue} twice"
            stands.add((member.player_id, member.queue))
