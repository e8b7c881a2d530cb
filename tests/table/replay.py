"""Hands played at tables that are plain objects, and played again on other deals."""

import random
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import gouji.engine.hand
from gouji.engine import PRESETS
from gouji.engine.cards import Card
from gouji.table.asking import Act, Refused
from gouji.table.table import Table
from gouji.table.window import Answer
from gouji.v1 import events_pb2, rules_pb2, table_pb2
from gouji.v1.events_pb2 import Event

PLAYER = events_pb2.DECIDED_BY_PLAYER
BEGAN = 1_000_000

HOUSE_RULES: dict[str, Mapping[str, str]] = {
    "free burning, in turn": {"burn_guard": "false", "burn_order": "in_turn"},
    "burners first, opening": {"burn_guard": "false", "burn_order": "burn_first", "opening": "true"},
    "counts always shown": {"report_at": "36", "teams": "false"},
}
RULES: dict[str, Mapping[str, str]] = {name: {"preset": name} for name in PRESETS} | HOUSE_RULES

CLOCK = rules_pb2.Clock(
    turn_ms=20_000,
    bank_ms=60_000,
    answers_least_ms=1500,
    answers_most_ms=2500,
    allowance_ms=300,
    expiries=2,
    absent_ms=6_000,
)

LAID_OPEN = ("seat_struck", "seat_left", "tribute_paid", "tribute_shown", "tribute_returned", "card_bought")
"""Consequences that show cards to all, or to the two seats of a tribute."""

Swap = tuple[int, Card, int, Card]
Kept = dict[int, list[Card]]
Move = tuple[int, Act | None]
"""A time, and what a seat does then; None lets the table do what is due."""

KEPT_EVERY = 20
"""Moves after which it is noted who holds what."""

_deal: Callable[..., tuple[list[list[Card]], int]] = gouji.engine.hand.deal_cards


def opened(rules: Mapping[str, str], hands: int = 1) -> Table:
    """Make a table of six people that has just opened."""
    table = Table("t1")
    overrides = {name: value for name, value in rules.items() if name != "preset"}
    spec = table_pb2.TableSpec(
        table_id="t1",
        seats=[events_pb2.Seat(player_id=f"p{seat}") for seat in range(6)],
        rules=rules_pb2.RuleSet(preset=rules.get("preset", ""), overrides=overrides),
        length=rules_pb2.MatchLength(hands=hands),
    )
    table.fold(table.open(spec, CLOCK, BEGAN))
    return table


def follow(table: Table, now: int, secret: bytes) -> list[Event]:
    """Do all that comes by itself now, up to a hand's end."""
    events: list[Event] = []
    while (event := table.follow(now, lambda: secret)) is not None:
        table.fold(event)
        events.append(event)
        if event.HasField("hand_ended"):
            break
    return events


def do(table: Table, act: Act, now: int, secret: bytes) -> list[Event] | None:
    """Do an act and what follows; None when it is refused."""
    decision = table.decide(act, now)
    if isinstance(decision, Refused):
        return None
    if isinstance(decision, Answer):
        table.seal(decision)
        return follow(table, now, secret)
    table.fold(decision)
    return [decision, *follow(table, now, secret)]


def random_move(table: Table, chance: random.Random, now: int, idle: float = 0.03) -> Move:
    """Choose what happens next: an act of a seat that is asked, or, ``idle`` often, the time when the table decides."""
    seats = list(table.asking.questions)
    if not seats or chance.random() < idle:
        return max(now, table.next_moment or now), None
    seat = chance.choice(seats)
    hand = table.hand_asking(seat)
    assert hand is not None
    return now + chance.randrange(900_000), Act(seat, table.turn, chance.choice(hand.legal_actions()), PLAYER)


@contextmanager
def dealing(swap: Swap | None, always: bytes | None = None) -> Iterator[None]:
    """Have hands dealt with two cards swapped; from one seed ``always``, if that is given."""

    def deal(rules: Any, seed: bytes, leader: Any) -> tuple[list[list[Card]], int]:
        hands, first = _deal(rules, always or seed, leader)
        if swap is not None:
            one, mine, other, theirs = swap
            hands[one][hands[one].index(mine)], hands[other][hands[other].index(theirs)] = theirs, mine
        return hands, first

    gouji.engine.hand.deal_cards = deal
    try:
        yield
    finally:
        gouji.engine.hand.deal_cards = _deal


