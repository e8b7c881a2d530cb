"""What a watch sends: a snapshot, the log from where the watcher left off, then all that comes."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from typing import Final

from gouji.serving.app import App
from gouji.serving.clock import microseconds
from gouji.table import projection
from gouji.table.live import Live, frozen
from gouji.table.loading import fold_log
from gouji.table.refusals import resume_from
from gouji.table.store import Store
from gouji.v1 import events_pb2, table_pb2
from gouji.v1.events_pb2 import Event

REPLAYED_AT_ONCE: Final = 256
"""Events of the log in one message."""


class Streams:
    """Makes the messages of watches."""

    def __init__(self, app: App, store: Store) -> None:
        self._clock = app.clock
        self._store = store
        self._heartbeat_seconds = app.settings.heartbeat_seconds

    async def live(self, live: Live, viewer: int | None, first: int) -> AsyncGenerator[table_pb2.WatchResponse]:
        """Follow a live table from event ``first`` on.

        Raises `ServiceError` when the stream ends otherwise than with the match.
        """
        watcher, moment = await live.join(viewer, first)
        try:
            snapshot: table_pb2.ObserveResponse | None = moment
            last = moment.last_sequence
            async with aclosing(self._log(live.table.table_id, first, last)) as pages:
                async for page in pages:
                    events = _project(page, viewer, {last: moment.turn})
                    yield self._message(events, last, snapshot)
                    snapshot = None
            while watcher.check():
                awake = await watcher.wait(self._heartbeat_seconds)
                events = watcher.take()
                if events or not awake:
                    yield self._message(events, live.shown)
        finally:
            live.part(watcher)

    async def ended(self, table_id: str, viewer: int | None, first: int) -> AsyncGenerator[table_pb2.WatchResponse]:
        """Replay a table that has ended. Raises `ServiceError` `table_frozen` behind what led there."""
        events = await self._store.events(table_id)
        stop = events[-1].table_frozen.reference if events and events[-1].HasField("table_frozen") else ""
        last = len(events)
        if first > last + 1:
            raise resume_from(last + 1)
        # What stopped a table may be that its log cannot be folded.
        snapshot = None if stop else projection.moment(fold_log(table_id, events), viewer, with_actions=False)
        for start in range(max(first, 1) - 1, max(last, 1), REPLAYED_AT_ONCE):
            yield self._message(_project(events[start : start + REPLAYED_AT_ONCE], viewer, {}), last, snapshot)
            snapshot = None
        if stop:
            raise frozen(stop)

    async def _log(self, table_id: str, first: int, last: int) -> AsyncGenerator[Sequence[Event]]:
        """Read a log in pages up to event ``last``; one page at least."""
        start = max(first, 1)
        while True:
            most = min(last + 1 - start, REPLAYED_AT_ONCE)
            page = await self._store.events(table_id, start, most) if most > 0 else []
            yield page
            start += len(page)
            if start > last:
                return

    def _message(
        self, events: Sequence[Event], last: int, snapshot: table_pb2.ObserveResponse | None = None
    ) -> table_pb2.WatchResponse:
        message = table_pb2.WatchResponse()
        if snapshot is not None:
            message.snapshot.CopyFrom(snapshot.observation)
            message.presence.extend(snapshot.presence)
        message.batch.events.extend(events)
        message.batch.last_sequence = last
        message.batch.now.FromMicroseconds(microseconds(self._clock.now()))
        return message


def _project(events: Sequence[Event], viewer: int | None, turns: dict[int, events_pb2.Turn]) -> list[Event]:
    """Show events of the log; a turn that has passed matters no more, so only those given are told."""
    shown = [projection.project(event, viewer, None) for event in events]
    for event in shown:
        if event.sequence in turns:
            event.turn.CopyFrom(turns[event.sequence])
    return shown
