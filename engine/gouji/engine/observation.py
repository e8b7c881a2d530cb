"""What one seat may know of a hand.

Where the rules show cards or hide them, and where that stands here:

- R3.1: the deal shows each seat its own cards (`cards`, `dealt`), after the calls that come before it (R9.5, R9.7).
- R3.2: who leads shows (`first_leader`), the cards that decided it do not.
- R3.3, R4.9, R5.4: cards played are seen by all (`SeatView.played`, `history`).
- R5.2, R9.1, R9.9, R3.1: who is asked in private, and who declines, does not show (`answers_open`; `turn` is None).
- R5.5, R9.8, R9.14: the cards of a seat that is struck, or leaves with cards, are seen by all (`SeatView.played`).
- R8.3, R8.7: cards paid and bought are seen by all, so that their taker is known to hold them (`SeatView.known`).
- R8.4: cards given back, and what is refused of them, are seen by the two seats; others see how many.
- R8.6: that a seat resists shows when a tribute falls due; the cards do not.
- R9.1: a revolter keeps its cards unseen; it holds no joker and no two. R9.3: what it shows to open is seen by all.
- R9.5, R9.7: calls and doubling are heard by all (`SeatView.call`, `doubled`).
- R9.6: who opened shows, with `natural_open` from the deal on.
- R9.8: that a seat has threes alone shows when it is choked, threes and jokers alone when it is stuck.
- R9.9: that a seat sank its fours shows, how many does not; its own are in `aside`. R9.10: `laid_off` ranks show.
- R9.11: counts (`cards_left`), what was felt (`felt`) and asked.
- R9.12: a team-mate's hand (`SeatView.shown`).
"""

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Protocol

from gouji.engine.actions import Action
from gouji.engine.cards import Card
from gouji.engine.history import Step
from gouji.engine.rules import RuleSet
from gouji.engine.tribute import Debt

if TYPE_CHECKING:
    from gouji.engine.hand import Hand


class Chance(Protocol):
    """Where random bits come from: `random.Random`, or anything with this method of it."""

    def getrandbits(self, k: int, /) -> int:
        """Give ``k`` random bits."""
        ...


@dataclass(frozen=True, slots=True)
class SeatView:
    """What everybody may know of one seat.

    ``cards_left`` is -1 where the rules hide it (R9.11); ``place`` is 1..6, or 0 while in; ``played`` are cards that
    everybody has seen; ``kept_head`` counts the Gouji plays for which the seat keeps a head (R9.2); ``shown`` is the
    hand where the viewer may see a team-mate's (R9.12); ``known`` are cards that the viewer has seen come to this seat
    and not leave it, where a history is kept (R8, R9.3); ``call`` is ``open``, ``advance`` or empty (R9.5). Of a
    burning seat ``burned`` is whom it burned, and ``counter_burns`` how many the chain has (R5.6).
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
    known: str = ""
    call: str = ""
    burned: int | None = None
    counter_burns: int = 0


@dataclass(frozen=True, slots=True)
class Observation:
    """All and only what a seat may know; ``seat`` is None for a spectator, whose ``cards`` are empty.

    ``turn`` is the seat that is asked, or None when the hand is over or the question is another seat's private one;
    ``answers_open`` says that private questions may be open (the same for every viewer). ``question`` and
    ``may_yield`` are set for the viewer alone; ``felt`` is what it felt of its opposite's cards last, and
    ``may_feel`` and ``may_ask`` what more it may learn of counts (R9.11). Outside the play, and where fours must be
    led (R9.9), ``choices`` are all that it may do; ``debt`` is the tribute that is being settled, ``owes`` all that are
    not settled yet. ``table_is_dead`` says that the play may only be burned (R4.6, R9.2); ``aside`` are the viewer's
    own cards sunk or laid off; ``burns`` those that succeeded: (burner, burned, counter-burns).

    ``history`` is all that has happened in this hand as the viewer saw it, oldest first, and ``dealt`` what it was
    dealt; where the hand keeps no account they are None and empty. ``position`` is the engine's own form of the rest,
    for `determinize`: it means something to this version of the engine alone.
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
    first_leader: int = 0
    table_is_dead: bool = False
    aside: str = ""
    laid_off: str = ""
    doubled: tuple[int, ...] = ()
    owes: tuple[Debt, ...] = ()
    burns: tuple[tuple[int, int, int], ...] = ()
    dealt: tuple[Card, ...] = ()
    history: tuple[Step, ...] | None = None
    position: bytes = b""

    def legal_actions(self, compact: bool = False) -> list[Action]:
        """All actions open to the viewer, or as ``compact`` those of `Hand.legal_actions`; empty when not asked."""
        # The compiled module makes observations, so it is imported when it is there.
        from gouji.engine.hand import Hand  # noqa: PLC0415

        if self.choices or not self.question or self.phase != "play":
            return list(self.choices)
        return Hand.from_observation(self).legal_actions(compact)

    def determinize(self, rng: Chance) -> "Hand":
        """Draw a whole hand that fits all that the viewer knows, for search; it observes the same from this seat.

        All ways to deal the hidden cards are equally likely, those ruled out by what the viewer knows apart; where
        many are (R8, R9.8), as nearly so as a random walk among the rest comes. Private questions that others may
        have open are asked of whoever holds the cards for them in the drawn hand. Raises `InvalidState` for an
        observation of another version, or of no hand that can be.
        """
        # The compiled module makes observations, so it is imported when it is there.
        from gouji.engine.hand import Hand  # noqa: PLC0415

        return Hand.drawn(self, rng)

    def to_bytes(self) -> bytes:
        """Give canonical bytes: the same for two observations of one version if and only if they are equal."""
        parts = [str(self.rules.spec())] + [repr(getattr(self, field.name)) for field in fields(self)[1:]]
        return "\n".join(parts).encode()
