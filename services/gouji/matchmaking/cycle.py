"""The cycle: look at the queues, make tables, tell the watchers. Several processes may run one each."""

import asyncio
import uuid
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import Final

from gouji.matchmaking.metrics import MatchmakingMetrics
from gouji.matchmaking.placing import Placement, of_proposal
from gouji.matchmaking.policy import Waiting, propose
from gouji.matchmaking.store import Store
from gouji.matchmaking.wakeups import Wakeups
from gouji.matchmaking.watches import Watches
from gouji.serving.clock import Clock, microseconds
from gouji.serving.settings import Settings

CLAIM_TABLES: Final = 50
"""Tables made in one transaction: whoever cancels one of their tickets waits for it."""


class Cycle:
    """Looks at all queues, over and over."""

    def __init__(
        self,
        store: Store,
        watches: Watches,
        wakeups: Wakeups,
        metrics: MatchmakingMetrics,
        *,
        clock: Clock,
        settings: Settings,
    ) -> None:
        self._store = store
        self._watches = watches
        self._wakeups = wakeups
        self._metrics = metrics
        self._clock = clock
        self._interval = settings.queue_cycle_ms / 1000
        self._pace_ms = settings.bot_pace_ms
        self._lease = settings.ticket_lease_seconds * 1_000_000
        self._renew_at = 0
        self._woken = asyncio.Event()

    def wake(self) -> None:
        """Have the next look taken soon: a ticket is new or gone."""
        self._woken.set()

    async def run(self) -> None:
        """Take one look after another for ever."""
        while True:
            began = self._clock.monotonic()
            with self._metrics.cycle.time():
                await self.turn()
            await self._pause(self._clock.monotonic() - began)

    async def turn(self) -> list[Placement]:
        """Take one look; returns the tables made."""
        now = microseconds(self._clock.now())
        await self._renew(now)
        found = await self._store.look(now)
        await self._store.tidy(found, now)
        made = await self._make(found.waiting, now)
        taken = {ticket.ticket_id for placement in made for ticket in placement.tickets}
        await self._tell([ticket for ticket in found.waiting if ticket.ticket_id not in taken])
        return made

    async def _renew(self, now: int) -> None:
        """Renew the leases of watched tickets, three times in the length of a lease."""
        if now >= self._renew_at:
            await self._store.renew(self._watches.ticket_ids, now + self._lease)
            self._renew_at = now + self._lease // 3

    async def _make(self, waiting: Sequence[Waiting], now: int) -> list[Placement]:
        """Make the tables that the policy proposes; one whose tickets changed meanwhile is left out."""
        # Tens of thousands of tickets take a while: calls are answered in between.
        proposals = await asyncio.to_thread(propose, waiting, now)
        made: list[Placement] = []
        for start in range(0, len(proposals), CLAIM_TABLES):
            some = proposals[start : start + CLAIM_TABLES]
            placements = [of_proposal(proposal, uuid.uuid4().hex, self._pace_ms) for proposal in some]
            claimed = await self._store.claim(placements, now)
            self._metrics.claimed(len(some), claimed, now)
            for placement in claimed:
                self._wakeups.put(placement.table_id)
            made += claimed
        return made

    async def _tell(self, waiting: Sequence[Waiting]) -> None:
        """Tell watchers of their tickets' places, and of tickets that wait no longer."""
        self._metrics.waiting.set(len(waiting))
        if self._watches.ticket_ids:
            positions = positions_of(waiting)
            ended = await self._store.many(self._watches.ticket_ids - positions.keys())
            self._watches.publish(positions, ended)

    async def _pause(self, spent: float) -> None:
        """Wait for a new ticket or the next look; as much time as a look took is left to others."""
        await self._clock.sleep(min(spent, self._interval))
        with suppress(TimeoutError):
            async with asyncio.timeout(self._interval):
                await self._woken.wait()
        self._woken.clear()


def positions_of(waiting: Iterable[Waiting]) -> dict[str, int]:
    """Count the places in each queue from 1, given the oldest tickets first."""
    counts: Counter[str] = Counter()
    positions = {}
    for ticket in waiting:
        counts[ticket.queue] += 1
        positions[ticket.ticket_id] = counts[ticket.queue]
    return positions