class Play:
    """One hand of a match, played at random to its end, that can be done again."""

    def __init__(self, begin: Callable[[], Table], now: int, chance: random.Random, idle: float = 0.03) -> None:
        self.begin = begin
        self.began = now
        self.secret = chance.randbytes(32)
        self.moves: list[Move] = []
        self.kept: list[Kept] = []
        line = Line(self, None)
        self.kept.append(kept(line.table))
        self.comes = line.comes()
        while not line.over:
            now, act = random_move(line.table, chance, now, idle)
            line.do((now, act))
            self.comes |= line.comes()
            self.moves.append((now, act))
            if len(self.moves) % KEPT_EVERY == 0:
                self.kept.append(kept(line.table))
        self.ended = line

    def draw_swap(self, chance: random.Random, viewer: int, *, late: bool) -> Swap | None:
        """Choose two cards that two seats hold which are not the viewer; ``late`` in the hand, or as it was dealt."""
        held = chance.choice(self.kept) if late else self.kept[0]
        seats = [seat for seat, cards in held.items() if cards and seat != viewer]
        if len(seats) < 2:
            return None
        one, other = chance.sample(seats, 2)
        return one, chance.choice(held[one]), other, chance.choice(held[other])


def kept(table: Table) -> Kept:
    """Give the cards that were dealt to each seat and are in its hand still; none of seats that lie open."""
    hand = table.hand
    assert hand is not None
    assert hand.dealt is not None
    dealt = hand.dealt
    return {seat: [c for c in hand.cards(seat) if c in dealt[seat]] for seat in range(6) if seat not in hand.struck}


class Line:
    """A hand as it goes on one deal: ``events`` came of the last move, ``before`` is the phase in which it was made."""

    def __init__(self, play: Play, swap: Swap | None) -> None:
        self.seats = () if swap is None else (swap[0], swap[2])
        self._secret = play.secret
        self.before = "deal"
        self.table = play.begin()
        with dealing(swap):
            self.events = follow(self.table, play.began, self._secret)

    @property
    def phase(self) -> str:
        """The hand's phase now."""
        return "over" if self.table.hand is None else self.table.hand.phase

    @property
    def over(self) -> bool:
        """The hand is over."""
        return self.table.hand is None or self.table.hand.over

    def comes(self) -> set[tuple[str, str]]:
        """Give phase and kind of what has just come, and that the phase could be looked at."""
        return {(self.before, str(event.WhichOneof("body"))) for event in self.events} | {(self.phase, "observe")}

    def do(self, move: Move) -> bool:
        """Make a move; False when it is refused."""
        now, act = move
        self.before = self.phase
        done = follow(self.table, now, self._secret) if act is None else do(self.table, act, now, self._secret)
        self.events = done or []
        return done is not None

    def does_the_same(self, move: Move, original: "Line") -> bool:
        """Make a move; False when it is not lawful here, or shows something else to all."""
        done, (_, act) = self.do(move), move
        # A sealed answer of a seat that is asked on one deal alone shows to nobody else.
        if not done and (original.events or act is None or act.seat not in self.seats):
            return False
        return self.shows_the_same(original)

    def shows_the_same(self, original: "Line") -> bool:
        """Say whether the last move laid the same open as on another deal."""
        return list(map(laid_open, self.events)) == list(map(laid_open, original.events))


def laid_open(event: Event) -> tuple[Any, ...]:
    """Give what an event lays open by rule: what was done, which cards went down, what a struck seat held."""
    taken = event.action_taken
    consequences = [*event.hand_dealt.consequences, *taken.consequences, *event.answers_closed.consequences]
    shown = [c.SerializeToString() for c in consequences if c.WhichOneof("kind") in LAID_OPEN]
    cards = [card.SerializeToString() for card in taken.cards]
    return event.WhichOneof("body"), taken.seat, taken.partner_plus_one, taken.action.SerializeToString(), cards, shown
