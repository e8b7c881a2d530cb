"""A table as it stood a while ago: for spectators and directors whom the table shows itself only later.

It folds the log for itself, up to the last event that may be shown, and whatever such a viewer gets comes from here:
events, snapshots, numbers. So nothing of it can tell how the table stands now.
"""

from collections import deque
from collections.abc import Sequence

from gouji.table import projection
from gouji.table.refusals import resume_from
from gouji.table.table import Table
from gouji.table.watch import Guest, Watcher, Watchers
from gouji.v1 import rules_pb2, table_pb2
from gouji.v1.events_pb2 import Event


class Behind:
    """One kind of viewer's table, ``delay`` behind. Put the log's events in, in order; `release` shows what is due."""

    def __init__(self, table_id: str, viewer: int | None, delay: rules_pb2.Delay) -> None:
        self.table = Table(table_id)
        self.watchers = Watchers()
        self._viewer = viewer
        self._delay = delay
        self._waiting: deque[Event] = deque()
        self._moves = 0
        self._over = self._ended = False
        self._early: list[Event] | None = []

    @property
    def shown(self) -> int:
        """The last event that may be shown."""
        return self.table.sequence

    @property
    def done(self) -> bool:
        """All has been shown, and nothing more comes."""
        return self._ended and not self._waiting

    def put(self, event: Event) -> None:
        """Take in an event that was written; one that is known is passed over."""
        if self._early is not None:
            self._early.append(event)
            return
        if event.sequence <= (self._waiting[-1].sequence if self._waiting else self.table.sequence):
            return
        self._waiting.append(event)
        self._moves += event.HasField("action_taken")
        self._over |= event.HasField("match_ended") or event.HasField("table_abandoned")
        # A table that stands still may be resumed.
        self._ended = self._over or event.HasField("table_frozen")

    def catch_up(self, log: Sequence[Event]) -> None:
        """Take in the log so far; what was put before is behind it, or in it."""
        early, self._early = self._early or [], None
        for event in (*log, *early):
            self.put(event)

    def release(self, now: int) -> int:
        """Show what is due at a time in microseconds; say how many watchers fell behind and were dropped."""
        dropped = 0
        while self._waiting and self._due(self._waiting[0], now):
            event = self._waiting.popleft()
            self._moves -= event.HasField("action_taken")
            self.table.fold(event)
            shown = projection.project(event, self._viewer, self.table.asking)
            dropped += self.watchers.show(lambda _viewer, shown=shown: shown)  # type: ignore[misc]
        return dropped

    def _due(self, first: Event, now: int) -> bool:
        after = self._moves - first.HasField("action_taken")
        passed = now - first.at.ToMicroseconds() >= self._delay.milliseconds * 1000
        return passed and (after >= self._delay.moves or self._ended)

    async def join(
        self, viewer: int | None, first: int, guest: Guest | None = None
    ) -> tuple[Watcher, table_pb2.ObserveResponse]:
        """Have somebody watch from event ``first`` on, as `Live.join` does."""
        if first > self.shown + 1:
            raise resume_from(self.shown + 1)
        watcher = Watcher(viewer, self.shown + 1, guest=guest)
        self.watchers.add(watcher)
        return watcher, projection.moment(self.table, viewer, with_actions=False)

    def part(self, watcher: Watcher) -> None:
        """Forget a watcher."""
        self.watchers.discard(watcher)


def delay_of(spec: table_pb2.TableSpec, viewer: int | None, director_seconds: int) -> rules_pb2.Delay | None:
    """Say how far behind a viewer is to be; None for one who sees the table as it is."""
    if viewer == projection.DIRECTOR:
        usual = rules_pb2.Delay(milliseconds=director_seconds * 1000)
        return spec.director_delay if spec.HasField("director_delay") else usual
    return spec.spectator_delay if viewer is None and lags(spec) else None


def lags(spec: table_pb2.TableSpec) -> bool:
    """Say whether spectators are behind at this table."""
    return bool(spec.spectator_delay.moves or spec.spectator_delay.milliseconds)
