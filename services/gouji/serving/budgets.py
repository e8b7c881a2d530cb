"""What keeps those who come back after a break and those who come anew from taking each other's place.

Each kind has places of its own for the work that goes to the database; who finds none free waits in line.
"""

import asyncio
import random
from typing import Final

from prometheus_client import Gauge

from gouji.serving.errors import ServiceError
from gouji.serving.metrics import Metrics
from gouji.serving.settings import Settings

LEAST_RETRY_MS, MOST_RETRY_MS = 1000, 3000
"""When who found the line too long should come again: drawn for each, so that they do not come together."""

MOST_WAITING: Final = 5000
"""How long a line may be. Who stands at its end is served before its call's deadline."""


class Budget:
    """Places for one kind of call: `async with budget` waits for one, or raises `ServiceError` `overloaded`."""

    def __init__(self, at_once: int, waiting: Gauge, most_waiting: int = MOST_WAITING) -> None:
        self._free = asyncio.Semaphore(at_once)
        self._most_waiting = most_waiting
        self._waiting = 0
        self._shown = waiting

    async def __aenter__(self) -> None:
        """Take a place, in the order of coming."""
        if self._waiting >= self._most_waiting:
            delay = random.randint(LEAST_RETRY_MS, MOST_RETRY_MS)  # noqa: S311 - spreads load, guards nothing
            raise ServiceError("overloaded", "Too many come at once; you will get in.", delay)
        self._note(1)
        try:
            await self._free.acquire()
        finally:
            self._note(-1)

    async def __aexit__(self, *_: object) -> None:
        """Give the place to the next."""
        self._free.release()

    def _note(self, change: int) -> None:
        self._waiting += change
        self._shown.set(self._waiting)


class Budgets:
    """The budgets of a process."""

    def __init__(self, settings: Settings, metrics: Metrics) -> None:
        waiting = metrics.budget_waiting
        self.returns = Budget(settings.returns_at_once, waiting.labels("returns"))
        """For finding one's session and table again, and for watching it."""
        self.arrivals = Budget(settings.arrivals_at_once, waiting.labels("arrivals"))
        """For new players."""
