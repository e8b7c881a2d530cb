"""Swapping cards that are hidden from a viewer, at a whole table, and looking whether anything it is sent changes.

A hand is played at a table. Then all that was done in it is done again at the same times, on the same deal and side by
side on deals in which two cards of two seats are swapped. As long as it all stays lawful and the same lies open, a third
seat and a spectator must be sent the same bytes: events, snapshots, what may be done, refusals, exports, and the times
in all of them. A deal on which something else would be lawful, or be shown, drops out.

``python -m tests.table.swaps 1000`` goes on until each rule set has that many swapped positions compared for each phase
and kind of message.
"""

import random
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import gouji.engine.hand
from gouji.engine import PRESETS, Action
from gouji.engine.cards import Card
from gouji.table.admin import log_lines
from gouji.table.asking import Act, Refused
from gouji.table.projection import moment, project, start
from gouji.table.table import Table
from gouji.table.window import Answer
from gouji.v1 import events_pb2, rules_pb2, snapshot_pb2, table_pb2
from gouji.v1.events_pb2 import Event
from tests.engine.leaks import goes_otherwise, may_see

PLAYER = events_pb2.DECIDED_BY_PLAYER
BEGAN = 1_000_000

HOUSE_RULES: Mapping[str, Mapping[str, str]] = {
    "free burning, in turn": {"burn_guard": "false", "burn_order": "in_turn"},
    "burners first, opening": {"burn_guard": "false", "burn_order": "burn_first", "opening": "true"},
    "counts always shown": {"report_at": "36", "teams": "false"},
}
RULES: Mapping[str, Mapping[str, str]] = {name: {"preset": name} for name in PRESETS} | HOUSE_RULES

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

PROBES = ("pass", "play 3", "play AA", "play 2W", "burn WW", "revolt", "pay W", "refuse 5", "no_call", "last 1", "feel")
"""What a viewer tries out of turn, or against the rules."""

Swap = tuple[int, Card, int, Card]
Kept = dict[int, list[Card]]
Move = tuple[int, Act | None]
"""A time, and what a seat does then; None lets the table do what is due."""

Counts = Counter[tuple[str, str]]
"""Swapped positions in which a message was compared, by phase and kind of message."""

MOVES = ("action_taken", "answers_closed", "observe")
"""What is waited for in the play; other events come there now and then."""

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
    """A hand as it goes on one deal: ``events`` are those of the last move, ``before`` the phase in which it was made."""

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


def around(table: Table, now: int) -> Iterator[Event]:
    """Give what may happen at any moment beside the game."""
    yield table.change_seat(2, now, connected=1)
    yield table.freeze("reference", now, "a look")
    yield table.resume(now)
    yield table.credit(700_000, now)
    for body in (
        {"said": events_pb2.Said(seat=2, phrase="hello")},
        {"hand_vote": events_pb2.HandVote(seat=3, agree=True)},
        {"rematch_wish": events_pb2.RematchWish(seat=4, ready=True)},
        {"rematch_placed": events_pb2.RematchPlaced(table_id="t2")},
        {"table_opened": table.opened},
    ):
        event = Event(sequence=table.sequence + 1, hand=table.hand_number, **body)  # type: ignore[arg-type]
        event.at.FromMicroseconds(now)
        yield event


def told(viewer: int | None, table: Table, events: list[Event], now: int) -> Iterator[tuple[str, object]]:
    """Give all that a viewer can be sent now, each with its kind; what a hand's end reveals aside."""
    for event in [*events, *around(table, now)]:
        shown = project(event, viewer, table.asking)
        yield str(event.WhichOneof("body")), shown.SerializeToString(deterministic=True)
    seen = moment(table, viewer)
    yield "observe", seen.SerializeToString(deterministic=True)
    # A watch begins with this part of it, and with `start`.
    yield "snapshot", seen.observation.SerializeToString(deterministic=True)
    yield "start", start(table, viewer, 3, ()).SerializeToString(deterministic=True)
    if viewer is None:
        yield "export", "".join(log_lines(events))
    else:
        yield from refusals(viewer, table, now)


def refusals(viewer: int, table: Table, now: int) -> Iterator[tuple[str, object]]:
    """Give how a seat is refused what it may not do, with the reason; what it may do is not done."""
    for turn, text in [(table.turn - 1, PROBES[0]), *((table.turn, text) for text in PROBES)]:
        decision = table.decide(Act(viewer, turn, Action.parse(f"{viewer} {text}"), PLAYER), now)
        yield "refusal", decision if isinstance(decision, Refused) else "none"


