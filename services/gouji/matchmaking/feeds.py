"""Following what others change: a number that rises with each change is looked up, for all that is watched at once.

What this process changes itself is looked up at once (`stir`), what others change within the time of one poll.
"""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping
from contextlib import AbstractContextManager, suppress
from typing import Final

from gouji.matchmaking.followers import Followers
from gouji.serving.clock import Clock
from gouji.serving.errors import ServiceError, StorageUnavailable

GONE: Final = 2**63
"""The number of what is there no longer: higher than any other."""

Versions = Callable[[Collection[str]], Awaitable[Mapping[str, int]]]
"""Looks up the numbers of things."""


class Watch:
    """One watcher of one thing. It is told that there is something new, and reads that itself."""

    def __init__(self) -> None:
        self._version = 0
        self._closed = False
        self._told = asyncio.Event()

    def tell(self, version: int) -> None:
        """Say which number the thing has now."""
        self._version = version
        self._told.set()

    def close(self) -> None:
        """End the watch from the server's side."""
        self._closed = True
        self._told.set()

    async def change(self, shown: int, seconds: float) -> bool:
        """Wait for a higher number than that of what was shown, at most so long; says whether it came.

        Raises `ServiceError` `draining` when the server stops.
        """
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                while self._version <= shown and not self._closed:
                    self._told.clear()
                    await self._told.wait()
        if self._closed:
            raise ServiceError("draining", "The server stops; go on elsewhere.", retry_after_ms=100)
        return self._version > shown


class Feed:
    """All watches of one kind of thing in this process."""

    def __init__(self, versions: Versions, clock: Clock, poll_seconds: float) -> None:
        self._versions = versions
        self._clock = clock
        self._poll = poll_seconds
        self._followers = Followers[Watch]()
        self._stirred: set[str] = set()
        self._woken = asyncio.Event()

    def follow(self, key: str) -> AbstractContextManager[Watch]:
        """Watch a thing within the block."""
        return self._followers.follow(key, Watch())

    @property
    def keys(self) -> Collection[str]:
        """What is watched."""
        return self._followers.keys

    def stir(self, keys: Iterable[str]) -> None:
        """Have these looked up at once, since they have changed."""
        self._stirred |= self._followers.keys & set(keys)
        if self._stirred:
            self._woken.set()

    async def run(self) -> None:
        """Look things up for ever."""
        due = self._clock.monotonic()
        while True:
            with suppress(TimeoutError):
                async with asyncio.timeout(due - self._clock.monotonic()):
                    await self._woken.wait()
            self._woken.clear()
            keys, self._stirred = self._stirred, set()
            if self._clock.monotonic() >= due:
                keys = set(self._followers.keys)
                due = self._clock.monotonic() + self._poll
            await self._look(keys)

    async def close(self) -> None:
        """End all watches."""
        await self._followers.close()

    async def _look(self, keys: Collection[str]) -> None:
        found: Mapping[str, int] = {}
        with suppress(StorageUnavailable):
            found = await self._versions(keys) if keys else {}
        for key, version in found.items():
            for watch in self._followers.of(key):
                watch.tell(version)
