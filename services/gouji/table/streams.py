"""What a watch sends: a snapshot, the log from where the watcher left off, then all that comes."""

from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from typing import Final, Protocol

from gouji.serving.app import App
from gouji.serving.clock import microseconds
from gouji.table import projection
from gouji.table.afterwards import Afterwards
from gouji.table.loading import fold_log
from gouji.table.refusals import frozen, resume_from
from gouji.table.store import Store
from gouji.table.table import Table
from gouji.table.watch import Guest, Watcher
from gouji.v1 import events_pb2, table_pb2
from gouji.v1.events_pb2 import Event

REPLAYED_AT_ONCE: Final = 256
"""Events of the log in one message."""


Opening = tuple[table_pb2.ObserveResponse | None, table_pb2.WatchStart | None]
"""What the first message of a watch says beside events."""


Send = Callable[[table_pb2.WatchResponse | bytes], Awaitable[None]]
"""Writes a message of a watch, which may be packed already."""


class Source(Protocol):
    """What can be followed: a live table, or a delayed view of one."""

    table: Table

    @property
    def shown(self) -> int:
        """Number of the last event that may be shown."""

    async def join(
        self, viewer: int | None, first: int, guest: Guest | None = None
    ) -> tuple[Watcher, table_pb2.ObserveResponse]:
        """Have somebody watch; give the moment from which on all is shown as it comes."""

    def part(self, watcher: Watcher) -> None:
        """Forget a watcher."""


@dataclass(frozen=True, slots=True)
class Want:
    """What somebody wants to watch: as whom, and from which event on, or with ``from_now`` from now on."""

    viewer: int | None
    first: int
    guest: Guest
    from_now: bool = False


class Streams:
    """Makes the messages of watches."""

    def __init__(self, app: App, store: Store, afterwards: Afterwards) -> None:
        self._clock = app.clock
        self._returns = app.budgets.returns
        self._store = store
        self._afterwards = afterwards
        self._most_replayed = app.settings.replay_events
        self._heartbeat_seconds = app.settings.heartbeat_seconds

    async def live(self, source: Source, want: Want, send: Send) -> int:
        """Follow a table that goes on, or a delayed view of one; give the number of the last event sent.

        Raises `ServiceError` when the stream ends otherwise than with the match.
        """
        watcher, moment = await source.join(want.viewer, want.first, want.guest)
        try:
            await self._catch_up(source, want, moment, send)
            del moment  # it is all that the viewer sees, and a watch lasts
            await self._follow(watcher, lambda: source.shown, send)
        finally:
            source.part(watcher)
        return watcher.taken

    async def _catch_up(self, source: Source, want: Want, moment: table_pb2.ObserveResponse, send: Send) -> None:
        """Send how the table stands, and the log up to there."""
        last = moment.last_sequence
        first = self._first(want, last)
        opening: Opening = (moment, projection.start(source.table, want.viewer, first, want.guest.muted))
        async with aclosing(self._log(source.table.table_id, first, last)) as pages:
            async for page in pages:
                await send(self._message(_project(page, want, {last: moment.turn}), last, opening))
                opening = (None, None)

    async def _follow(self, watcher: Watcher, last: Callable[[], int], send: Send) -> None:
        """Send what comes for a watcher, and heart-beats, until its stream has ended."""
        while watcher.check():
            awake = await watcher.wait(self._heartbeat_seconds)
            taken = watcher.take()
            if taken or not awake:
                await send(b"".join([*(shown.packed for shown in taken), self._standing(last()).SerializeToString()]))

    async def afterwards(self, table_id: str, want: Want, send: Send) -> None:
        """Follow what people say and wish for after a match, for as long as they may."""
        watcher = await self._afterwards.join(table_id, want.viewer, want.first, want.guest)
        if watcher is None:
            return
        try:
            await self._follow(watcher, lambda: self._afterwards.last(table_id), send)
        finally:
            self._afterwards.part(table_id, watcher)

    async def ended(self, table_id: str, want: Want, send: Send) -> int:
        """Replay a table that has ended; give the number of its last event.

        Raises `ServiceError` `table_frozen` behind what led there.
        """
        events = await self._store.events(table_id)
        stop = events[-1].table_frozen.reference if events and events[-1].HasField("table_frozen") else ""
        last = len(events)
        if want.first > last + 1:
            raise resume_from(last + 1)
        first = self._first(want, last)
        opening: Opening = (None, None)
        # What stopped a table may be that its log cannot be folded.
        if not stop:
            table = fold_log(table_id, events)
            start = projection.start(table, want.viewer, first, want.guest.muted)
            opening = (projection.moment(table, want.viewer, with_actions=False), start)
        for begin in range(first - 1, max(last, first), REPLAYED_AT_ONCE):
            await send(self._message(_project(events[begin : begin + REPLAYED_AT_ONCE], want, {}), last, opening))
            opening = (None, None)
        if stop:
            raise frozen(stop)
        return last

    def _first(self, want: Want, last: int) -> int:
        """Say with which event a watch begins; one too far behind begins after the last."""
        first = max(want.first, 1)
        return last + 1 if want.from_now or last + 1 - first > self._most_replayed else first

    async def _log(self, table_id: str, first: int, last: int) -> AsyncGenerator[Sequence[Event]]:
        """Read a log in pages up to event ``last``; one page at least."""
        start = max(first, 1)
        while True:
            most = min(last + 1 - start, REPLAYED_AT_ONCE)
            async with self._returns:
                page = await self._store.events(table_id, start, most) if most > 0 else []
            yield page
            start += len(page)
            if start > last:
                return

    def _message(self, events: Sequence[Event], last: int, opening: Opening = (None, None)) -> table_pb2.WatchResponse:
        moment, start = opening
        message = table_pb2.WatchResponse(start=start)
        if moment is not None:
            message.presence.extend(moment.presence)
        if moment is not None and moment.HasField("observation"):
            message.snapshot.CopyFrom(moment.observation)
        message.batch.events.extend(events)
        message.MergeFrom(self._standing(last))
        return message

    def _standing(self, last: int) -> table_pb2.WatchResponse:
        """Say how far the table is, and the time: what each message ends with."""
        message = table_pb2.WatchResponse()
        message.batch.last_sequence = last
        message.batch.now.FromMicroseconds(microseconds(self._clock.now()))
        return message


def _project(events: Sequence[Event], want: Want, turns: dict[int, events_pb2.Turn]) -> list[Event]:
    """Show events of the log; a turn that has passed matters no more, so only those given are told."""
    shown = [projection.hush(projection.project(event, want.viewer, None), want.guest.muted) for event in events]
    for event in shown:
        if event.sequence in turns:
            event.turn.CopyFrom(turns[event.sequence])
    return shown
