"""Spans: what was done for one call, in whichever process. None are made unless the settings say where they go.

What makes them is `gouji.serving.spans`, which needs the extra `tracing`. Facts of spans are words of our own and
numbers: never a card, an id, or a text that somebody outside chose.
"""

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any, Final

from gouji.serving.settings import Settings

Fact = str | int | float | bool
"""What a span may say."""

Origin = Any
"""For which span something is to be done later, and together with others."""


class Span:
    """Something that is done; this one is told to nobody."""

    def set(self, **facts: Fact) -> None:
        """Say more about it."""

    def fail(self) -> None:
        """Mark it as a fault of ours."""


class Tracing:
    """Makes no spans. It stands where there are none, so that nobody need ask."""

    on = False
    """Whether spans are made at all."""

    def span(self, name: str, **facts: Fact) -> AbstractContextManager[Span]:
        """Make a span of a block, under the one that is open here."""
        return _NOTHING

    def serving(self, name: str, parent: str | None) -> AbstractContextManager[Span]:
        """Make a span of a call that is answered, under that of the caller's `traceparent`, if it sent one."""
        return _NOTHING

    def joint(self, name: str, origins: Sequence[Origin], **facts: Fact) -> AbstractContextManager[Span]:
        """Make a span of what is done for several at once: under the first of them, with links to the others.

        There is none when no origin is told of.
        """
        return _NOTHING

    def here(self) -> Origin | None:
        """Name the span that is open here, for `joint`; None when there is none that is told of."""
        return None

    def headers(self) -> Mapping[str, str]:
        """Give the metadata by which a call's spans come under the one that is open here."""
        return _NO_HEADERS

    def exemplar(self) -> dict[str, str] | None:
        """Name the trace that is told of here, for an observation of a histogram."""
        return None

    async def close(self) -> None:
        """Send what has not been sent."""


OFF: Final = Tracing()
"""For where nobody traces."""

_NOTHING: Final = nullcontext(Span())
_NO_HEADERS: Final[Mapping[str, str]] = {}


class TracingMissing(Exception):
    """Spans are wanted, and what makes them is not installed; the text says what to do."""


def tracing_for(settings: Settings, name: str) -> Tracing:
    """Make what the settings ask for, for a process of this name. Raises `TracingMissing`."""
    if not settings.trace_endpoint:
        return OFF
    try:
        from gouji.serving import spans  # noqa: PLC0415 - an extra that may not be there
    except ImportError as error:
        raise TracingMissing(
            "GOUJI_TRACE_ENDPOINT (--trace-endpoint) needs an extra: install `gouji[tracing]`."
        ) from error
    return spans.sent_to(settings.trace_endpoint, name, settings.trace_percent)
