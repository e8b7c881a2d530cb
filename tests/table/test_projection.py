"""What each seat is shown of a table; `test_leaks.py` tries what it may not know."""

import random
from collections.abc import Callable, Mapping

import pytest

from gouji.table.asking import Act
from gouji.table.projection import DIRECTOR, hush, moment, observation, project, projected, start, turn
from gouji.table.table import Table
from gouji.v1 import events_pb2, observation_pb2
from gouji.v1.events_pb2 import Event
from gouji.wire import card_from_proto, observation_from_proto

from .replay import BEGAN, HOUSE_RULES, do, follow, opened, random_move

PLAYER = events_pb2.DECIDED_BY_PLAYER
RULES = HOUSE_RULES | {name: {"preset": name} for name in ("standard", "qingdao", "lianzhong", "shandong_64")}

PEOPLE = [
    Event(sequence=1, at={}, said=events_pb2.Said(seat=2, phrase="hello")),
    Event(sequence=2, at={}, hand_vote=events_pb2.HandVote(seat=3, agree=True)),
    Event(sequence=3, at={}, rematch_wish=events_pb2.RematchWish(seat=4, ready=True)),
    Event(sequence=4, at={}, rematch_placed=events_pb2.RematchPlaced(table_id="t2")),
]
"""What people do beside the game, which is the same to everybody."""


def begin(rules: Mapping[str, str], secret: bytes, hands: int = 1) -> tuple[Table, list[Event]]:
    """Open a table and deal its first hand; give its log, too."""
    table = opened(rules, hands)
    first = Event(sequence=1, table_opened=table.opened)
    first.at.FromMicroseconds(BEGAN)
    return table, [first, *follow(table, BEGAN, secret)]


def go_on(table: Table, chance: random.Random, now: int, secret: bytes) -> tuple[int, list[Event]]:
    """Do one thing at random; give the time after it, and what came of it."""
    now, act = random_move(table, chance, now)
    return now, follow(table, now, secret) if act is None else do(table, act, now, secret) or []


@pytest.fixture
def first_deal() -> tuple[Table, list[Event]]:
    return begin({}, bytes(range(32)))


def test_a_seat_is_shown_its_own_cards_alone(first_deal: tuple[Table, list[Event]]) -> None:
    table, events = first_deal
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
        now, events = go_on(table, chance, now, secret)
        log += events
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
def test_what_several_are_shown_in_one_is_what_each_would_be_shown(rules: Mapping[str, str]) -> None:
    chance, secret, now = random.Random(5), bytes(32), 1_000_000
    table, log = begin(rules, secret)
    viewers, shared = (*range(6), None, DIRECTOR), 0
    while not table.ended:
        for event in log:
            show = projected(event, table.asking)
            shown = [show(viewer) for viewer in viewers]
            assert shown == [project(event, viewer, table.asking) for viewer in viewers]
            shared += len(viewers) - len(set(map(id, shown)))
        now, log = go_on(table, chance, now, secret)
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


def test_a_director_sees_all_hands_and_no_secret(first_deal: tuple[Table, list[Event]]) -> None:
    table, events = first_deal
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
        now, _ = go_on(table, chance, now, bytes(32))
    assert longest > 2


def test_what_is_given_back_for_a_tribute_shows_to_the_two_alone() -> None:
    chance, secret, now = random.Random(5), bytes(32), 1_000_000
    table, log = begin({"preset": "free_for_all"}, secret, hands=4)
    while not table.ended:
        now, events = go_on(table, chance, now, secret)
        log += events
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
        now, events = go_on(table, chance, now, secret)
        log += events
    event = next(event for event in log if event.action_taken.hands)
    for viewer in (*range(6), None):
        shown = project(event, viewer, None).action_taken
        assert [len(hand.cards) for hand in shown.hands] == [36 * (seat == viewer) for seat in range(6)]


def test_a_snapshot_has_the_history_of_its_hand_as_each_seat_saw_it_and_stays_small() -> None:
    chance, secret, now = random.Random(7), bytes(32), 1_000_000
    table, _ = begin({"preset": "free_for_all"}, secret, hands=2)
    largest, hidden = 0, 0
    while not table.ended and table.hand is not None:
        for viewer in (*range(6), None):
            shown = observation(table, viewer)
            assert shown is not None
            history = observation_from_proto(shown).history
            assert history == table.hand.observe(viewer).history
            hidden += history != table.hand.steps
            largest = max(largest, shown.ByteSize())
        now, _ = go_on(table, chance, now, secret)
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
