"""Keeps the delayed views of tables going: one for each table and kind of viewer, made when somebody first wants it."""

import asyncio
from typing import Final

from gouji.serving.app import App
from gouji.serving.clock import microseconds
from gouji.serving.errors import ServiceError
from gouji.serving.logs import stack_of
from gouji.table.behind import Behind, delay_of
from gouji.table.live import Live
from gouji.table.metrics import TableMetrics
from gouji.table.ownership import Standing
from gouji.table.refusals import draining, frozen, resume_from
from gouji.table.store import Store
from gouji.v1 import rules_pb2

RELEASE_SECONDS: Final = 0.1
"""How often a delayed view is looked at."""


class Views:
    """The delayed views of this process."""

    def __init__(self, app: App, store: Store, metrics: TableMetrics) -> None:
        self._clock = app.clock
        self._log = app.log
        self._store = store
        self._metrics = metrics
        self._director_seconds = app.settings.director_delay_seconds
        self._keeping: set[asyncio.Task[None]] = set()

    async def of(self, table_id: str, table: Live | Standing, viewer: int | None) -> Behind | None:
        """Give a viewer's delayed view of a table; None for a viewer who sees it as it is, or when all is shown."""
        spec = table.owned.spec if isinstance(table, Live) else table.spec
        delay = delay_of(spec, viewer, self._director_seconds)
        if delay is None:
            return None
        if not isinstance(table, Live):
            behind = await self._open(table_id, viewer, delay, None)
            return None if behind.done else behind
        if viewer not in table.views:
            table.views[viewer] = asyncio.create_task(self._open(table_id, viewer, delay, table))
        return await self._opened(table, viewer)

    async def _opened(self, live: Live, viewer: int | None) -> Behind:
        opening = live.views[viewer]
        try:
            return await asyncio.shield(opening)
        except Exception:
            # The next who comes tries again.
            if live.views.get(viewer) is opening:
                del live.views[viewer]
            raise

    async def close(self) -> None:
        """Let all go."""
        keeping = list(self._keeping)
        for task in keeping:
            task.cancel()
        await asyncio.gather(*keeping, return_exceptions=True)

    async def _open(self, table_id: str, viewer: int | None, delay: rules_pb2.Delay, live: Live | None) -> Behind:
        behind = Behind(table_id, viewer, delay)
        if live is not None:
            live.followers.append(behind.put)
        try:
            behind.catch_up(await self._store.events(table_id))
        except BaseException:
            if live is not None:
                live.followers.remove(behind.put)
            raise
        behind.release(microseconds(self._clock.now()))
        if behind.done:
            behind.watchers.end(_end_of(behind))
        else:
            task = asyncio.create_task(self._keep(behind, live))
            self._keeping.add(task)
            task.add_done_callback(self._keeping.discard)
        return behind

    async def _keep(self, behind: Behind, live: Live | None) -> None:
        """Show what becomes due until all is, or the table goes elsewhere, or of an ended one nobody watches."""
        try:
            error = await self._release(behind, live)
        except asyncio.CancelledError:
            behind.watchers.end(draining())
            raise
        except Exception as fault:  # noqa: BLE001 - whatever it is, nobody may wait for ever
            table = behind.table
            self._log.error("delayed_view_failed", table=table.table_id, hand=table.hand_number, stack=stack_of(fault))
            error = ServiceError("internal", "The delayed view of the table failed.")
        if error is not None and live is not None:
            # The table may stay here after all; whoever comes then has the view made anew.
            live.views.clear()
            live.followers.clear()
        behind.watchers.end(error)

    async def _release(self, behind: Behind, live: Live | None) -> ServiceError | None:
        """Show what becomes due; say with which error the view ended, if with one."""
        while not behind.done:
            await self._clock.sleep(RELEASE_SECONDS)
            self._metrics.overflows.inc(behind.release(microseconds(self._clock.now())))
            if live is not None and live.closed is not None:
                moved = live.closed.reason in ("table_moving", "wrong_server")
                return resume_from(behind.shown + 1) if moved else live.closed
            if live is None and not len(behind.watchers):
                return None
        return _end_of(behind)


def _end_of(behind: Behind) -> ServiceError | None:
    """Say with which error a view ends that has shown all, if with one."""
    return frozen(behind.table.frozen) if behind.table.frozen else None
