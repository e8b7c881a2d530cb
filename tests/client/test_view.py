"""The folded view of every watcher is held against what the server would show it at that moment."""

import random
from collections.abc import Iterator

import pytest

from gouji.client import TableView
from gouji.engine.cards import SEATS
from gouji.table import projection
from gouji.table.asking import Act
from gouji.table.table import Table
from gouji.table.window import Answer
from gouji.v1.events_pb2 import DECIDED_BY_BOT, Event, Seat, SeatChanged, TableResumed
from gouji.v1.observation_pb2 import Observation
from gouji.v1.rules_pb2 import Clock, MatchLength, RuleSet
from gouji.v1.table_pb2 import TableSpec
from gouji.wire import action_from_proto, card_from_proto, cards_from_proto

RULES = [
    RuleSet(preset="standard"),
    RuleSet(preset="standard", overrides={"burn_guard": "false", "burn_order": "in_turn"}),
    RuleSet(preset="standard", overrides={"opening": "true", "report_at": "36"}),
    RuleSet(preset="standard", overrides={"teams": "false"}),
]


def play_out(rules: RuleSet, chance: random.Random, hands: int = 1) -> Iterator[tuple[Table, Event]]:
    """Play a match at random and give each event of the log once the table has folded it."""
    table, now = Table("t"), 1_000_000
    spec = TableSpec(
        table_id="t", rules=rules, length=MatchLength(hands=hands), seats=[Seat(bot_level="random")] * SEATS
    )
    event: Event | None = table.open(spec, Clock(turn_ms=1000, bank_ms=1000), now)
    while not table.over:
        if event is None:
            event = decide(table, chance, now)
        if event is not None:
            table.fold(event)
            yield table, event
        now += 1000
        event = table.follow(now, lambda: chance.randbytes(32))


def decide(table: Table, chance: random.Random, now: int) -> Event | None:
    """Let one of those who are asked do something, burning and revolting more often than is wise."""
    seat = chance.choice(list(table.asking.questions))
    hand = table.hand_asking(seat)
    assert hand is not None
    action = chance.choice(hand.legal_actions()[:12])
    decided = table.decide(Act(seat, table.turn, action, DECIDED_BY_BOT), now)
    if isinstance(decided, Answer):
        table.seal(decided)
        return None
    assert isinstance(decided, Event)
    return decided


@pytest.mark.parametrize("rules", RULES, ids=lambda rules: ",".join(sorted(rules.overrides)) or "standard")
@pytest.mark.parametrize("seed", range(2))
def test_each_view_is_what_the_server_shows_at_every_event(rules: RuleSet, seed: int) -> None:
    views = {viewer: TableView() for viewer in (0, 1, None)}
    checked = 0
    for table, event in play_out(rules, random.Random(seed)):
        for viewer, view in views.items():
            view.fold(projection.project(event, viewer, table.asking))
            shown = projection.observation(table, viewer)
            if shown is not None:
                agrees(view, shown, table, viewer)
                checked += 1
    assert checked > 200
    assert all(view.ended and len(view.results) == len(table.match.results) for view in views.values())


def agrees(view: TableView, shown: Observation, table: Table, viewer: int | None) -> None:
    assert view.sequence == table.sequence
    assert view.seat == viewer
    assert view.turn == projection.turn(table.asking, viewer)
    assert view.asked == bool(viewer in table.asking.questions)
    assert view.hand.number == shown.hand
    assert view.hand.finished == list(shown.finished)
    assert view.hand.cards == [card_from_proto(card) for card in shown.cards]
    for state, seat in zip(view.seats, shown.seats, strict=True):
        assert state.played == cards_from_proto(seat.played)
        assert state.revolted == seat.revolted
        assert state.struck == seat.struck
        assert state.stuck == seat.stuck
        assert state.opened == seat.opened
        assert (state.choked_by is None) == (seat.choked_by_plus_one == 0)
    if table.hand is not None and not table.hand.over:
        the_trick_agrees(view, shown)


def the_trick_agrees(view: TableView, shown: Observation) -> None:
    assert view.hand.scramble == shown.scramble
    assert view.hand.trick == [action_from_proto(act.seat, act.action) for act in shown.trick]
    table = view.hand.table
    assert (table.cards if table else "") == cards_from_proto(shown.table.cards)


def test_an_event_that_does_not_follow_is_refused() -> None:
    view = TableView()
    with pytest.raises(ValueError, match="event 2 does not follow 0"):
        view.fold(Event(sequence=2))


def test_who_is_there_outlasts_the_hand_and_is_forgotten_with_the_server() -> None:
    view = TableView()
    view.fold(Event(sequence=1, seat_changed=SeatChanged(seat=2, connected=True)))
    view.fold(Event(sequence=2, hand_dealt={}))
    assert view.seats[2].connected
    view.fold(Event(sequence=3, seat_changed=SeatChanged(seat=2, bot_plays=True)))
    assert view.seats[2].away
    assert not view.away
    view.seat = 2
    assert view.away
    assert not view.left
    view.fold(Event(sequence=4, seat_changed=SeatChanged(seat=2, connected=True)))
    view.fold(Event(sequence=5, table_resumed=TableResumed()))
    assert not view.seats[2].connected
