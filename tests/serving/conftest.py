"""A tiny table service behind everything that `App` puts around it."""

import asyncio
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import grpc
import pytest

from gouji.serving.app import App, Bind
from gouji.serving.auth import ANYBODY, Role, caller
from gouji.serving.settings import Settings
from gouji.serving.testing import captured_log, running_app
from gouji.v1 import table_pb2, table_pb2_grpc

SERVICE = "gouji.v1.TableService"
METHODS = table_pb2.DESCRIPTOR.services_by_name["TableService"].methods_by_name
ROLES = {method: set[Role]() for method in METHODS} | {
    "Act": {Role.PLAYER},
    "Contribute": {Role.PLAYER},
    "Watch": {Role.PLAYER},
    "Observe": ANYBODY,
    "Open": {Role.SERVICE},
}


@dataclass
class TinyTables(table_pb2_grpc.TableServiceServicer):
    """Says who called; does what a test puts into `act`, streams without end."""

    act: Callable[[Any], Any] | None = None
    callers: list[Any] = field(default_factory=list)
    cancelled: asyncio.Event = field(default_factory=asyncio.Event)

    async def Act(self, request: Any, context: Any) -> Any:  # noqa: N802 - gRPC's name
        self.callers.append(caller(context))
        if self.act:
            await self.act(context)
        return table_pb2.ActResponse(sequence=7)

    async def Watch(self, request: Any, context: Any) -> AsyncIterator[Any]:  # noqa: N802 - gRPC's name
        self.callers.append(caller(context))
        try:
            yield table_pb2.WatchResponse()
            if self.act:
                await self.act(context)
                yield table_pb2.WatchResponse()
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            self.cancelled.set()
            raise

    async def Observe(self, request: Any, context: Any) -> Any:  # noqa: N802 - gRPC's name
        self.callers.append(caller(context))
        return table_pb2.ObserveResponse()

    async def Open(self, request: Any, context: Any) -> Any:  # noqa: N802 - gRPC's name
        self.callers.append(caller(context))
        return table_pb2.OpenResponse()


@dataclass
class Tiny:
    """A running app with the tiny service, a channel without token, and what was logged."""

    app: App
    servicer: TinyTables
    lines: list[Any]
    channel: grpc.aio.Channel

    @property
    def stub(self) -> Any:
        return table_pb2_grpc.TableServiceStub(self.channel)

    @property
    def player(self) -> tuple[tuple[str, str], ...]:
        """Metadata of a player."""
        return self.bearer(self.app.tokens.mint_player("p1", "Ann").access_token)

    def bearer(self, token: str) -> tuple[tuple[str, str], ...]:
        return (("authorization", f"Bearer {token}"),)

    def rpc_lines(self) -> list[Any]:
        return [line for line in self.lines if line["event"] == "rpc"]

    def value(self, metric: str, **labels: str) -> float | None:
        return self.app.metrics.registry.get_sample_value(metric, {"service": SERVICE, **labels})


@pytest.fixture
def servicer() -> TinyTables:
    return TinyTables()


@pytest.fixture
def bind_tiny(servicer: TinyTables) -> Bind:
    def bind(app: App) -> None:
        add = table_pb2_grpc.add_TableServiceServicer_to_server
        app.add_servicer(add, servicer, SERVICE, roles=ROLES)

    return bind


@pytest.fixture
async def tiny(sqlite_settings: Settings, servicer: TinyTables, bind_tiny: Bind) -> AsyncIterator[Tiny]:
    log, lines = captured_log()
    quick = sqlite_settings.model_copy(update={"request_timeout_seconds": 1})
    async with (
        running_app(quick, {"tiny": bind_tiny}, log=log) as app,
        grpc.aio.insecure_channel(app.address) as channel,
    ):
        yield Tiny(app, servicer, lines, channel)


@pytest.fixture
def sqlite_url(tmp_path: Path) -> str:
    """An SQLite database without tables: how a process starts is the matter here."""
    return f"sqlite:///{tmp_path}/test.sqlite"


@pytest.fixture
def database_url(bare_database_url: str) -> str:
    """A database of each kind in turn, without tables."""
    return bare_database_url
