"""After a match: its people say something and ask for a rematch, for a while.

No server owns a table that is over. Whoever is asked writes behind the log's end under a lock on the table's row, and
whoever has watchers looks for what is new there; so nothing of this is lost with a server.
"""

import asyncio
import hashlib
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Final

from gouji.serving.app import App
from gouji.serving.clock import microseconds
from gouji.serving.errors import ServiceError, StorageUnavailable
from gouji.table import projection
from gouji.table.commands import Command, Told
from gouji.table.company import people
from gouji.table.people_store import MOST_AFTERWARDS, Ended, PeopleStore
from gouji.table.refusals import SPEAK_AGAIN_MS
from gouji.table.store import Step
from gouji.table.watch import Guest, Shown, Watcher, Watchers
from gouji.v1 import events_pb2, table_pb2
from gouji.v1.events_pb2 import Event
from gouji.wire.bots import is_bot

POLL_SECONDS: Final = 1.0
"""How often logs of ended matches that are watched are looked at."""


@dataclass(slots=True)
class _Open:
    """An ended match that is watched: up to which event it was shown, and until when it is (monotonic)."""

    sequence: int
    until: float
    watchers: Watchers = field(default_factory=Watchers)


class Afterwards:
    """The ended matches that are watched here; `run` runs for ever."""

    def __init__(self, app: App, store: PeopleStore) -> None:
        self._clock = app.clock
        self._seconds = app.settings.rematch_seconds
        self._stand_in = app.settings.stand_in_level
        self._store = store
        self._open: dict[str, _Open] = {}
        self._polling = asyncio.Lock()

    # Commands

    async def say(self, table_id: str, seat: int, phrase: str, command: Command) -> Told:
        """Say something after the match. Raises `ServiceError`: `too_often`, `table_over` when it is too late."""
        async with self._store.writing(table_id) as (connection, ended):
            if ended is None or not self._lasts(ended):
                raise ServiceError("table_over", "The match is over.")
            now = microseconds(self._clock.now())
            if not ended.company.may_say(seat, now) or len(ended.events) >= MOST_AFTERWARDS:
                raise ServiceError("too_often", "You have said enough for now.", SPEAK_AGAIN_MS)
            event = _after(ended.last, now, said=events_pb2.Said(seat=seat, phrase=phrase))
            step = _step(table_id, ended, [event], [(command, event.sequence)])
            await self._store.append(connection, step)
        await self._poll([table_id])
        return Told(table_pb2.OUTCOME_DONE, event.sequence)

    async def ready(self, table_id: str, seat: int, *, ready: bool) -> table_pb2.ReadyResponse:
        """Note whether a seat wants a rematch; the last one's wish places it, in the same transaction.

        Raises `ServiceError`: `match_not_over`, `no_rematch` when it is too late, `already_seated` when one of the
        people plays elsewhere by now.
        """
        async with self._store.writing(table_id) as (connection, ended):
            if ended is None:
                raise ServiceError("match_not_over", "The match is not over.")
            if ended.spec.HasField("board"):
                raise ServiceError("no_rematch", "A tournament's board is played once.")
            company = ended.company
            if company.rematch or (seat in company.ready) == ready:
                return table_pb2.ReadyResponse(rematch_table_id=company.rematch)
            if not self._lasts(ended) or len(ended.events) >= MOST_AFTERWARDS:
                raise ServiceError("no_rematch", "It is too late for a rematch.")
            now = microseconds(self._clock.now())
            events = [_after(ended.last, now, rematch_wish=events_pb2.RematchWish(seat=seat, ready=ready))]
            company.fold(events[0])
            if company.all_ready(ended.spec.seats):
                spec = rematch_of(table_id, ended.spec, self._stand_in)
                await self._store.place(connection, spec)
                placed = events_pb2.RematchPlaced(table_id=spec.table_id)
                events.append(_after(events[0], now, rematch_placed=placed))
            await self._store.append(connection, _step(table_id, ended, events))
        await self._poll([table_id])
        return table_pb2.ReadyResponse(sequence=events[0].sequence, rematch_table_id=events[-1].rematch_placed.table_id)

    def _lasts(self, ended: Ended) -> bool:
        return ended.played_out and ended.ago < self._seconds * 1_000_000

    # Watching

    async def join(self, table_id: str, viewer: int | None, first: int, guest: Guest) -> Watcher | None:
        """Have somebody watch what follows a match from event ``first`` on; None when nothing more can follow."""
        async with self._polling:
            ended = await self._store.ended(table_id)
            if ended is None or not people(ended.spec.seats) or not self._lasts(ended):
                return None
            until = self._clock.monotonic() + self._seconds - ended.ago / 1_000_000
            room = self._open.setdefault(table_id, _Open(ended.last.sequence, until))
            watcher = Watcher(viewer, first, guest=guest)
            for event in ended.events:
                if event.sequence <= room.sequence:
                    watcher.put(Shown(projection.hush(projection.project(event, viewer, None), guest.muted)))
            room.watchers.add(watcher)
            if ended.company.rematch and ended.last.sequence <= room.sequence:
                watcher.end()
            return watcher

    def part(self, table_id: str, watcher: Watcher) -> None:
        """Forget a watcher, and with the last one the match."""
        room = self._open.get(table_id)
        if room is not None:
            room.watchers.discard(watcher)
            if not len(room.watchers):
                del self._open[table_id]

    def mute(self, table_id: str, player_id: str, muted: set[int]) -> None:
        """Have a player's watchers of a match leave out what these seats say."""
        if table_id in self._open:
            self._open[table_id].watchers.mute(player_id, muted)

    def last(self, table_id: str) -> int:
        """Give the number of the last event shown of a match that is watched here; 0 for another."""
        return self._open[table_id].sequence if table_id in self._open else 0

    async def run(self) -> None:
        """Show what is new, for ever."""
        while True:
            await self._clock.sleep(POLL_SECONDS)
            await self._poll(list(self._open))

    async def close(self) -> None:
        """End all watches: there is nothing that a client need come back for at once."""
        for room in self._open.values():
            room.watchers.end()
        self._open.clear()

    async def _poll(self, table_ids: list[str]) -> None:
        async with self._polling:
            lasts = {table_id: self._open[table_id].sequence for table_id in table_ids if table_id in self._open}
            found: dict[str, list[Event]] = {}
            with suppress(StorageUnavailable):
                found = await self._store.since(lasts) if lasts else {}
            for table_id, events in found.items():
                if table_id in self._open:
                    self._show(table_id, self._open[table_id], events)

    def _show(self, table_id: str, room: _Open, events: list[Event]) -> None:
        for event in events:
            room.sequence = event.sequence
            room.watchers.show(partial(_shown, event))
        placed = any(event.HasField("rematch_placed") for event in events)
        if placed or self._clock.monotonic() >= room.until:
            room.watchers.end()
            del self._open[table_id]


