"""Where a table is to be found. Pure: no I/O, no clock; chance is replaced by a hash."""

import hashlib
from collections.abc import Collection
from dataclasses import dataclass
from typing import Final

ENDED: Final = frozenset({"over", "frozen"})
"""States in which nobody plays on: what can still be asked is read from the log, which every server can."""


@dataclass(frozen=True, slots=True)
class Server:
    """A table server whose lease is alive; ``server_id`` names one incarnation, clients dial ``address``."""

    server_id: str
    address: str
    draining: bool = False


@dataclass(frozen=True, slots=True)
class Placement:
    """What the database says of a table: its state, and its owner while that one's lease is alive."""

    table_id: str
    state: str
    owner: Server | None

    @property
    def anywhere(self) -> bool:
        """Any live server will do: the table has ended, and the one that ran it is gone."""
        return self.owner is None and self.state in ENDED


def reader_of(id_: str, servers: Collection[Server]) -> Server | None:
    """Choose a server for a table that has ended, or for whatever else any can do; None when there is none.

    The choice spreads ids over servers and is the same for everybody as long as the servers are the same
    (rendezvous hashing). Servers that drain are asked only when all do.
    """

    def weight(server: Server) -> tuple[bool, bytes]:
        return not server.draining, hashlib.sha256(f"{id_} {server.server_id}".encode()).digest()

    return max(servers, key=weight, default=None)
