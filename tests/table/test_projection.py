"""What each seat is shown, and that nothing which it may not know changes a byte of it."""

import random
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import gouji.engine.hand
from gouji.engine.cards import Card
from gouji.table.asking import Act, Refused
from gouji.table.projection import DIRECTOR, hush, moment, observation, project, projected, start, turn
from gouji.table.table import Table
from gouji.table.window import Answer
from gouji.v1 import events_pb2, observation_pb2, rules_pb2, table_pb2
from gouji.v1.events_pb2 import Event
from gouji.wire import card_from_proto, observation_from_proto

PLAYER = events_pb2.DECIDED_BY_PLAYER
RULES = {
    "standard": {},
    "free burning, in turn": {"burn_guard": "false", "burn_order": "in_turn"},
    "burners first, opening": {"burn_guard": "false", "burn_order": "burn_first", "opening": "true"},
    "counts always shown": {"report_at": "36", "teams": "false"},
    "qingdao": {"preset": "qingdao"},
    "lianzhong": {"preset": "lianzhong"},
    "shandong_64": {"preset": "shandong_64"},
}

PEOPLE = [
    Event(sequence=1, at={}, said=events_pb2.Said(seat=2, phrase="hello")),
    Event(sequence=2, at={}, hand_vote=events_pb2.HandVote(seat=3, agree=True)),
    Event(sequence=3, at={}, rematch_wish=events_pb2.RematchWish(seat=4, ready=True)),
    Event(sequence=4, at={}, rematch_placed=events_pb2.RematchPlaced(table_id="t2")),
]
"""What people do beside the game, which is the same to everybody."""

LAID_OPEN = ("seat_struck", "seat_left", "tribute_paid", "tribute_shown", "card_bought")
"""Consequences that show cards to all."""


def begin(rules: dict[str, str], secret: bytes, hands: int = 1) -> tuple[Table, list[Event]]:
    table = Table("t1")
    overrides = {name: value for name, value in rules.items() if name != "preset"}
    spec = table_pb2.TableSpec(
        table_id="t1",
        seats=[events_pb2.Seat(player_id=f"p{seat}") for seat in range(6)],
        rules=rules_pb2.RuleSet(preset=rules.get("preset", ""), overrides=overrides),
        length=rules_pb2.MatchLength(hands=hands),
    )
    clock = rules_pb2.Clock(
        turn_ms=20_000,
        bank_ms=60_000,
        answers_least_ms=1500,
        answers_most_ms=2500,
        allowance_ms=300,
        expiries=2,
        absent_ms=6_000,
    )
    events = [table.open(spec, clock, 1_000_000)]
    table.fold(events[0])
    return table, events + follow(table, 1_000_000, secret)


def follow(table: Table, now: int, secret: bytes) -> list[Event]:
    events = []
    while (event := table.follow(now, lambda: secret)) is not None:
        table.fold(event)
        events.append(event)
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


def random_acts(table: Table, chance: random.Random, now: int) -> Act | int:
    """What happens next: an act of a seat that is asked, or the time at which the table decides."""
    asking = table.asking
    seats = list(asking.questions)
    if not seats or chance.random() < 0.03:
        return table.next_moment or now
    seat = chance.choice(seats)
    hand = table.hand_asking(seat)
    assert hand is not None
    return Act(seat, table.turn, chance.choice(hand.legal_actions()), PLAYER)


class Swap:
    """Two deals that differ only in cards hidden from one seat."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._patch = monkeypatch
        self._deal: Callable[..., tuple[list[list[Card]], int]] = gouji.engine.hand.deal_cards
        self.swaps: list[tuple[int, int, int, int]] = []

    def draw(self, chance: random.Random, viewer: int) -> None:
        others = [seat for seat in range(6) if seat != viewer]
        self.swaps = [
            (*chance.sample(others, 2), chance.randrange(33), chance.randrange(33))
            for _ in range(chance.randrange(1, 4))
        ]

    def on(self, *, swapped: bool) -> None:
        def deal(rules: Any, seed: bytes, leader: Any) -> tuple[list[list[Card]], int]:
            hands, first = self._deal(rules, seed, leader)
            dealt = [list(hand) for hand in hands]
            for one, other, here, there in self.swaps:
                dealt[one][here], dealt[other][there] = dealt[other][there], dealt[one][here]
            return dealt, first

        self._patch.setattr(gouji.engine.hand, "deal_cards", deal if swapped else self._deal)


def seen_by(viewer: int, table: Table, events: list[Event]) -> Iterator[tuple[str, bytes]]:
    """All that a viewer can be sent, each with its kind; what a hand's end reveals aside."""
    for event in events:
        if not event.HasField("hand_ended"):
            shown = project(event, viewer, table.asking)
            yield str(event.WhichOneof("body")), shown.SerializeToString(deterministic=True)
    yield "moment", moment(table, viewer).SerializeToString(deterministic=True)


