"""Tickets and claims in real databases of both kinds."""

import asyncio
import random
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from gouji.matchmaking.placing import Placement, of_proposal, of_request
from gouji.matchmaking.policy import Member, Proposal, Quality, Seated, Waiting, propose
from gouji.matchmaking.tickets import Ticket
from gouji.matchmaking.withdrawals import cancel_of_party
from gouji.serving.errors import ServiceError
from gouji.v1.events_pb2 import Seat
from gouji.v1.matchmaking_pb2 import PlaceTableRequest

Make = Callable[..., Ticket]


async def fill(books: Any, *tickets: Ticket) -> None:
    for ticket in tickets:
        await books.store.enqueue(ticket)


async def proposals(books: Any, now: int = 0) -> list[Proposal]:
    return propose((await books.look(now)).waiting, now)


def placed(proposal: Proposal, table_id: str = "tb1") -> Placement:
    return of_proposal(proposal, table_id, bot_pace_ms=0)


def request(*players: str, request_id: str = "r1") -> PlaceTableRequest:
    people = [Seat(player_id=player, name=player) for player in players]
    return PlaceTableRequest(request_id=request_id, seats=[*people, *[Seat(bot_level="greedy")] * (6 - len(people))])


def operator(table_id: str, *players: str, request_id: str = "r1") -> Placement:
    return of_request(request(*players, request_id=request_id), table_id, ["greedy"])


async def test_a_ticket_comes_back_as_it_was_put_in(books: Any, make_ticket: Make) -> None:
    new = make_ticket(1, rules=('{"preset": "standard"}', '{"preset": "lianzhong"}'), bots_after_ms=None, at=7)
    assert await books.store.enqueue(new) == (new, False)
    assert await books.store.get("t1") == new
    player = Member("p1", "P1", 25.0, 8.0, frozenset(), frozenset())
    expected = Waiting("t1", "local/quick", (player,), False, new.wish.rules, new.wish.length, 7, None, 0)
    assert (await books.look(8)).waiting == [expected]


async def test_an_unknown_ticket_is_none(books: Any) -> None:
    assert await books.store.get("t1") is None


async def test_a_second_ticket_in_the_queue_gives_the_first_renewed(books: Any, make_ticket: Make) -> None:
    await fill(books, make_ticket(1, player="ann"))
    again = make_ticket(2, player="ann", at=9, length='{"hands": 5}')
    ticket, stood = await books.store.enqueue(again)
    assert stood
    assert (ticket.ticket_id, ticket.wish.length) == ("t1", '{"hands": 3}')
    assert ticket.expires_at == again.expires_at
    assert await books.store.get("t2") is None


async def test_a_player_may_stand_in_two_queues(books: Any, make_ticket: Make) -> None:
    await fill(books, make_ticket(1, player="ann"))
    _, stood = await books.store.enqueue(make_ticket(2, player="ann", queue="local/long"))
    assert not stood


async def test_a_hundred_double_queues_at_once_give_one_ticket(books: Any, make_ticket: Make) -> None:
    answers = await asyncio.gather(*(books.store.enqueue(make_ticket(n, player="ann")) for n in range(100)))
    assert len({ticket.ticket_id for ticket, _ in answers}) == 1
    assert sum(not stood for _, stood in answers) == 1
    assert len((await books.look(0)).waiting) == 1


async def test_a_ticket_past_its_lease_does_not_stand_in_the_way(books: Any, make_ticket: Make) -> None:
    old = make_ticket(1, player="ann")
    await fill(books, old)
    new = make_ticket(2, player="ann", at=old.expires_at)
    assert await books.store.enqueue(new) == (new, False)
    assert await books.states("t1", "t2") == ["lapsed", "waiting"]


async def test_who_sits_at_a_table_cannot_queue_until_the_match_has_ended(books: Any, make_ticket: Make) -> None:
    await books.matches.place(operator("tb1", "p1"), 0)
    with pytest.raises(ServiceError) as caught:
        await books.store.enqueue(make_ticket(1))
    assert caught.value.reason == "already_seated"
    assert caught.value.metadata == {"player_id": "p1", "table_id": "tb1"}
    await books.end_match("tb1")
    assert not (await books.store.enqueue(make_ticket(1)))[1]


