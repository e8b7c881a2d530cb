"""The time in which private questions are open (R5.2, R9.1).

All seats that the hand may ask in private see their question at once, and each answers once. Answers stay
sealed until the time is over; then all who have not answered decline, and the first in the order of the rules who
does not decline burns or revolts. So nobody's silence keeps another from being asked, and nobody can tell by when a
burn comes whether another was asked before. Where no time runs, all answers are waited for.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from gouji.engine import Action, ActionKind, Hand
from gouji.v1 import events_pb2


@dataclass(frozen=True, slots=True)
class Answer:
    """What a seat answered, and who decided it."""

    seat: int
    action: Action
    by: events_pb2.DecidedBy.ValueType

    @property
    def declines(self) -> bool:
        """It lets the question go by."""
        return self.action.kind in (ActionKind.PASS, ActionKind.STAY, ActionKind.DECLINE)


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a window ends: who declined, in order, and who then burned or revolted, if anybody did."""

    declines: Sequence[Answer]
    taken: Answer | None


class Window:
    """One window. ``until`` is when its time is over, in microseconds; None waits for all answers.

    ``waiting`` is the hand as it looks to all who are not asked: all questions put and let go.
    """

    def __init__(self, hand: Hand, until: int | None) -> None:
        self.until = until
        self._asked, self.waiting = _ask_all(hand)
        self._answers: dict[int, Answer] = {}

    @property
    def questions(self) -> dict[int, str]:
        """Who is asked what and has not answered, in the order of the rules."""
        return {seat: str(hand.question) for seat, hand in self._asked.items() if seat not in self._answers}

    def asking(self, seat: int) -> Hand | None:
        """Give the hand as it stands when this seat is asked; None when it is not, or has answered."""
        return None if seat in self._answers else self._asked.get(seat)

    def seal(self, answer: Answer) -> None:
        """Keep an answer. Raises ValueError unless its seat is asked and has not answered."""
        if self.asking(answer.seat) is None:
            raise ValueError("this seat is not asked")
        self._answers[answer.seat] = answer

    def outcome(self, now: int) -> Outcome | None:
        """Say what the answers amount to; None while the window stays open."""
        if self.questions if self.until is None else now < self.until:
            return None
        declines: list[Answer] = []
        for seat, hand in self._asked.items():
            answer = self._answers.get(seat) or Answer(seat, hand.default_action(), events_pb2.DECIDED_BY_CLOCK)
            if not answer.declines:
                return Outcome(declines, answer)
            declines.append(answer)
        return Outcome(declines, None)


def _ask_all(hand: Hand) -> tuple[dict[int, Hand], Hand]:
    """Each seat asked, in order, with the hand in which all before it have declined; and that in which all have."""
    asked: dict[int, Hand] = {}
    while hand.private and hand.turn is not None:
        asked[hand.turn] = hand
        hand = hand.clone()
        hand.apply(hand.default_action())
    return asked, hand
