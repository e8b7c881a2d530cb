"""Which of a player's devices acts for its seat: of those that watch, the one that came last.

Not in the log: a server that takes a table up learns it anew from the order in which the devices come back.
"""

from collections.abc import Collection
from typing import Final

MOST_DEVICES: Final = 8
"""Devices of a seat that are remembered; the oldest are forgotten."""


class Devices:
    """The devices of one table's seats, in the order in which they came. A device without a name is one, too."""

    def __init__(self) -> None:
        self._came: dict[int, list[str]] = {}

    def come(self, seat: int, device: str, *, take_over: bool) -> None:
        """Note that a device watches. One that was there before keeps its place, unless it takes over."""
        came = self._came.setdefault(seat, [])
        if device in came and not take_over:
            return
        if device in came:
            came.remove(device)
        came.append(device)
        del came[:-MOST_DEVICES]

    def may_act(self, seat: int, device: str, watching: Collection[str]) -> bool:
        """Say whether a device may act while these watch: no other that watches has come later."""
        acting = next((other for other in reversed(self._came.get(seat, ())) if other in watching), None)
        return acting is None or acting == device
