"""What one seat may know of a hand."""

from dataclasses import dataclass

from gouji.engine.actions import Action
from gouji.engine.cards import Card
from gouji.engine.rules import RuleSet
from gouji.engine.tribute import Debt


@dataclass(frozen=True, slots=True)
class SeatView:
    """What everybody may know of one seat.

    ``cards_left`` is -1 where the rules hide it (R9.11); ``place`` is 1..6, or 0 while in; ``played`` are cards that
    everybody has seen; ``kept_head`` counts the Gouji plays for which the seat keeps a head (R9.2); ``shown`` is the
    hand where the viewer may see a team-mate's (R9.12).
    """

    cards_left: int
    is_in: bool
    place: int
    passed: bool
    has_head: bool
    opened: bool
    burning: bool
    revolted: bool
    struck: bool
    choked_by: int | None
    stuck: bool
    played: str
    kept_head: int
    shown: str = ""


@dataclass(frozen=True, slots=True)
class Observation:
    """All and only what a seat may know; ``seat`` is None for a spectator, whose ``cards`` are empty.

    ``turn`` is the seat that is asked, or None when the hand is over or the question is another seat's private one;
    ``answers_open`` says that private questions may be open (the same for every viewer). ``question`` and
    ``may_yield`` are set for the viewer alone; ``felt`` is what it felt of its opposite's cards last, and
    ``may_feel`` and ``may_ask`` what more it may learn of counts (R9.11). Outside the play, and where fours must be
    led (R9.9), ``choices`` are all that it may do; ``debt`` is the tribute that is being settled.
    """

    rules: RuleSet
    seat: int | None
    phase: str
    cards: tuple[Card, ...]
    seats: tuple[SeatView, ...]
    table: str
    table_seat: int | None
    table_is_gouji: bool
    trick_leader: int
    scramble: bool
    turn: int | None
    answers_open: bool
    question: str | None
    may_yield: bool
    finished: tuple[int, ...]
    felt: int | None = None
    choices: tuple[Action, ...] = ()
    may_feel: bool = False
    may_ask: tuple[int, ...] = ()
    debt: Debt | None = None

    def legal_actions(self, compact: bool = False) -> list[Action]:
        """All actions open to the viewer, or as ``compact`` those of `Hand.legal_actions`; empty when not asked."""
        # The compiled module makes observations, so it is imported when it is there.
        from gouji.engine.hand import Hand  # noqa: PLC0415

        if self.choices or not self.question or self.phase != "play":
            return list(self.choices)
        return Hand.from_observation(self).legal_actions(compact)
