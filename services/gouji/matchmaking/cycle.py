"""The cycle: look at the queues whose lease this process holds, make matches, and finish those that gather."""

import asyncio
import uuid
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Final

from gouji.matchmaking.finishing import Finisher
from gouji.matchmaking.line import Line
from gouji.matchmaking.matches import Matches
from gouji.matchmaking.metrics import MatchmakingMetrics
from gouji.matchmaking.placing import Placement, of_proposal
from gouji.matchmaking.policy import DEFAULT, Level
from gouji.matchmaking.queues import Lease, Queues
from gouji.matchmaking.ready import Verdict
from gouji.matchmaking.store import Store
from gouji.matchmaking.wakeups import Wakeups
from gouji.matchmaking.watches import Teller
from gouji.serving.clock import Clock, microseconds
from gouji.serving.database import Database
from gouji.serving.logs import Log
from gouji.serving.settings import Settings
from gouji.serving.tracing import OFF, Tracing

CLAIM_TABLES: Final = 50
"""Tables made in one transaction: whoever cancels one of their tickets waits for it."""

_SWEEP_SECONDS: Final = 60.0


class Cycle:
    """Looks at its queues, over and over. One process at a time does so for a queue.

    ``bots`` are what bots have earned, by preset: always the latest that is known.
    """

    def __init__(
        self,
        database: Database,
        teller: Teller,
        wakeups: Wakeups,
        metrics: MatchmakingMetrics,
        bots: Mapping[str, tuple[Level, ...]],
        *,
        clock: Clock,
        settings: Settings,
        log: Log,
        tracing: Tracing = OFF,
    ) -> None:
        self._log = log
        self._tracing = tracing
        self.owner = uuid.uuid4().hex
        self._database = database
        self._store, self._queues, self._matches = Store(database), Queues(database), Matches(database)
        self._teller = teller
        self._wakeups = wakeups
        self._metrics = metrics
        self._bots = bots
        self._clock = clock
        self._interval = settings.queue_cycle_ms / 1000
        self._pace_ms = settings.bot_pace_ms
        self._lease_seconds = settings.queue_lease_seconds
        self._keep_seconds = settings.ticket_keep_seconds
        self._period = settings.ready_seconds * 1_000_000
        self._finisher = Finisher(database, self._period, settings.ticket_lease_seconds * 1_000_000)
        self._lines: dict[Lease, Line] = {}
        self._sweep_at = 0.0
        self._woken = asyncio.Event()

    def wake(self) -> None:
        """Have the next look taken soon: a ticket is new or gone."""
        self._woken.set()

    async def run(self) -> None:
        """Take one look after another for ever."""
        self._log.info("cycle", owner=self.owner)
        while True:
            began = self._clock.monotonic()
            with self._tracing.span("look at queues") as span:
                made = await self.turn()
                span.set(tables=len(made))
                self._metrics.cycle.observe(self._clock.monotonic() - began, self._tracing.exemplar())
            await self._pause(self._clock.monotonic() - began)

    async def turn(self) -> list[Placement]:
        """Take one look at all queues that can be had; returns the tables made, gathering ones too."""
        now = microseconds(self._clock.now())
        await self._sweep(now)
        busy = await self._queues.busy()
        leases = await self._queues.hold(self.owner, busy, self._lease_seconds) if busy else []
        paused = await self._queues.paused() if leases else {}
        made: list[Placement] = []
        waiting = 0
        lines, self._lines = self._lines, {}
        for lease in leases:
            line = lines.get(lease) or Line(lease.queue)
            found = await line.read(self._database, now)
            await self._store.lapse(found.lapsed, now)
            await self._store.withdraw(found.seated)
            await self._finish(lease, line, now)
            if lease.queue not in paused:
                made += await self._make(lease, line, now)
            waiting += len(line.hall)
            self._lines[lease] = line  # one that something went wrong with is read anew
        self._metrics.looked(queues=len(leases), waiting=waiting)
        if made:
            self._teller.wake()
        return made

    async def release(self) -> None:
        """Leave the queues to others at once."""
        await self._queues.release(self.owner)

    async def _finish(self, lease: Lease, line: Line, now: int) -> None:
        """Decide on the matches that gather; whoever takes a seat there waits no more."""
        undecided = await self._matches.undecided(lease.queue, now)
        free = line.hall.oldest() if undecided else []
        for table_id in undecided:
            step = await self._finisher.finish(table_id, lease, free, now)
            if step is None:
                continue
            self._metrics.stepped(step)
            self._teller.wake()
            taken = {ticket.ticket_id for _, ticket in step.taken}
            line.forget(taken)
            free = [ticket for ticket in free if ticket.ticket_id not in taken] if taken else free
            if step.verdict is Verdict.PLACED:
                self._wakeups.put(table_id)

    async def _make(self, lease: Lease, line: Line, now: int) -> list[Placement]:
        """Make the tables that the policy proposes; one whose tickets changed meanwhile is left out."""
        # Tens of thousands of tickets take a while: calls are answered in between.
        line.hall.policy = replace(DEFAULT, earned=dict(self._bots))
        proposals = await asyncio.to_thread(line.hall.propose, now)
        ready_by = now + self._period if self._period else None
        made: list[Placement] = []
        for start in range(0, len(proposals), CLAIM_TABLES):
            some = proposals[start : start + CLAIM_TABLES]
            placements = [of_proposal(proposal, uuid.uuid4().hex, self._pace_ms) for proposal in some]
            with self._tracing.span("claim tickets", tables=len(some)):
                claimed = await self._matches.claim(placements, lease, now, ready_by)
            self._metrics.claimed(len(some), claimed, now)
            tables = {placement.table_id for placement in claimed}
            line.doubt({ticket for one in placements if one.table_id not in tables for ticket in one.tickets})
            for placement in claimed:
                line.forget(placement.tickets)
                if not (self._period and placement.asks):
                    self._wakeups.put(placement.table_id)
            made += claimed
        return made

    async def _sweep(self, now: int) -> None:
        if self._clock.monotonic() >= self._sweep_at:
            self._sweep_at = self._clock.monotonic() + _SWEEP_SECONDS
            await self._queues.sweep(now, self._keep_seconds)

    async def _pause(self, spent: float) -> None:
        """Wait for a new ticket or the next look; as much time as a look took is left to others."""
        await self._clock.sleep(min(spent, self._interval))
        with suppress(TimeoutError):
            async with asyncio.timeout(self._interval):
                await self._woken.wait()
        self._woken.clear()
