"""Drawn arrivals, cancels, changes of parties, missed matches, blocks, and processes that die in the middle of a look.

At every moment nobody is in two matches, no party is split, and books and tables agree; in the end nobody is stuck.
"""

import asyncio
import random
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest
import sqlalchemy as sa
from lobby_books import STANDING, wrongs

from gouji.matchmaking.friends import Friends
from gouji.matchmaking.parties import Parties, party_with
from gouji.matchmaking.placing import Placement
from gouji.matchmaking.tickets import State, Ticket
from gouji.serving.errors import ServiceError
from gouji.serving.schema import (
    active_seats,
    matchmakers,
    players,
    queue_leases,
    queue_pauses,
    tables,
    ticket_members,
    tickets,
)
from gouji.v1 import events_pb2, table_pb2

Make = Callable[..., Ticket]
Rooms = Callable[..., Any]

PLAYERS = [f"p{n:02}" for n in range(18)]
QUEUES = ("local/quick", "local/long")
PERIOD, LEASE, BOTS_AFTER = 5, 30_000_000, 8
STEPS = 60


class World:
    """Three processes, whoever plays, and everything that may happen to them."""

    def __init__(self, rooms: Rooms, make_ticket: Make, seed: int) -> None:
        self.chance = random.Random(seed)
        self._new = lambda: rooms(ready_seconds=PERIOD, queue_lease_seconds=600)
        self.processes = [self._new() for _ in range(3)]
        self.books, self.clock = self.processes[0].books, self.processes[0].clock
        self.database = self.books.database
        self.parties, self.friends = Parties(self.database), Friends(self.database)
        self._make_ticket = make_ticket
        self.made: list[str] = []
        self._numbers = iter(range(10**6))

    @property
    def now(self) -> int:
        return int(self.processes[0].now)

    async def settle_in(self) -> None:
        async with self.database.begin() as connection:
            rows = [{"player_id": one, "name": one, "created_at": 0} for one in PLAYERS]
            await connection.execute(sa.insert(players), rows)

    def somebody(self) -> str:
        return self.chance.choice(PLAYERS)

    async def queue(self) -> None:
        """Queue alone, or as the party that one leads."""
        player, number = self.somebody(), next(self._numbers)
        async with self.database.connect() as connection:
            party = await party_with(connection, player)
        player = party.leader if party else player
        if party is not None and not party.ready:
            return
        people = [player, *sorted(set(party.player_ids) - {player})] if party else [player]
        wish = {
            "queue": self.chance.choice(QUEUES),
            "bots_after_ms": self.chance.choice([None, 0, BOTS_AFTER * 1000, BOTS_AFTER * 1000]),
            "both_teams": len(people) > 3 or self.chance.random() < 0.1,
        }
        plain = self._make_ticket(number, players=people, at=self.now, **wish)
        ticket = Ticket(
            **{name: getattr(plain, name) for name in Ticket.__slots__} | {"party_id": party and party.party_id}
        )
        found, _ = await self.books.store.enqueue(ticket, party)
        self.made.append(found.ticket_id)

    async def cancel(self) -> None:
        if self.made:
            await self.books.store.cancel(self.chance.choice(self.made))

    async def confirm(self, likely: float = 0.8) -> None:
        """Have most of those who gather confirm."""
        row = ticket_members.c
        async with self.database.connect() as connection:
            gathers = (
                await connection.execute(sa.select(row.ticket_id, row.player_id).where(row.state == "gathering"))
            ).all()
        for ticket_id, player_id in gathers:
            if self.chance.random() < likely:
                await self.books.matches.confirm(ticket_id, player_id)

    async def meet(self) -> None:
        """Invite somebody who comes, and be ready all."""
        host, guest = self.chance.sample(PLAYERS[:9], 2)
        party = await self.parties.invite(host, host, guest, self.now + LEASE, self.now)
        party = await self.parties.accept(party.party_id, guest, guest, self.now)
        for player in party.player_ids:
            await self.parties.change(player, lambda one, who=player: one.with_ready(who, ready=True), self.now)  # type: ignore[misc]

    async def part(self) -> None:
        await self.parties.leave(self.somebody(), self.now)

    async def hesitate(self) -> None:
        player = self.somebody()
        await self.parties.change(player, lambda party: party.with_ready(player, ready=False), self.now)

    async def block(self) -> None:
        one, other = self.chance.sample(PLAYERS, 2)
        await (self.friends.block if self.chance.random() < 0.5 else self.friends.unblock)(one, other)

    async def place(self) -> None:
        """Have a service seat somebody at a table of its own."""
        seats = [events_pb2.Seat(player_id=self.somebody())] + [events_pb2.Seat(bot_level="greedy")] * 5
        table_id = f"placed{next(self._numbers)}"
        await self.books.matches.place(Placement(table_pb2.TableSpec(table_id=table_id, seats=seats)), self.now)

    async def finish(self) -> None:
        """End some matches, as the table service does."""
        placed = sa.select(tables.c.table_id).where(tables.c.state == "placed")
        async with self.database.begin() as connection:
            ids = [one for one in sorted(await connection.scalars(placed)) if self.chance.random() < 0.5]
            await connection.execute(sa.update(tables).where(tables.c.table_id.in_(ids)).values(state="over"))
            await connection.execute(sa.delete(active_seats).where(active_seats.c.table_id.in_(ids)))

    async def look(self) -> None:
        await self.chance.choice(self.processes).turn()

    async def crash(self) -> None:
        """Kill a process in the middle of a look; another one starts."""
        dead = self.chance.randrange(len(self.processes))
        running = asyncio.create_task(self.processes[dead].turn())
        await asyncio.sleep(self.chance.random() * 0.03)
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
        self.processes[dead] = self._new()
        await self.bury()

    async def bury(self) -> None:
        """End the leases of the dead, as time does; what a dead one wrote may have been committed after its death."""
        alive = [process.cycle.owner for process in self.processes]
        async with self.database.begin() as connection:
            for table in (queue_leases, matchmakers):
                await connection.execute(sa.update(table).where(table.c.owner.not_in(alive)).values(expires_at=0))

    async def happen(self) -> None:
        """Have some things happen at once; what is refused is refused."""
        often = [self.queue] * 8 + [self.look] * 3 + [self.meet] * 4 + [self.confirm, self.finish]
        rare = [self.cancel, self.part, self.part, self.part, self.hesitate, self.block, self.place, self.crash]
        chosen = self.chance.sample(often + rare, 4)
        for outcome in await asyncio.gather(*(one() for one in chosen), return_exceptions=True):
            if outcome is not None and not isinstance(outcome, ServiceError):
                raise outcome
        await self.clock.advance(self.chance.choice([0, 0, 0.5, 2]))

    async def stand(self) -> list[Any]:
        """Read the tickets that stand, each with its player and its party."""
        query = sa.select(tickets, ticket_members.c.player_id, ticket_members.c.state.label("member_state")).join(
            ticket_members, ticket_members.c.ticket_id == tickets.c.ticket_id
        )
        async with self.database.connect() as connection:
            return list(await connection.execute(query.where(tickets.c.state.in_(STANDING))))

    async def parties_that_changed(self) -> list[str]:
        """Name the tickets that wait for a party which is another one by now."""
        queued: dict[tuple[str, str], set[str]] = {}
        for row in await self.stand():
            if row.state == "waiting" and row.party_id:
                queued.setdefault((row.ticket_id, row.party_id), set()).add(row.player_id)
        found = []
        for (ticket_id, party_id), people in queued.items():
            async with self.database.connect() as connection:
                party = await party_with(connection, min(people))
            if party is None or party.party_id != party_id or party.player_ids != people:
                found.append(ticket_id)
        return found


