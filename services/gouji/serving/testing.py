"""Helpers for tests of services: a running app, a clock driven by hand, captured log lines."""

import asyncio
import heapq
import itertools
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

import structlog

from gouji.serving.app import App, Bind
from gouji.serving.auth import Tokens, player_ring, service_ring
from gouji.serving.clock import Clock
from gouji.serving.keys import shared_keys
from gouji.serving.logs import Log
from gouji.serving.settings import Settings
from gouji.serving.tracing import Tracing


@asynccontextmanager
async def running_app(
    settings: Settings,
    binds: Mapping[str, Bind],
    *,
    clock: Clock | None = None,
    log: Log | None = None,
    tracing: Tracing | None = None,
) -> AsyncIterator[App]:
    """Run services in one process on a free port until the block ends.

    A metrics page is there only with `metrics_port=0` in the settings.
    """
    free = {"port": 0, "metrics_port": 0 if settings.metrics_port == 0 else -1}
    app = App(settings.model_copy(update=free), "+".join(binds) or "test", clock=clock, log=log, tracing=tracing)
    for bind in binds.values():
        bind(app)
    await app.start(migrate=True)
    try:
        yield app
    finally:
        await app.stop(grace=0.2)


def shared_tokens(player_key: str, service_key: str, clock: Clock, access: int = 3600, refresh: int = 86400) -> Tokens:
    """Make tokens signed with shared secrets, good for so many seconds."""
    players, services = player_ring(shared_keys([player_key])), service_ring(shared_keys([service_key]))
    return Tokens(players, services, clock, access, refresh)


class ManualClock:
    """A clock that stands still until it is advanced; sleepers wake in the order of their times."""

    def __init__(self, start: datetime = datetime(2026, 1, 1, tzinfo=UTC)) -> None:
        self._start = start
        self._passed = 0.0
        self._order = itertools.count()
        self._sleepers: list[tuple[float, int, asyncio.Future[None]]] = []

    def now(self) -> datetime:
        """Wall time, in UTC."""
        return self._start + timedelta(seconds=self._passed)

    def monotonic(self) -> float:
        """Seconds from the clock's start."""
        return self._passed

    async def sleep(self, seconds: float) -> None:
        """Return when the clock has been advanced so far."""
        if seconds <= 0:
            await asyncio.sleep(0)
            return
        woken: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        heapq.heappush(self._sleepers, (self._passed + seconds, next(self._order), woken))
        await woken

    async def advance(self, seconds: float) -> None:
        """Let so much time pass; whoever is due wakes on the way, and may sleep again within it."""
        end = self._passed + seconds
        await self._settle()
        while self._sleepers and self._sleepers[0][0] <= end:
            self._passed, _, woken = heapq.heappop(self._sleepers)
            if not woken.done():
                woken.set_result(None)
                await self._settle()
        self._passed = end
        await self._settle()

    @property
    def next_wake(self) -> float | None:
        """When the next sleeper wakes, by `monotonic`; None when nobody sleeps."""
        return min((due for due, _, woken in self._sleepers if not woken.done()), default=None)

    @property
    def sleepers(self) -> int:
        """How many sleep now."""
        return sum(not woken.done() for _, _, woken in self._sleepers)

    async def _settle(self) -> None:
        for _ in range(20):
            await asyncio.sleep(0)


def captured_log() -> tuple[Log, list[Any]]:
    """Make a logger that keeps its lines as dictionaries in the list, at every level."""
    capture = structlog.testing.LogCapture()
    log: Log = structlog.wrap_logger(
        structlog.PrintLogger(),
        processors=[structlog.contextvars.merge_contextvars, capture],
        wrapper_class=structlog.make_filtering_bound_logger("debug"),
    )
    return log, capture.entries


async def until(condition: Callable[[], object], seconds: float = 10) -> None:
    """Wait until the condition holds; `TimeoutError` after so many seconds."""
    async with asyncio.timeout(seconds):
        while not condition():  # noqa: ASYNC110 - a condition of any kind has no event
            await asyncio.sleep(0.005)
