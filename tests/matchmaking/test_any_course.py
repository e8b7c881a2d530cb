"""Whatever happens in whatever order, every ticket is whole and comes to an end."""

import asyncio
import random
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import replace
from typing import Any

import pytest
import sqlalchemy as sa
from lobby_books import wrongs

from gouji.matchmaking.tickets import STANDING, State, Ticket
from gouji.matchmaking.withdrawals import cancel_of_party
from gouji.serving.errors import ServiceError
from gouji.serving.schema import queue_leases, tables

Make = Callable[..., Ticket]
Rooms = Callable[..., Any]

QUEUES = ("local/quick", "local/long")
PERIOD = 5


class Course:
    """Three processes, and people who come, cancel, change parties and confirm or not, as chance has it."""

    def __init__(self, rooms: Rooms, make_ticket: Make, seed: int) -> None:
        self.chance = random.Random(seed)
        self._make = make_ticket
        self._rooms = rooms
        self.rooms = [self._room() for _ in range(3)]
        self.books = self.rooms[0].books
        self.made: list[str] = []
        self._number = 0

    def _room(self) -> Any:
        return self._rooms(ready_seconds=PERIOD, ticket_lease_seconds=1000)

    async def run(self, steps: int) -> None:
        """So many things happen; after each of them all is as it must be."""
        kinds: dict[Callable[[], Awaitable[None]], int] = {
            self.arrive: 6, self.cancel: 1, self.change_party: 1, self.confirm: 4, self.look: 4, self.crash: 2,
            self.end_match: 1, self.pass_time: 1,
        }  # fmt: skip
        for _ in range(steps):
            await self.chance.choices(list(kinds), list(kinds.values()))[0]()
            assert await wrongs(self.books.database) == []

    async def arrive(self) -> None:
        """Somebody queues, alone or with others; one who sits, stands or is paused is refused."""
        self._number += 1
        both = self.chance.random() < 0.2
        size = self.chance.choice((1, 1, 1, 2, 3)) if not both else self.chance.randrange(2, 7)
        players = [f"p{n}" for n in self.chance.sample(range(24), size)]
        queue, patience = self.chance.choice(QUEUES), self.chance.choice((0, 3000))
        wish = {"queue": queue, "bots_after_ms": patience, "both_teams": both}
        ticket = self._make(self._number, players=players, at=self.rooms[0].now, **wish)
        lasting = replace(ticket, expires_at=ticket.created_at + 10**12, party_id=f"c{size}" if size > 1 else None)
        with suppress(ServiceError):
            await self.books.store.enqueue(lasting)
            self.made += [lasting.ticket_id] if await self.books.store.get(lasting.ticket_id) else []

    async def cancel(self) -> None:
        """Somebody cancels while a process looks."""
        if self.made:
            ticket_id = self.chance.choice(self.made)
            await asyncio.gather(self.books.store.cancel(ticket_id), self.chance.choice(self.rooms).turn())

    async def change_party(self) -> None:
        """A party is not what it was while a process looks."""

        async def change() -> None:
            async with self.books.database.begin() as connection:
                await cancel_of_party(connection, f"c{self.chance.randrange(2, 7)}")

        await asyncio.gather(change(), self.chance.choice(self.rooms).turn())

    async def confirm(self) -> None:
        """Some of those who are asked to confirm do."""
        for ticket in (await self.books.store.many(self.made)).values():
            for member in ticket.members:
                if member.state is State.GATHERING and self.chance.random() < 0.7:
                    await self.books.matches.confirm(ticket.ticket_id, member.player_id)

    async def look(self) -> None:
        """All processes look at the queues at once."""
        await asyncio.gather(*(room.turn() for room in self.rooms))

    async def crash(self) -> None:
        """A process dies at any point of its look; its leases run out, and another takes its place."""
        at = self.chance.randrange(len(self.rooms))
        looking = asyncio.create_task(self.rooms[at].turn())
        await asyncio.sleep(self.chance.random() * 0.03)
        looking.cancel()
        await asyncio.gather(looking, return_exceptions=True)
        mine = queue_leases.c.owner == self.rooms[at].cycle.owner
        await self._write(sa.update(queue_leases).where(mine).values(expires_at=0))
        self.rooms[at] = self._room()

    async def end_match(self) -> None:
        """A match ends, and its people are free."""
        placed = sorted(table for table, state in (await self.books.table_states()).items() if state == "placed")
        if placed:
            table_id = self.chance.choice(placed)
            await self._write(sa.update(tables).where(tables.c.table_id == table_id).values(state="over"))
            await self.books.end_match(table_id)

    async def pass_time(self) -> None:
        """Some time passes."""
        await self.rooms[0].clock.advance(self.chance.uniform(0, 1.5 * PERIOD))

    async def _write(self, change: Any) -> None:
        async with self.books.database.begin() as connection:
            await connection.execute(change)


@pytest.mark.parametrize("seed", range(3))
async def test_nobody_is_in_two_matches_no_party_is_split_and_no_ticket_is_stuck_or_lost(
    rooms: Rooms, make_ticket: Make, seed: int
) -> None:
    course = Course(rooms, make_ticket, seed)
    await course.run(60)
    for _ in range(8):  # everybody welcomes bots, so all that is needed now is time
        await course.rooms[0].clock.advance(PERIOD)
        await course.look()
    assert await wrongs(course.books.database) == []
    ended = await course.books.store.many(course.made)
    assert ended.keys() == set(course.made)
    assert State.MATCHED in {ticket.state for ticket in ended.values()}
    busy = set(await course.books.seats())
    stuck = [one for one in ended.values() if one.state in STANDING and not busy & {m.player_id for m in one.members}]
    assert stuck == []
