"""One table as its watchers in this process see it: whether they agree, and when the last of them saw a command."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Final

from gouji.load.checks import Agreement, acknowledged
from gouji.v1.events_pb2 import Event

_KEPT: Final = 256
"""Events behind the last whose times are still known: an answer comes no later."""

Shown = Callable[[float, float], None]
"""Hears of a command when it was due, and when the last of those who are there had its event."""


@dataclass
class _Command:
    """One that was answered: whose it is, and when it was due."""

    seat: int
    due: float


@dataclass
class Book:
    """What is known of one table.

    Of those who are ``present`` each must have seen a command's event before it counts as shown. Somebody who left on
    purpose, or has not yet caught up, is not waited for; one whose stream broke is.
    """

    shown: Shown
    agreement: Agreement = field(default_factory=Agreement)
    present: set[int] = field(default_factory=set)
    _seen: dict[int, dict[int, float]] = field(default_factory=dict)
    _events: dict[int, Event] = field(default_factory=dict)
    _waiting: dict[int, _Command] = field(default_factory=dict)
    _last: int = 0

    def event(self, seat: int, event: Event, now: float) -> Iterator[str]:
        """Note that a seat sees an event; yields a sentence for each thing that is wrong."""
        yield from self.agreement.take(seat, event)
        sequence = event.sequence
        if sequence > self._last:
            self._last = sequence
            self._forget(sequence - _KEPT)
        if sequence <= self._last - _KEPT:
            return
        self._seen.setdefault(sequence, {}).setdefault(seat, now)
        self._events.setdefault(sequence, event)
        if sequence in self._waiting:
            if len(self._seen[sequence]) == 1:  # the answer came before the event
                yield from acknowledged(event, self._waiting[sequence].seat)
            self._settle(sequence)

    def command(self, seat: int, sequence: int, due: float) -> Iterator[str]:
        """Note that a seat's command was answered with an event, which some may have seen already."""
        if sequence in self._events:
            yield from acknowledged(self._events[sequence], seat)
        if sequence > self._last - _KEPT:
            self._waiting[sequence] = _Command(seat, due)
            self._settle(sequence)

    def come(self, seat: int) -> None:
        """Note that a seat sees all that there is."""
        self.present.add(seat)

    def gone(self, seat: int) -> None:
        """Note that a seat is away on purpose: nobody waits for it."""
        self.present.discard(seat)
        for sequence in list(self._waiting):
            self._settle(sequence)

    def skipped(self, seat: int, before: int, now: float) -> None:
        """Note that a seat begins at an event, and is told in another way what came before."""
        for sequence in [one for one in self._waiting if one < before]:
            self._seen.setdefault(sequence, {}).setdefault(seat, now)
            self._settle(sequence)

    def unshown(self, before: float) -> int:
        """Count the commands that were due before a moment, and that not all who are there have seen."""
        return sum(one.due < before for one in self._waiting.values())

    def _settle(self, sequence: int) -> None:
        seen, command = self._seen.get(sequence, {}), self._waiting[sequence]
        if self.present and self.present <= set(seen):
            del self._waiting[sequence]
            self.shown(command.due, max(seen[seat] for seat in self.present))

    def _forget(self, before: int) -> None:
        for kept in (self._seen, self._events):
            for sequence in [one for one in kept if one < before and one not in self._waiting]:
                del kept[sequence]