async def test_a_party_stands_in_a_queue_with_one_ticket(books: Any, make_ticket: Make) -> None:
    await fill(books, make_ticket(1, players=("ann", "bob", "cy")))
    again, stood = await books.store.enqueue(make_ticket(2, players=("ann", "bob")))
    assert (again.ticket_id, stood) == ("t1", True)
    alone, stood = await books.store.enqueue(make_ticket(3, player="bob"))
    assert (alone.ticket_id, stood) == ("t1", True)
    with pytest.raises(ServiceError) as caught:
        await books.store.enqueue(make_ticket(4, players=("dan", "cy")))
    assert (caught.value.reason, caught.value.metadata) == ("already_queued", {"player_id": "cy"})
    assert [ticket.ticket_id for ticket in await books.store.standing_of("cy")] == ["t1"]


async def test_a_player_stands_in_four_queues_at_most(books: Any, make_ticket: Make) -> None:
    new = [make_ticket(n, player="ann", queue=f"local/q{n}") for n in range(8)]
    outcomes = await asyncio.gather(*map(books.store.enqueue, new), return_exceptions=True)
    assert sum(isinstance(outcome, tuple) for outcome in outcomes) == 4
    assert {getattr(outcome, "reason", "queued") for outcome in outcomes} == {"queued", "too_many_queues"}
    assert len(await books.store.standing_of("ann")) == 4


async def test_a_party_that_changes_leaves_its_queues(books: Any, make_ticket: Make) -> None:
    await books.store.enqueue(replace(make_ticket(1, players=("ann", "bob")), party_id="us"))
    await fill(books, make_ticket(2, player="cy"))
    async with books.database.begin() as connection:
        await cancel_of_party(connection, "us")
    assert await books.states("t1", "t2") == ["cancelled", "waiting"]
    assert not (await books.store.enqueue(make_ticket(3, player="bob")))[1]


async def test_opponents_of_the_last_hour_are_recent(books: Any, make_ticket: Make) -> None:
    await fill(books, *(make_ticket(n) for n in range(6)))
    [proposal] = await proposals(books)
    await books.claim([placed(proposal)], 5)
    seats = {player: seat for player, (_, seat) in (await books.seats()).items()}
    met = await books.store.recent_opponents(["p0"], 10)
    assert met == {"p0": {player for player, seat in seats.items() if (seat - seats["p0"]) % 2}}
    assert await books.store.recent_opponents(["p0"], 4_000_000_000) == {}


