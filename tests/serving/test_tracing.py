"""Spans of calls: what they say, where they begin, and what they never hold."""

import sys
from typing import Any

import grpc
import pytest
from opentelemetry.proto.collector.trace.v1 import trace_service_pb2, trace_service_pb2_grpc
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import TraceFlags
from prometheus_client.openmetrics.exposition import generate_latest

from gouji.serving.app import App, Bind, StartError
from gouji.serving.settings import Settings
from gouji.serving.spans import Spans
from gouji.serving.testing import captured_log, running_app, until
from gouji.serving.tracing import OFF
from gouji.v1.table_pb2 import ActRequest, ObserveRequest, OpenRequest, WatchRequest
from gouji.v1.table_pb2_grpc import TableServiceStub
from gouji.wire.headers import DOOR_HEADER

ACT, OPEN = "gouji.v1.TableService/Act", "gouji.v1.TableService/Open"
CALLER = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
"""What a caller sends whose trace is sampled."""


@pytest.fixture
def exporter() -> InMemorySpanExporter:
    return InMemorySpanExporter()


@pytest.fixture
def spans(exporter: InMemorySpanExporter) -> Spans:
    return Spans(SimpleSpanProcessor(exporter), "test", 100)


def named(exporter: InMemorySpanExporter) -> dict[str, Any]:
    return {span.name: span for span in exporter.get_finished_spans()}


async def test_a_call_and_those_that_it_makes_are_one_trace_which_log_and_histogram_name(
    sqlite_settings: Settings, bind_tiny: Bind, servicer: Any, spans: Spans, exporter: InMemorySpanExporter
) -> None:
    log, lines = captured_log()

    def bind(app: App) -> None:
        async def act(_context: Any) -> None:
            await app.channels.stub("table", TableServiceStub).Open(OpenRequest())

        servicer.act = act
        bind_tiny(app)

    async with (
        running_app(sqlite_settings, {"tiny": bind}, log=log, tracing=spans) as app,
        grpc.aio.insecure_channel(app.address) as channel,
    ):
        token = app.tokens.mint_player("p1", "Ann").access_token
        stub: Any = TableServiceStub(channel)
        await stub.Act(ActRequest(), metadata=(("authorization", f"Bearer {token}"),))
        await until(lambda: ACT in named(exporter))
        page = generate_latest(app.metrics.registry).decode()
    act, inner = (named(exporter)[name] for name in (ACT, OPEN))
    assert (act.parent, inner.parent.span_id) == (None, act.context.span_id)
    assert dict(inner.attributes) == {"gouji.code": "OK", "gouji.reason": ""}
    trace = f"{act.context.trace_id:032x}"
    assert inner.context.trace_id == act.context.trace_id
    assert {line["method"]: line["trace_id"] for line in lines if line["event"] == "rpc"} == {
        "Act": trace,
        "Open": trace,
    }
    assert f'# {{trace_id="{trace}"}}' in page


async def test_a_refusal_is_told_by_its_reason_and_a_fault_without_its_text(
    sqlite_settings: Settings, bind_tiny: Bind, servicer: Any, spans: Spans, exporter: InMemorySpanExporter
) -> None:
    async def fail(_context: Any) -> None:
        raise RuntimeError("hidden cards")

    servicer.act = fail
    async with (
        running_app(sqlite_settings, {"tiny": bind_tiny}, tracing=spans) as app,
        grpc.aio.insecure_channel(app.address) as channel,
    ):
        stub: Any = TableServiceStub(channel)
        token = app.tokens.mint_player("p1", "Ann").access_token
        for metadata in ((), (("authorization", f"Bearer {token}"),)):
            with pytest.raises(grpc.aio.AioRpcError):
                await stub.Act(ActRequest(), metadata=metadata)
        await until(lambda: len(exporter.get_finished_spans()) == 2)
    refused, failed = exporter.get_finished_spans()
    assert refused.attributes["gouji.reason"] == "token_missing"
    assert refused.status.is_unset
    assert failed.attributes["gouji.reason"] == "internal"
    assert not failed.status.is_ok
    assert not failed.status.is_unset
    assert "hidden" not in refused.to_json() + failed.to_json()


