"""Which server should have a table that lost its own: all are to be filled alike, by their capacity. Pure."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from math import ceil


@dataclass(frozen=True, slots=True)
class Server:
    """A table server whose lease is alive, and how many tables it has or is to have."""

    server_id: str
    address: str
    capacity: int
    tables: int
    draining: bool = False

    @property
    def load(self) -> float:
        """How full it is: 1 is full."""
        return self.tables / self.capacity


def share(own: int, free: int, me: str, servers: Iterable[Server]) -> int:
    """Say how many of the ``free`` tables a server that has ``own`` should take, so that the others get theirs.

    All that do not drain count by capacity; whoever is missing from ``servers`` gets nothing.
    """
    taking = [server for server in servers if not server.draining]
    capacity = sum(server.capacity for server in taking)
    mine = sum(server.capacity for server in taking if server.server_id == me)
    everything = own + free + sum(server.tables for server in taking if server.server_id != me)
    fair = ceil(everything * mine / capacity) if capacity else 0
    return min(max(fair - own, 0), free)


def seats_used(servers: Iterable[Server]) -> float:
    """Say which share of all seats is used, of the servers that do not drain: by this their number is scaled.

    1 when there is no capacity at all.
    """
    staying = [server for server in servers if not server.draining]
    capacity = sum(server.capacity for server in staying)
    return sum(server.tables for server in staying) / capacity if capacity else 1.0


def least_loaded(servers: Iterable[Server], without: Collection[str]) -> Server | None:
    """Choose the server with the most room that does not drain and is not among ``without``; None when there is none.

    Of servers that are equally full the one with the lowest id is chosen.
    """
    able = [one for one in servers if not one.draining and one.tables < one.capacity and one.server_id not in without]
    return min(able, key=lambda server: (server.load, server.server_id), default=None)
