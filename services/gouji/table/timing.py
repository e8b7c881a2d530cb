"""What is due when. Times are microseconds from 1970 on.

A timer names the table, the hand and the turn that it was set for: one older than the table does nothing.
"""

import heapq
from collections.abc import Iterator
from dataclasses import dataclass

from gouji.v1 import rules_pb2


@dataclass(frozen=True, slots=True, order=True)
class Due:
    """A moment at which a table has something to do, if it still stands at that turn."""

    at: int
    table_id: str
    hand: int
    turn: int


class Timers:
    """The timers of many tables. Those that are no longer wanted stay until their time comes."""

    def __init__(self) -> None:
        self._heap: list[Due] = []

    def __len__(self) -> int:
        return len(self._heap)

    def add(self, due: Due) -> None:
        """Remember a timer."""
        heapq.heappush(self._heap, due)

    def take(self, now: int) -> Iterator[Due]:
        """Take out all whose time has come, the earliest first."""
        while self._heap and self._heap[0].at <= now:
            yield heapq.heappop(self._heap)


class Alarm:
    """One table's timer among those of many: set for the first moment that it waits for, and not twice for the same."""

    def __init__(self, timers: Timers) -> None:
        self._timers = timers
        self._set: Due | None = None

    def set(self, due: Due) -> None:
        """Have the table woken then."""
        if due != self._set:
            self._set = due
            self._timers.add(due)

    def clear(self, due: Due | None = None) -> None:
        """Forget what it was set for, or that this timer was: it has rung, or was lost."""
        if due is None or due == self._set:
            self._set = None


def full_clock(asked: rules_pb2.Clock, default: rules_pb2.Clock, *, people: bool) -> rules_pb2.Clock:
    """Fill in what was not asked for.

    Without ``people`` nothing has to be hidden by time, and nobody can be late or away: private answers then stay open
    until all bots have answered, which the clock says by zeros, unless a time was asked for.
    """
    usual_least, usual_most = (default.answers_least_ms, default.answers_most_ms) if people else (0, 0)
    most = asked.answers_most_ms or max(usual_most, asked.answers_least_ms)
    return rules_pb2.Clock(
        turn_ms=asked.turn_ms or default.turn_ms,
        bank_ms=asked.bank_ms or default.bank_ms,
        answers_least_ms=asked.answers_least_ms or min(usual_least, most),
        answers_most_ms=most,
        allowance_ms=asked.allowance_ms or (default.allowance_ms if people else 0),
        expiries=asked.expiries or (default.expiries if people else 0),
        absent_ms=asked.absent_ms or (default.absent_ms if people else 0),
        contributions_ms=asked.contributions_ms or (default.contributions_ms if people else 0),
    )


def deadline(began: int, turn_ms: int, bank_us: int) -> int:
    """Say when the table decides in a seat's place: after its time for one and its bank."""
    return began + turn_ms * 1000 + bank_us


def bank_after(began: int, ended: int, turn_ms: int, bank_us: int) -> int:
    """Say what a seat's bank holds after a decision that took from ``began`` to ``ended``."""
    overtime = max(ended - began - turn_ms * 1000, 0)
    return max(bank_us - overtime, 0)