class Comparison:
    """Compares what one seat and a spectator are sent, and counts, until there is enough of a phase."""

    def __init__(self, rules: str, least: int, dealt: int = 100, late: int = 8, often: float = 0.15) -> None:
        """Look at ``dealt`` deals up to the play, at ``late`` deals in it, and there so ``often``."""
        self.counted: Counts = Counter()
        self._rules = rules
        self._least = least
        self._dealt, self._late, self._often = dealt, late, often

    def match(self, seed: int, hands: int = 3) -> None:
        """Play a match and compare in each hand."""
        chance = random.Random(seed)
        rules = RULES[self._rules]
        begin, now = (lambda: opened(rules, hands)), BEGAN
        while True:
            play = Play(begin, now, chance)
            self._hand(play, chance)
            table = play.ended.table
            if table.match.over or not table.hand or not table.hand.over:
                return
            begin, now = Later(table.snapshot()).begin, table.at

    @property
    def enough(self) -> bool:
        """All that has come was compared often enough."""
        waited = (n for (phase, kind), n in self.counted.items() if phase != "play" or kind in MOVES)
        return min(waited, default=0) >= self._least

    def _hand(self, play: Play, chance: random.Random) -> None:
        viewer, now = chance.randrange(6), play.began
        early = self._wants((phase, kind) for phase, kind in play.comes if phase not in ("play", "over"))
        late = self._wants((phase, kind) for phase, kind in play.comes if phase == "play" and kind in MOVES)
        if not early and not late:
            return
        original = Line(play, None)
        dealt = self._twins(play, chance, viewer, original, late=False) if early else []
        kept = self._twins(play, chance, viewer, original, late=True) if late else []
        self._compare(viewer, now, original, [*dealt, *kept])
        for move in play.moves:
            original.do(move)
            if original.over or (original.before == "play" and not kept):
                return
            now = max(now, move[0])
            dealt = [] if original.before == "play" else [twin for twin in dealt if twin.does_the_same(move, original)]
            kept = [twin for twin in kept if twin.does_the_same(move, original)]
            self._compare(viewer, now, original, [*dealt, *kept] if self._looks(original, chance) else [])

    def _twins(self, play: Play, chance: random.Random, viewer: int, original: Line, *, late: bool) -> list[Line]:
        swaps = [play.draw_swap(chance, viewer, late=late) for _ in range(self._late if late else self._dealt)]
        twins = [Line(play, swap) for swap in swaps if swap is not None]
        return [twin for twin in twins if twin.shows_the_same(original)]

    def _wants(self, kinds: Iterable[tuple[str, str]]) -> bool:
        return any(self.counted[kind] < self._least for kind in kinds)

    def _looks(self, original: Line, chance: random.Random) -> bool:
        """Say whether anything of this moment is wanted still; in the play, where there are many, now and then."""
        came = original.comes()
        often = original.before != "play" or ("play", "answers_closed") in came or chance.random() < self._often
        return often and self._wants(came)

    def _compare(self, seat: int, now: int, original: Line, twins: list[Line]) -> None:
        mine = {viewer: list(told(viewer, original.table, original.events, now)) for viewer in (seat, None) if twins}
        for twin in twins:
            kinds = {kind for viewer in mine for kind in self._same(viewer, now, original, mine[viewer], twin)}
            self.counted.update(kinds)

    def _same(
        self, viewer: int | None, now: int, original: Line, mine: list[tuple[str, object]], twin: Line
    ) -> Iterator[tuple[str, str]]:
        """Compare what a viewer is sent who may not know of the swap; give phase and kind of each message."""
        hand = original.table.hand
        assert hand is not None
        if may_see(hand, viewer, twin.seats) or settles_otherwise(original.table, twin.table, viewer):
            return
        again = told(viewer, twin.table, twin.events, now)
        for number, ((kind, one), (_, other)) in enumerate(zip(mine, again, strict=True)):
            assert one == other, (self._rules, original.phase, original.table.sequence, viewer, twin.seats, kind)
            yield (original.before if number < len(original.events) else original.phase), kind


class Later:
    """A hand that is not the first of its match: the table as it stood before."""

    def __init__(self, before: snapshot_pb2.TableSnapshot) -> None:
        self._before = before

    def begin(self) -> Table:
        """Make the table anew."""
        return Table.restored("t1", self._before)


def settles_otherwise(one: Table, other: Table, viewer: int | None) -> bool:
    """R8: who buys, sells and owes lies open, and follows from what they hold."""
    assert one.hand is not None
    assert other.hand is not None
    if "tribute" in (one.hand.phase, other.hand.phase) or "buy" in (one.hand.phase, other.hand.phase):
        asked = [(table.hand.phase, table.asking.seat) for table in (one, other) if table.hand is not None]
        return asked[0] != asked[1] or goes_otherwise(one.hand, other.hand, viewer)
    return False


def main(least: int, only: Sequence[str], most_matches: int = 40) -> None:
    """Compare until every phase of every rule set has enough of all messages that came, and tell how many there were."""
    print("| rules | phase | positions | of them with |\n| --- | --- | --- | --- |")  # noqa: T201
    for name in only or RULES:
        comparison = Comparison(name, least)
        for seed in range(most_matches):
            comparison.match(seed)
            if comparison.enough:
                break
        report(name, comparison.counted)


def report(name: str, counted: Counts) -> None:
    """Print a line for each phase: how many positions, and the kinds that did not come with every one."""
    for phase in sorted({phase for phase, _ in counted}):
        kinds = {kind: n for (its, kind), n in counted.items() if its == phase}
        most = max(kinds.values())
        some = ", ".join(f"{kind} {n:,}" for kind, n in sorted(kinds.items()) if n < most)
        print(f"| `{name}` | {phase} | {most:,} | {some} |", flush=True)  # noqa: T201


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000, sys.argv[2:])
