"""Queues as operators see and handle them, over gRPC on both databases."""

from typing import Any

import grpc
import pytest

from gouji.serving.errors import reason_of
from gouji.v1 import admin_pb2, admin_pb2_grpc


class Operator:
    """Calls as an operator, or with another token."""

    def __init__(self, desk: Any, token: str | None = None) -> None:
        self._stub = admin_pb2_grpc.QueueAdminServiceStub(desk.channel)
        self._how = {"metadata": (("authorization", f"Bearer {token or desk.app.tokens.mint_operator('op')}"),)}

    async def queues(self) -> dict[str, admin_pb2.QueueRow]:
        answer = await self._stub.ListQueues(admin_pb2.ListQueuesRequest(), **self._how)
        return {row.queue: row for row in answer.queues}

    async def tickets(self, **wanted: Any) -> admin_pb2.FindTicketsResponse:
        return await self._stub.FindTickets(admin_pb2.FindTicketsRequest(**wanted), **self._how)

    async def matches(self, **wanted: Any) -> admin_pb2.ListMatchesResponse:
        return await self._stub.ListMatches(admin_pb2.ListMatchesRequest(**wanted), **self._how)

    async def end(self, ticket_id: str) -> admin_pb2.TicketRow:
        return (await self._stub.EndTicket(admin_pb2.EndTicketRequest(ticket_id=ticket_id), **self._how)).ticket

    async def pause(self, queue: str, reason: str = "repairs") -> None:
        await self._stub.PauseQueue(admin_pb2.PauseQueueRequest(queue=queue, reason=reason), **self._how)

    async def resume(self, queue: str) -> None:
        await self._stub.ResumeQueue(admin_pb2.ResumeQueueRequest(queue=queue), **self._how)


@pytest.fixture
def operator(desk: Any) -> Operator:
    return Operator(desk)


async def reason(call: Any) -> str | None:
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await call
    return reason_of(caught.value)


async def test_an_operator_sees_who_waits_and_what_was_matched(desk: Any, operator: Operator) -> None:
    ann, bob = desk.player("ann"), desk.player("bob")
    waiting = (await ann.create(no_bots=True)).ticket
    seated = await bob.settled((await bob.create(queue="eu/quick", bots_after={"seconds": 0})).ticket.ticket_id)

    async def held() -> bool:
        return bool((await operator.queues())["local/quick"].holder)

    assert await desk.books.come_true(held)
    queues = await operator.queues()
    assert (queues["local/quick"].tickets, queues["local/quick"].players, queues["local/quick"].matches) == (1, 1, 0)
    assert queues["local/quick"].longest_wait.ToMicroseconds() > 0
    assert (queues["eu/quick"].tickets, queues["eu/quick"].matches) == (0, 1)
    [match] = (await operator.matches()).matches
    assert (match.table_id, match.queue, match.state) == (seated.table_id, "eu/quick", "placed")
    assert 0 <= match.win_chance <= 1
    [row] = (await operator.tickets(state="waiting")).tickets
    assert (row.ticket_id, list(row.players)) == (waiting.ticket_id, ["ann"])
    assert [row.state for row in (await operator.tickets(player_id="bob")).tickets] == ["matched"]
    assert (await operator.tickets(limit=1)).more


async def test_an_operator_cancels_a_ticket(desk: Any, operator: Operator) -> None:
    ann = desk.player("ann")
    ticket_id = (await ann.create(no_bots=True)).ticket.ticket_id
    assert (await operator.end(ticket_id)).state == "cancelled"
    assert await ann.mine() == []
    assert await reason(operator.end("nobody")) == "unknown_ticket"
    seated = await ann.settled((await ann.create(bots_after={"seconds": 0})).ticket.ticket_id)
    assert await reason(operator.end(seated.ticket_id)) == "ticket_claimed"


async def test_a_paused_queue_takes_no_tickets_until_it_is_resumed(desk: Any, operator: Operator) -> None:
    ann, bob = desk.player("ann"), desk.player("bob")
    stands = (await ann.create(no_bots=True)).ticket.ticket_id
    await operator.pause("local/quick")
    await operator.pause("local/quick", "more repairs")
    row = (await operator.queues())["local/quick"]
    assert (row.paused, row.reason) == (True, "more repairs")
    assert await reason(bob.create()) == "queue_paused"
    assert (await ann.create()).ticket.ticket_id == stands
    assert (await bob.create(queue="eu/quick")).ticket.ticket_id
    await operator.resume("local/quick")
    assert (await bob.create()).ticket.ticket_id


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        (lambda one: one.pause("nowhere"), "unknown_queue"),
        (lambda one: one.pause("local/quick", ""), "malformed"),
        (lambda one: one.tickets(state="happy"), "malformed"),
        (lambda one: one.tickets(queue="a\0b"), "malformed"),
        (lambda one: one.tickets(limit=9999), "malformed"),
        (lambda one: one.matches(queue="a\0b"), "malformed"),
        (lambda one: one.end("a\0b"), "malformed"),
    ],
)
async def test_what_makes_no_sense_is_refused(operator: Operator, call: Any, expected: str) -> None:
    assert await reason(call(operator)) == expected


async def test_queues_are_for_operators(desk: Any) -> None:
    player = Operator(desk, desk.app.tokens.mint_player("ann", "Ann").access_token)
    assert await reason(player.queues()) == "forbidden"
