"""Searches in threads of their own: they compute without the interpreter's lock, and hold no event loop up."""

import asyncio
import os
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from gouji.bot.metrics import BotMetrics
from gouji.engine import Action, Observation
from gouji.players.planner import PlannerPlayer
from gouji.players.search import NEEDED_SECONDS, Effort, SearchPlayer
from gouji.serving.clock import Clock

_LEARNING = 0.1
"""How much one search's time counts in what searches usually take."""


class Searches:
    """As many searches at a time as there are threads; those that would come too late are the planner's."""

    def __init__(self, metrics: BotMetrics, clock: Clock, threads: int, longest_seconds: float) -> None:
        """``threads`` 0 is one a core; ``longest_seconds`` is what one search may take."""
        self._threads = threads or os.cpu_count() or 1
        self._pool = ThreadPoolExecutor(self._threads, "search")
        self._metrics = metrics
        self._clock = clock
        self._longest = longest_seconds
        self._usual = NEEDED_SECONDS
        self._waiting = 0

    async def decide(self, observation: Observation, seed: int, until: float | None) -> tuple[Action, str]:
        """Choose before ``until``, on the clock, and say which level chose: ``search``, or else ``planner``.

        Raises as players do. A caller that is cancelled ends its search at the next round.
        """
        if not self._is_in_time(until):
            return self._fall_back(observation, seed)
        stopped = threading.Event()
        self._count(1)
        try:
            # A round that has begun goes on to its end; the answer does not wait for it.
            async with asyncio.timeout(None if until is None else until - self._clock.monotonic()):
                action, took = await asyncio.get_running_loop().run_in_executor(
                    self._pool, self._search, observation, seed, until, stopped.is_set
                )
        except TimeoutError:
            action, took = None, self._longest
        finally:
            stopped.set()
            self._count(-1)
        self._usual += _LEARNING * (took - self._usual)
        return (action, "search") if action is not None else self._fall_back(observation, seed)

    async def close(self) -> None:
        """Take no more searches; those that run end by themselves."""
        self._pool.shutdown(wait=False, cancel_futures=True)

    def _is_in_time(self, until: float | None) -> bool:
        """Whether a search that has to wait for those before it would be done in time."""
        if until is None:
            return True
        left = until - self._clock.monotonic()
        # With a thread free a search is tried, however long they took of late: else none would ever be quicker.
        if self._waiting < self._threads:
            return left >= NEEDED_SECONDS
        return left >= self._usual * (1 + self._waiting // self._threads)

    def _search(
        self, observation: Observation, seed: int, until: float | None, stopped: Callable[[], bool]
    ) -> tuple[Action | None, float]:
        """Search, in a thread, and say how long that took; no choice when the time for it is over by now."""
        began = self._clock.monotonic()
        left = self._longest if until is None else min(self._longest, until - began)
        if left < NEEDED_SECONDS or stopped():
            return None, self._usual
        action = SearchPlayer(Effort(), stopped).decide(observation, seed, left)
        return action, self._clock.monotonic() - began

    def _fall_back(self, observation: Observation, seed: int) -> tuple[Action, str]:
        self._metrics.fallbacks.inc()
        return PlannerPlayer().decide(observation, seed, 0.0), "planner"

    def _count(self, more: int) -> None:
        self._waiting += more
        self._metrics.searches.set(self._waiting)
