"""What follows from an action by rule: the consequences that `Hand.apply` gives, in order."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class TrickWon:
    """The trick ended: ``seat`` made its last play, ``leader`` leads the next (R3.3, R4.7)."""

    seat: int
    leader: int


@dataclass(frozen=True, slots=True)
class SeatFinished:
    """A seat played its last card and takes ``place``, 1 for head (R6.1)."""

    seat: int
    place: int


@dataclass(frozen=True, slots=True)
class SeatOpened:
    """A seat opened (開點, R9.6)."""

    seat: int


@dataclass(frozen=True, slots=True)
class SeatChoked:
    """``seat`` was choked (憋) by ``by`` (R9.8)."""

    seat: int
    by: int


@dataclass(frozen=True, slots=True)
class SeatStruck:
    """A burning seat could not go on and left (燒糊, R5.5); ``cards`` are shown and dead."""

    seat: int
    cards: str


@dataclass(frozen=True, slots=True)
class SeatStuck:
    """A seat must lead and holds only jokers and threes (悶, R9.8)."""

    seat: int


@dataclass(frozen=True, slots=True)
class BurnSucceeded:
    """A burning seat finished (R5.6); each of ``doublings`` counter-burns doubles the tribute."""

    burner: int
    burned: int
    doublings: int


@dataclass(frozen=True, slots=True)
class ScrambleBegan:
    """The next trick is a scramble (四人亂纏, R4.8)."""


@dataclass(frozen=True, slots=True)
class HandVoided:
    """Two seats revolted: the hand is dealt anew (R9.1)."""


@dataclass(frozen=True, slots=True)
class HandOver:
    """The hand is over; `Hand.order` and the scores stand (R6, R7)."""


Consequence = (
    TrickWon
    | SeatFinished
    | SeatOpened
    | SeatChoked
    | SeatStruck
    | SeatStuck
    | BurnSucceeded
    | ScrambleBegan
    | HandVoided
    | HandOver
)
