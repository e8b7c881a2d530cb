"""A scoring service on each kind of database, a stub for it, and a studio that is told of what it records."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

import pytest
from aiohttp import web

from gouji.scoring.service import bind
from gouji.serving.app import App
from gouji.serving.settings import Settings
from gouji.serving.testing import running_app
from gouji.v1 import events_pb2, scoring_pb2, scoring_pb2_grpc


@pytest.fixture
async def app(settings: Settings) -> AsyncIterator[App]:
    async with running_app(settings, {"scoring": bind}) as running:
        yield running


@pytest.fixture
def scoring(app: App) -> Any:
    """A stub that calls as a service."""
    return app.channels.stub("scoring", scoring_pb2_grpc.ScoringServiceStub)


@dataclass
class Studio:
    """A studio's system: keeps what it is sent, and answers as ``answer`` says."""

    received: list[tuple[dict[str, str], str]] = field(default_factory=list)
    answer: Callable[[], Awaitable[web.Response]] | None = None
    came: asyncio.Event = field(default_factory=asyncio.Event)
    url: str = ""

    @property
    def ids(self) -> list[str]:
        return [headers["webhook-id"] for headers, _ in self.received]

    async def take(self, request: web.Request) -> web.Response:
        headers = {name.lower(): value for name, value in request.headers.items()}
        self.received.append((headers, await request.text()))
        self.came.set()
        return await self.answer() if self.answer else web.Response(status=204)


async def _serve(studio: Studio) -> web.AppRunner:
    app = web.Application()
    app.router.add_route("*", "/{any:.*}", studio.take)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    studio.url = f"http://127.0.0.1:{runner.addresses[0][1]}/hook"
    return runner


@pytest.fixture
async def studio() -> AsyncIterator[Studio]:
    made = Studio()
    runner = await _serve(made)
    yield made
    await runner.cleanup()


@pytest.fixture
async def club() -> AsyncIterator[Studio]:
    """Another one."""
    made = Studio()
    runner = await _serve(made)
    yield made
    await runner.cleanup()


@pytest.fixture
def last_hand() -> Callable[..., scoring_pb2.RecordHandRequest]:
    """The result of a match's last hand, between two people and bots."""

    def make(table_id: str = "t1", **changes: Any) -> scoring_pb2.RecordHandRequest:
        people = [events_pb2.Seat(player_id=one, name=one.title()) for one in ("ann", "bob")]
        usual: dict[str, Any] = {
            "hand": 3,
            "queue": "local/quick",
            "seats": [*people, *[events_pb2.Seat(bot_level="greedy", name="Bot")] * 4],
            "order": range(6),
            "scores": [4, 2, 0, 0, -2, -4],
            "match_scores": [9, -3, 0, 1, -2, -5],
            "match_team_scores": [7, -7],
            "last": True,
            "digest": "abc",
        }
        made = scoring_pb2.HandResult(table_id=table_id, **usual | changes)
        made.rules.preset = "standard"
        made.ended.FromMicroseconds(1_700_000_000_123_456)
        return scoring_pb2.RecordHandRequest(result=made)

    return make
