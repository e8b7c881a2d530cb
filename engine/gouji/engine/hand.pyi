from array import array
from collections.abc import Sequence

from gouji.engine.actions import Action
from gouji.engine.cards import Card
from gouji.engine.events import Consequence
from gouji.engine.history import Step
from gouji.engine.observation import Chance, Observation
from gouji.engine.playouts import Playouts
from gouji.engine.reasons import Reason
from gouji.engine.rules import RuleSet
from gouji.engine.tribute import Aftermath, Debt

PHASES: tuple[str, ...]
"""Phases that a position may be set up in (docs/cases.md)."""

QUESTIONS: tuple[str, ...]
"""All that `Hand.question` may be."""

class Hand:
    """One hand from the deal to its result (R3-R7). Pure: no I/O, no clock, no chance of its own.

    Seats are 0..5, cards are text (`gouji.engine.cards`). Nothing that a caller is handed can change the state.
    """

    @staticmethod
    def deal(
        rules: RuleSet,
        seed: bytes,
        leader: int | str | None = None,
        *,
        held: bool = False,
        after: Aftermath | None = None,
        first_hand: bool = True,
        history: bool = False,
    ) -> Hand:
        """Deal from a 32-byte seed (R3.1); ``after`` is the hand before, from which tribute is owed (R8).

        ``leader`` is the seat that leads the first trick, or how the deal decides it: ``random``, ``first_seated``
        or ``show_threes``; a ``held`` hand waits for `close_answers` each time private questions may have been asked;
        None as leader takes the rules' `first_leader` (R3.2). ``first_hand`` says that it is the match's first. With
        ``history`` the hand keeps `steps`, and shows them in its observations. Raises ValueError for a seed of another
        length.
        """
    @staticmethod
    def position(
        rules: RuleSet,
        hands: Sequence[str],
        lead: int,
        *,
        finished: Sequence[int] = (),
        opened: Sequence[int] = (),
        burning: Sequence[int] = (),
        revolted: Sequence[int] = (),
        phase: str = "play",
        owed: Sequence[Debt] = (),
        first_hand: bool = False,
        as_dealt: bool = False,
        held: bool = False,
        history: bool = False,
    ) -> Hand:
        """Set up any position (docs/cases.md), ``owed`` still to settle; ``history`` as in `deal`.

        ``as_dealt``: nothing has been played or exchanged, so that these cards say who counts as opened (R9.6
        `natural_open`), and phase ``tribute`` begins with who may ask for a new deal (R3.1).

        Raises `InvalidState` or `MalformedCards`.
        """
    @staticmethod
    def from_bytes(data: bytes, rules: RuleSet) -> Hand:
        """Read what `to_bytes` wrote under the same rules. Raises `InvalidState` for anything else."""
    @staticmethod
    def from_observation(observation: Observation) -> Hand:
        """Set up what a seat sees: only `legal_actions`, `refusal` and `default_action` of that seat mean anything."""
    @staticmethod
    def drawn(observation: Observation, rng: Chance) -> Hand:
        """Draw a hand that fits an observation: `Observation.determinize`."""
    @property
    def rules(self) -> RuleSet: ...
    @property
    def at_deal(self) -> tuple[Consequence, ...]:
        """What followed by rule from the deal, before anybody was asked (R8.5, R8.6); copies do not have it."""
    @property
    def steps(self) -> tuple[Step, ...] | None:
        """What has happened for all to see, hidden cards included; None where no account is kept.

        Copies share it; bytes leave it out; `advance_all` and `playout` end it.
        """
    @property
    def dealt(self) -> tuple[tuple[Card, ...], ...] | None:
        """The six hands as dealt; None where no account is kept."""
    @property
    def phase(self) -> str:
        """``advance redeal tribute buy call sink lay_off revolt play last over``, in the order of R3.1."""
    @property
    def over(self) -> bool: ...
    @property
    def void(self) -> bool:
        """The hand is to be dealt anew (R9.1)."""
    @property
    def turn(self) -> int | None:
        """The seat that is asked; None when the hand is over."""
    @property
    def question(self) -> str | None:
        """What it is asked.

        In play ``lead answer last_word gouji burn``, before it ``call double redeal take pay return accept buy give
        sink lay_off revolt contest head``, after it ``last``.
        """
    @property
    def private(self) -> bool:
        """The question must stay unseen by others (R5.2, R9.1)."""
    @property
    def window(self) -> bool:
        """Private questions may be open, by what everybody can see: the same whatever the hands hold."""
    @property
    def may_yield(self) -> bool: ...
    @property
    def lead(self) -> int | None:
        """The seat that leads a new trick now; None within a trick."""
    @property
    def trick_leader(self) -> int: ...
    @property
    def first_leader(self) -> int: ...
    @property
    def table(self) -> str:
        """The play to beat; empty at a lead."""
    @property
    def table_seat(self) -> int | None: ...
    @property
    def table_is_gouji(self) -> bool: ...
    @property
    def hands(self) -> tuple[str, ...]: ...
    @property
    def played(self) -> tuple[str, ...]:
        """Cards of each seat that everybody has seen: played, or shown when struck."""
    @property
    def finished(self) -> tuple[int, ...]:
        """Seats that played all their cards, in order."""
    @property
    def places(self) -> tuple[int, ...]:
        """Each seat's place, 1..6, or 0 while it has none."""
    @property
    def order(self) -> tuple[int, ...]:
        """Seats by place, head first, when the hand is over; else empty (R6.1)."""
    @property
    def in_seats(self) -> tuple[int, ...]: ...
    @property
    def passed(self) -> tuple[int, ...]: ...
    @property
    def opened(self) -> tuple[int, ...]: ...
    @property
    def burning(self) -> tuple[int, ...]: ...
    @property
    def revolted(self) -> tuple[int, ...]: ...
    @property
    def struck(self) -> tuple[int, ...]: ...
    @property
    def stuck(self) -> tuple[int, ...]: ...
    @property
    def choked(self) -> tuple[tuple[int, int], ...]:
        """(choked, choker), in order (R9.8)."""
    @property
    def burns(self) -> tuple[tuple[int, int, int], ...]:
        """Burns that succeeded: (burner, burned, counter-burns) (R5.6)."""
    @property
    def aside(self) -> tuple[str, ...]:
        """Cards of each seat sunk or laid off (R9.9, R9.10)."""
    @property
    def calls(self) -> dict[int, str]:
        """Who called that its opposite would not open: ``open`` or ``advance`` (R9.5)."""
    @property
    def doubled(self) -> tuple[int, ...]:
        """Teams that doubled their tributes: 0 even, 1 odd (R9.7)."""
    @property
    def slam(self) -> int | None:
        """The seat that played out its hand unanswered (R7.5)."""
    @property
    def debt(self) -> Debt | None:
        """The tribute that is being settled."""
    @property
    def partner(self) -> int | None:
        """The other seat of the tribute or sale that the seat asked is party to."""
    @property
    def owes(self) -> tuple[Debt, ...]:
        """What is still to settle; when the hand is over, what it leaves owed (R8.1)."""
    @property
    def aftermath(self) -> Aftermath | None:
        """What matters to the next hand; None before the end and for a voided hand."""
    @property
    def scramble(self) -> bool: ...
    def has_head(self, seat: int) -> bool:
        """Whether the seat has a head (R4.5, R9.2)."""
    @property
    def scores(self) -> tuple[int, ...]:
        """Points of the six seats when the hand is over (R7); zeros before."""
    @property
    def team_scores(self) -> tuple[int, int] | None:
        """(even, odd) when the hand is over; None without teams (R7.1)."""
    def cards(self, seat: int) -> tuple[Card, ...]:
        """Return the cards that a seat holds, with suits, high to low."""
    def leaving(self, seat: int, ranks: str) -> tuple[Card, ...]:
        """Which cards leave when the seat plays these ranks now: of each rank the lowest suits."""
    def legal_actions(self, compact: bool = False) -> list[Action]:
        """All actions open to the seat that is asked; never empty unless the hand is over.

        ``compact`` is the short list for people and bots: of plays that are alike just the cheapest, and all that is no
        play. Alike are plays of one base and one size with the same jokers of each kind, or, where no duel is on
        (R2.5, R2.6), with a big joker each; the cheapest has the fewest W, then w, then added twos.
        """
    def legal_codes(self, compact: bool = False) -> list[int]:
        """Return the same as packed integers."""
    def refusal(self, action: Action | int) -> Reason | None:
        """Why an action would be refused now; None if it is legal."""
    def apply(self, action: Action | int) -> tuple[Consequence, ...]:
        """Do an action and say what followed by rule. Raises `IllegalAction`; then nothing has changed."""
    def advance(self, code: int) -> None:
        """`apply` for a packed action, without the account of what followed. Raises `IllegalAction`."""
    def advance_all(self, codes: array[int]) -> None:
        """`advance` for a whole ``array('Q')`` of packed actions, without the GIL.

        Raises `IllegalAction` at the first that is refused; those before it have been done.
        """
    def close_answers(self) -> tuple[Consequence, ...]:
        """End the time for private questions in a held hand that waits (`window`, and nobody is asked).

        Says what followed by rule. Raises ValueError when it does not wait.
        """
    def default_action(self) -> Action:
        """Choose the mildest lawful action, for a clock that ran out: decline, pass, else the smallest lead."""
    def observe(self, seat: int | None) -> Observation:
        """All and only what a seat may know; None for a spectator."""
    def determinize(self, seat: int | None, rng: Chance) -> Hand:
        """Draw a whole hand that fits what a seat, or a spectator, knows of this one: see `Observation.determinize`."""
    def clone(self) -> Hand: ...
    def to_bytes(self) -> bytes:
        """Write the state for `from_bytes` of the same build: the bytes follow the compiled state."""
    def state_text(self) -> str:
        """Write rules and state, hidden cards too, in the one form that digests go over (docs/notation.md)."""
    def digest(self) -> str:
        """SHA-256 over `state_text` in UTF-8, in hexadecimal: the same on every release. Takes some 50 µs."""
    def playout(self, seed: int) -> int:
        """Play to the end at random and return how many actions that took; for measuring and for fuzzing."""
    def playouts(self, count: int, seed: int) -> Playouts:
        """Play a copy to the end at random ``count`` times, without the GIL, and sum up how it ended.

        The same for the same state, count and seed; playout i has the chance of ``seed + i``, so runs can be split. The
        hand stays as it is. Raises ValueError unless ``count`` is at least 1.
        """
    def __eq__(self, other: object) -> bool: ...

def encode(action: Action) -> int:
    """Pack an action. Raises IllegalAction for cards that cannot be what the action speaks of."""

def decode(code: int) -> Action:
    """Unpack an action. A payment has no cards: they follow from the state."""
