"""Traces across services, each of them in a process of its own as far as gRPC and the database can tell."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import Any

import grpc
import pytest
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from gouji.bot.service import bind as bind_bot
from gouji.gateway.service import bind as bind_gateway
from gouji.matchmaking.service import bind as bind_matchmaking
from gouji.serving.app import App
from gouji.serving.settings import Settings
from gouji.serving.spans import Spans
from gouji.serving.testing import running_app, until
from gouji.table.service import bind as bind_table
from gouji.v1 import (
    events_pb2,
    gateway_pb2,
    gateway_pb2_grpc,
    matchmaking_pb2,
    matchmaking_pb2_grpc,
    moderation_pb2,
    moderation_pb2_grpc,
    rules_pb2,
    table_pb2,
    table_pb2_grpc,
)
from gouji.wire import observation_from_proto

MOST_FACTS = 4
"""How many attributes a span of ours has at most."""

SAID = {"code", "reason", "level", "outcome", "steps", "decisions", "tables"}
"""What spans say."""


def bearer(token: str) -> Any:
    return (("authorization", f"Bearer {token}"),)


@dataclass
class Cluster:
    """Four processes, channels to each, and the spans that they made."""

    apps: dict[str, App]
    channels: dict[str, Any]
    exporter: InMemorySpanExporter

    @property
    def spans(self) -> tuple[ReadableSpan, ...]:
        return self.exporter.get_finished_spans()

    def trace_of(self, name: str) -> dict[tuple[str, str], ReadableSpan]:
        """All spans of the trace in which the first span of this name is, each by its process and its name."""
        first = next((span for span in self.spans if span.name == name), None)
        if first is None:
            return {}
        return {
            (str(span.resource.attributes["service.name"]), span.name): span
            for span in self.spans
            if span.context.trace_id == first.context.trace_id
        }

    async def place(self, seats: list[events_pb2.Seat]) -> str:
        stub: Any = matchmaking_pb2_grpc.MatchmakingServiceStub(self.channels["matchmaking"])
        request = matchmaking_pb2.PlaceTableRequest(request_id="r1", seats=seats, length=rules_pb2.MatchLength(hands=1))
        token = self.apps["table"].tokens.mint_service()
        return str((await stub.PlaceTable(request, metadata=bearer(token))).table_id)

    async def guest(self) -> Any:
        stub: Any = gateway_pb2_grpc.SessionServiceStub(self.channels["gateway"])
        return await stub.CreateGuest(gateway_pb2.CreateGuestRequest(name="Ann"))

    async def observe(self, table_id: str, guest: Any) -> Any:
        """How a table stands, as soon as somebody is asked there."""
        stub: Any = table_pb2_grpc.TableServiceStub(self.channels["table"])
        async with asyncio.timeout(30):
            while True:
                request = table_pb2.ObserveRequest(table_id=table_id)
                seen = await stub.Observe(request, metadata=bearer(guest.tokens.access_token))
                if seen.turn.seat_plus_one:
                    return seen
                await asyncio.sleep(0.02)


@pytest.fixture
async def cluster(sqlite_settings: Settings, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Cluster]:
    # The table server is told of new tables, and never finds one by itself a moment before.
    monkeypatch.setattr("gouji.table.taking.POLL_SECONDS", 600)
    quiet = {"contributions_ms": 0, "turn_ms": 600_000, "absent_ms": 0, "bot_pace_ms": 60_000, "bank_ms": 600_000}
    settings = sqlite_settings.model_copy(update=quiet)
    async with clustered(settings) as made:
        yield made


@asynccontextmanager
async def clustered(settings: Settings) -> AsyncIterator[Cluster]:
    exporter, apps, channels = InMemorySpanExporter(), dict[str, App](), dict[str, Any]()
    binds: dict[str, Callable[[App], None]] = {
        "bot": bind_bot,
        "table": bind_table,
        "matchmaking": bind_matchmaking,
        "gateway": bind_gateway,
    }
    async with AsyncExitStack() as stack:
        for name, bind in binds.items():
            dialled = {f"{other}_address": app.address for other, app in apps.items()}
            own = settings.model_copy(update=dialled)
            tracing = Spans(SimpleSpanProcessor(exporter), name, 100)
            apps[name] = await stack.enter_async_context(running_app(own, {name: bind}, tracing=tracing))
            channels[name] = await stack.enter_async_context(grpc.aio.insecure_channel(apps[name].address))
        yield Cluster(apps, channels, exporter)


async def test_placing_a_table_is_one_trace_from_matchmaking_to_the_bots_first_choice(cluster: Cluster) -> None:
    await cluster.place([events_pb2.Seat(bot_level="greedy") for _ in range(6)])
    name = "gouji.v1.MatchmakingService/PlaceTable"
    await until(lambda: ("bot", "decide") in cluster.trace_of(name), 30)
    await until(lambda: ("table", "ask bots") in cluster.trace_of(name), 30)
    trace = cluster.trace_of(name)
    assert trace.keys() >= {
        ("matchmaking", name),
        ("matchmaking", "tell table servers"),
        ("table", "gouji.v1.TableService/Open"),
        ("table", "commit"),
        ("table", "ask bots"),
        ("bot", "gouji.v1.BotService/Decide"),
        ("bot", "decide"),
    }
    parents = {span.context.span_id: key for key, span in trace.items()}
    above = {key: parents.get(span.parent.span_id) for key, span in trace.items() if span.parent}
    assert above["bot", "decide"] == ("bot", "gouji.v1.BotService/Decide")
    assert above["bot", "gouji.v1.BotService/Decide"] == ("table", "ask bots")
    assert above["table", "gouji.v1.TableService/Open"] == ("matchmaking", "tell table servers")
    assert_bounded(cluster.spans)


async def test_a_command_at_the_gateway_is_one_trace_through_table_and_bot(cluster: Cluster) -> None:
    guests = [await cluster.guest() for _ in range(6)]
    seats = [events_pb2.Seat(player_id=guest.player_id, name="P") for guest in guests]
    table_id = await cluster.place(seats)
    asked = (await cluster.observe(table_id, guests[0])).turn.seat_plus_one - 1
    stub: Any = moderation_pb2_grpc.ModerationServiceStub(cluster.channels["gateway"])
    ban = moderation_pb2.BanPlayerRequest(player_id=guests[asked].player_id, reason="Cheats.")
    answer = await stub.BanPlayer(ban, metadata=bearer(cluster.apps["gateway"].tokens.mint_moderator("Mo")))
    assert answer.table_id == table_id
    name = "gouji.v1.ModerationService/BanPlayer"
    await until(lambda: ("table", "ask bots") in cluster.trace_of(name), 30)
    assert cluster.trace_of(name).keys() == {
        ("gateway", name),
        ("table", "gouji.v1.TableService/Unseat"),
        ("table", "commit"),
        ("table", "ask bots"),
        ("bot", "gouji.v1.BotService/Decide"),
        ("bot", "decide"),
    }
    assert_bounded(cluster.spans)


async def test_a_players_command_is_one_trace_with_its_commit_and_ends_with_its_turn(cluster: Cluster) -> None:
    guests = [await cluster.guest() for _ in range(6)]
    table_id = await cluster.place([events_pb2.Seat(player_id=guest.player_id, name="P") for guest in guests])
    asked = (await cluster.observe(table_id, guests[0])).turn.seat_plus_one - 1
    seen = await cluster.observe(table_id, guests[asked])
    assert observation_from_proto(seen.observation).legal_actions()
    stub: Any = table_pb2_grpc.TableServiceStub(cluster.channels["table"])
    act = table_pb2.ActRequest(table_id=table_id, command_id="c1", turn=seen.turn.number, action=seen.legal_actions[0])
    await stub.Act(act, metadata=bearer(guests[asked].tokens.access_token))
    name = "gouji.v1.TableService/Act"
    await until(lambda: ("table", name) in cluster.trace_of(name), 30)
    assert cluster.trace_of(name).keys() == {("table", name), ("table", "commit")}
    assert_bounded(cluster.spans)


def assert_bounded(spans: tuple[ReadableSpan, ...]) -> None:
    """A span says a few things in words of ours and numbers, and no exception's text."""
    for span in spans:
        said = {key.removeprefix("gouji."): value for key, value in (span.attributes or {}).items()}
        assert said.keys() <= SAID, span.name
        assert len(said) <= MOST_FACTS
        assert all(isinstance(value, int) or (isinstance(value, str) and len(value) <= 40) for value in said.values())
        assert span.events == ()