@pytest.mark.parametrize("by_door", [False, True], ids=["inside", "by the door"])
async def test_a_trace_goes_on_from_our_own_and_begins_anew_at_the_door(
    sqlite_settings: Settings,
    bind_tiny: Bind,
    spans: Spans,
    exporter: InMemorySpanExporter,
    by_door: bool,
) -> None:
    metadata = [("traceparent", CALLER), *([(DOOR_HEADER, "1")] if by_door else [])]
    async with (
        running_app(sqlite_settings, {"tiny": bind_tiny}, tracing=spans) as app,
        grpc.aio.insecure_channel(app.address) as channel,
    ):
        stub: Any = TableServiceStub(channel)
        await stub.Observe(ObserveRequest(), metadata=metadata)
        await until(exporter.get_finished_spans)
    [span] = exporter.get_finished_spans()
    assert (f"{span.context.trace_id:032x}" in CALLER) is not by_door


async def test_streams_have_no_spans(
    sqlite_settings: Settings, bind_tiny: Bind, spans: Spans, exporter: InMemorySpanExporter
) -> None:
    async with (
        running_app(sqlite_settings, {"tiny": bind_tiny}, tracing=spans) as app,
        grpc.aio.insecure_channel(app.address) as channel,
    ):
        stub: Any = TableServiceStub(channel)
        token = app.tokens.mint_player("p1", "Ann").access_token
        stream = stub.Watch(WatchRequest(), metadata=(("authorization", f"Bearer {token}"),))
        await stream.read()
        stream.cancel()
    assert exporter.get_finished_spans() == ()


def test_what_is_not_sampled_is_not_told_and_those_called_know_that(exporter: InMemorySpanExporter) -> None:
    none = Spans(SimpleSpanProcessor(exporter), "test", 0)
    with none.serving("call", None), none.span("inner"):
        flags = none.headers()["traceparent"].rpartition("-")[2]
        assert not int(flags, 16) & TraceFlags.SAMPLED
        assert (none.here(), none.exemplar()) == (None, None)
    with none.joint("several", []):
        pass
    assert exporter.get_finished_spans() == ()


def test_what_is_done_for_several_is_told_under_the_first_and_linked_to_the_others(
    spans: Spans, exporter: InMemorySpanExporter
) -> None:
    origins = []
    for name in ("one", "two", "two"):
        with spans.span(name):
            origins += [spans.here(), spans.here()]
    with spans.joint("several", origins, steps=3):
        pass
    *each, joint = exporter.get_finished_spans()
    assert joint.parent.span_id == each[0].context.span_id
    assert [link.context for link in joint.links] == [span.context for span in each[1:]]
    assert dict(joint.attributes) == {"gouji.steps": 3}


async def test_without_an_endpoint_nothing_is_traced(sqlite_settings: Settings) -> None:
    app = App(sqlite_settings)
    assert app.tracing is OFF
    with app.tracing.span("x") as span, app.tracing.serving("y", CALLER), app.tracing.joint("z", []):
        span.set(level="greedy")
        span.fail()
    assert (app.tracing.here(), app.tracing.exemplar(), dict(app.tracing.headers())) == (None, None, {})


async def test_an_endpoint_without_the_extra_stops_the_start_and_says_what_to_install(
    sqlite_settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "gouji.serving.spans", None)
    monkeypatch.delattr("gouji.serving.spans", raising=False)
    with pytest.raises(StartError, match=r"gouji\[tracing\]"):
        App(sqlite_settings.model_copy(update={"trace_endpoint": "http://127.0.0.1:4317"}))


class Collector(trace_service_pb2_grpc.TraceServiceServicer):
    """Takes spans as a collector does."""

    def __init__(self) -> None:
        self.names: list[str] = []

    async def Export(self, request: Any, context: Any) -> Any:  # noqa: N802 - gRPC's name
        scopes = [scope for resource in request.resource_spans for scope in resource.scope_spans]
        self.names += [span.name for scope in scopes for span in scope.spans]
        return trace_service_pb2.ExportTraceServiceResponse()


async def test_a_collector_gets_the_spans_when_the_process_ends_at_the_latest(
    sqlite_settings: Settings, bind_tiny: Bind
) -> None:
    collector, server = Collector(), grpc.aio.server()
    trace_service_pb2_grpc.add_TraceServiceServicer_to_server(collector, server)
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    traced = {"trace_endpoint": f"http://127.0.0.1:{port}", "trace_percent": 100.0}
    async with (
        running_app(sqlite_settings.model_copy(update=traced), {"tiny": bind_tiny}) as app,
        grpc.aio.insecure_channel(app.address) as channel,
    ):
        stub: Any = TableServiceStub(channel)
        await stub.Observe(ObserveRequest())
    await server.stop(None)
    assert collector.names == ["gouji.v1.TableService/Observe"]