def rematch_of(table_id: str, spec: table_pb2.TableSpec, stand_in: str) -> table_pb2.TableSpec:
    """Make the rematch of a match: the same rules, length and seats; it comes from no queue and no tournament.

    Its id follows from that of the match, so that there is never more than one. Bots of others' own came for one
    match: bots of the ``stand_in`` level take their seats.
    """
    again = table_pb2.TableSpec()
    again.CopyFrom(spec)
    again.table_id = hashlib.sha256(f"rematch/{table_id}".encode()).hexdigest()[:32]
    again.queue = again.tournament = ""
    for seat in again.seats:
        if is_bot(seat.player_id):
            seat.CopyFrom(events_pb2.Seat(bot_level=stand_in, name=seat.name))
    return again


def _shown(event: Event, viewer: int | None) -> Event:
    return projection.project(event, viewer, None)


def _after(last: Event, now: int, **body: object) -> Event:
    event = Event(sequence=last.sequence + 1, hand=last.hand, **body)  # type: ignore[arg-type]
    event.at.FromMicroseconds(max(now, last.at.ToMicroseconds()))
    return event


def _step(table_id: str, ended: Ended, events: list[Event], commands: list[tuple[Command, int]] | None = None) -> Step:
    at = events[-1].at.ToMicroseconds()
    return Step(table_id=table_id, fence=ended.fence, at=at, events=events, commands=commands or ())
