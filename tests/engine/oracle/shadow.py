"""A dealt hand watched from the deal to its end: what every action must leave as it is, and what must follow."""

from collections.abc import Sequence
from dataclasses import astuple, dataclass, field

from gouji.engine import Action, ActionKind, Hand
from gouji.engine.cards import RANKS

from . import endings
from .model import Model
from .prelude import Prelude
from .results import Outcome, Owed, owed, scores, team_scores
from .state import SEATS, Table

PLAYS = (ActionKind.PLAY, ActionKind.BURN)
BEFORE_REVOLUTION = ("advance", "redeal", "tribute", "buy", "call", "sink", "lay_off")


def pack_of(hand: Hand) -> str:
    """Write all cards of a deck by rank (R1.2, R1.3)."""
    packs = int(str(hand.rules["decks"]))
    short = {"3": hand.rules["threes"], "4": hand.rules["fours"]}
    return "".join(rank * (int(str(short.get(rank, 0))) or (packs if rank in "wW" else 4 * packs)) for rank in RANKS)


@dataclass
class Shadow:
    """A hand that is dealt: `apply` does an action and compares, `end` compares the result.

    Places, scores, debts and the prelude are worked out here. Who opened, burned, was choked or stuck is the engine's
    word, unless ``closely``: then `Model` plays along from the revolution on, and every action is lawful by it too.
    All methods raise AssertionError where the engine goes another way.
    """

    hand: Hand
    owed: Sequence[Owed]
    first_hand: bool
    closely: bool = False
    model: Model | None = None
    table: Table = field(init=False)
    prelude: Prelude = field(init=False)
    led: set[int] = field(default_factory=set)
    """Seats that have led."""
    answered: set[int] = field(default_factory=set)
    """Seats after whose first lead another has played: no slam is left to them (R7.5)."""
    prelude_is_over: bool = False

    def __post_init__(self) -> None:
        hand = self.hand
        pack = pack_of(hand)
        self.pack = [pack.count(rank) for rank in RANKS]
        self.table = Table(hand.rules, list(hand.hands), hand.first_leader)
        self.prelude = Prelude(
            hand.rules, list(hand.hands), hand.first_leader, list(self.owed), first_hand=self.first_hand
        )
        self.look()

    def look(self) -> None:
        """Compare what can be seen now."""
        hand = self.hand
        held = [cards for seat, cards in enumerate(hand.hands) if seat not in self.laid_open]
        cards = "".join((*held, *hand.played, *hand.aside))
        assert [cards.count(rank) for rank in RANKS] == self.pack, "cards are lost or made"
        if hand.phase in BEFORE_REVOLUTION:
            self._look_at_prelude()
        elif not self.prelude_is_over:
            assert self.prelude.asked is None, "the engine skips a question"
            assert list(hand.hands) == self.prelude.hands or hand.void
            self.prelude_is_over = True
            if self.closely and not hand.void:
                opened = set(hand.opened)
                self.model = Model.position(hand.rules, hand.hands, hand.first_leader, phase="revolt", opened=opened)
        if self.model is not None:
            self._look_at_play(self.model)

    @property
    def laid_open(self) -> set[int]:
        """Seats that left with cards, which all have seen (R5.5, R9.8, R9.14)."""
        hand, rules = self.hand, self.hand.rules
        choked = {seat for seat, _ in hand.choked} if rules["first_choked_is_last"] else set()
        return set(hand.struck) | choked | (set(hand.stuck) if rules["no_bare_joker_lead"] else set())

    def _look_at_play(self, model: Model) -> None:
        hand, table, asked = self.hand, model.table, model.question
        engine = (hand.turn, hand.question, hand.table, hand.order, hand.void, hand.scramble, hand.burns, hand.choked)
        burns, choked = tuple(table.burns), tuple(table.choked)
        seat, kind = (asked.seat, asked.kind) if asked else (None, None)
        assert engine == (seat, kind, table.trick.cards, model.order, table.void, table.scramble, burns, choked)
        sets = (table.opened, set(table.burning), set(table.stuck), set(table.revolted), set(table.struck))
        assert sets == tuple(map(set, (hand.opened, hand.burning, hand.stuck, hand.revolted, hand.struck)))

    def _look_at_prelude(self) -> None:
        hand, asked = self.hand, self.prelude.asked
        assert asked is not None, f"the engine asks for {hand.question}"
        assert (hand.turn, hand.question) == (asked.seat, asked.kind)
        assert list(hand.hands) == self.prelude.hands
        assert [astuple(debt) for debt in hand.owes] == self.prelude.owed
        legal = hand.legal_actions()
        assert all(asked.allows(action) for action in legal)
        assert not asked.names or set(legal) == set(asked.names)

    def apply(self, code: int, action: Action) -> None:
        """Do an action, packed and in words, on both sides and compare."""
        hand, table = self.hand, self.table
        before = hand.phase
        leads = hand.question == "lead"
        revolted, struck, choked = set(hand.revolted), set(hand.struck), set(hand.choked)
        table.trick.leader = hand.trick_leader
        hand.advance(code)
        if self.model is not None:
            self.model.apply(action)
        if before in BEFORE_REVOLUTION:
            self.prelude.apply(action)
        for seat in set(hand.revolted) - revolted:
            endings.revolt(table, seat)
        if action.kind in PLAYS and before == "play":
            self._note_play(action.seat, leads=leads)
        for seat, _ in set(hand.choked) - choked:
            if hand.rules["first_choked_is_last"]:
                endings.leave(table, seat)
        for seat in set(hand.struck) - struck:
            endings.leave(table, seat)
        self.look()

    def _note_play(self, seat: int, *, leads: bool) -> None:
        self.answered |= self.led - {seat}
        if leads:
            self.led.add(seat)
        if not self.hand.hands[seat]:
            endings.finish(self.table, seat)

    @property
    def slam(self) -> int | None:
        """R7.5, `korean`: the head that led and was never answered, when its last cards were not either."""
        if self.table.rules["grand_slam"] != "korean" or not self.table.finished:
            return None
        seat = self.table.finished[0]
        return seat if seat in self.led - self.answered else None

    def end(self) -> Outcome | None:
        """Compare the result of a hand that is over, and give it; None when it was voided."""
        hand, table = self.hand, self.table
        assert hand.over
        assert hand.legal_codes() == []
        if hand.void:
            assert hand.order == ()
            assert set(hand.scores) == {0}
            assert self.prelude.void or len(hand.revolted) > 1, "voided without a reason"
            return None
        table.hands = list(hand.hands)
        order = self._order()
        assert hand.order == order
        assert sorted(order) == list(SEATS)
        end = Outcome(
            hand.rules, order, set(hand.opened), hand.burns, hand.choked, set(hand.stuck), hand.calls,
            doubled=bool(hand.doubled), revolted=set(hand.revolted), slam=self.slam, first_leader=hand.first_leader,
        )  # fmt: skip
        assert hand.slam == end.slam
        assert hand.scores == scores(end)
        assert hand.team_scores == team_scores(end)
        assert [astuple(debt) for debt in hand.owes] == owed(end)
        return end

    def _order(self) -> tuple[int, ...]:
        table = self.table
        over = endings.end_if_over(table, table.trick.leader)
        if not over:
            assert self.slam is not None, "over while seats of both teams are in"
            endings.place_the_rest(table, table.trick.leader)
        return endings.order_of(table)
