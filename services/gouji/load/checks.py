"""What must hold of all that a server shows, checked as it comes. Pure.

Messages alone are looked at: nothing here knows a rule of play, so that a fault of the engine's would show, too.
"""

import hashlib
from collections.abc import Iterable, Iterator
from typing import Final

from gouji.v1.events_pb2 import ActionTaken, DealtHand, Event
from gouji.v1.table_pb2 import WatchResponse

_HIDDEN_KINDS: Final = ("return_cards", "refuse")
"""Actions whose cards the two seats alone see between which they happen (R8.4)."""


class Order:
    """The events of one watcher, over all its streams: each once, in order, none left out."""

    def __init__(self) -> None:
        self.next = 1
        """The event that is to come."""

    def take(self, message: WatchResponse) -> Iterator[str]:
        """Go on by one message; yields a sentence for each thing that is wrong."""
        if message.HasField("start"):
            first = message.start.from_sequence
            if first < self.next:
                yield f"a stream begins again with event {first}, where {self.next} was to come"
            if first > self.next and not message.start.HasField("opened"):
                yield f"a stream begins with event {first} without telling what came before, from {self.next} on"
            self.next = first
        for event in message.batch.events:
            if event.sequence > self.next:
                yield f"event {event.sequence} comes where {self.next} was to come: a gap"
            if event.sequence < self.next:
                yield f"event {event.sequence} comes where {self.next} was to come: again, or out of order"
            self.next = event.sequence + 1
        if message.batch.last_sequence < self.next - 1:
            yield f"the last event is said to be {message.batch.last_sequence}, after {self.next - 1} was shown"


def leaks(message: WatchResponse, seat: int) -> Iterator[str]:
    """Name what a seat is shown and may not see."""
    seen = message.snapshot
    if message.HasField("snapshot") and seen.viewer_plus_one != seat + 1:
        yield f"seat {seat} is shown the table as seen by {seen.viewer_plus_one - 1}"
    if message.start.hands:
        yield f"seat {seat} is shown all hands as it joins"
    for event in message.batch.events:
        for leak in _event_leaks(event, seat):
            yield f"event {event.sequence} shows seat {seat} {leak}"


def _event_leaks(event: Event, seat: int) -> Iterator[str]:
    match event.WhichOneof("body"):
        case "hand_committed" if event.hand_committed.secret:
            yield "the secret of a deal that is to come"
        case "hand_dealt":
            yield from _others(event.hand_dealt.hands, seat)
        case "action_taken":
            yield from _others(event.action_taken.hands, seat)
            yield from _between_two(event.action_taken, seat)
            if event.action_taken.declines:
                yield "who declined in private"
        case "answers_closed" if event.answers_closed.declines:
            yield "who declined in private"


def _others(hands: Iterable[DealtHand], seat: int) -> Iterator[str]:
    for owner, hand in enumerate(hands):
        if owner != seat and hand.cards:
            yield f"the cards of seat {owner}"


def _between_two(taken: ActionTaken, seat: int) -> Iterator[str]:
    """Look at what only a seat and its partner may see."""
    if not taken.partner_plus_one or seat in (taken.seat, taken.partner_plus_one - 1):
        return
    kind = taken.action.WhichOneof("kind")
    if kind in _HIDDEN_KINDS and getattr(taken.action, kind).ByteSize():
        yield f"what seat {taken.seat} gives back or refuses"
    if any(consequence.tribute_returned.cards for consequence in taken.consequences):
        yield f"the cards given back between seats {taken.seat} and {taken.partner_plus_one - 1}"


def public_digest(event: Event) -> bytes:
    """Digest what everybody at the table must be shown alike of an event."""
    public = Event()
    public.CopyFrom(event)
    public.ClearField("turn")  # who is asked in private is told to that seat alone
    body = public.WhichOneof("body")
    if body in ("hand_dealt", "action_taken"):
        getattr(public, body).ClearField("hands")
    if body == "action_taken" and public.action_taken.partner_plus_one:
        public.action_taken.ClearField("action")
        public.action_taken.ClearField("consequences")
    if body == "said":
        public.said.ClearField("phrase")  # not told to who has muted the seat
    return hashlib.sha256(public.SerializeToString(deterministic=True)).digest()[:16]


class Agreement:
    """The events of one table as its six watchers are shown them: what is public of each is the same to all."""

    def __init__(self) -> None:
        self._digests: dict[int, tuple[bytes, int]] = {}

    def take(self, seat: int, event: Event) -> Iterator[str]:
        """Go on by an event that a seat is shown; yields a sentence when another seat was shown something else."""
        digest = public_digest(event)
        first, other = self._digests.setdefault(event.sequence, (digest, seat))
        if first != digest:
            yield f"event {event.sequence} is another to seat {seat} than to seat {other}"


def acknowledged(event: Event, seat: int) -> Iterator[str]:
    """Check the event by which an answer said that a seat's command was done."""
    if not event.HasField("action_taken") or event.action_taken.seat != seat:
        yield f"event {event.sequence} shows no act of seat {seat}, to whom it was acknowledged"
