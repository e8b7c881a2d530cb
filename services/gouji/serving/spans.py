"""Spans by OpenTelemetry. Nothing is global: each process, and each test, has a provider of its own.

Exceptions are never recorded, since their texts may quote cards.
"""

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Final

from opentelemetry import trace
from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import SpanProcessor, TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.sdk.trace.sampling import ParentBased, TraceIdRatioBased
from opentelemetry.trace import Link, SpanContext, SpanKind, Status, StatusCode
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from gouji.serving.tracing import Fact, Origin, Span, Tracing

_CARRIER: Final = TraceContextTextMapPropagator()

_SEND_SECONDS: Final = 5
"""How long the collector may take; what it does not take is lost."""


class Told(Span):
    """A span that may be sent."""

    def __init__(self, span: trace.Span) -> None:
        self._span = span

    def set(self, **facts: Fact) -> None:
        """Say more about it; the names get our prefix."""
        self._span.set_attributes(_named(facts))

    def fail(self) -> None:
        """Mark it as a fault of ours."""
        self._span.set_status(Status(StatusCode.ERROR))


class Spans(Tracing):
    """Makes spans of so many percent of all that begins here, and of all that belongs to what was told of elsewhere."""

    on = True

    def __init__(self, processor: SpanProcessor, name: str, percent: float) -> None:
        self._provider = TracerProvider(
            sampler=ParentBased(TraceIdRatioBased(percent / 100)),
            resource=Resource({"service.namespace": "gouji", "service.name": name}),
            shutdown_on_exit=False,
        )
        self._provider.add_span_processor(processor)
        self._tracer = self._provider.get_tracer("gouji")

    def span(self, name: str, **facts: Fact) -> AbstractContextManager[Span]:
        """Make a span of a block, under the one that is open here."""
        return self._open(self._tracer.start_span(name, attributes=_named(facts)))

    def serving(self, name: str, parent: str | None) -> AbstractContextManager[Span]:
        """Make a span of a call that is answered, under that of the caller's `traceparent`, if it sent one."""
        context = _CARRIER.extract({"traceparent": parent} if parent else {})
        return self._open(self._tracer.start_span(name, context, SpanKind.SERVER))

    def joint(self, name: str, origins: Sequence[Origin], **facts: Fact) -> AbstractContextManager[Span]:
        """Make a span of what is done for several at once: under the first of them, with links to the others."""
        if not origins:
            return super().joint(name, origins)
        first, *others = {origin.span_id: origin for origin in origins}.values()
        context = trace.set_span_in_context(trace.NonRecordingSpan(first))
        links = [Link(other) for other in others]
        return self._open(self._tracer.start_span(name, context, attributes=_named(facts), links=links))

    def here(self) -> SpanContext | None:
        """Name the span that is open here; None when there is none that is sampled."""
        context = trace.get_current_span().get_span_context()
        return context if context.trace_flags.sampled else None

    def headers(self) -> Mapping[str, str]:
        """Give the metadata of W3C Trace Context; that nothing is sampled is said, too."""
        carrier: dict[str, str] = {}
        _CARRIER.inject(carrier)
        return carrier

    def exemplar(self) -> dict[str, str] | None:
        """Name the trace that is sampled here."""
        context = self.here()
        return {"trace_id": trace.format_trace_id(context.trace_id)} if context else None

    async def close(self) -> None:
        """Send what has not been sent, and send no more."""
        await asyncio.to_thread(self._provider.shutdown)

    @contextmanager
    def _open(self, span: trace.Span) -> Iterator[Span]:
        with trace.use_span(span, end_on_exit=True, record_exception=False, set_status_on_exception=False):
            yield Told(span)


def sent_to(endpoint: str, name: str, percent: float) -> Spans:
    """Make spans that a collector gets by OTLP over gRPC, in the background."""
    exporter = OTLPSpanExporter(endpoint=endpoint, timeout=_SEND_SECONDS)
    return Spans(BatchSpanProcessor(exporter), name, percent)


def _named(facts: Mapping[str, Fact]) -> dict[str, Fact]:
    return {f"gouji.{name}": fact for name, fact in facts.items()}
