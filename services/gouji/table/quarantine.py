"""Tables in which a fault came up: stopped with a reference to quote, their logs kept, all others untouched."""

import asyncio
import secrets
from typing import Final

from gouji.serving.app import App
from gouji.serving.clock import microseconds
from gouji.serving.errors import ServiceError, StorageUnavailable
from gouji.serving.logs import stack_of
from gouji.table.live import Live
from gouji.table.metrics import TableMetrics
from gouji.table.ownership import Owned
from gouji.table.projection import project
from gouji.table.refusals import frozen
from gouji.table.store import Step, Store
from gouji.table.table import Table

RETRY_SECONDS: Final = 0.5
"""How long to wait before the database is tried again."""


class Quarantine:
    """Stops tables; remembers those whose stop is not in the log yet."""

    def __init__(self, app: App, store: Store, metrics: TableMetrics) -> None:
        self._clock = app.clock
        self._log = app.log
        self._store = store
        self._metrics = metrics
        self._references: dict[str, str] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    def stopped(self, table_id: str) -> ServiceError | None:
        """Give the error for a table that is being stopped."""
        reference = self._references.get(table_id)
        return frozen(reference) if reference else None

    def stop(self, owned: Owned, live: Live | None, error: BaseException) -> str:
        """Stop a table of this server, and its live form if it has one; give the reference."""
        reference = secrets.token_hex(6)
        self._metrics.quarantined.inc()
        place = live.place if live else {"table": owned.table_id}
        self._log.error("table_failed", reference=reference, stack=stack_of(error), **place)
        self._stop(owned, live, reference, "")
        return reference

    async def freeze(self, live: Live, reason: str) -> str:
        """Stop a live table because an operator says so; give the reference, once that is in the log."""
        reference = secrets.token_hex(6)
        self._log.warning("table_stopped", reference=reference, **live.place)
        await asyncio.shield(self._stop(live.owned, live, reference, reason))
        return reference

    def _stop(self, owned: Owned, live: Live | None, reference: str, reason: str) -> asyncio.Task[None]:
        self._references[owned.table_id] = reference
        if live is not None:
            live.close(frozen(reference))
        task = asyncio.create_task(self._write(owned, live, reference, reason))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def close(self) -> None:
        """Give up what is not written yet; another server will meet the fault again."""
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _write(self, owned: Owned, live: Live | None, reference: str, reason: str) -> None:
        """Write the stop behind the log's last event, however long the database takes, and show it."""
        if live is not None:
            await live.written()
        while True:
            try:
                await self._freeze(owned, live, reference, reason)
                break
            except StorageUnavailable:
                await self._clock.sleep(RETRY_SECONDS)
        self._references.pop(owned.table_id, None)

    async def _freeze(self, owned: Owned, live: Live | None, reference: str, reason: str) -> None:
        last = await self._store.last_event(owned.table_id)
        table = Table(owned.table_id)
        if last is not None:
            table.sequence, table.hand_number, table.at = last.sequence, last.hand, last.at.ToMicroseconds()
        now = microseconds(self._clock.now())
        event = table.freeze(reference, now, reason)
        step = Step(table_id=owned.table_id, fence=owned.fence, at=now, events=[event], state="frozen")
        await self._store.commit([step])
        if live is not None:
            live.watchers.show(lambda viewer: project(event, viewer, None))
            live.watchers.end(frozen(reference))
