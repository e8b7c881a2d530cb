"""Tables placed as matchmaking places them, a process that serves them over real gRPC, and callers of each role."""

import asyncio
import random
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

import grpc
import pytest
import sqlalchemy as sa

from gouji.bot.service import bind as bind_bot
from gouji.engine import Action, Hand, Match, RuleSet
from gouji.scoring.service import bind as bind_scoring
from gouji.serving.app import App
from gouji.serving.clock import Clock
from gouji.serving.database import Database
from gouji.serving.schema import active_seats, outbox, table_commands, tables
from gouji.serving.settings import Settings
from gouji.serving.testing import captured_log, running_app
from gouji.serving.tracing import Tracing
from gouji.serving.vault import Vault
from gouji.table.host import Host
from gouji.table.live import Live
from gouji.table.loading import fold_log
from gouji.table.service import bind as bind_table
from gouji.table.store import Store
from gouji.table.table import Table
from gouji.table.timing import Due
from gouji.v1 import events_pb2, table_pb2, table_pb2_grpc
from gouji.v1.events_pb2 import Event
from gouji.wire import action_to_proto, observation_from_proto, rules_to_proto

LOG_KEY = "the logs' secret of the tests and long enough"
BINDS = {"table": bind_table, "bot": bind_bot, "scoring": bind_scoring}


def seats_of(people: int) -> list[events_pb2.Seat]:
    """That many people, p0 first, and bots."""
    return [
        events_pb2.Seat(player_id=f"p{seat}", name=f"P{seat}")
        if seat < people
        else events_pb2.Seat(bot_level="random", name=f"Bot {seat}")
        for seat in range(6)
    ]


@dataclass
class Rows:
    """The database beside the service: places tables and looks at what was written."""

    database: Database
    vault: Vault = field(default_factory=lambda: Vault([LOG_KEY]))

    async def place(self, table_id: str, people: int = 0, **spec: Any) -> None:
        """Insert a table as matchmaking does. ``rules`` is what `RuleSet.parse` takes."""
        rules = rules_to_proto(RuleSet.parse(spec.pop("rules", "standard")))
        length = spec.pop("length", {"hands": 1})
        seats = spec.pop("seats", None) or seats_of(people)
        message = table_pb2.TableSpec(table_id=table_id, rules=rules, seats=seats, queue="local/test", **spec)
        for name, value in length.items():
            setattr(message.length, name, value)
        row: dict[str, Any] = {"table_id": table_id, "spec": message.SerializeToString(), "state": "placed"}
        row["board_id"] = message.board.board_id or None
        async with self.database.begin() as connection:
            await connection.execute(sa.insert(tables).values(created_at=self.database.now(), **row))
            for seat, who in enumerate(seats[:people]):
                sits = {"player_id": f"{table_id}-{who.player_id}", "table_id": table_id, "seat": seat}
                await connection.execute(sa.insert(active_seats).values(**sits))

    async def one(self, query: sa.Select[Any]) -> Any:
        async with self.database.connect() as connection:
            return (await connection.execute(query)).one()

    async def all(self, query: sa.Select[Any]) -> Sequence[Any]:
        async with self.database.connect() as connection:
            return (await connection.execute(query)).all()

    async def execute(self, statement: Any) -> None:
        async with self.database.begin() as connection:
            await connection.execute(statement)

    async def table(self, table_id: str) -> Any:
        return await self.one(sa.select(tables).where(tables.c.table_id == table_id))

    async def log(self, table_id: str) -> list[Event]:
        return await Store(self.database, self.vault).events(table_id)

    async def folded(self, table_id: str) -> Table:
        return fold_log(table_id, await self.log(table_id))

    async def commands(self, table_id: str) -> Sequence[Any]:
        return await self.all(sa.select(table_commands).where(table_commands.c.table_id == table_id))

    async def outbox(self) -> Sequence[Any]:
        return await self.all(sa.select(outbox).order_by(outbox.c.id))


@dataclass
class Caller:
    """A player, or somebody of another role, at one server."""

    stub: Any
    metadata: tuple[tuple[str, str], ...]

    async def act(self, table_id: str, turn: int, action: Action, command_id: str = "c1") -> table_pb2.ActResponse:
        return await self.send(
            table_pb2.ActRequest(table_id=table_id, command_id=command_id, turn=turn, action=action_to_proto(action))
        )

    async def send(self, request: table_pb2.ActRequest) -> table_pb2.ActResponse:
        return await self.stub.Act(request, metadata=self.metadata)

    async def contribute(self, table_id: str, hand: int, contribution: bytes) -> table_pb2.Outcome.ValueType:
        request = table_pb2.ContributeRequest(table_id=table_id, hand=hand, contribution=contribution)
        outcome: table_pb2.Outcome.ValueType = (await self.stub.Contribute(request, metadata=self.metadata)).outcome
        return outcome

    async def observe(self, table_id: str, **request: Any) -> table_pb2.ObserveResponse:
        return await self.stub.Observe(table_pb2.ObserveRequest(table_id=table_id, **request), metadata=self.metadata)

    async def open(self, table_id: str) -> table_pb2.OpenResponse:
        return await self.stub.Open(table_pb2.OpenRequest(table_id=table_id), metadata=self.metadata)

    def watch(self, table_id: str, first: int = 0, **request: Any) -> Any:
        return self.stub.Watch(
            table_pb2.WatchRequest(table_id=table_id, from_sequence=first, **request), metadata=self.metadata
        )

    async def events(self, table_id: str, first: int = 0, **request: Any) -> list[Event]:
        """Watch to the end."""
        return [event async for message in self.watch(table_id, first, **request) for event in message.batch.events]

    async def legal(self, table_id: str, chance: random.Random) -> tuple[int, Action]:
        """Choose a lawful action by what the seat sees, and name its turn."""
        seen = await self.observe(table_id)
        return seen.turn.number, chance.choice(observation_from_proto(seen.observation).legal_actions())


