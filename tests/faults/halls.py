"""Three matchmaking processes on one database, and players who call whichever they like."""

import asyncio
import random
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import grpc
import sqlalchemy as sa

from gouji.fleet.process import Process, environment_of, free_port
from gouji.serving.auth import Tokens
from gouji.serving.database import Database
from gouji.serving.errors import reason_of
from gouji.serving.schema import queue_leases
from gouji.v1 import matchmaking_pb2, matchmaking_pb2_grpc

SETTLED = frozenset(
    {
        matchmaking_pb2.TICKET_STATE_MATCHED,
        matchmaking_pb2.TICKET_STATE_CANCELLED,
        matchmaking_pb2.TICKET_STATE_LAPSED,
        matchmaking_pb2.TICKET_STATE_MISSED,
    }
)


class Lobby:
    """The processes. None is told of the others."""

    def __init__(self, database_url: str, folder: Path, environment: dict[str, str]) -> None:
        nowhere = free_port()  # nobody scores here
        common = {**environment_of(database_url, folder, nowhere), **environment}
        self.servers = [
            Process(f"lobby{n}", ("matchmaking",), free_port(), common, folder / f"lobby{n}.log") for n in range(3)
        ]
        self.channels = {server.name: grpc.aio.insecure_channel(server.address) for server in self.servers}

    async def start(self) -> None:
        """Start all; the database must have its tables."""
        for server in self.servers:
            server.start()
        for server in self.servers:
            await server.ready()

    async def close(self) -> None:
        """End all."""
        for channel in self.channels.values():
            await channel.close()
        for server in self.servers:
            server.kill()

    async def holder(self, database: Database, queue: str) -> Process:
        """Find the process that makes a queue's matches: the one whose log names the lease's owner."""
        query = sa.select(queue_leases.c.owner).where(queue_leases.c.queue == queue)
        async with database.connect() as connection:
            owner = await connection.scalar(query)
        [found] = [one for one in self.servers if any(line.get("owner") == owner for line in one.lines())]
        return found


class Player:
    """A player with a token. A call that finds no server is made again at another."""

    def __init__(self, lobby: Lobby, tokens: Tokens, player_id: str, chance: random.Random) -> None:
        self.player_id = player_id
        self._lobby = lobby
        self._chance = chance
        token = tokens.mint_player(player_id, player_id.title()).access_token
        self._metadata = (("authorization", f"Bearer {token}"),)

    async def create(self, **fields: Any) -> matchmaking_pb2.CreateTicketResponse:
        request = matchmaking_pb2.CreateTicketRequest(**fields)
        return await self._anywhere(lambda stub: stub.CreateTicket(request, metadata=self._metadata, timeout=100))

    async def cancel(self, ticket_id: str) -> bool:
        """Try to leave the queue; false when the ticket has a match."""
        request = matchmaking_pb2.CancelTicketRequest(ticket_id=ticket_id)
        try:
            await self._anywhere(lambda stub: stub.CancelTicket(request, metadata=self._metadata, timeout=100))
        except grpc.aio.AioRpcError as error:
            if reason_of(error) == "ticket_claimed":
                return False
            raise
        return True

    async def confirm(self, ticket_id: str) -> None:
        request = matchmaking_pb2.ConfirmMatchRequest(ticket_id=ticket_id)
        try:
            await self._anywhere(lambda stub: stub.ConfirmMatch(request, metadata=self._metadata, timeout=100))
        except grpc.aio.AioRpcError as error:
            if reason_of(error) != "not_gathering":
                raise

    async def until(self, ticket_id: str, states: frozenset[int], *, confirm: bool = True) -> matchmaking_pb2.Ticket:
        """Watch a ticket, over servers that die, until it is in one of these states or settled."""
        async with asyncio.timeout(240):
            while True:
                try:
                    async for response in self._stub().WatchTicket(
                        matchmaking_pb2.WatchTicketRequest(ticket_id=ticket_id), metadata=self._metadata
                    ):
                        if response.ticket.state in states | SETTLED:
                            return response.ticket
                        if confirm and response.ticket.state == matchmaking_pb2.TICKET_STATE_GATHERING:
                            await self.confirm(ticket_id)
                except grpc.aio.AioRpcError as error:
                    if error.code() is not grpc.StatusCode.UNAVAILABLE:
                        raise
                await asyncio.sleep(0.1)

    async def _anywhere(self, call: Callable[[Any], Awaitable[Any]]) -> Any:
        async with asyncio.timeout(110):
            while True:
                try:
                    return await call(self._stub())
                except grpc.aio.AioRpcError as error:
                    if error.code() is not grpc.StatusCode.UNAVAILABLE:
                        raise
                await asyncio.sleep(0.1)

    def _stub(self) -> Any:
        server = self._chance.choice(self._lobby.servers)
        return matchmaking_pb2_grpc.MatchmakingServiceStub(self._lobby.channels[server.name])
