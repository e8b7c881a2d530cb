"""The time between a hand's commitment and its deal, in which seats contribute to the shuffle.

Contributions stay sealed until all that are awaited are in, or the time is over; whoever gave none has the default.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from gouji.engine.cards import SEATS
from gouji.engine.secret import SECRET_BYTES


@dataclass(frozen=True, slots=True)
class Contribution:
    """What a seat puts into the deal of one hand."""

    seat: int
    hand: int
    drawn: bytes


class Collecting:
    """The contributions to one deal. ``until`` is when it comes without those still missing, in microseconds."""

    def __init__(self, secret: bytes, hand: int, awaited: Iterable[int], until: int) -> None:
        self.secret = secret
        self.hand = hand
        self.until = until
        self._awaited = frozenset(awaited)
        self._missing = set(self._awaited)
        self._given: dict[int, bytes] = {}

    @property
    def waits(self) -> bool:
        """Some contributions are still missing."""
        return bool(self._missing)

    @property
    def contributions(self) -> tuple[bytes, ...]:
        """Those of the six seats; an empty one is the default."""
        return tuple(self._given.get(seat, b"") for seat in range(SEATS))

    def takes(self, seat: int, hand: int) -> bool:
        """Say whether this seat is asked for a contribution to this hand and has given none."""
        return hand == self.hand and seat in self._awaited and seat not in self._given

    def seal(self, contribution: Contribution) -> None:
        """Keep a contribution. Raises ValueError for one that is not asked for."""
        if not self.takes(contribution.seat, contribution.hand) or len(contribution.drawn) != SECRET_BYTES:
            raise ValueError("this seat is not asked to contribute to the deal")
        self._given[contribution.seat] = contribution.drawn
        self._missing.discard(contribution.seat)

    def miss(self, seat: int) -> None:
        """Wait no more for a seat whose player is gone; what it gave counts."""
        self._missing.discard(seat)

    def complete(self, now: int) -> bool:
        """Say whether the hand is to be dealt now."""
        return not self._missing or now >= self.until