@pytest.mark.parametrize("seed", range(4))
async def test_whatever_happens_books_and_tables_agree_and_nobody_is_lost(
    rooms: Rooms, make_ticket: Make, seed: int
) -> None:
    world = World(rooms, make_ticket, seed)
    await world.settle_in()
    for _ in range(STEPS):
        await world.happen()
        assert await wrongs(world.database) == []
        assert await world.parties_that_changed() == []
    placed = await in_the_end(world)
    assert await wrongs(world.database) == []
    async with world.database.connect() as connection:
        rows = list(await connection.execute(sa.select(ticket_members)))
        paused = set(await connection.scalars(sa.select(queue_pauses.c.player_id)))
    assert paused == {row.player_id for row in rows if row.state == State.MISSED}
    assert placed


async def in_the_end(world: World) -> int:
    """Have everybody who waits be there and confirm: who welcomes bots plays, whoever wants people may go on waiting.

    Returns how many tickets got a table in all.
    """
    await world.bury()
    for _ in range(4 * (BOTS_AFTER + 2 * PERIOD)):
        await world.confirm(1.0)
        waiting = {row.ticket_id for row in await world.stand()}
        await world.books.store.renew(waiting, world.now + LEASE)
        for process in world.processes:
            await process.turn()
        with suppress(ServiceError):
            await world.finish()
        await world.clock.advance(0.5)
    left = await world.stand()
    assert {(row.ticket_id, row.player_id) for row in left if row.bots_after_ms is not None} == set()
    assert {row.state for row in left} <= {"waiting"}
    found = await world.books.store.many(world.made)
    assert found.keys() == set(world.made)
    return sum(ticket.state is State.MATCHED for ticket in found.values())