@dataclass
class Running:
    """A process that serves tables."""

    app: App
    rows: Rows
    channel: grpc.aio.Channel
    host: Host
    lines: list[Any] = field(default_factory=list)

    def player(self, player_id: str) -> Caller:
        return self._caller(self.app.tokens.mint_player(player_id, player_id.upper()).access_token)

    def bot(self, player_id: str) -> Caller:
        """A bot of somebody's own."""
        until = self.app.clock.now() + timedelta(hours=1)
        return self._caller(self.app.tokens.mint_bot(player_id, player_id.upper(), 1_000_000, until).access_token)

    def service(self) -> Caller:
        return self._caller(self.app.tokens.mint_service())

    def operator(self) -> Caller:
        return self._caller(self.app.tokens.mint_operator("op"))

    def director(self) -> Caller:
        return self._caller(self.app.tokens.mint_director("dd"))

    def _caller(self, token: str) -> Caller:
        stub: Any = table_pb2_grpc.TableServiceStub(self.channel)
        return Caller(stub, (("authorization", f"Bearer {token}"),))

    async def end_answers(self, table_id: str) -> None:
        """Have the time for private answers be over now."""
        live = await self.host.find(table_id)
        assert isinstance(live, Live)
        assert live.table.window is not None
        live.table.window.until = live.table.at
        live.wake(Due(0, table_id, live.table.hand_number, live.table.turn))
        await live.settled()

    def metric(self, name: str, **labels: str) -> float:
        return self.app.metrics.registry.get_sample_value(name, labels) or 0.0


Serve = Callable[..., AbstractAsyncContextManager[Running]]


@pytest.fixture
def hosts(monkeypatch: pytest.MonkeyPatch) -> list[Host]:
    """Every host of tables that is made, the newest last."""
    made: list[Host] = []

    class Noted(Host):
        def __init__(self, *args: Any, **names: Any) -> None:
            super().__init__(*args, **names)
            made.append(self)

    monkeypatch.setattr("gouji.table.service.Host", Noted)
    # However busy the machine, servers state all of their capacity.
    monkeypatch.setattr("gouji.table.capacity.KEEPS_UP_SECONDS", 600.0)
    return made


def serve_with(settings: Settings, hosts: list[Host]) -> Serve:
    @asynccontextmanager
    async def serve(
        binds: Mapping[str, Any] | None = None,
        *,
        clock: Clock | None = None,
        tracing: Tracing | None = None,
        **changes: Any,
    ) -> AsyncIterator[Running]:
        usual = {"turn_ms": 60_000, "commit_interval_ms": 0, "allowance_ms": 0, "absent_ms": 0, "contributions_ms": 0}
        log, lines = captured_log()
        async with (
            running_app(
                settings.model_copy(update=usual | changes),
                BINDS if binds is None else binds,
                clock=clock,
                log=log,
                tracing=tracing,
            ) as app,
            grpc.aio.insecure_channel(app.address) as channel,
        ):
            yield Running(app, Rows(app.database), channel, hosts[-1], lines)

    return serve


@pytest.fixture
def serve(settings: Settings, hosts: list[Host]) -> Serve:
    """Runs a table server with bots and scoring, on each kind of database: `async with serve() as running`."""
    return serve_with(settings, hosts)


@pytest.fixture
def serve_sqlite(sqlite_settings: Settings, hosts: list[Host]) -> Serve:
    """The same on SQLite, for what does not depend on the database."""
    return serve_with(sqlite_settings, hosts)


@pytest.fixture
async def rows(settings: Settings) -> AsyncIterator[Rows]:
    """A database of each kind with its tables made, and no server."""
    database = Database(settings.database_url)
    await database.upgrade()
    yield Rows(database)
    await database.close()


@pytest.fixture
def fixed_deal(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Makes every deal this position, led by seat 0."""

    def fix(hands: list[str], **position: Any) -> None:
        def deal(match: Match, _seed: bytes, *, held: bool = False, history: bool = False) -> Hand:
            return Hand.position(match.rules, hands, 0, held=held, history=history, **position)

        monkeypatch.setattr(Match, "deal", deal)

    return fix


@pytest.fixture
def hold_commits(monkeypatch: pytest.MonkeyPatch) -> Callable[[], asyncio.Event]:
    """Has the commits of logs wait from the call on, until the event that it gives is set."""

    def hold() -> asyncio.Event:
        commit, may_commit = Store.commit, asyncio.Event()

        async def wait_then_commit(store: Store, steps: Any) -> Any:
            await may_commit.wait()
            return await commit(store, steps)

        monkeypatch.setattr(Store, "commit", wait_then_commit)
        return may_commit

    return hold


@pytest.fixture
def come() -> Callable[[Callable[[], Awaitable[bool]]], Awaitable[None]]:
    """Waits until a question has the answer yes."""

    async def wait(question: Callable[[], Awaitable[bool]], seconds: float = 90) -> None:
        async with asyncio.timeout(seconds):
            while not await question():  # noqa: ASYNC110 - a database has no event
                await asyncio.sleep(0.02)

    return wait