def compare(
    rules: dict[str, str], seed: int, swap: Swap, counted: Counter[tuple[str, str]], *, start_only: bool = False
) -> None:
    """Play one game on both deals for as long as the same acts stay lawful, and compare what one seat is sent."""
    chance = random.Random(seed)
    viewer, secret = chance.randrange(6), chance.randbytes(32)
    swap.draw(chance, viewer)
    swap.on(swapped=False)
    one, events = begin(rules, secret)
    swap.on(swapped=True)
    other, other_events = begin(rules, secret)
    now = 1_000_000
    while one.hand is not None and not one.hand.over:
        phase = one.hand.phase
        # Who buys, sells and owes lies open by rule, and follows from what they hold (R8).
        settling = [(table.hand.phase, table.asking.seat) for table in (one, other) if table.hand is not None]
        if any(phase in ("tribute", "buy") for phase, _ in settling) and len(set(settling)) > 1:
            return
        for (kind, mine), (_, again) in zip(
            seen_by(viewer, one, events), seen_by(viewer, other, other_events), strict=True
        ):
            assert mine == again, f"seed {seed}, seat {viewer}, event {one.sequence}, {kind}"
            counted[phase, kind] += 1
        if start_only:
            return
        step = random_acts(one, chance, now)
        if isinstance(step, int):
            now = max(now, step)
            events, other_events = follow(one, now, secret), follow(other, now, secret)
        else:
            now += chance.randrange(900_000)
            sealed = one.window is not None
            done = do(one, step, now, secret)
            assert done is not None
            again_done = do(other, step, now, secret)
            if again_done is None and not (sealed and not done):
                return
            events, other_events = done, again_done or []
        if list(map(laid_open, events)) != list(map(laid_open, other_events)):
            return


def laid_open(event: Event) -> tuple[Any, ...]:
    """What an event lays open by rule: what was done, which cards went down, what a struck seat held."""
    taken = event.action_taken
    consequences = [*event.hand_dealt.consequences, *taken.consequences, *event.answers_closed.consequences]
    shown = [c.SerializeToString() for c in consequences if c.WhichOneof("kind") in LAID_OPEN]
    cards = [card.SerializeToString() for card in taken.cards]
    return event.WhichOneof("body"), taken.seat, taken.partner_plus_one, taken.action.SerializeToString(), cards, shown


