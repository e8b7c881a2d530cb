"""How often somebody may call: a bucket for each, filled steadily. Pure: the time is handed in."""

from collections import OrderedDict
from typing import Final

REMEMBERED: Final = 50_000
"""How many buckets are kept: those used last. A forgotten one is full again."""

_ROUNDING: Final = 1e-9
"""Seconds that are an error of rounding."""


class Rates:
    """At most ``per_second`` calls in the long run, and ``burst`` at once, for each key."""

    def __init__(self, per_second: float, burst: int, most: int = REMEMBERED) -> None:
        self._interval = 1 / per_second
        self._burst = burst
        self._most = most
        self._paid_until: OrderedDict[str, float] = OrderedDict()

    def take(self, key: str, now: float, weight: float = 1.0) -> float:
        """Count a call at a time in seconds; gives 0, or for how long it comes too early: then it does not count.

        A call of weight 2 counts as two: whoever may call half as often as others has this weight.
        """
        paid_until = max(self._paid_until.get(key, now), now)
        early = paid_until - now - (self._burst - weight) * self._interval
        taken = early <= _ROUNDING
        self._paid_until[key] = paid_until + (weight * self._interval if taken else 0.0)
        self._paid_until.move_to_end(key)
        if len(self._paid_until) > self._most:
            self._paid_until.popitem(last=False)
        return 0.0 if taken else early
