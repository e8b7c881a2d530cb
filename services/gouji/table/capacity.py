"""How many tables a server says that it can run. Pure."""

from typing import Final, NamedTuple

KEEPS_UP_SECONDS: Final = 0.1
"""Lag of the event loop, averaged over seconds, up to which a server keeps up with its tables."""


class Room(NamedTuple):
    """What a server has room for, in tables.

    ``capacity`` is for all; new tables are placed up to ``new`` only: the rest is for tables that lose their server.
    """

    capacity: int
    new: int


def room(capacity: int, kept_percent: int, lag_seconds: float) -> Room:
    """Say what there is room for: less, in proportion, for a server whose event loop lags too much."""
    late = max(lag_seconds / KEEPS_UP_SECONDS, 1)
    stated = int(capacity / late)
    return Room(stated, stated - stated * kept_percent // 100)