async def test_places_are_counted_by_queue(books: Any, make_ticket: Make) -> None:
    tickets = [make_ticket(n, at=n // 2) for n in range(4)]
    other = make_ticket(9, queue="local/long", at=5)
    await fill(books, *tickets, other)
    assert [await books.store.position(ticket) for ticket in [*tickets, other]] == [1, 2, 3, 4, 1]
    await books.store.cancel("t1")
    assert await books.store.position(tickets[3]) == 3


async def test_a_cancelled_ticket_stays_cancelled(books: Any, make_ticket: Make) -> None:
    await fill(books, make_ticket(1))
    assert (await books.store.cancel("t1")).state == "cancelled"
    assert (await books.store.cancel("t1")).state == "cancelled"
    assert (await books.look(0)).waiting == []


async def test_a_claim_seats_everybody_in_one_go(books: Any, make_ticket: Make) -> None:
    await fill(books, *(make_ticket(n) for n in range(6)))
    [proposal] = await proposals(books)
    [made] = await books.claim([placed(proposal)], 5)
    assert await books.specs() == [made.spec]
    seats = await books.seats()
    assert seats == {seated.member.player_id: ("tb1", n) for n, seated in enumerate(proposal.seats) if seated}
    for ticket_id, ticket in (await books.store.many([f"t{n}" for n in range(6)])).items():
        assert ticket.state == "matched", ticket_id
        assert (ticket.table_id, ticket.members[0].seat) == seats[ticket.leader]


async def test_a_claim_with_one_cancelled_ticket_changes_nothing(books: Any, make_ticket: Make) -> None:
    await fill(books, *(make_ticket(n) for n in range(6)))
    [proposal] = await proposals(books)
    await books.store.cancel("t3")
    assert await books.claim([placed(proposal)], 5) == []
    assert await books.specs() == []
    assert await books.seats() == {}
    assert await books.states("t0", "t3", "t5") == ["waiting", "cancelled", "waiting"]


async def test_a_claim_with_a_seated_player_changes_nothing_for_that_table_alone(books: Any, make_ticket: Make) -> None:
    await fill(books, *(make_ticket(n, at=n) for n in range(12)))
    some, others = await proposals(books)
    taken = people(some)[0].member.player_id
    async with books.database.begin() as connection:
        # A seat that was given while the player's new ticket was not yet there to be seen.
        await connection.exec_driver_sql(f"INSERT INTO active_seats VALUES ('{taken}', 'elsewhere', 0)")
    made = await books.claim([placed(some, "tb1"), placed(others, "tb2")], 5)
    assert [placement.table_id for placement in made] == ["tb2"]
    assert len(await books.seats()) == 7
    assert [spec.table_id for spec in await books.specs()] == ["tb2"]
    assert set(await books.states(*(seated.ticket.ticket_id for seated in people(some)))) == {"waiting"}


async def test_the_players_tickets_in_other_queues_end_when_the_table_is_placed(books: Any, make_ticket: Make) -> None:
    await fill(
        books,
        make_ticket(1, player="ann", bots_after_ms=0),
        make_ticket(2, player="ann", queue="local/long", at=1),
    )
    [proposal] = await proposals(books)
    await books.claim([placed(proposal)], 5)
    found = await books.look(5, "local/long")
    assert (found.waiting, found.seated) == ([], ["t2"])
    await books.store.withdraw(found.seated)
    assert await books.states("t1", "t2") == ["matched", "cancelled"]


async def test_while_a_match_gathers_its_players_tickets_elsewhere_wait_and_are_not_matched(
    books: Any, make_ticket: Make
) -> None:
    await fill(
        books, *(make_ticket(n, bots_after_ms=0) for n in range(2)), make_ticket(9, player="p0", queue="local/long")
    )
    await books.claim([placed(one) for one in await proposals(books)], 5, ready_by=99)
    found = await books.look(5, "local/long")
    assert (found.waiting, found.seated, found.lapsed) == ([], [], [])
    assert await books.states("t0", "t9") == ["gathering", "waiting"]


async def test_a_claim_without_the_lease_changes_nothing(books: Any, make_ticket: Make) -> None:
    await fill(books, make_ticket(1, bots_after_ms=0))
    [proposal] = await proposals(books)
    lease = await books.lease("other")
    await books.queues.release("other")
    await books.lease("me")
    assert await books.matches.claim([placed(proposal)], lease, 5, None) == []
    assert await books.states("t1") == ["waiting"]


async def test_a_party_that_shrank_since_it_was_looked_at_is_not_claimed(books: Any, make_ticket: Make) -> None:
    await fill(books, make_ticket(1, players=("ann", "bob"), bots_after_ms=0))
    [proposal] = await proposals(books)
    async with books.database.begin() as connection:
        await connection.exec_driver_sql("UPDATE ticket_members SET state = 'missed' WHERE player_id = 'bob'")
    assert await books.claim([placed(proposal)], 5) == []
    assert await books.seats() == {}


async def test_a_matched_ticket_cannot_be_cancelled(books: Any, make_ticket: Make) -> None:
    await fill(books, make_ticket(1, bots_after_ms=0))
    await books.claim([placed(one) for one in await proposals(books)], 5)
    ticket = await books.store.cancel("t1")
    assert (ticket.state, ticket.table_id) == ("matched", "tb1")


async def test_lapsed_tickets_are_ended_and_renewed_ones_are_not(books: Any, make_ticket: Make) -> None:
    late, kept = make_ticket(1), make_ticket(2)
    await fill(books, late, kept)
    found = await books.look(late.expires_at)
    assert sorted(found.lapsed) == ["t1", "t2"]
    assert found.waiting == []
    await books.store.renew(["t2"], late.expires_at + 1)
    await books.store.lapse(found.lapsed, late.expires_at)
    assert await books.states("t1", "t2") == ["lapsed", "waiting"]


async def test_a_ticket_that_has_ended_is_not_renewed(books: Any, make_ticket: Make) -> None:
    await fill(books, make_ticket(1))
    before = await books.store.cancel("t1")
    await books.store.renew(["t1"], 10**15)
    assert await books.store.get("t1") == before


async def test_a_partys_ticket_ends_when_one_of_it_got_a_seat(books: Any, make_ticket: Make) -> None:
    await fill(books, make_ticket(1, players=("ann", "bob")))
    await books.matches.place(operator("tb7", "bob"), 0)
    found = await books.look()
    assert (found.waiting, found.seated) == ([], ["t1"])
    await books.store.withdraw(found.seated)
    assert await books.states("t1") == ["cancelled"]


async def test_a_request_places_one_table_however_often_it_comes(books: Any) -> None:
    answers = await asyncio.gather(*(books.matches.place(operator(f"tb{n}", "p1", "p2"), 0) for n in range(20)))
    assert len(set(answers)) == 1
    assert [spec.table_id for spec in await books.specs()] == answers[:1]
    assert await books.seats() == {"p1": (answers[0], 0), "p2": (answers[0], 1)}


async def test_placing_a_seated_player_changes_nothing(books: Any) -> None:
    await books.matches.place(operator("tb1", "p2"), 0)
    with pytest.raises(ServiceError) as caught:
        await books.matches.place(operator("tb2", "p1", "p2", request_id="r2"), 0)
    assert caught.value.reason == "already_seated"
    assert caught.value.metadata == {"player_id": "p2", "table_id": "tb1"}
    assert list(await books.seats()) == ["p2"]
    assert len(await books.specs()) == 1


async def test_of_many_claims_of_the_same_tickets_one_succeeds(books: Any, make_ticket: Make) -> None:
    await fill(books, *(make_ticket(n) for n in range(6)))
    [proposal] = await proposals(books)
    made = await asyncio.gather(*(books.claim([placed(proposal, f"tb{n}")], 5) for n in range(8)))
    assert sum(len(some) for some in made) == 1
    assert len(await books.seats()) == 6


async def test_overlapping_claims_and_placements_never_seat_a_player_twice(books: Any, make_ticket: Make) -> None:
    chance = random.Random(7)
    await fill(books, *(make_ticket(n, at=n) for n in range(30)))
    waiting = (await books.look(0)).waiting
    claims = [
        [placed(of_six(group), f"c{n}-{m}") for m, group in enumerate(_groups(chance.sample(waiting, 18)))]
        for n in range(12)
    ]
    orders = [operator(f"o{n}", *(f"p{p}" for p in chance.sample(range(30), 4)), request_id=f"r{n}") for n in range(12)]
    outcomes = await asyncio.gather(
        *(books.claim(claim, 5) for claim in claims),
        *(books.matches.place(order, 5) for order in orders),
        return_exceptions=True,
    )
    assert all(
        not isinstance(outcome, BaseException) or getattr(outcome, "reason", "") == "already_seated"
        for outcome in outcomes
    ), outcomes
    seats = await books.seats()
    sitting = {
        player.player_id: (spec.table_id, seat)
        for spec in await books.specs()
        for seat, player in enumerate(spec.seats)
        if player.player_id
    }
    assert sitting == seats
    assert sum(1 for spec in await books.specs() for player in spec.seats if player.player_id) == len(seats)
    for ticket in (await books.store.many([f"t{n}" for n in range(30)])).values():
        claimed = ticket.state == "matched"
        if claimed:
            assert (ticket.table_id, ticket.members[0].seat) == seats[ticket.leader]


def people(proposal: Proposal) -> list[Seated]:
    return [seated for seated in proposal.seats if seated]


def of_six(group: list[Waiting]) -> Proposal:
    seats = tuple(Seated(ticket, ticket.members[0]) for ticket in group)
    rules = '{"preset": "standard"}'
    return Proposal("local/quick", rules, '{"hands": 3}', seats, Quality(0.5, 25.0, 0.0, 0, 0), "greedy")


def _groups(waiting: list[Waiting]) -> list[list[Waiting]]:
    return [waiting[start : start + 6] for start in range(0, len(waiting), 6)]
