"""Looking for tables to take: those placed for this server, and its share of those that no server has."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from typing import Final

from gouji.serving.clock import Clock
from gouji.serving.errors import StorageUnavailable
from gouji.table.balance import seats_used, share
from gouji.table.capacity import Room
from gouji.table.lease import Lease
from gouji.table.metrics import TableMetrics
from gouji.table.ownership import Owned, Ownership

POLL_SECONDS: Final = 0.5
"""How often the database is asked for tables to take."""

TAKEN_AT_ONCE: Final = 64
"""Tables taken in one statement."""

MOST_COUNTED: Final = 100_000
"""How far free tables are counted."""


class Taking:
    """One server's looks. ``room`` says what it has room for, None when it takes nothing; ``own`` how many it has.

    ``begin`` loads a table that was taken.
    """

    def __init__(
        self,
        ownership: Ownership,
        lease: Lease,
        clock: Clock,
        metrics: TableMetrics,
        *,
        room: Callable[[], Room | None],
        own: Callable[[], int],
        begin: Callable[[Owned], Awaitable[None]],
    ) -> None:
        self._ownership = ownership
        self._lease = lease
        self._clock = clock
        self._metrics = metrics
        self._room = room
        self._own = own
        self._begin = begin
        self._busy = asyncio.Lock()
        self._free_before = 0

    async def run(self) -> None:
        """Look for tables for ever."""
        while True:
            with suppress(StorageUnavailable):
                await self.look()
            await self._clock.sleep(POLL_SECONDS)

    async def look(self) -> None:
        """Take what was placed for this server, and its share of the rest; all that is left, if nobody took theirs."""
        while await self.take_assigned() == TAKEN_AT_ONCE:
            pass
        self._metrics.servers_died.inc(await self._lease.end_torn())
        servers = await self._ownership.servers()
        self._metrics.seats_used.set(seats_used(servers))
        free = await self._ownership.free(MOST_COUNTED)
        patient = self._free_before == 0
        most = share(self._own(), free, self._lease.server_id, servers) if patient else free
        self._free_before = free - most
        # Once also for none: it counts anew.
        while (taken := await self.take_free(min(most, TAKEN_AT_ONCE))) and (most := most - taken) > 0:
            pass

    async def take_assigned(self) -> int:
        """Take and load tables that were placed for this server; say how many."""
        if self._room() is None:
            return 0
        return await self._load(self._ownership.take_assigned(self._lease.server_id, TAKEN_AT_ONCE))

    async def take_free(self, most: int = TAKEN_AT_ONCE) -> int:
        """Take and load up to ``most`` tables that no live server has, as far as there is room; say how many."""
        room = self._room()
        if room is None:
            return 0
        return await self._load(self._ownership.take(self._lease.server_id, most, room))

    async def _load(self, taking: Awaitable[Sequence[Owned]]) -> int:
        async with self._busy:
            taken = await taking
            loading = [self._begin(owned) for owned in taken]
        await asyncio.gather(*loading)
        return len(taken)

    async def known(self) -> None:
        """Wait until what is being taken is known as loading."""
        async with self._busy:
            pass
