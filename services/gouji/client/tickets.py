"""Queueing for a table."""

from collections.abc import AsyncGenerator, Iterable
from contextlib import aclosing
from datetime import timedelta
from typing import Final

import grpc

from gouji.client.session import Metadata, Session
from gouji.v1 import matchmaking_pb2_grpc
from gouji.v1.matchmaking_pb2 import (
    TICKET_STATE_CANCELLED,
    TICKET_STATE_LAPSED,
    TICKET_STATE_MATCHED,
    CancelTicketRequest,
    CreateTicketRequest,
    CreateTicketResponse,
    Ticket,
    WatchTicketRequest,
    WatchTicketResponse,
)
from gouji.v1.rules_pb2 import MatchLength, RuleSet

SETTLED: Final = frozenset({TICKET_STATE_MATCHED, TICKET_STATE_CANCELLED, TICKET_STATE_LAPSED})
"""States that a ticket never leaves."""


class Queue:
    """Tickets of the session's player. Failures raise `ClientError`."""

    def __init__(self, session: Session) -> None:
        self._session = session

    async def create_ticket(
        self,
        queue: str,
        *,
        rules: Iterable[RuleSet] = (),
        length: MatchLength | None = None,
        bots_after: timedelta | None = None,
        no_bots: bool = False,
    ) -> CreateTicketResponse:
        """Queue the player; asking again returns the ticket that stands.

        ``rules`` are the rule sets accepted, the dearest first (`standard` when empty). Bots may fill the
        table after ``bots_after``, or the server's default, unless only people are wanted.
        """
        request = CreateTicketRequest(queue=queue, rules=rules, length=length, no_bots=no_bots)
        if bots_after is not None:
            request.bots_after.FromTimedelta(bots_after)
        return await self._session.call(self._stub.CreateTicket, request)

    async def watch(self, ticket_id: str) -> AsyncGenerator[Ticket, None]:
        """Follow a ticket until it is settled; broken streams are opened again."""
        request = WatchTicketRequest(ticket_id=ticket_id)

        async def open_stream(
            metadata: Metadata,
        ) -> "grpc.aio.UnaryStreamCall[WatchTicketRequest, WatchTicketResponse]":
            return self._stub.WatchTicket(request, metadata=metadata)

        async with aclosing(self._session.follow(open_stream)) as responses:
            async for response in responses:
                yield response.ticket
                if response.ticket.state in SETTLED:
                    return

    async def settled(self, ticket_id: str) -> Ticket:
        """Wait until a ticket is matched, cancelled or lapsed."""
        return [ticket async for ticket in self.watch(ticket_id)][-1]

    async def cancel(self, ticket_id: str) -> Ticket:
        """Leave the queue; refused with ``ticket_claimed`` when the ticket is matched already."""
        request = CancelTicketRequest(ticket_id=ticket_id)
        return (await self._session.call(self._stub.CancelTicket, request)).ticket

    @property
    def _stub(self) -> "matchmaking_pb2_grpc.MatchmakingServiceAsyncStub":
        return matchmaking_pb2_grpc.MatchmakingServiceStub(self._session.channel())
