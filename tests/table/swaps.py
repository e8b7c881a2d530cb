"""Swapping cards that are hidden from a viewer, at a whole table, and looking whether anything it is sent changes.

A hand is played at a table. Then all that was done in it is done again at the same times, on the same deal and side by
side on deals in which two cards of two seats are swapped. As long as it all stays lawful and the same lies open, a
third seat and a spectator must be sent the same bytes: events, snapshots, what may be done, refusals, exports, and the
times in all of them. A deal on which something else would be lawful, or be shown, drops out.

``python -m tests.table.swaps 1000`` goes on until each rule set has that many swapped positions compared for each phase
and kind of message.
"""

import random
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from tests.engine.leaks import goes_otherwise, may_see

from gouji.engine import Action
from gouji.table.admin import log_lines
from gouji.table.asking import Act, Refused
from gouji.table.projection import moment, projected, start
from gouji.table.table import Table
from gouji.v1 import events_pb2, snapshot_pb2
from gouji.v1.events_pb2 import Event

from .replay import BEGAN, PLAYER, RULES, Line, Play, opened

PROBES = ("pass", "play 3", "play AA", "play 2W", "burn WW", "revolt", "pay W", "refuse 5", "no_call", "last 1", "feel")
"""What a viewer tries out of turn, or against the rules."""

Counts = Counter[tuple[str, str]]
"""Swapped positions in which a message was compared, by phase and kind of message."""

MOVES = ("action_taken", "answers_closed", "observe")
"""What is waited for in the play; other events come there now and then."""


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
        shown = projected(event, table.asking)(viewer)
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
    """Compare until each phase of each rule set has enough of all messages that came, and tell how many there were."""
    print("| rules | phase | positions | action_taken | answers_closed | fewest of another kind |")  # noqa: T201
    print("| --- | --- | --- | --- | --- | --- |")  # noqa: T201
    for name in only or RULES:
        comparison = Comparison(name, least)
        for seed in range(most_matches):
            comparison.match(seed)
            if comparison.enough:
                break
        report(name, comparison.counted)


def report(name: str, counted: Counts) -> None:
    """Print a line for each phase."""
    for phase in sorted({phase for phase, _ in counted}):
        kinds = {kind: n for (its, kind), n in counted.items() if its == phase}
        positions = max(kinds.values())
        taken, closed = (f"{kinds.pop(kind, 0):,}" for kind in ("action_taken", "answers_closed"))
        fewest = min(kinds, key=lambda kind: kinds[kind])
        print(f"| `{name}` | {phase} | {positions:,} | {taken} | {closed} | {fewest} {kinds[fewest]:,} |", flush=True)  # noqa: T201


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000, sys.argv[2:])
