"""A server's lease: the proof that it lives, without which others take its tables."""

import asyncio
import secrets

from gouji.serving.clock import Clock
from gouji.serving.errors import StorageUnavailable
from gouji.serving.lifeline import Lifeline
from gouji.table.capacity import Room
from gouji.table.ownership import Ownership


class Lease:
    """One lease after another, each under a new server id."""

    def __init__(self, ownership: Ownership, lifeline: Lifeline, clock: Clock, seconds: float) -> None:
        self._ownership = ownership
        self._lifeline = lifeline
        self._clock = clock
        self._seconds = seconds
        self._until = 0.0
        self._failed = False
        self.server_id = ""

    @property
    def holds(self) -> bool:
        """The lease cannot have run out yet: counted from before it was asked for, by this machine's clock."""
        return self._clock.monotonic() < self._until

    @property
    def wait_seconds(self) -> float:
        """How long until it should be renewed next, or has run out if that comes first."""
        return min(self._seconds / (12 if self._failed else 3), max(self._until - self._clock.monotonic(), 0))

    async def begin(self, address: str, room: Room) -> None:
        """Begin a lease as a new server; tables of the one before are free then.

        Raises `StorageUnavailable`, also when the database takes longer than a lease to answer.
        """
        try:
            async with asyncio.timeout(self._seconds):
                await self._begin(address, room)
        except TimeoutError as error:
            raise StorageUnavailable from error

    async def _begin(self, address: str, room: Room) -> None:
        if self.server_id:
            await self._ownership.release(self.server_id)
        server_id = f"table-{secrets.token_hex(8)}"
        asked = self._clock.monotonic()
        await self._ownership.register(server_id, address, room, self._seconds, await self._lifeline.name())
        self.server_id, self._until = server_id, asked + self._seconds

    async def renew(self, capacity: int, *, draining: bool) -> bool:
        """Renew, and state a capacity; False when the lease is lost for good.

        While the database is away it holds until its time.
        """
        asked = self._clock.monotonic()
        try:
            async with asyncio.timeout(max(self._until - asked, 0)):
                lifeline = await self._lifeline.name()
                renewed = await self._ownership.renew(
                    self.server_id, capacity, self._seconds, draining=draining, lifeline=lifeline
                )
        except (StorageUnavailable, TimeoutError):
            self._failed = True
            return self.holds
        self._failed = False
        if renewed:
            self._until = asked + self._seconds
        return renewed

    async def end_torn(self) -> int:
        """End the leases of servers that have died; say how many. Raises `StorageUnavailable`."""
        return await self._ownership.end_torn(self.server_id, self._seconds)

    async def end(self) -> None:
        """Give up the lease and all tables. Raises `StorageUnavailable`; then it runs out by itself."""
        self._until = 0.0
        await self._lifeline.close()
        await self._ownership.release(self.server_id)
