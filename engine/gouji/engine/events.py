"""What follows from an action by rule: the consequences that `Hand.apply` gives, in order."""

from dataclasses import dataclass

from gouji.engine.cards import Card


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
    cards: tuple[Card, ...]


@dataclass(frozen=True, slots=True)
class SeatLeft:
    """A choked or stuck seat left with the lowest place still free; ``cards`` are shown and dead (R9.8, R9.14)."""

    seat: int
    cards: tuple[Card, ...]


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


@dataclass(frozen=True, slots=True)
class TributePaid:
    """``payer`` paid these cards to ``receiver`` (R8.3). Everybody sees them."""

    payer: int
    receiver: int
    cards: tuple[Card, ...]


@dataclass(frozen=True, slots=True)
class TributeReturned:
    """``receiver`` gave ``count`` cards back to ``payer`` (R8.4).

    The two alone see which; to others ``cards`` are empty.
    """

    receiver: int
    payer: int
    cards: tuple[Card, ...]
    count: int


@dataclass(frozen=True, slots=True)
class CardBought:
    """``buyer`` got ``sold`` from ``seller`` for ``paid``, which is empty for a gift (R8.7). Everybody sees them."""

    buyer: int
    seller: int
    sold: tuple[Card, ...]
    paid: tuple[Card, ...]


@dataclass(frozen=True, slots=True)
class TributeResisted:
    """``payer`` owes ``receiver`` nothing for this kind, having resisted (抗貢, R8.6)."""

    payer: int
    receiver: int
    kind: str


@dataclass(frozen=True, slots=True)
class TributeShown:
    """Team-mates: cards of one rank that ``payer`` would have paid to ``receiver``, and keeps (R8.5 `never`)."""

    payer: int
    receiver: int
    cards: tuple[Card, ...]


@dataclass(frozen=True, slots=True)
class FoursSunk:
    """A seat laid its fours aside (沉4, R9.9)."""

    seat: int


@dataclass(frozen=True, slots=True)
class RanksLaidOff:
    """Every seat laid off its cards of these ranks (燴牌, R9.10)."""

    ranks: str


Consequence = (
    TrickWon
    | SeatFinished
    | SeatOpened
    | SeatChoked
    | SeatStruck
    | SeatStuck
    | SeatLeft
    | BurnSucceeded
    | ScrambleBegan
    | HandVoided
    | HandOver
    | TributePaid
    | TributeReturned
    | CardBought
    | TributeResisted
    | TributeShown
    | FoursSunk
    | RanksLaidOff
)