@pytest.mark.parametrize(("name", "games"), [(name, 220 if name == "standard" else 40) for name in RULES])
def test_cards_swapped_between_others_change_no_byte_of_what_a_seat_is_sent(
    name: str, games: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    swap, counted = Swap(monkeypatch), Counter[tuple[str, str]]()
    for seed in range(games):
        compare(RULES[name], seed, swap, counted)
    for kind in ("action_taken", "answers_closed", "seat_changed", "moment"):
        assert counted["play", kind] >= (1000 if name == "standard" else 50), counted


def test_cards_swapped_between_others_do_not_show_before_play(monkeypatch: pytest.MonkeyPatch) -> None:
    swap, counted = Swap(monkeypatch), Counter[tuple[str, str]]()
    for seed in range(1000):
        compare({}, 1000 + seed, swap, counted, start_only=True)
    assert min(counted["revolt", kind] for kind in ("table_opened", "hand_dealt", "moment")) == 1000


@pytest.fixture
def opened() -> tuple[Table, list[Event]]:
    return begin({}, bytes(range(32)))


def test_a_seat_is_shown_its_own_cards_alone(opened: tuple[Table, list[Event]]) -> None:
    table, events = opened
    assert table.hand is not None
    for viewer in (*range(6), None):
        committed = project(events[1], viewer, table.asking).hand_committed
        assert (committed.secret, committed.commitment) == (b"", events[1].hand_committed.commitment)
        shown = project(events[2], viewer, table.asking).hand_dealt
        assert [len(hand.cards) for hand in shown.hands] == [36 * (seat == viewer) for seat in range(6)]
        assert shown.commitment == events[1].hand_committed.commitment
        if viewer is not None:
            assert tuple(map(card_from_proto, shown.hands[viewer].cards)) == table.hand.cards(viewer)


def test_every_event_of_the_log_is_one_event_under_its_number_for_everybody() -> None:
    chance, secret, now = random.Random(3), bytes(32), 1_000_000
    table, log = begin({"burn_guard": "false"}, secret)
    while not table.ended:
        step = random_acts(table, chance, now)
        now = max(now, step) if isinstance(step, int) else now + 1000
        log += follow(table, now, secret) if isinstance(step, int) else do(table, step, now, secret) or []
    log += [
        table.freeze("reference", now),
        table.resume(now),
        table.change_seat(2, now, connected=True),
        *PEOPLE,
        table.credit(700_000, now),
        table.abandon("over", now, secret, ()),
    ]
    kinds = set(Event.DESCRIPTOR.oneofs_by_name["body"].fields)
    assert {event.WhichOneof("body") for event in log} == {field.name for field in kinds}
    for viewer in (*range(6), None):
        for event in log:
            shown = project(event, viewer, None)
            assert (shown.sequence, shown.at, shown.hand) == (event.sequence, event.at, event.hand)
            assert shown.WhichOneof("body") == event.WhichOneof("body")
            assert not shown.HasField("turn")


@pytest.mark.parametrize("rules", RULES.values(), ids=RULES)
def test_what_several_are_shown_in_one_is_what_each_would_be_shown(rules: dict[str, str]) -> None:
    chance, secret, now = random.Random(5), bytes(32), 1_000_000
    table, log = begin(rules, secret)
    viewers, shared = (*range(6), None, DIRECTOR), 0
    while not table.ended:
        for event in log:
            show = projected(event, table.asking)
            shown = [show(viewer) for viewer in viewers]
            assert shown == [project(event, viewer, table.asking) for viewer in viewers]
            shared += len(viewers) - len(set(map(id, shown)))
        step = random_acts(table, chance, now)
        now = max(now, step) if isinstance(step, int) else now + 1000
        log = follow(table, now, secret) if isinstance(step, int) else do(table, step, now, secret) or []
    assert shared


def test_declines_and_secrets_stay_in_the_log() -> None:
    declined = [events_pb2.PrivateDecline(seat=1)]
    closed = Event(sequence=1, answers_closed=events_pb2.AnswersClosed(declines=declined))
    taken = Event(sequence=1, action_taken=events_pb2.ActionTaken(seat=2, declines=declined))
    for viewer in (*range(6), None):
        assert not project(closed, viewer, None).answers_closed.declines
        assert not project(taken, viewer, None).action_taken.declines


def test_what_people_do_beside_the_game_is_shown_to_all_as_it_is() -> None:
    for viewer in (*range(6), None, DIRECTOR):
        assert [project(event, viewer, None) for event in PEOPLE] == PEOPLE


def test_what_a_muted_seat_says_is_left_out_and_nothing_else() -> None:
    assert [hush(event, {1, 3}) for event in PEOPLE] == PEOPLE
    said = hush(PEOPLE[0], {2})
    assert (said.sequence, said.said.seat, said.said.phrase) == (1, 2, "")
    assert PEOPLE[0].said.phrase == "hello"


def test_a_director_sees_all_hands_and_no_secret(opened: tuple[Table, list[Event]]) -> None:
    table, events = opened
    assert table.hand is not None
    (deal,) = (event for event in events if event.HasField("hand_dealt"))
    dealt = project(deal, DIRECTOR, table.asking).hand_dealt
    seen = moment(table, DIRECTOR)
    for hands in (dealt.hands, seen.hands, start(table, DIRECTOR, 3, ()).hands):
        cards = [tuple(map(card_from_proto, hand.cards)) for hand in hands]
        assert cards == [table.hand.cards(seat) for seat in range(6)]
    assert not any(project(event, DIRECTOR, table.asking).hand_committed.secret for event in events)
    assert (seen.observation.viewer_plus_one, len(seen.legal_actions), seen.turn.question) == (0, 0, 0)
    for viewer in (*range(6), None):
        assert not moment(table, viewer).hands
        assert not start(table, viewer, 3, ()).hands


def test_an_event_that_says_nothing_is_not_shown() -> None:
    with pytest.raises(ValueError, match="nothing"):
        project(Event(sequence=1), None, None)


def test_answers_are_open_to_all_and_asked_of_few(fixed_deal: Callable[..., None]) -> None:
    fixed_deal(["KK3", "AAw5", "3", "224567", "AAw5", "3"])
    table, _ = begin({}, bytes(32))
    hand = table.hand
    assert hand is not None
    do(table, Act(0, table.turn, hand.legal_actions()[-1], PLAYER), 1_000_000, bytes(32))
    assert table.window is not None
    for viewer in (*range(6), None):
        asked = viewer in (1, 4)
        seen, told = observation(table, viewer), turn(table.asking, viewer)
        assert seen is not None
        assert (seen.answers_open, told.answers_open) == (True, True)
        question = observation_pb2.QUESTION_BURN if asked else observation_pb2.QUESTION_UNSPECIFIED
        assert seen.question == told.question == question
        assert seen.turn_plus_one == told.seat_plus_one == (viewer + 1 if asked and viewer is not None else 0)
        assert bool(moment(table, viewer).legal_actions) == asked


def test_an_observation_has_the_trick_and_the_points_carried_into_the_hand() -> None:
    chance, now = random.Random(11), 1_000_000
    table, _ = begin({}, bytes(32))
    longest = 0
    while not table.ended:
        seen = observation(table, 0)
        assert seen is not None
        assert list(seen.scores) == [0, 0]
        assert seen.hand == 1
        played = [act for act in seen.trick if act.action.HasField("play") or act.action.HasField("burn")]
        if seen.HasField("table"):
            longest = max(longest, len(played))
            body = played[-1].action
            cards = body.play.cards if body.HasField("play") else body.burn.cards
            assert (played[-1].seat, cards) == (seen.table.seat, seen.table.cards)
        else:
            assert not seen.trick
        step = random_acts(table, chance, now)
        if isinstance(step, int):
            now = max(now, step)
            follow(table, now, bytes(32))
        else:
            do(table, step, now, bytes(32))
    assert longest > 2


def test_what_is_given_back_for_a_tribute_shows_to_the_two_alone() -> None:
    chance, secret, now = random.Random(5), bytes(32), 1_000_000
    table, log = begin({"preset": "free_for_all"}, secret, hands=4)
    while not table.ended:
        step = random_acts(table, chance, now)
        now = max(now, step) if isinstance(step, int) else now + 1000
        log += follow(table, now, secret) if isinstance(step, int) else do(table, step, now, secret) or []
    given = [event for event in log if event.action_taken.action.HasField("return_cards")]
    refused = [event for event in log if event.action_taken.action.HasField("refuse")]
    back = [event for event in log if any(c.HasField("tribute_returned") for c in event.action_taken.consequences)]
    assert given
    assert back
    for event in (*given, *refused, *back):
        taken = event.action_taken
        for viewer in (*range(6), None):
            shown = project(event, viewer, None).action_taken
            if viewer in (taken.seat, taken.partner_plus_one - 1):
                assert (shown.action, list(shown.consequences)) == (taken.action, list(taken.consequences))
                continue
            assert not shown.action.return_cards.cards.ranks
            assert not shown.action.refuse.rank
            assert all(not c.tribute_returned.cards for c in shown.consequences)
            assert [c.tribute_returned.count for c in shown.consequences] == [
                c.tribute_returned.count for c in taken.consequences
            ]


def test_cards_dealt_show_only_when_the_calls_before_the_deal_are_over() -> None:
    chance, secret, now = random.Random(6), bytes(32), 1_000_000
    table, log = begin({"preset": "lianzhong"}, secret)
    while not any(event.action_taken.hands for event in log):
        for viewer in range(6):
            assert all(not hand.cards for hand in project(log[2], viewer, None).hand_dealt.hands)
            seen = observation(table, viewer)
            assert seen is not None
            assert not seen.cards
        step = random_acts(table, chance, now)
        now = max(now, step) if isinstance(step, int) else now + 1000
        log += follow(table, now, secret) if isinstance(step, int) else do(table, step, now, secret) or []
    event = next(event for event in log if event.action_taken.hands)
    for viewer in (*range(6), None):
        shown = project(event, viewer, None).action_taken
        assert [len(hand.cards) for hand in shown.hands] == [36 * (seat == viewer) for seat in range(6)]


def test_a_snapshot_has_the_history_of_its_hand_as_each_seat_saw_it_and_stays_small() -> None:
    chance, secret, now = random.Random(7), bytes(32), 1_000_000
    table, _ = begin({"preset": "free_for_all"}, secret, hands=3)
    largest, hidden = 0, 0
    while not table.ended and table.hand is not None:
        for viewer in (*range(6), None):
            shown = observation(table, viewer)
            assert shown is not None
            history = observation_from_proto(shown).history
            assert history == table.hand.observe(viewer).history
            hidden += history != table.hand.steps
            largest = max(largest, shown.ByteSize())
        step = random_acts(table, chance, now)
        now = max(now, step) if isinstance(step, int) else now + 1000
        if isinstance(step, int):
            follow(table, now, secret)
        else:
            do(table, step, now, secret)
    assert hidden
    assert largest < 64 * 1024


def test_who_has_answered_in_private_sees_the_same_as_who_is_not_asked(fixed_deal: Callable[..., None]) -> None:
    fixed_deal(["KK3", "AAw5", "3", "224567", "AAw5", "3"])
    table, _ = begin({}, bytes(32))
    assert table.hand is not None
    do(table, Act(0, table.turn, table.hand.legal_actions()[-1], PLAYER), 1_000_000, bytes(32))
    for seat in (4, 1):
        assert table.window is not None
        asked = table.hand_asking(seat)
        assert asked is not None
        do(table, Act(seat, table.turn, asked.default_action(), PLAYER), 1_000_001, bytes(32))
        seen = observation(table, seat)
        assert seen is not None
        assert (seen.question, seen.turn_plus_one, seen.answers_open) == (0, 0, True)
        drawn = observation_from_proto(seen).determinize(random.Random(1))
        assert drawn.observe(seat).question is None
