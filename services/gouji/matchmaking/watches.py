"""Who follows which ticket in this process, what each has been told, and telling it."""

import asyncio
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Set
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass
from typing import Final

from gouji.matchmaking.followers import Followers
from gouji.matchmaking.store import Store
from gouji.matchmaking.tickets import State, Ticket
from gouji.serving.clock import Clock, microseconds
from gouji.serving.errors import ServiceError
from gouji.serving.settings import Settings

_EXPECTED_SECONDS: Final = 5.0
"""How often it is worked out anew how long the queues' people wait."""

SHORT: Final = 1000
"""Up to so many tickets in their queues, people are told of their place at once."""

PLACES_SECONDS: Final = 5.0
"""How often they are when more wait."""


@dataclass(frozen=True, slots=True)
class View:
    """What a watcher is shown: a ticket, its place in the queue from 1, and how long others waited if known."""

    ticket: Ticket
    position: int = 0
    expected: int | None = None


class Watch:
    """One watcher of one ticket. It gets the latest view; what has changed again meanwhile is skipped."""

    def __init__(self, view: View) -> None:
        self.view = view
        self._closed = False
        self._told = asyncio.Event()

    def tell(self, view: View) -> None:
        """Hand over a view; one that shows the same is not passed on."""
        changed = (view.ticket, view.position) != (self.view.ticket, self.view.position)
        self.view = view
        if changed:
            self._told.set()

    def close(self) -> None:
        """End the watch from the server's side."""
        self._closed = True
        self._told.set()

    async def next(self, seconds: float) -> View:
        """Wait for a change, at most so long. Raises `ServiceError` `draining` when the server stops."""
        try:
            async with asyncio.timeout(seconds):
                await self._told.wait()
        except TimeoutError:
            return self.view
        if self._closed:
            raise ServiceError("draining", "The server stops; watch the ticket elsewhere.", retry_after_ms=100)
        self._told.clear()
        return self.view


class Watches:
    """All watches of a process, by ticket."""

    def __init__(self) -> None:
        self._followers = Followers[Watch]()

    def follow(self, view: View) -> AbstractContextManager[Watch]:
        """Watch a ticket within the block."""
        return self._followers.follow(view.ticket.ticket_id, Watch(view))

    @property
    def ticket_ids(self) -> Set[str]:
        """Tickets that somebody watches."""
        return self._followers.keys

    @property
    def queues(self) -> set[str]:
        """The queues of these tickets."""
        return {watch.view.ticket.wish.queue for _, watches in self._followers.items() for watch in watches}

    def waits(self, ticket_id: str) -> bool:
        """Whether the watchers of a ticket have been told that it waits."""
        return all(watch.view.ticket.state is State.WAITING for watch in self._followers.of(ticket_id))

    def publish(self, positions: Mapping[str, int], changed: Mapping[str, Ticket], expected: Mapping[str, int]) -> None:
        """Tell everybody of tickets that moved up in their queue, or that are not as they were.

        Whose place is not known keeps the one that it has been told.
        """
        for ticket_id, watches in self._followers.items():
            for watch in watches:
                ticket = changed.get(ticket_id, watch.view.ticket)
                watch.tell(
                    View(ticket, positions.get(ticket_id, _place(watch, ticket)), expected.get(ticket.wish.queue))
                )

    async def close(self) -> None:
        """End all watches."""
        await self._followers.close()


class Teller:
    """Keeps the watched tickets of this process alive, and tells their watchers what has become of them."""

    def __init__(self, store: Store, watches: Watches, *, clock: Clock, settings: Settings) -> None:
        self._store = store
        self._watches = watches
        self._clock = clock
        self._interval = settings.queue_cycle_ms / 1000
        self._lease = settings.ticket_lease_seconds * 1_000_000
        self._renew_at = 0
        self._expected: dict[str, int] = {}
        self._expected_at = 0.0
        self._places: dict[str, int] = {}
        self._places_at = 0.0
        self._changes_to = 0
        self._woken = asyncio.Event()

    def wake(self) -> None:
        """Have the watchers told soon: something has changed."""
        self._woken.set()

    async def run(self) -> None:
        """Tell the watchers over and over, for ever."""
        while True:
            await self.turn()
            with suppress(TimeoutError):
                async with asyncio.timeout(self._interval):
                    await self._woken.wait()
            self._woken.clear()

    async def turn(self) -> None:
        """Tell the watchers once."""
        now = microseconds(self._clock.now())
        watched = set(self._watches.ticket_ids)
        if not watched:
            return
        renewed = await self._renew(watched, now)
        queues = self._watches.queues
        await self._expect(queues, now)
        waiting = await self._waiting(watched, queues)
        # A ticket that waits as its watchers have been told need not be read again, save now and then.
        known = {ticket_id for ticket_id in waiting if self._watches.waits(ticket_id)}
        changed = await self._store.many(watched if renewed else watched - known)
        gone = {ticket_id for ticket_id, ticket in changed.items() if ticket.state is not State.WAITING}
        places = {ticket_id: at for ticket_id, at in self._places.items() if ticket_id not in gone}
        self._watches.publish(places, changed, self._expected)

    async def _waiting(self, watched: Set[str], queues: Set[str]) -> Set[str]:
        """Say which watched tickets still wait, of a long line those of which no change is known; note their places."""
        if self._clock.monotonic() < self._places_at:
            changed, self._changes_to = await self._store.changes(queues, self._changes_to)
            return (watched & self._places.keys()) - changed
        _, self._changes_to = await self._store.changes((), 0)
        line = await self._store.line(queues)
        self._places = {ticket: at for ticket, at in positions_of(line) if ticket in watched}
        self._places_at = self._clock.monotonic() + (PLACES_SECONDS if len(line) > SHORT else 0.0)
        return self._places.keys()

    async def _renew(self, watched: Set[str], now: int) -> bool:
        """Renew the leases of watched tickets, three times in the length of a lease; says whether it was time to."""
        due = now >= self._renew_at
        if due:
            await self._store.renew(watched, now + self._lease)
            self._renew_at = now + self._lease // 3
        return due

    async def _expect(self, queues: Set[str], now: int) -> None:
        if self._clock.monotonic() >= self._expected_at:
            self._expected = await self._store.expected(queues, now)
            self._expected_at = self._clock.monotonic() + _EXPECTED_SECONDS


def _place(watch: Watch, ticket: Ticket) -> int:
    return watch.view.position if ticket.state is State.WAITING else 0


def positions_of(line: Iterable[tuple[str, str]]) -> Iterator[tuple[str, int]]:
    """Count the places in each queue from 1, given (queue, ticket), the oldest first."""
    counts: Counter[str] = Counter()
    for queue, ticket_id in line:
        counts[queue] += 1
        yield ticket_id, counts[queue]
