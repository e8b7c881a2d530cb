"""The people at a table: what they say, their votes to give a hand up, their wishes for a rematch.

Pure, and part of the fold of the log: `fold` takes events in, the other methods say what an event may be. Who is a
person stands in ``seats``. Times are microseconds from 1970 on.
"""

from collections import deque
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

from gouji.engine import Hand
from gouji.engine.cards import SEATS
from gouji.engine.match import HandResult
from gouji.v1 import events_pb2
from gouji.v1.events_pb2 import Event

AT_ONCE: Final = 3
"""Phrases that a seat may say within `WITHIN_US`."""

WITHIN_US: Final = 10_000_000
"""Time after which a seat may say as much again."""


@dataclass(slots=True)
class Company:
    """What the log says of the people of one table: who votes, who is ready, and the rematch's table once placed."""

    votes: set[int] = field(default_factory=set)
    ready: set[int] = field(default_factory=set)
    rematch: str = ""
    _said: dict[int, deque[int]] = field(default_factory=dict)

    def fold(self, event: Event) -> None:
        """Take in the next event, of whatever kind."""
        match event.WhichOneof("body"):
            case "said":
                said = self._said.setdefault(event.said.seat, deque(maxlen=AT_ONCE))
                said.append(event.at.ToMicroseconds())
            case "hand_vote":
                vote = event.hand_vote
                (self.votes.add if vote.agree else self.votes.discard)(vote.seat)
            case "rematch_wish":
                wish = event.rematch_wish
                (self.ready.add if wish.ready else self.ready.discard)(wish.seat)
            case "rematch_placed":
                self.rematch = event.rematch_placed.table_id
            case "hand_ended" | "table_resumed":
                # Nobody has come back yet to a table that was taken up again.
                self.votes.clear()

    def may_say(self, seat: int, now: int) -> bool:
        """Say whether a seat has not said too much lately."""
        said = self._said.get(seat)
        return said is None or len(said) < AT_ONCE or now - said[0] >= WITHIN_US

    def gives_up(self, present: Collection[int], *, teams: bool) -> bool:
        """Say whether the hand is given up: all people who are ``present`` agree, and no side is alone in it.

        Without ``teams`` two seats are two sides. So nobody escapes from a lost hand by himself, and bots, which have
        no vote, finish any hand.
        """
        agreed = self.votes.intersection(present)
        return len({seat % 2 if teams else seat for seat in agreed}) > 1 and agreed.issuperset(present)

    def all_ready(self, seats: Sequence[events_pb2.Seat]) -> bool:
        """Say whether all people of the match want a rematch."""
        return self.ready.issuperset(people(seats))


def people(seats: Sequence[events_pb2.Seat]) -> list[int]:
    """List the seats that people hold, and no bots, whoever's these are."""
    return [seat for seat in range(SEATS) if not seats[seat].bot_level]


def given_up(hand: Hand, secret: bytes, dealt: Iterable[events_pb2.DealtHand]) -> events_pb2.HandEnded:
    """Say how a hand ends that the people give up: voided where it stands, and dealt anew without tribute (R9.1)."""
    result = HandResult.of(hand)
    return events_pb2.HandEnded(
        scores=result.scores,
        team_scores=result.team_scores or (),
        voided=True,
        given_up=True,
        secret=secret,
        hands=dealt,
        digest=result.digest,
    )
