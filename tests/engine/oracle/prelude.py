"""R8, and of R9 what comes before revolution: what is decided from the deal to the first lead, question by question.

Each phase of R3.1 is a generator that yields what is asked and is sent what was answered.
"""

from collections.abc import Callable, Generator, Iterable, Sequence
from dataclasses import dataclass, field

from gouji.engine import Action, ActionKind, RuleSet
from gouji.engine.cards import RANKS, opposite, sort_cards

from .plays import less
from .results import Owed
from .state import SEATS, after

PRICES = "2wW"
TRIBUTE = "Ww2"


@dataclass(frozen=True)
class Asked:
    """A seat, what it is asked, and what it may answer: ``names`` whole actions, ``fits`` judges cards (R8.4)."""

    seat: int
    kind: str
    names: tuple[Action, ...] = ()
    fits: Callable[[str], bool] = lambda _: False

    def allows(self, action: Action) -> bool:
        """Whether the action is lawful."""
        if action in self.names:
            return True
        return action.seat == self.seat and action.kind is ActionKind.RETURN and self.fits(action.cards)


Phase = Generator[Asked, Action, None]


@dataclass
class Prelude:
    """A hand before revolution. ``phase`` is where it begins, as in docs/cases.md; `asked` is None when it is over."""

    rules: RuleSet
    hands: list[str]
    leader: int
    owed: list[Owed] = field(default_factory=list)
    phase: str = "advance"
    first_hand: bool = False
    finished: Sequence[int] = ()
    aside: list[str] = field(default_factory=lambda: [""] * 6)
    calls: dict[int, str] = field(default_factory=dict)
    doubled: set[int] = field(default_factory=set)
    void: bool = False
    asked: Asked | None = None

    def __post_init__(self) -> None:
        self.hands = [sort_cards(cards) for cards in self.hands]
        self.dealt = list(self.hands)
        self.received = [""] * 6
        # R8.5: between team-mates it is shown and not paid.
        self.owed = [debt for debt in self.owed if not self._is_spared(debt)]
        self._course = self._all()
        self.asked = next(self._course, None)

    def _is_spared(self, debt: Owed) -> bool:
        mates = bool(self.rules["teams"]) and debt.payer % 2 == debt.receiver % 2
        return mates and debt.kind == "last" and self.rules["team_tribute"] == "never"

    def apply(self, action: Action) -> None:
        """Do an action that `asked` allows."""
        try:
            self.asked = self._course.send(action)
        except StopIteration:
            self.asked = None

    def _all(self) -> Phase:
        phases = {
            "advance": self._advance,
            "tribute": self._tribute,
            "buy": self._buy,
            "call": self._call,
            "sink": self._sink,
            "lay_off": self._lay_off,
        }
        names = list(phases)
        begun = names.index(self.phase)
        for name in names[begun:]:
            # Buying is a part of the tribute phase where tribute is played (R8.7).
            if not self.void and not (name == "buy" and begun < names.index("buy")):
                yield from phases[name]()

    def _seats(self, first: int) -> list[int]:
        return [seat for seat in (first, *after(first)) if seat not in self.finished]

    # Before the deal, and a new deal (R9.5, R9.7, R3.1)

    def _advance(self) -> Phase:
        if self.rules["calls"]:
            for seat in self._seats(0):
                yield from self._may_call(seat, "advance")
        if self.rules["doubles_called"]:
            for seat in self._seats(0):
                if seat % 2 not in self.doubled:
                    answer = yield _choice(seat, "double", ActionKind.DOUBLE, ActionKind.DECLINE)
                    if answer.kind is ActionKind.DOUBLE:
                        self.doubled.add(seat % 2)
        if self.first_hand and self.rules["redeal_on_request"]:
            yield from self._redeal()

    def _may_call(self, seat: int, call: str) -> Phase:
        answer = yield _choice(seat, "call", ActionKind.CALL, ActionKind.NO_CALL)
        if answer.kind is ActionKind.CALL:
            self.calls[seat] = call

    def _redeal(self) -> Phase:
        for seat in self._seats(self.leader):
            if not set(self.hands[seat]) & set(PRICES):
                answer = yield _choice(seat, "redeal", ActionKind.REDEAL, ActionKind.DECLINE)
                if answer.kind is ActionKind.REDEAL:
                    self.void = True
                    return

    # Tribute (R8.1-R8.6)

    def _tribute(self) -> Phase:
        later = bool(self.rules["buy_after_point"])
        if not later:
            yield from self._buy()
        while self.owed:
            if later and not any(debt.kind == "point" for debt in self.owed):
                later = False
                yield from self._buy()
            # A debt stands as owed until it is settled.
            yield from self._settle(self.owed[0])
            self.owed.pop(0)
        if later:
            yield from self._buy()

    def _settle(self, debt: Owed) -> Phase:
        if self._is_resisted(debt) or not self.due(debt):
            return
        mates = self.rules["teams"] and debt.payer % 2 == debt.receiver % 2
        if self.rules["may_decline_tribute"]:
            answer = yield _choice(debt.receiver, "take", ActionKind.ACCEPT, ActionKind.DECLINE)
            if answer.kind is ActionKind.DECLINE:
                return
        pay = Action(debt.payer, ActionKind.PAY, self.due(debt))
        optional = mates and debt.kind == "last" and self.rules["team_tribute"] == "optional"
        names = (pay, Action(debt.payer, ActionKind.DECLINE)) if optional else (pay,)
        answer = yield Asked(debt.payer, "pay", names)
        if answer.kind is ActionKind.DECLINE:
            return
        self._move(debt.payer, debt.receiver, pay.cards)
        self.received[debt.receiver] += pay.cards
        if self.rules["return_tribute"] and (debt.kind != "point" or self.rules["return_point"]):
            yield from self._return(debt, len(pay.cards))

    def _is_resisted(self, debt: Owed) -> bool:
        """R8.6."""
        if not self.rules["resist"]:
            return False
        resisting = {seat for seat in SEATS if self.dealt[seat].count("2") >= 8 or self.dealt[seat].count("W") >= 4}
        covers = self.rules["resist_covers"]
        if covers in ("team_last", "last_only") and debt.kind != "last":
            return False
        if covers in ("team_all", "team_last") and self.rules["teams"]:
            return any(seat % 2 == debt.payer % 2 for seat in resisting)
        return debt.payer in resisting

    def due(self, debt: Owed) -> str:
        """R8.3: what the payer pays; nothing where it is exempt."""
        own = self.hands[debt.payer]
        for card in self.received[debt.payer]:
            own = own.replace(card, "", 1)
        own = sort_cards(own)
        highest = self.rules["no_tribute_card"]
        any_card = highest == "highest" or (highest == "highest_for_point" and debt.kind == "point")
        return own[: debt.cards] if any_card else "".join(card for card in own if card in TRIBUTE)[: debt.cards]

    def _return(self, debt: Owed, count: int) -> Phase:
        """R8.4."""
        giver, payer = debt.receiver, debt.payer
        answer = yield Asked(giver, "return", fits=self._returns(giver, "", count))
        given = answer.cards
        while refused := self._may_refuse(debt, given):
            refusals = tuple(Action(payer, ActionKind.REFUSE, card) for card in refused)
            answer = yield Asked(payer, "accept", (Action(payer, ActionKind.ACCEPT), *refusals))
            if answer.kind is ActionKind.ACCEPT:
                break
            number = min(given.count(answer.cards), len(self._instead(debt, given)))
            given = given.replace(answer.cards, "", number)
            answer = yield Asked(giver, "return", fits=self._returns(giver, given, number, self.hands[payer]))
            given += answer.cards
        self._move(giver, payer, given)

    def _returns(self, giver: int, given: str, count: int, among: str = RANKS) -> Callable[[str], bool]:
        """Judge what is given back beside ``given``: so many cards that it holds, of these ranks."""

        def fits(cards: str) -> bool:
            return (
                len(cards) == count and set(cards) <= set(among) and less(self.hands[giver], given + cards) is not None
            )

        return fits

    def _may_refuse(self, debt: Owed, given: str) -> list[str]:
        """Give the ranks that the payer lacks, where the receiver has something else that it holds."""
        if not self.rules["may_refuse"] or not self._instead(debt, given):
            return []
        return sorted({card for card in given if card not in self.hands[debt.payer]})

    def _instead(self, debt: Owed, given: str) -> str:
        left = less(self.hands[debt.receiver], given)
        assert left is not None
        return "".join(card for card in left if card in self.hands[debt.payer])

    def _move(self, giver: int, taker: int, cards: str) -> None:
        left = less(self.hands[giver], cards)
        assert left is not None
        self.hands[giver] = left
        self.hands[taker] = sort_cards(self.hands[taker] + cards)
        # Of equal cards the one that was received stays longest (docs/readings.md, R8.3).
        self.received[giver] = "".join(
            card * min(left.count(card), self.received[giver].count(card)) for card in set(self.received[giver])
        )

    # Buying (R8.7)

    def _buy(self) -> Phase:
        if self.rules["threes_last"]:
            for seat in self._seats(self.leader):
                yield from self._buy_one(seat, "3", forced=True)
        if self.rules["fours_open"]:
            for seat in self._seats(self.leader):
                yield from self._buy_one(seat, "4", forced=False)

    def _buy_one(self, buyer: int, card: str, *, forced: bool) -> Phase:
        price = next((price for price in PRICES if price in self.hands[buyer]), "")
        if card in self.hands[buyer]:
            return
        own = self.rules["buy_from"] == "own_team"
        seller = next(self._sellers([opposite(buyer)] if own else self._who_may_sell(buyer), card), None)
        if seller is not None:
            if price:
                names = [Action(buyer, ActionKind.BUY_WITH, price)]
                names += [] if forced else [Action(buyer, ActionKind.DECLINE)]
                answer = yield Asked(buyer, "buy", tuple(names))
                if answer.kind is ActionKind.BUY_WITH:
                    self._move(buyer, seller, price)
                    self._move(seller, buyer, card)
        elif own:
            giver = next(self._sellers([other for other in after(buyer) if other % 2 == buyer % 2], card), None)
            if giver is not None:
                if not forced:
                    answer = yield _choice(buyer, "take", ActionKind.ACCEPT, ActionKind.DECLINE)
                    if answer.kind is ActionKind.DECLINE:
                        return
                names = [Action(giver, ActionKind.GIVE, card)]
                names += [] if forced else [Action(giver, ActionKind.DECLINE)]
                answer = yield Asked(giver, "give", tuple(names))
                if answer.kind is ActionKind.GIVE:
                    self._move(giver, buyer, card)

    def _who_may_sell(self, buyer: int) -> list[int]:
        others = [seat for seat in after(buyer) if seat != opposite(buyer)]
        if self.rules["buy_from"] == "opposite_team":
            others = [seat for seat in others if seat % 2 != buyer % 2]
        return [opposite(buyer), *others]

    def _sellers(self, seats: Iterable[int], card: str) -> Iterable[int]:
        return (seat for seat in seats if self.hands[seat].count(card) >= 2)

    # After the tribute (R9.5, R9.9, R9.10)

    def _call(self) -> Phase:
        if self.rules["calls"]:
            for seat in self._seats(self.leader):
                if seat not in self.calls:
                    yield from self._may_call(seat, "open")

    def _sink(self) -> Phase:
        if self.rules["sink_fours"]:
            for seat in self._seats(self.leader):
                if "4" in self.hands[seat]:
                    answer = yield _choice(seat, "sink", ActionKind.SINK, ActionKind.DECLINE)
                    if answer.kind is ActionKind.SINK:
                        self._lay_aside(seat, "4")

    def _lay_off(self) -> Phase:
        if self.rules["lay_off"]:
            ways = tuple(Action(self.leader, ActionKind.LAY_OFF, cards) for cards in ("3", "4", "43"))
            answer = yield Asked(self.leader, "lay_off", (*ways, Action(self.leader, ActionKind.DECLINE)))
            for seat in SEATS:
                self._lay_aside(seat, answer.cards)

    def _lay_aside(self, seat: int, ranks: str) -> None:
        self.aside[seat] = sort_cards(self.aside[seat] + "".join(card for card in self.hands[seat] if card in ranks))
        self.hands[seat] = "".join(card for card in self.hands[seat] if card not in ranks)


def _choice(seat: int, kind: str, *answers: ActionKind) -> Asked:
    return Asked(seat, kind, tuple(Action(seat, answer) for answer in answers))
