"""Watchers of one table: what waits for each of them, bounded, and how their streams end."""

import asyncio
from collections import deque
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Final

from gouji.serving.errors import ServiceError
from gouji.table.projection import hush
from gouji.table.refusals import moved, resume_from
from gouji.v1.events_pb2 import Event
from gouji.v1.table_pb2 import EventBatch, WatchResponse

MOST_PENDING: Final = 1024
"""Events that may wait for one watcher; one more closes its stream."""


@dataclass(frozen=True, slots=True)
class Guest:
    """Who watches: a player's id and device, and which seats it has muted; the set changes while it watches."""

    player_id: str = ""
    device: str = ""
    take_over: bool = False
    muted: set[int] = field(default_factory=set)


SPREAD_MS: Final = 400
"""Time over which the watchers of a table that moves come back."""


class Shown:
    """An event as it is shown, packed once for all who see it alike."""

    __slots__ = ("_packed", "event")

    def __init__(self, event: Event) -> None:
        self.event = event
        self._packed: bytes | None = None

    @property
    def packed(self) -> bytes:
        """The bytes of a `WatchResponse` with this event alone; several behind one another are one with all events."""
        if self._packed is None:
            self._packed = WatchResponse(batch=EventBatch(events=[self.event])).SerializeToString()
        return self._packed


class Watcher:
    """One stream's end of a table. ``seat`` is None for a spectator; ``first`` is the first event wanted."""

    def __init__(
        self, seat: int | None, first: int, most_pending: int = MOST_PENDING, *, guest: Guest | None = None
    ) -> None:
        self.seat = seat
        self.guest = guest or Guest()
        self._next = first
        self._most = most_pending
        self._pending: deque[Shown] = deque()
        self._waiting: asyncio.Future[bool] | None = None
        self._ended = False
        self._error: ServiceError | None = None

    @property
    def ended(self) -> bool:
        """Nothing is added any more."""
        return self._ended

    @property
    def taken(self) -> int:
        """Number of the last event that was taken, or was before the first."""
        return self._next - 1

    def put(self, shown: Shown) -> None:
        """Add an event, unless it is older than what is wanted; end with `resume_from` when too many wait."""
        if self._ended or shown.event.sequence < self._next:
            return
        if len(self._pending) >= self._most:
            self._pending.clear()
            self.end(resume_from(self._next))
            return
        self._pending.append(shown)
        self._wake()

    def end(self, error: ServiceError | None = None) -> None:
        """End the stream after what is pending: with an error, or well."""
        if not self._ended:
            self._ended, self._error = True, error
            self._wake()

    def _wake(self, *, awake: bool = True) -> None:
        if self._waiting is not None and not self._waiting.done():
            self._waiting.set_result(awake)

    def take(self) -> list[Shown]:
        """Take all that is pending, in order."""
        taken = list(self._pending)
        self._pending.clear()
        if taken:
            self._next = taken[-1].event.sequence + 1
        return taken

    async def wait(self, seconds: float) -> bool:
        """Wait until something is pending or the stream has ended; False when the time is over first."""
        if self._pending or self._ended:
            return True
        # A future and a timer, not `asyncio.timeout` around an event: this is done for each message.
        loop = asyncio.get_running_loop()
        self._waiting = loop.create_future()
        over = loop.call_later(seconds, partial(self._wake, awake=False))
        try:
            return await self._waiting
        finally:
            over.cancel()
            self._waiting = None

    def check(self) -> bool:
        """Say whether the stream goes on; raise what it ended with, if that was an error."""
        if self._pending or not self._ended:
            return True
        if self._error is not None:
            raise self._error
        return False


class Watchers:
    """All watchers of one table. Once they have been ended, one who comes late is ended alike."""

    def __init__(self) -> None:
        self._all: set[Watcher] = set()
        self._ended = False
        self._error: ServiceError | None = None

    def __len__(self) -> int:
        return len(self._all)

    def __iter__(self) -> Iterator[Watcher]:
        return iter(self._all)

    def add(self, watcher: Watcher) -> None:
        """Have a watcher get what comes from now on; end it when nothing comes any more."""
        if self._ended:
            watcher.end(self._error)
        else:
            self._all.add(watcher)

    def discard(self, watcher: Watcher) -> None:
        """Forget a watcher."""
        self._all.discard(watcher)

    def watches(self, seat: int) -> bool:
        """Say whether anybody watches from this seat."""
        return any(watcher.seat == seat for watcher in self._all)

    def devices(self, seat: int) -> set[str]:
        """Say from which devices this seat is watched."""
        return {watcher.guest.device for watcher in self._all if watcher.seat == seat}

    def mute(self, player_id: str, muted: set[int]) -> None:
        """Have all streams of a player leave out what these seats say from now on."""
        for watcher in self._all:
            if watcher.guest.player_id == player_id:
                watcher.guest.muted.clear()
                watcher.guest.muted.update(muted)

    def end_seat(self, seat: int) -> None:
        """End the streams of one seat, well."""
        for watcher in [watcher for watcher in self._all if watcher.seat == seat]:
            watcher.end()
            self._all.discard(watcher)

    def show(self, project: Callable[[int | None], Event]) -> int:
        """Give an event to all, made once for each seat; say how many fell behind and were dropped."""
        made: dict[int | None, Shown] = {}
        alike: dict[int, Shown] = {}
        for watcher in self._all:
            if watcher.seat not in made:
                event = project(watcher.seat)
                made[watcher.seat] = alike.setdefault(id(event), Shown(event))
            watcher.put(_hushed(made[watcher.seat], watcher.guest.muted))
        behind = [watcher for watcher in self._all if watcher.ended]
        self._all.difference_update(behind)
        return len(behind)

    def end(self, error: ServiceError | None = None) -> None:
        """End all streams, and those that come later."""
        self._ended, self._error = True, error
        for watcher in self._all:
            watcher.end(error)
        self._all.clear()

    def move(self, sequence: int, server_id: str, address: str) -> None:
        """End all streams; each is told where to go on from this event, and when, so that not all come at once."""
        for number, watcher in enumerate(self._all):
            watcher.end(moved(sequence, server_id, address, SPREAD_MS * number // len(self._all)))
        self.end(moved(sequence, server_id, address, 0))


def _hushed(shown: Shown, muted: Collection[int]) -> Shown:
    event = hush(shown.event, muted)
    return shown if event is shown.event else Shown(event)
