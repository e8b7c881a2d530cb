"""A store on each kind of database, and matchmaking over real gRPC with callers of each role."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import grpc
import pytest
import sqlalchemy as sa

from gouji.bot.service import bind as bind_bot
from gouji.matchmaking.service import bind as bind_matchmaking
from gouji.matchmaking.store import Store
from gouji.matchmaking.tickets import State, Ticket, Wish
from gouji.serving.app import App
from gouji.serving.database import Database
from gouji.serving.logs import Log
from gouji.serving.schema import active_seats, server_loads, table_servers, tables
from gouji.serving.settings import Settings
from gouji.serving.testing import running_app
from gouji.v1 import matchmaking_pb2, matchmaking_pb2_grpc, table_pb2, table_pb2_grpc

LEASE = 30_000_000


@pytest.fixture
def make_ticket() -> Callable[..., Ticket]:
    """Ticket number n of player n, made at that microsecond, with changes to its wish."""

    def make(number: int, *, player: str | None = None, at: int = 0, **changes: Any) -> Ticket:
        plain = Wish("local/quick", ('{"preset": "standard"}',), '{"hands": 3}', 10_000)
        fields = {name: changes.get(name, getattr(plain, name)) for name in Wish.__slots__}
        owner = player or f"p{number}"
        return Ticket(f"t{number}", owner, owner.title(), Wish(**fields), State.WAITING, at, at + LEASE)

    return make


@dataclass
class Books:
    """A store, and what the tests look up beside it."""

    store: Store
    database: Database

    async def seats(self) -> dict[str, tuple[str, int]]:
        async with self.database.connect() as connection:
            rows = await connection.execute(sa.select(active_seats))
            return {row.player_id: (row.table_id, row.seat) for row in rows}

    async def specs(self) -> list[table_pb2.TableSpec]:
        async with self.database.connect() as connection:
            rows = await connection.execute(sa.select(tables).order_by(tables.c.created_at, tables.c.table_id))
            return [table_pb2.TableSpec.FromString(row.spec) for row in rows]

    async def assigned(self) -> dict[str, str | None]:
        async with self.database.connect() as connection:
            return {row.table_id: row.assigned for row in await connection.execute(sa.select(tables))}

    async def serve(
        self, server_id: str, most: int, *, used: int = 0, address: str = "", draining: bool = False, dead: bool = False
    ) -> None:
        """Register a table server as such a one does; its lease is for a minute, or over."""
        end = self.database.now() + (-1 if dead else 60_000_000)
        lease = {"server_id": server_id, "address": address, "capacity": most, "draining": draining}
        async with self.database.begin() as connection:
            await connection.execute(sa.insert(table_servers).values(expires_at=end, **lease))
            await connection.execute(sa.insert(server_loads).values(server_id=server_id, tables=used, most=most))

    async def loads(self) -> dict[str, int]:
        async with self.database.connect() as connection:
            return {row.server_id: row.tables for row in await connection.execute(sa.select(server_loads))}

    async def end_match(self, table_id: str) -> None:
        """Do what the table service does when a match ends."""
        async with self.database.begin() as connection:
            await connection.execute(sa.delete(active_seats).where(active_seats.c.table_id == table_id))

    async def come_true(self, question: Callable[[], Awaitable[bool]]) -> bool:
        """Ask the database until it says yes, some ten seconds long."""
        for _ in range(500):
            if await question():
                return True
            await asyncio.sleep(0.02)
        return False

    async def states(self, *ticket_ids: str) -> list[str]:
        found = await self.store.many(ticket_ids)
        return [found[ticket_id].state.value for ticket_id in ticket_ids]


@pytest.fixture
async def books(settings: Settings) -> AsyncIterator[Books]:
    """A store on each kind of database."""
    database = Database(settings.database_url)
    await database.upgrade()
    yield Books(Store(database), database)
    await database.close()


class Caller:
    """Calls with one token."""

    def __init__(self, channel: grpc.aio.Channel, token: str) -> None:
        self._stub = matchmaking_pb2_grpc.MatchmakingServiceStub(channel)
        self._metadata = (("authorization", f"Bearer {token}"),)

    async def create(self, **fields: Any) -> matchmaking_pb2.CreateTicketResponse:
        request = matchmaking_pb2.CreateTicketRequest(**fields)
        return await self._stub.CreateTicket(request, metadata=self._metadata)

    def watch(self, ticket_id: str) -> Any:
        request = matchmaking_pb2.WatchTicketRequest(ticket_id=ticket_id)
        return self._stub.WatchTicket(request, metadata=self._metadata)

    async def settled(self, ticket_id: str) -> matchmaking_pb2.Ticket:
        """Watch a ticket to its end."""
        async with asyncio.timeout(30):
            seen = [response.ticket async for response in self.watch(ticket_id)]
        return seen[-1]

    async def cancel(self, ticket_id: str) -> matchmaking_pb2.Ticket:
        request = matchmaking_pb2.CancelTicketRequest(ticket_id=ticket_id)
        return (await self._stub.CancelTicket(request, metadata=self._metadata)).ticket

    async def place(self, **fields: Any) -> str:
        request = matchmaking_pb2.PlaceTableRequest(**fields)
        return (await self._stub.PlaceTable(request, metadata=self._metadata)).table_id


@dataclass
class Tables(table_pb2_grpc.TableServiceServicer):
    """Stands where the table service is, and notes what it is told."""

    opened: list[str] = field(default_factory=list)

    async def Open(self, request: table_pb2.OpenRequest, context: Any) -> table_pb2.OpenResponse:  # noqa: N802
        self.opened.append(request.table_id)
        return table_pb2.OpenResponse()

    def Act(self, request: Any, context: Any) -> Any:  # noqa: N802
        raise NotImplementedError

    def Watch(self, request: Any, context: Any) -> Any:  # noqa: N802
        raise NotImplementedError

    def Observe(self, request: Any, context: Any) -> Any:  # noqa: N802
        raise NotImplementedError

    def bind(self, app: App) -> None:
        methods = table_pb2.DESCRIPTOR.services_by_name["TableService"].methods_by_name
        roles = dict.fromkeys(methods, ()) | {"Open": {"service"}}
        app.add_servicer(table_pb2_grpc.add_TableServiceServicer_to_server, self, "gouji.v1.TableService", roles=roles)


@dataclass
class Desk:
    """A running process with matchmaking and bots."""

    app: App
    tables: Tables
    channel: grpc.aio.Channel

    @property
    def books(self) -> Books:
        return Books(Store(self.app.database), self.app.database)

    def player(self, player_id: str) -> Caller:
        return Caller(self.channel, self.app.tokens.mint_player(player_id, player_id.title()).access_token)

    def operator(self) -> Caller:
        return Caller(self.channel, self.app.tokens.mint_operator("op"))


@asynccontextmanager
async def open_desk(
    settings: Settings, log: Log | None = None, table_server: str = "", **changes: Any
) -> AsyncIterator[Desk]:
    tables = Tables()
    quick = settings.model_copy(update={"queue_cycle_ms": 20, "heartbeat_seconds": 1, "lobby_poll_ms": 50} | changes)
    binds = {"matchmaking": bind_matchmaking, "bot": bind_bot, "table": tables.bind}
    async with running_app(quick, binds, log=log) as app, grpc.aio.insecure_channel(app.address) as channel:
        desk = Desk(app, tables, channel)
        await desk.books.serve(app.address, 1000, address=table_server or app.address)
        yield desk


@pytest.fixture
async def desk(settings: Settings) -> AsyncIterator[Desk]:
    """Matchmaking on each kind of database."""
    async with open_desk(settings) as opened:
        yield opened


@pytest.fixture
def desks() -> Callable[..., Any]:
    """Open further processes: `async with desks(settings, bots_after_seconds=1) as desk`."""
    return open_desk
