"""What a hand consists of while it is played (R3)."""

from dataclasses import dataclass, field

from gouji.engine import RuleSet
from gouji.engine.cards import opposite

SEATS = range(6)


def after(seat: int) -> list[int]:
    """The other five seats, in turn order (R1.1)."""
    return [(seat + step) % 6 for step in range(1, 6)]


@dataclass(frozen=True)
class Question:
    """A seat that is asked, and what: ``lead answer last_word gouji burn revolt head``."""

    seat: int
    kind: str


@dataclass
class Burn:
    """R5: whom a burning seat burned, if that is known, and how many counter-burns came before its own."""

    burned: int | None = None
    doublings: int = 0


@dataclass
class Trick:
    """R3.3: one trick; at a lead ``cards`` are empty and ``by`` is None."""

    leader: int
    cards: str = ""
    by: int | None = None
    gouji: bool = False
    dead: bool = False
    """Nobody may answer the play; at most it is burned (R4.6, R9.2)."""
    burning: bool = False
    """It was made by a burning seat (R5.4)."""
    doublings: int = 0
    """How many counter-burns had come before it, if it was."""
    is_lead: bool = False
    yielder: int | None = None
    """Who has yielded on this very play (R4.3)."""
    after_yield: bool = False
    """Its player had yielded on the play that it beats (R4.3)."""
    passed: set[int] = field(default_factory=set)
    passed_before: set[int] = field(default_factory=set)
    """Who had passed when the play was made (R4.2)."""
    first_gouji: int | None = None
    """Who made the first Gouji play of the trick (R9.6)."""
    asking: list[Question] = field(default_factory=list)
    """Who is still to be asked about the play, in order."""


@dataclass
class Table:
    """All that there is to know of a hand."""

    rules: RuleSet
    hands: list[str]
    leader: int
    phase: str = "play"
    places: list[int] = field(default_factory=lambda: [0] * 6)
    finished: list[int] = field(default_factory=list)
    opened: set[int] = field(default_factory=set)
    burning: dict[int, Burn] = field(default_factory=dict)
    burns: list[tuple[int, int, int]] = field(default_factory=list)
    revolted: list[int] = field(default_factory=list)
    struck: list[int] = field(default_factory=list)
    choked: list[tuple[int, int]] = field(default_factory=list)
    stuck: list[int] = field(default_factory=list)
    heads_kept: dict[int, int] = field(default_factory=dict)
    """For opposites of a revolter: how many dead Gouji plays they have left (R9.2)."""
    dead_won: dict[int, int] = field(default_factory=dict)
    """For the same seats: how many of them have won (R9.3)."""
    scramble: bool = False
    over: bool = False
    void: bool = False
    trick: Trick = field(default_factory=lambda: Trick(0))
    last_play: Trick = field(default_factory=lambda: Trick(0))
    """The trick as the last play left it, though it may have ended since."""
    asking: list[Question] = field(default_factory=list)
    """Questions before the first lead (R9.1)."""

    def is_in(self, seat: int) -> bool:
        """R4: it holds cards, has not revolted and has not left."""
        return self.places[seat] == 0

    def seats_in(self) -> list[int]:
        return [seat for seat in SEATS if self.is_in(seat)]

    def has_head(self, seat: int) -> bool:
        """R4.5: its opposite is in; R9.2: it is treated as if."""
        return self.is_in(opposite(seat)) or self.heads_kept.get(seat, 0) > 0

    def mates(self, one: int, other: int) -> bool:
        """R1.1, R7.6."""
        return bool(self.rules["teams"]) and one % 2 == other % 2

    def next_in(self, seat: int) -> int:
        """The next seat in turn order that is in (R4.7)."""
        return next(other for other in after(seat) if self.is_in(other))
