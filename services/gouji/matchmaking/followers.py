"""Who follows what in this process, until it goes or the process stops."""

from collections import defaultdict
from collections.abc import Collection, ItemsView, Iterator, Set
from contextlib import contextmanager
from typing import Generic, Protocol, TypeVar


class Closable(Protocol):
    """A watch that can be ended from the server's side."""

    def close(self) -> None:
        """End it."""


Watch = TypeVar("Watch", bound=Closable)


class Followers(Generic[Watch]):
    """All watches of one kind of thing, by the thing's key."""

    def __init__(self) -> None:
        self._watches: defaultdict[str, set[Watch]] = defaultdict(set)

    @contextmanager
    def follow(self, key: str, watch: Watch) -> Iterator[Watch]:
        """Keep a watch of a thing within the block."""
        self._watches[key].add(watch)
        try:
            yield watch
        finally:
            self._watches[key].discard(watch)
            if not self._watches[key]:
                del self._watches[key]

    @property
    def keys(self) -> Set[str]:
        """What is watched."""
        return self._watches.keys()

    def items(self) -> ItemsView[str, set[Watch]]:
        """List what is watched, with its watches."""
        return self._watches.items()

    def of(self, key: str) -> Collection[Watch]:
        """List the watches of a thing; none where nobody watches it."""
        return self._watches.get(key, ())

    async def close(self) -> None:
        """End all watches."""
        for watches in self._watches.values():
            for watch in watches:
                watch.close()
