"""Cancelling against claiming: a ticket is one or the other, whenever it happens."""

import asyncio
import random
from collections.abc import Callable
from typing import Any

import grpc
import pytest
from google.protobuf.duration_pb2 import Duration

from gouji.matchmaking.placing import of_proposal
from gouji.matchmaking.policy import propose
from gouji.matchmaking.tickets import Ticket
from gouji.serving.errors import reason_of
from gouji.serving.settings import Settings

Make = Callable[..., Ticket]
PLAYERS = 12


async def queue_all(books: Any, make_ticket: Make, lap: int) -> list[str]:
    """See that every player has a ticket, the old or a new one; whoever sits goes home first."""
    for table_id in {table_id for table_id, _ in (await books.seats()).values()}:
        await books.end_match(table_id)
    new = [make_ticket(lap * PLAYERS + n, player=f"p{n}", at=lap) for n in range(PLAYERS)]
    return [(await books.store.enqueue(ticket))[0].ticket_id for ticket in new]


async def check(books: Any, ticket_ids: list[str]) -> None:
    """Every seat belongs to just one matched ticket, every matched ticket to a seat, and tables are whole."""
    seats = await books.seats()
    tickets = (await books.store.many(ticket_ids)).values()
    matched = {one.leader: (one.table_id, one.members[0].seat) for one in tickets if one.state == "matched"}
    assert matched == seats
    made = {table_id for table_id, _ in seats.values()}
    for spec in await books.specs():
        if spec.table_id in made:
            people = {seat.player_id: (spec.table_id, n) for n, seat in enumerate(spec.seats) if seat.player_id}
            assert people.items() <= matched.items()


@pytest.mark.parametrize("seed", range(3))
async def test_a_ticket_cancelled_between_proposal_and_claim_is_in_no_match(
    books: Any, make_ticket: Make, seed: int
) -> None:
    chance = random.Random(seed)
    for lap in range(10):
        ticket_ids = await queue_all(books, make_ticket, lap)
        proposals = propose((await books.look()).waiting, 0)
        claim = [of_proposal(proposal, f"tb{lap}-{n}", 0) for n, proposal in enumerate(proposals)]
        leaving = chance.sample(ticket_ids, chance.randrange(3))

        async def leave(ticket_id: str) -> Ticket:
            await asyncio.sleep(chance.random() * 0.004)
            return await books.store.cancel(ticket_id)

        *left, _ = await asyncio.gather(*map(leave, leaving), books.claim(claim, 1))
        assert {ticket.state for ticket in left} <= {"cancelled", "matched"}
        assert [ticket.state for ticket in left] == await books.states(*leaving)
        await check(books, ticket_ids)


async def test_a_claim_that_breaks_off_has_happened_or_not(books: Any, make_ticket: Make) -> None:
    chance = random.Random(5)
    outcomes = set()
    for lap in range(20):
        ticket_ids = await queue_all(books, make_ticket, lap)
        proposals = propose((await books.look()).waiting, 0)
        claim = [of_proposal(proposal, f"tb{lap}-{n}", 0) for n, proposal in enumerate(proposals)]
        claiming = asyncio.create_task(books.claim(claim, 1))
        await asyncio.sleep(chance.random() * 0.02)
        claiming.cancel()
        await asyncio.gather(claiming, return_exceptions=True)
        await check(books, ticket_ids)
        states = set(await books.states(*ticket_ids))
        assert len(states) == 1
        outcomes |= states
        for ticket_id in ticket_ids:
            await books.store.cancel(ticket_id)
    assert outcomes <= {"waiting", "matched"}


async def cancelled(caller: Any, ticket_id: str) -> bool:
    """Try to leave the queue; false when the ticket was claimed before."""
    try:
        await caller.cancel(ticket_id)
    except grpc.aio.AioRpcError as error:
        if reason_of(error) == "ticket_claimed":
            return False
        raise
    return True


async def test_players_who_change_their_minds_are_matched_or_free_over_two_processes(
    settings: Settings, desks: Callable[..., Any]
) -> None:
    chance = random.Random(11)
    async with desks(settings, queue_cycle_ms=5) as one, desks(settings, queue_cycle_ms=5) as other:
        left: set[str] = set()

        async def come_and_go(player_id: str) -> str:
            """Queue; perhaps leave again after a moment. Returns the table, empty when free."""
            caller = chance.choice([one, other]).player(player_id)
            answer = await caller.create(bots_after=Duration(nanos=chance.randrange(60_000_000)))
            ticket_id = answer.ticket.ticket_id
            if chance.random() < 0.6:
                await asyncio.sleep(chance.random() * 0.06)
                if await cancelled(caller, ticket_id):
                    left.add(player_id)
            return (await caller.settled(ticket_id)).table_id

        tables = await asyncio.gather(*(come_and_go(f"p{n}") for n in range(60)))
        seats = await one.books.seats()
        assert {f"p{n}": table for n, table in enumerate(tables) if table} == {
            player_id: table_id for player_id, (table_id, _) in seats.items()
        }
        specs = await one.books.specs()
        sitting = [seat.player_id for spec in specs for seat in spec.seats if seat.player_id]
        assert len(sitting) == len(set(sitting)) == len(seats)
        assert not left & set(sitting)
        assert all(len(spec.seats) == 6 for spec in specs)
