"""The page of metrics, and that no label takes what somebody outside chose."""

import asyncio
import importlib
import re
import urllib.request
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

import grpc
import pytest
import sqlalchemy as sa
from google.protobuf import descriptor_pool, message_factory
from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message
from prometheus_client import CollectorRegistry
from prometheus_client.metrics import MetricWrapperBase
from prometheus_client.parser import text_string_to_metric_families
from typer.testing import CliRunner

from gouji.cli.main import app as command
from gouji.cli.metrics import LABELS, SECTIONS, described, every_process, ours
from gouji.cli.serve import SERVICES
from gouji.players import PLAYERS
from gouji.serving.app import App
from gouji.serving.errors import STATUS_OF_REASON
from gouji.serving.schema import tables
from gouji.serving.settings import Settings
from gouji.serving.testing import running_app
from gouji.v1 import events_pb2, matchmaking_pb2, matchmaking_pb2_grpc, table_pb2

PAGE = Path(__file__).resolve().parent.parent.parent / "docs/metrics.md"
SPY = "spy-0a1b2c3d"
"""What stands in every text of every request."""

BINDS = {
    place: importlib.import_module(place.partition(":")[0]).bind for places in SERVICES.values() for place in places
}

REASONS = set(STATUS_OF_REASON)
STATUSES = {code.name for code in grpc.StatusCode}
OURS = {
    service.full_name: set(service.methods_by_name)
    for service in (
        descriptor_pool.Default().FindServiceByName(f"gouji.v1.{name}")
        for name in re.findall(r"^service (\w+)", "".join(p.read_text() for p in Path("protos").rglob("*.proto")), re.M)
    )
}
"""Every service in the protos and its methods."""

MAY_BE: dict[str, set[str]] = {
    "budget": {"returns", "arrivals"},
    "cause": REASONS | {status.lower() for status in STATUSES} | {"missing", "malformed", "unknown"},
    "code": STATUSES,
    "endpoint": set(),
    "error": {"StaleFence", "StorageUnavailable"},
    "kind": {"new", "recovered", "adopted", "people", "bots", "placed"},
    "level": {*PLAYERS, "unknown"},
    "method": set().union(*OURS.values(), ("Check", "List", "Watch", "ServerReflectionInfo")),
    "outcome": REASONS
    | set(table_pb2.Outcome.keys())
    | {"decided", "given", "recorded", "repeated", "found", "taken", "refused"},
    "plays": {"player", "stand_in", "bot", "left"},
    "reason": REASONS | {status.lower() for status in STATUSES},
    "service": {*OURS, "grpc.health.v1.Health", "grpc.reflection.v1alpha.ServerReflection"},
    "state": {"delivered", "pending", "parked"},
    "use": {"write", "read", "statement", "inside", "door"},
}
"""What a label may be, where that is written down; names of tasks are the code's."""


def test_the_page_of_metrics_is_what_the_command_prints() -> None:
    assert CliRunner().invoke(command, ["metrics"]).output == PAGE.read_text()


def test_the_page_has_all_metrics_that_a_process_with_every_service_counts(sqlite_settings: Settings) -> None:
    async def bound() -> App:
        app = App(sqlite_settings)
        for bind in BINDS.values():
            bind(app)
        return app

    listed = {described(metric)[0] for metric in every_process()} | {
        described(metric)[0] for add in SECTIONS.values() for metric in added(add)
    }
    counted = {described(metric)[0] for metric in ours(asyncio.run(bound()).metrics.registry)}
    assert listed == counted


def added(add: Any) -> list[MetricWrapperBase]:
    registry = CollectorRegistry()
    add(registry)
    return ours(registry)


def all_metrics() -> list[MetricWrapperBase]:
    return [*every_process(), *(metric for add in SECTIONS.values() for metric in added(add))]


def test_every_label_says_what_it_can_be_and_none_is_for_ids_or_texts() -> None:
    used = {label for metric in all_metrics() for label in described(metric)[3]}
    assert used == set(LABELS)
    assert set(MAY_BE) | {"task"} == set(LABELS)


