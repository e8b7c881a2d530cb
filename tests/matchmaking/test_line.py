"""What a process knows of a queue, on both databases: short lines compared as a whole, long ones by what changed."""

from collections.abc import Callable
from typing import Any

import pytest
import sqlalchemy as sa

from gouji.matchmaking import line as lines
from gouji.matchmaking.friends import Friends
from gouji.matchmaking.line import Line
from gouji.matchmaking.placing import of_proposal
from gouji.matchmaking.tickets import Ticket
from gouji.serving.schema import active_seats, players, tables, tickets

Make = Callable[..., Ticket]
NOW = 5


@pytest.fixture(params=["short", "long"])
def line(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Line:
    """A line whose every read but the first compares, or does not."""
    if request.param == "long":
        monkeypatch.setattr(lines, "SHORT", 0)
    return Line("local/quick")


async def waiting(books: Any, line: Line, now: int = NOW) -> list[str]:
    await line.read(books.database, now)
    return [ticket.ticket_id for ticket in line.hall.oldest()]


async def queue(books: Any, *made: Ticket) -> None:
    for ticket in made:
        await books.store.enqueue(ticket)


async def seat(books: Any, player_id: str, table_state: str) -> None:
    row = {"table_id": "tb", "spec": b"", "state": table_state, "created_at": 0}
    async with books.database.begin() as connection:
        await connection.execute(sa.insert(tables).values(row))
        await connection.execute(sa.insert(active_seats).values(player_id=player_id, table_id="tb", seat=0))


async def test_who_comes_and_who_goes_is_seen(books: Any, line: Line, make_ticket: Make) -> None:
    await queue(books, make_ticket(1), make_ticket(2, players=("ann", "bob")), make_ticket(3, queue="local/long"))
    assert await waiting(books, line) == ["t1", "t2"]
    await queue(books, make_ticket(4))
    await books.store.cancel("t1")
    assert await waiting(books, line) == ["t2", "t4"]
    assert await waiting(books, line) == ["t2", "t4"]


async def test_a_line_knows_what_one_that_is_read_anew_knows(books: Any, line: Line, make_ticket: Make) -> None:
    await queue(books, *(make_ticket(n, at=n) for n in range(8)))
    await waiting(books, line)
    proposals = line.hall.propose(NOW)
    [made] = await books.claim([of_proposal(proposal, "tb1", 0) for proposal in proposals], NOW, ready_by=99)
    line.forget(made.tickets)
    assert await waiting(books, line) == ["t6", "t7"]
    assert [ticket.ticket_id for ticket in (await books.look(NOW)).waiting] == ["t6", "t7"]


async def test_tickets_that_got_no_table_after_all_are_read_again(books: Any, line: Line, make_ticket: Make) -> None:
    await queue(books, *(make_ticket(n, at=n) for n in range(6)))
    await waiting(books, line)
    await books.store.cancel("t3")
    [proposal] = line.hall.propose(NOW)
    placement = of_proposal(proposal, "tb1", 0)
    assert await books.claim([placement]) == []
    assert len(line.hall) == 0
    line.doubt(placement.tickets.keys())
    assert await waiting(books, line) == ["t0", "t1", "t2", "t4", "t5"]


async def test_a_block_counts_for_those_who_wait_already(books: Any, line: Line, make_ticket: Make) -> None:
    friends = Friends(books.database)
    async with books.database.begin() as connection:
        rows = [{"player_id": f"p{n}", "name": "P", "created_at": 0} for n in range(6)]
        await connection.execute(sa.insert(players), rows)
    await queue(books, *(make_ticket(n, at=n) for n in range(6)))
    await waiting(books, line)
    await friends.block("p1", "p2")
    await waiting(books, line)
    assert line.hall.propose(NOW) == []
    await friends.unblock("p1", "p2")
    await waiting(books, line)
    assert len(line.hall.propose(NOW)) == 1


async def test_who_gathers_elsewhere_is_kept_out_and_comes_back(books: Any, line: Line, make_ticket: Make) -> None:
    await queue(books, make_ticket(1), make_ticket(2))
    await waiting(books, line)
    await seat(books, "p1", "gathering")
    found = await line.read(books.database, NOW)
    assert (found.lapsed, found.seated, "t1" in line.hall) == ([], [], False)
    await books.end_match("tb")
    assert await waiting(books, line) == ["t1", "t2"]


async def test_who_sits_elsewhere_is_named(books: Any, line: Line, make_ticket: Make) -> None:
    await queue(books, make_ticket(1), make_ticket(2))
    await waiting(books, line)
    await seat(books, "p1", "placed")
    found = await line.read(books.database, NOW)
    assert (found.seated, "t1" in line.hall) == (["t1"], False)


async def test_whose_lease_is_over_is_named_and_comes_back_if_it_was_renewed(
    books: Any, line: Line, make_ticket: Make
) -> None:
    late = make_ticket(1)
    await queue(books, late, make_ticket(2, at=9))
    await waiting(books, line)
    found = await line.read(books.database, late.expires_at)
    assert (found.lapsed, "t1" in line.hall, "t2" in line.hall) == (["t1"], False, True)
    await books.store.renew(["t1"], late.expires_at + 9)
    assert await waiting(books, line, late.expires_at) == ["t1", "t2"]


async def test_what_was_committed_late_is_found_by_the_next_comparison(
    books: Any, line: Line, make_ticket: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    await queue(books, make_ticket(1))
    await waiting(books, line)
    await queue(books, make_ticket(2))
    async with books.database.begin() as connection:
        await connection.execute(sa.update(tickets).where(tickets.c.ticket_id == "t2").values(changed_at=1))
    monkeypatch.setattr(lines, "CHECK_US", 0)
    assert await waiting(books, line) == ["t1", "t2"]
