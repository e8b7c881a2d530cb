"""The log writer: what all tables of the process produced in the last moment, in one transaction.

Nothing is answered or shown before its commit. A step whose outcome is bad or unknown breaks its table's lane:
all that the table has still waiting fails with it, and the table must be folded anew from the log.
"""

import asyncio
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Final

from gouji.serving.clock import Clock
from gouji.serving.errors import ServiceError, StorageUnavailable
from gouji.serving.tracing import OFF, Origin, Tracing
from gouji.table.metrics import TableMetrics
from gouji.table.store import Step, Store

LONGEST_COMMIT_SECONDS: Final = 15.0
"""Time after which a commit is given up, its outcome unknown."""


class StaleFence(ServiceError):
    """Another server has taken the table; nothing was written."""

    def __init__(self) -> None:
        super().__init__("table_moving", "Another server has taken the table.", retry_after_ms=200)


class Lane:
    """One table's way into the log while this server owns it by one fence."""

    def __init__(self, table_id: str, fence: int) -> None:
        self.table_id = table_id
        self.fence = fence
        self.broken: Exception | None = None


Written = asyncio.Future[None]
"""Done once the step is safe; fails with `StaleFence`, `StorageUnavailable` or what the database said."""

_Entry = tuple[Lane, Step, Written]


class LogWriter:
    """One for each process: `run` commits what `append` has gathered, again and again."""

    def __init__(
        self,
        store: Store,
        clock: Clock,
        metrics: TableMetrics,
        interval_ms: int,
        may_write: Callable[[], bool] = lambda: True,
        *,
        tracing: Tracing = OFF,
    ) -> None:
        """Write only while ``may_write()``: while this server's lease cannot have run out."""
        self._store = store
        self._clock = clock
        self._metrics = metrics
        self._interval_seconds = interval_ms / 1000
        self._may_write = may_write
        self._tracing = tracing
        self._origins: list[Origin] = []
        self._pending: list[_Entry] = []
        self._first_came = 0.0
        self._woken = asyncio.Event()

    def append(self, lane: Lane, step: Step) -> Written:
        """Have a step written. A lane's steps are written in order; on a broken one they fail at once."""
        written: Written = asyncio.get_running_loop().create_future()
        # Whoever appends also looks at the outcome in a callback.
        written.add_done_callback(lambda done: done.cancelled() or done.exception())
        if lane.broken is not None:
            written.set_exception(lane.broken)
        else:
            if not self._pending:
                self._first_came = time.perf_counter()
            self._pending.append((lane, step, written))
            if (origin := self._tracing.here()) is not None:
                self._origins.append(origin)
            self._woken.set()
        return written

    async def run(self) -> None:
        """Commit for ever: at once when idle, else what gathered during the last commit and the interval."""
        while True:
            await self._woken.wait()
            await self._commit_pending()
            await self._clock.sleep(self._interval_seconds)

    async def _commit_pending(self) -> None:
        batch, self._pending, came = self._pending, [], self._first_came
        origins, self._origins = self._origins, []
        self._woken.clear()
        try:
            with self._tracing.joint("commit", origins, steps=len(batch)):
                await self._commit(batch)
        except BaseException:
            self._fail(batch, StorageUnavailable("The server stopped before the commit."))
            raise
        self._metrics.append_seconds.observe(time.perf_counter() - came)

    async def _commit(self, batch: Sequence[_Entry]) -> None:
        if not self._may_write():
            self._fail(batch, StaleFence())
            return
        self._metrics.commit_steps.observe(len(batch))
        try:
            with self._timed():
                async with asyncio.timeout(LONGEST_COMMIT_SECONDS):
                    fences = await self._store.commit([step for _, step, _ in batch])
        except (StorageUnavailable, TimeoutError):
            self._fail(batch, StorageUnavailable())
        except Exception as error:  # noqa: BLE001 - a row that cannot be written must not take others with it
            await self._commit_apart(batch, error)
        else:
            self._fail([entry for entry in batch if fences.get(entry[0].table_id) != entry[0].fence], StaleFence())
            self._release([entry for entry in batch if fences.get(entry[0].table_id) == entry[0].fence])

    @contextmanager
    def _timed(self) -> Iterator[None]:
        began = time.perf_counter()
        try:
            yield
        finally:
            self._metrics.commit_seconds.observe(time.perf_counter() - began, self._tracing.exemplar())

    async def _commit_apart(self, batch: Sequence[_Entry], error: Exception) -> None:
        """Write each table's steps by themselves, so that only what cannot be written fails."""
        lanes = {entry[0] for entry in batch}
        if len(lanes) == 1:
            self._fail(batch, error)
            return
        for lane in lanes:
            await self._commit([entry for entry in batch if entry[0] is lane])

    def _release(self, entries: Sequence[_Entry]) -> None:
        for _, step, written in entries:
            self._metrics.events.inc(len(step.events))
            if not written.done():
                written.set_result(None)

    def _fail(self, entries: Sequence[_Entry], error: Exception) -> None:
        """Break the lanes of these steps; what they have waiting builds on what is lost and fails too."""
        if not entries:
            return
        lanes = {lane for lane, _, _ in entries}
        for lane in lanes:
            lane.broken = lane.broken or error
        waiting = [entry for entry in self._pending if entry[0] in lanes]
        self._pending = [entry for entry in self._pending if entry[0] not in lanes]
        self._metrics.steps_failed.labels(type(error).__name__).inc(len(entries) + len(waiting))
        for _, _, written in (*entries, *waiting):
            if not written.done():
                written.set_exception(error)
