"""A store on each kind of database, and matchmaking over real gRPC with callers of each role."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import grpc
import pytest
import sqlalchemy as sa
from prometheus_client import CollectorRegistry

from gouji.bot.service import bind as bind_bot
from gouji.matchmaking.cycle import Cycle
from gouji.matchmaking.line import Line
from gouji.matchmaking.matches import Matches
from gouji.matchmaking.metrics import MatchmakingMetrics
from gouji.matchmaking.placing import Placement
from gouji.matchmaking.policy import Level, Waiting
from gouji.matchmaking.queues import Lease, Queues
from gouji.matchmaking.service import bind as bind_matchmaking
from gouji.matchmaking.store import Store
from gouji.matchmaking.tickets import Member, State, Ticket, Wish
from gouji.matchmaking.wakeups import Wakeups
from gouji.matchmaking.watches import Teller, Watches
from gouji.serving.app import App
from gouji.serving.clock import microseconds
from gouji.serving.database import Database
from gouji.serving.logs import Log
from gouji.serving.schema import active_seats, server_loads, table_servers, tables
from gouji.serving.settings import Settings
from gouji.serving.testing import ManualClock, captured_log, running_app
from gouji.v1 import matchmaking_pb2, matchmaking_pb2_grpc, table_pb2, table_pb2_grpc

LEASE = 30_000_000


@pytest.fixture
def make_ticket() -> Callable[..., Ticket]:
    """Ticket number n of player n, or of several players, made at that microsecond, with changes to its wish."""

    def make(
        number: int, *, player: str | None = None, players: Sequence[str] = (), at: int = 0, **changes: Any
    ) -> Ticket:
        plain = Wish("local/quick", ('{"preset": "standard"}',), '{"hands": 3}', 10_000)
        fields = {name: changes.get(name, getattr(plain, name)) for name in Wish.__slots__}
        members = tuple(Member(one, one.title(), 25.0, 8.0) for one in players or [player or f"p{number}"])
        return Ticket(f"t{number}", members, Wish(**fields), State.WAITING, at, at + LEASE)

    return make


@dataclass
class Look:
    """What waits in a queue, the oldest first; tickets past their lease; tickets of players who sit somewhere."""

    waiting: list[Waiting]
    lapsed: list[str]
    seated: list[str]


@dataclass
class Books:
    """The stores, and what the tests look up beside them."""

    database: Database

    def __post_init__(self) -> None:
        self.store, self.matches, self.queues = Store(self.database), Matches(self.database), Queues(self.database)

    async def look(self, now: int = 0, queue: str = "local/quick") -> Look:
        line = Line(queue)
        found = await line.read(self.database, now)
        return Look(line.hall.oldest(), found.lapsed, found.seated)

    async def lease(self, owner: str = "me", queue: str = "local/quick") -> Lease:
        [lease] = await self.queues.hold(owner, [queue], 600)
        return lease

    async def claim(
        self, placements: Sequence[Placement], now: int = 5, ready_by: int | None = None
    ) -> list[Placement]:
        """Claim under the lease of the one queue that the tests use."""
        return await self.matches.claim(placements, await self.lease(), now, ready_by)

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

    async def table_states(self) -> dict[str, str]:
        async with self.database.connect() as connection:
            rows = await connection.execute(sa.select(tables.c.table_id, tables.c.state))
            return {row.table_id: row.state for row in rows}

    async def states(self, *ticket_ids: str) -> list[str]:
        found = await self.store.many(ticket_ids)
        return [found[ticket_id].state.value for ticket_id in ticket_ids]


@pytest.fixture
async def books(settings: Settings) -> AsyncIterator[Books]:
    """A store on each kind of database."""
    database = Database(settings.database_url)
    await database.upgrade()
    yield Books(database)
    await database.close()


class Room:
    """A cycle and what it works with, as one process has it; its time is driven by hand."""

    def __init__(self, books: Books, settings: Settings, clock: ManualClock) -> None:
        self.books = books
        self.clock = clock
        self.watches = Watches()
        self.registry = CollectorRegistry()
        self.wakeups = Wakeups(None, None, books.matches.addresses)  # type: ignore[arg-type]
        self.teller = Teller(books.store, self.watches, clock=clock, settings=settings)
        metrics = MatchmakingMetrics(self.registry)
        log, _ = captured_log()
        self.bots: dict[str, tuple[Level, ...]] = {}
        self.cycle = Cycle(
            books.database, self.teller, self.wakeups, metrics, self.bots, clock=clock, settings=settings, log=log
        )

    async def turn(self) -> list[Placement]:
        """One look at the queues, then one round of telling."""
        made = await self.cycle.turn()
        await self.teller.turn()
        return made

    async def queue(self, *tickets: Ticket) -> None:
        for ticket in tickets:
            await self.books.store.enqueue(ticket)

    @property
    def now(self) -> int:
        return microseconds(self.clock.now())

    def sample(self, name: str, **labels: str) -> float | None:
        return self.registry.get_sample_value(name, labels)


@pytest.fixture
def rooms(books: Books, settings: Settings) -> Callable[..., Room]:
    """Make processes: `rooms(ready_seconds=0)`; they share their books and their clock."""
    clock = ManualClock()
    return lambda **changes: Room(books, settings.model_copy(update=changes), clock)


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

    async def settled(self, ticket_id: str, *, confirm: bool = True) -> matchmaking_pb2.Ticket:
        """Watch a ticket to its end, and confirm its match."""
        async with asyncio.timeout(60):
            async for response in self.watch(ticket_id):
                if confirm and response.ticket.state == matchmaking_pb2.TICKET_STATE_GATHERING:
                    await self.confirm(ticket_id)
        return response.ticket

    async def confirm(self, ticket_id: str) -> matchmaking_pb2.Ticket:
        request = matchmaking_pb2.ConfirmMatchRequest(ticket_id=ticket_id)
        return (await self._stub.ConfirmMatch(request, metadata=self._metadata)).ticket

    async def mine(self) -> list[matchmaking_pb2.Ticket]:
        answer = await self._stub.ListTickets(matchmaking_pb2.ListTicketsRequest(), metadata=self._metadata)
        return list(answer.tickets)

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
        return Books(self.app.database)

    def player(self, player_id: str) -> Caller:
        return Caller(self.channel, self.app.tokens.mint_player(player_id, player_id.title()).access_token)

    def service(self) -> Caller:
        return Caller(self.channel, self.app.tokens.mint_service("tournaments"))

    def operator(self) -> Caller:
        return Caller(self.channel, self.app.tokens.mint_operator("op"))


@asynccontextmanager
async def open_desk(
    settings: Settings, log: Log | None = None, table_server: str = "", **changes: Any
) -> AsyncIterator[Desk]:
    tables = Tables()
    usual = {"queue_cycle_ms": 20, "heartbeat_seconds": 1, "ready_seconds": 0, "lobby_poll_ms": 50}
    quick = settings.model_copy(update=usual | changes)
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