@pytest.mark.parametrize("metric", all_metrics(), ids=lambda metric: described(metric)[0])
def test_a_metric_is_ours_says_what_it_counts_and_names_its_unit(metric: MetricWrapperBase) -> None:
    name, kind, meaning, _ = described(metric)
    assert name.startswith("gouji_")
    assert meaning.endswith(".")
    if kind == "histogram":
        assert name.endswith(("_seconds", "_steps", "_unevenness", "_spread"))


def filled(message: Message, depth: int = 4) -> Message:
    """Put the spy's text into all texts of a message, and one message into each field that holds some."""
    for field in message.DESCRIPTOR.fields:
        many = field.is_repeated
        if field.type == FieldDescriptor.TYPE_STRING:
            getattr(message, field.name).append(SPY) if many else setattr(message, field.name, SPY)
        elif field.type == FieldDescriptor.TYPE_MESSAGE and depth and not field.message_type.GetOptions().map_entry:
            filled(getattr(message, field.name).add() if many else getattr(message, field.name), depth - 1)
    return message


async def call(channel: grpc.aio.Channel, service: str, method: Any, request: Message, token: str) -> None:
    """Call once; of a stream one message is taken. However it ends is right."""
    path, answer = f"/{service}/{method.name}", message_factory.GetMessageClass(method.output_type)
    kind = channel.unary_stream if method.server_streaming else channel.unary_unary
    called: Any = kind(path, type(request).SerializeToString, answer.FromString)(
        request, metadata=(("authorization", f"Bearer {token}"), ("x-request-id", SPY)), timeout=20
    )
    with suppress(grpc.aio.AioRpcError, asyncio.TimeoutError):
        await (asyncio.wait_for(called.read(), 1) if method.server_streaming else called)
    called.cancel()


async def call_all(app: App, channel: grpc.aio.Channel, tokens: Iterable[str]) -> None:
    """Call every method of every service, with texts of the caller's own in every field."""
    for service in OURS:
        for method in descriptor_pool.Default().FindServiceByName(service).methods:
            if method.name == "Drain":  # it would end the process
                continue
            for token in tokens:
                request = message_factory.GetMessageClass(method.input_type)()
                await call(channel, service, method, request, token)
                await call(channel, service, method, filled(type(request)()), token)


async def play(app: App, channel: grpc.aio.Channel) -> None:
    """Have bots play a hand to its end."""
    seats = [events_pb2.Seat(bot_level="greedy") for _ in range(6)]
    stub: Any = matchmaking_pb2_grpc.MatchmakingServiceStub(channel)
    request = matchmaking_pb2.PlaceTableRequest(request_id="r1", seats=seats, length={"hands": 1})
    await stub.PlaceTable(request, metadata=(("authorization", f"Bearer {app.tokens.mint_service()}"),))
    async with asyncio.timeout(100):
        while True:
            async with app.database.connect() as connection:
                if (await connection.scalar(sa.select(tables.c.state))) == "over":
                    return
            await asyncio.sleep(0.1)


async def scraped(app: App) -> str:
    url = f"http://127.0.0.1:{app.metrics.port}/metrics"
    return await asyncio.to_thread(lambda: urllib.request.urlopen(url, timeout=10).read().decode())


async def test_no_label_takes_an_id_a_name_or_a_text_whatever_anybody_sends(sqlite_settings: Settings) -> None:
    settings = sqlite_settings.model_copy(update={"metrics_port": 0})
    async with running_app(settings, BINDS) as app, grpc.aio.insecure_channel(app.address) as channel:
        tokens = app.tokens
        await call_all(
            app,
            channel,
            [tokens.mint_player(SPY, SPY).access_token, tokens.mint_operator(SPY), tokens.mint_service(), SPY],
        )
        await play(app, channel)
        page = await scraped(app)
    assert SPY not in page
    odd = [
        (sample.name, label, value)
        for family in text_string_to_metric_families(page)
        if family.name.startswith("gouji_")
        for sample in family.samples
        for label, value in sample.labels.items()
        if label in MAY_BE and value not in MAY_BE[label]
    ]
    assert odd == []
    assert "gouji_table_hands_total 1.0" in page
    assert 'gouji_bot_decisions_total{level="unknown"' in page
