"""Drives the events: looks at each, does what is due, and writes down what came of it.

Any number of processes may do this at once, and each may stop anywhere: what is due follows from the event's record,
tables are asked for under ids that follow from their place in the event, and an entry is written only while it still
fits (`books`).
"""

import asyncio
from collections.abc import Sequence
from typing import Final

from gouji.serving.clock import Clock
from gouji.serving.errors import ServiceError, StorageUnavailable
from gouji.serving.logs import Log, stack_of
from gouji.tournament import chance, course
from gouji.tournament.books import BY_ITSELF, Author, Books
from gouji.tournament.course import News
from gouji.tournament.metrics import TournamentMetrics
from gouji.tournament.pairing import Pair
from gouji.tournament.placing import Placing
from gouji.tournament.store import StillPlayed, Store
from gouji.tournament.tournament import Tournament
from gouji.v1.tournament_log_pb2 import TournamentEntry

_TRIES: Final = 5
"""How often a pairing is worked out anew because the event has changed meanwhile."""


class Driver:
    """The events of all directors; `run` runs for ever."""

    def __init__(
        self, store: Store, books: Books, placing: Placing, *, clock: Clock, metrics: TournamentMetrics, log: Log
    ) -> None:
        self._store = store
        self._books = books
        self._placing = placing
        self._clock = clock
        self._metrics = metrics
        self._log = log

    async def run(self, seconds: float) -> None:
        """Look at all events for ever, every so many seconds."""
        while True:
            await self.turn()
            await self._clock.sleep(seconds)

    async def turn(self) -> None:
        """Look at all events once."""
        under_way = await self._store.under_way()
        self._metrics.under_way.set(len(under_way))
        await asyncio.gather(*map(self._look, under_way))

    async def _look(self, tournament_id: str) -> None:
        """Look at one event; a fault in it stops no other."""
        try:
            await self.drive(tournament_id)
        except StorageUnavailable:
            raise
        except Exception as error:  # noqa: BLE001 - the next look tries again
            self._metrics.failures.inc()
            self._log.error("tournament_failed", tournament=tournament_id, stack=stack_of(error))

    async def drive(self, tournament_id: str) -> None:
        """Do all that is due in one event."""
        secret = await self._books.secret(tournament_id)
        event = await self._books.read(tournament_id)
        number = event.current.number if event.current else 0
        placed = await self._placing.place(event, course.due_tables(event), secret)
        ended = await self._store.ended([*event.live, *(table.table_id for table in placed.values())])
        corrected, corrections = await self._store.corrected(tournament_id)
        played = await self._store.played(course.shut_boards(event), event.ruled)
        news = News(number, placed, ended, played, corrected)
        while await self._step(tournament_id, news, secret):
            pass
        if (await self._books.read(tournament_id)).done:
            await self._store.close(tournament_id, corrections)
            self._placing.forget(tournament_id)

    async def _step(self, tournament_id: str, news: News, secret: bytes) -> bool:
        """Write the next entry; False when nothing is due."""
        event = await self._books.read(tournament_id)
        before = event.sequence
        if course.wants_pairing(event):
            await self.pair(tournament_id, len(event.rounds) + 1, BY_ITSELF)
            return True

        def follow(event: Tournament, now: int) -> TournamentEntry | None:
            entry = course.follow(event, news, secret, now)
            if entry is not None:
                self._metrics.entries.labels(entry.WhichOneof("body")).inc()
            return entry

        try:
            return (await self._books.write(tournament_id, BY_ITSELF, follow)).sequence > before
        except StillPlayed:
            return False  # the next look finds the table

    async def pair(self, tournament_id: str, number: int, author: Author, swaps: Sequence[Pair] = ()) -> Tournament:
        """Pair a round, or by somebody's command one anew that has not begun; gives the event as it is then.

        The pairing is worked out beside the event, and again if that changes meanwhile. Raises `ServiceError`:
        `unknown_round`, `round_begun`, `unknown_entrant`, and `overloaded` when it changes all the time.
        """
        for _ in range(_TRIES):
            event = await self._pair(tournament_id, number, author, swaps)
            if event is not None:
                return event
        raise ServiceError("overloaded", "The event changes too fast to be paired.", retry_after_ms=1000)

    async def _pair(self, tournament_id: str, number: int, author: Author, swaps: Sequence[Pair]) -> Tournament | None:
        """Pair a round if that is still wanted; None when the event has changed meanwhile."""
        secret = await self._books.secret(tournament_id)
        event = await self._books.read(tournament_id)
        if author is not BY_ITSELF and not event.rounds:
            raise ServiceError("unknown_round", "No round has been paired.")
        seen, plan = event.sequence, course.plan_of(event, chance.seed_of(secret), number)
        paired = await asyncio.to_thread(plan.pairing)
        changed = False

        def decide(event: Tournament, now: int) -> TournamentEntry | None:
            nonlocal changed
            if author is not BY_ITSELF:
                course.check_pair_again(event, number)
            elif not course.wants_pairing(event) or len(event.rounds) + 1 != number:
                return None
            changed = event.sequence != seen
            if changed:
                return None
            return course.round_paired(event, number, course.with_swaps(paired, swaps), secret, now)

        event = await self._books.write(tournament_id, author, decide)
        return None if changed else event
