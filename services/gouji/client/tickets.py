"""Queueing for a table."""

from collections.abc import AsyncGenerator, Iterable, Mapping
from contextlib import aclosing
from datetime import timedelta
from typing import Final

import grpc

from gouji.client.errors import ClientError
from gouji.client.session import Metadata, Session
from gouji.v1 import matchmaking_pb2_grpc
from gouji.v1.matchmaking_pb2 import (
    TICKET_STATE_CANCELLED,
    TICKET_STATE_GATHERING,
    TICKET_STATE_LAPSED,
    TICKET_STATE_MATCHED,
    TICKET_STATE_MISSED,
    CancelTicketRequest,
    ConfirmMatchRequest,
    CreateTicketRequest,
    CreateTicketResponse,
    ListTicketsRequest,
    Ticket,
    WatchTicketRequest,
    WatchTicketResponse,
)
from gouji.v1.rules_pb2 import MatchLength, RuleSet

SETTLED: Final = frozenset({TICKET_STATE_MATCHED, TICKET_STATE_CANCELLED, TICKET_STATE_LAPSED, TICKET_STATE_MISSED})
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
        party_id: str = "",
        both_teams: bool = False,
        latencies_ms: Mapping[str, int] | None = None,
    ) -> CreateTicketResponse:
        """Queue the player, or the party that it leads; asking again returns the ticket that stands.

        ``rules`` are the rule sets accepted, the dearest first (`standard` when empty). Bots may fill the
        table after ``bots_after``, or the server's default, unless only people are wanted. A party of up to three
        sits on one team, of up to six on ``both_teams``. ``latencies_ms`` are round-trip times by region.
        """
        request = CreateTicketRequest(
            queue=queue,
            rules=rules,
            length=length,
            no_bots=no_bots,
            party_id=party_id,
            both_teams=both_teams,
            latencies_ms=latencies_ms,
        )
        if bots_after is not None:
            request.bots_after.FromTimedelta(bots_after)
        return await self._session.call(self._stub.CreateTicket, request)

    async def mine(self) -> list[Ticket]:
        """List the tickets in which the player waits or has a match to confirm, whoever made them."""
        return list((await self._session.call(self._stub.ListTickets, ListTicketsRequest())).tickets)

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

    async def settled(self, ticket_id: str, *, confirm: bool = True) -> Ticket:
        """Wait until a ticket is matched, cancelled, lapsed or missed; a match is confirmed, unless told otherwise."""
        async for ticket in self.watch(ticket_id):
            if confirm and ticket.state == TICKET_STATE_GATHERING:
                await self._confirm_in_time(ticket_id)
        return ticket

    async def confirm(self, ticket_id: str) -> Ticket:
        """Say that the player is there; refused with ``not_gathering`` when there is no match, or it is too late."""
        request = ConfirmMatchRequest(ticket_id=ticket_id)
        return (await self._session.call(self._stub.ConfirmMatch, request)).ticket

    async def _confirm_in_time(self, ticket_id: str) -> None:
        """Confirm, or let the watch say what has become of the ticket meanwhile."""
        try:
            await self.confirm(ticket_id)
        except ClientError as error:
            if error.reason != "not_gathering":
                raise

    async def cancel(self, ticket_id: str) -> Ticket:
        """Leave the queue; refused with ``ticket_claimed`` when the ticket has a match already."""
        request = CancelTicketRequest(ticket_id=ticket_id)
        return (await self._session.call(self._stub.CancelTicket, request)).ticket

    @property
    def _stub(self) -> "matchmaking_pb2_grpc.MatchmakingServiceAsyncStub":
        return matchmaking_pb2_grpc.MatchmakingServiceStub(self._session.channel())
