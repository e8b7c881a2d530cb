"""Queues as an operator sees and handles them: `QueueAdminService`."""

from collections.abc import Sequence
from typing import Any, Final

from gouji.matchmaking.queues import Queues, Standing
from gouji.matchmaking.store import Store
from gouji.matchmaking.tickets import State, Ticket, read_queue, refuse_claimed
from gouji.matchmaking.watches import Teller
from gouji.serving.auth import Role, Roles, caller
from gouji.serving.clock import Clock, microseconds, moment
from gouji.serving.errors import ServiceError, malformed
from gouji.serving.requests import check_text
from gouji.v1 import admin_pb2, admin_pb2_grpc

ROLES: Final[Roles] = {
    "ListQueues": {Role.OPERATOR},
    "FindTickets": {Role.OPERATOR},
    "ListMatches": {Role.OPERATOR},
    "EndTicket": {Role.OPERATOR},
    "PauseQueue": {Role.OPERATOR},
    "ResumeQueue": {Role.OPERATOR},
}
"""Who may call what."""

_MOST: Final = 1000
_USUAL: Final = 100
_LONGEST_REASON: Final = 200


class QueueAdminServicer(admin_pb2_grpc.QueueAdminServiceServicer):
    """Unpacks, asks the stores, packs."""

    def __init__(self, store: Store, queues: Queues, teller: Teller, *, clock: Clock) -> None:
        self._store = store
        self._queues = queues
        self._teller = teller
        self._clock = clock

    async def ListQueues(  # noqa: N802 - gRPC's name
        self, _request: admin_pb2.ListQueuesRequest, _context: Any
    ) -> admin_pb2.ListQueuesResponse:
        """List all queues that somebody waits in, that had a match in the last hour, or that are paused."""
        found = await self._queues.standing(microseconds(self._clock.now()))
        return admin_pb2.ListQueuesResponse(queues=[_queue_row(one) for one in found])

    async def FindTickets(  # noqa: N802 - gRPC's name
        self, request: admin_pb2.FindTicketsRequest, _context: Any
    ) -> admin_pb2.FindTicketsResponse:
        """Find tickets; refused with `malformed`."""
        if request.state and request.state not in set(State):
            raise malformed("state", f"is none of {', '.join(State)}")
        _check_text("queue", request.queue)
        _check_text("player_id", request.player_id)
        most = _most(request.limit)
        ids = await self._queues.find_tickets(request.queue, request.state, request.player_id, most + 1)
        found = await self._store.many(ids[:most])
        rows = [_ticket_row(found[ticket_id]) for ticket_id in ids[:most] if ticket_id in found]
        return admin_pb2.FindTicketsResponse(tickets=rows, more=len(ids) > most)

    async def ListMatches(  # noqa: N802 - gRPC's name
        self, request: admin_pb2.ListMatchesRequest, _context: Any
    ) -> admin_pb2.ListMatchesResponse:
        """List matches that are kept still; refused with `malformed`."""
        _check_text("queue", request.queue)
        most = _most(request.limit)
        found = await self._queues.find_matches(request.queue, most + 1)
        return admin_pb2.ListMatchesResponse(matches=_match_rows(found[:most]), more=len(found) > most)

    async def EndTicket(  # noqa: N802 - gRPC's name
        self, request: admin_pb2.EndTicketRequest, _context: Any
    ) -> admin_pb2.EndTicketResponse:
        """Cancel a ticket; refused with `unknown_ticket`, and with `ticket_claimed` when it has a match."""
        _check_text("ticket_id", request.ticket_id)
        if await self._store.get(request.ticket_id) is None:
            raise ServiceError("unknown_ticket", "There is no such ticket.")
        ticket = await self._store.cancel(request.ticket_id)
        refuse_claimed(ticket)
        self._teller.wake()
        return admin_pb2.EndTicketResponse(ticket=_ticket_row(ticket))

    async def PauseQueue(  # noqa: N802 - gRPC's name
        self, request: admin_pb2.PauseQueueRequest, context: Any
    ) -> admin_pb2.PauseQueueResponse:
        """Pause a queue, or change why; refused with `unknown_queue` and `malformed`."""
        check_text("reason", request.reason, _LONGEST_REASON)
        await self._queues.pause(read_queue(request.queue), request.reason, caller(context).name)
        return admin_pb2.PauseQueueResponse()

    async def ResumeQueue(  # noqa: N802 - gRPC's name
        self, request: admin_pb2.ResumeQueueRequest, _context: Any
    ) -> admin_pb2.ResumeQueueResponse:
        """Have a queue go on; refused with `unknown_queue`."""
        await self._queues.resume(read_queue(request.queue))
        return admin_pb2.ResumeQueueResponse()


def _check_text(field: str, given: str) -> None:
    """Take a text to look for. PostgreSQL cannot compare with one that holds NUL."""
    if "\0" in given:
        raise malformed(field, "holds a character that cannot be shown")


def _most(limit: int) -> int:
    if limit > _MOST:
        raise malformed("limit", f"is {limit}, not 0 to {_MOST}")
    return limit or _USUAL


def _queue_row(one: Standing) -> admin_pb2.QueueRow:
    row = admin_pb2.QueueRow(
        queue=one.queue,
        tickets=one.tickets,
        players=one.players,
        gathering=one.gathering,
        matches=one.matches,
        paused=one.paused,
        reason=one.reason,
        holder=one.holder,
    )
    if one.tickets:
        row.longest_wait.FromMicroseconds(one.longest_wait)
        row.mean_wait.FromMicroseconds(one.mean_wait)
    if one.matches:
        row.matched_after.FromMicroseconds(one.matched_after)
    return row


def _ticket_row(ticket: Ticket) -> admin_pb2.TicketRow:
    row = admin_pb2.TicketRow(
        ticket_id=ticket.ticket_id,
        queue=ticket.wish.queue,
        state=ticket.state,
        table_id=ticket.table_id or "",
        party_id=ticket.party_id or "",
        players=[member.player_id for member in ticket.members],
    )
    row.created.FromDatetime(moment(ticket.created_at))
    return row


def _match_rows(found: Sequence[Any]) -> list[admin_pb2.MatchRow]:
    rows = []
    for match in found:
        row = admin_pb2.MatchRow(
            table_id=match.table_id,
            queue=match.queue,
            state=match.state,
            win_chance=match.win_chance,
            spread=match.spread,
        )
        row.created.FromDatetime(moment(match.created_at))
        row.longest_wait.FromMicroseconds(match.longest_wait)
        row.mean_wait.FromMicroseconds(match.mean_wait)
        rows.append(row)
    return rows
