"""Who follows which ticket in this process, and what each has been told."""

import asyncio
from collections import defaultdict
from collections.abc import Iterator, Mapping, Set
from contextlib import contextmanager
from dataclasses import dataclass, replace

from gouji.matchmaking.tickets import State, Ticket
from gouji.serving.errors import ServiceError


@dataclass(frozen=True, slots=True)
class View:
    """What a watcher is shown: a ticket, and its place in the queue from 1."""

    ticket: Ticket
    position: int


class Watch:
    """One watcher of one ticket. It gets the latest view; what has changed again meanwhile is skipped."""

    def __init__(self, view: View) -> None:
        self.view = view
        self._closed = False
        self._told = asyncio.Event()

    def tell(self, view: View) -> None:
        """Hand over a view; one that shows the same is not passed on."""
        if view != self.view:
            self.view = view
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
        self._watches: defaultdict[str, set[Watch]] = defaultdict(set)

    @contextmanager
    def follow(self, view: View) -> Iterator[Watch]:
        """Watch a ticket within the block."""
        watch = Watch(view)
        ticket_id = view.ticket.ticket_id
        self._watches[ticket_id].add(watch)
        try:
            yield watch
        finally:
            self._watches[ticket_id].discard(watch)
            if not self._watches[ticket_id]:
                del self._watches[ticket_id]

    @property
    def ticket_ids(self) -> Set[str]:
        """Tickets that somebody watches."""
        return self._watches.keys()

    def publish(self, positions: Mapping[str, int], ended: Mapping[str, Ticket]) -> None:
        """Tell everybody of tickets that moved up in their queue, or that wait no longer."""
        for ticket_id, watches in self._watches.items():
            for watch in watches:
                if ticket_id in positions:
                    watch.tell(replace(watch.view, position=positions[ticket_id]))
                elif ticket_id in ended and ended[ticket_id].state is not State.WAITING:
                    watch.tell(View(ended[ticket_id], 0))

    async def close(self) -> None:
        """End all watches."""
        for watches in self._watches.values():
            for watch in watches:
                watch.close()
