"""The checks find what is planted, and nothing in what a server really shows."""

from collections.abc import Callable

import pytest

from gouji.load.checks import Agreement, Order, acknowledged, leaks
from gouji.v1.actions_pb2 import Action, Pass, Play, Return
from gouji.v1.cards_pb2 import Card, Cards
from gouji.v1.consequences_pb2 import Consequence, TributeReturned
from gouji.v1.events_pb2 import (
    ActionTaken,
    AnswersClosed,
    DealtHand,
    Event,
    HandCommitted,
    HandDealt,
    PrivateDecline,
    Said,
    SeatChanged,
    TableOpened,
    Turn,
)
from gouji.v1.observation_pb2 import QUESTION_BURN, Observation
from gouji.v1.rules_pb2 import RuleSet
from gouji.v1.table_pb2 import EventBatch, WatchResponse, WatchStart

SEAT = 2
CARD = Card(rank=5)


def message(*events: Event, start: WatchStart | None = None, last: int | None = None) -> WatchResponse:
    batch = EventBatch(events=events, last_sequence=last if last is not None else max(e.sequence for e in events))
    return WatchResponse(batch=batch, start=start)


def event(sequence: int, **body: object) -> Event:
    return Event(sequence=sequence, hand=1, **(body or {"seat_changed": SeatChanged(seat=1)}))  # type: ignore[arg-type]


def dealt(seat: int) -> HandDealt:
    return HandDealt(hands=[DealtHand(cards=[CARD] if owner == seat else []) for owner in range(6)])


def order(*messages: WatchResponse) -> list[str]:
    kept = Order()
    return [problem for one in messages for problem in kept.take(one)]


def test_events_in_order_over_streams_are_right() -> None:
    begin, again = WatchStart(from_sequence=1), WatchStart(from_sequence=4)
    assert order(message(event(1), event(2), start=begin), message(event(3)), message(event(4), start=again)) == []


def test_a_watch_may_begin_at_the_table_as_it_is_now() -> None:
    now = WatchStart(from_sequence=5000, opened=TableOpened(rules=RuleSet(preset="standard")))
    assert order(message(event(5000), start=now)) == []


@pytest.mark.parametrize(
    ("messages", "told"),
    [
        ([message(event(1), event(3))], "event 3 comes where 2 was to come: a gap"),
        ([message(event(1), event(1))], "event 1 comes where 2 was to come: again, or out of order"),
        ([message(event(1), event(2)), message(event(2))], "event 2 comes where 3 was to come: again, or out of order"),
        (
            [message(event(1), event(2)), message(start=WatchStart(from_sequence=2), last=2)],
            "a stream begins again with event 2, where 3 was to come",
        ),
        ([message(start=WatchStart(from_sequence=3), last=3)], "a stream begins with event 3 without telling"),
        ([message(event(1), event(2), last=1)], "the last event is said to be 1, after 2 was shown"),
    ],
)
def test_gaps_and_repetitions_are_found(messages: list[WatchResponse], told: str) -> None:
    [problem] = order(*messages)
    assert told in problem


def test_what_a_seat_may_see_is_no_leak() -> None:
    between = ActionTaken(
        seat=SEAT,
        partner_plus_one=5,
        action=Action(return_cards=Return(cards=Cards(ranks=[5]))),
        consequences=[Consequence(tribute_returned=TributeReturned(cards=[CARD]))],
    )
    assert (
        list(
            leaks(
                WatchResponse(
                    snapshot=Observation(viewer_plus_one=SEAT + 1, cards=[CARD]),
                    batch=EventBatch(
                        events=[
                            event(1, hand_committed=HandCommitted(commitment=b"c")),
                            event(2, hand_dealt=dealt(SEAT)),
                            event(3, action_taken=ActionTaken(seat=4, cards=[CARD], action=Action(play=Play()))),
                            event(4, action_taken=between),
                            event(5, answers_closed=AnswersClosed()),
                        ]
                    ),
                ),
                SEAT,
            )
        )
        == []
    )


@pytest.mark.parametrize(
    ("planted", "told"),
    [
        (event(1, hand_committed=HandCommitted(secret=b"s")), "the secret of a deal that is to come"),
        (event(1, hand_dealt=dealt(3)), "the cards of seat 3"),
        (event(1, action_taken=ActionTaken(seat=1, hands=dealt(0).hands)), "the cards of seat 0"),
        (event(1, action_taken=ActionTaken(seat=1, declines=[PrivateDecline(seat=4)])), "who declined in private"),
        (event(1, answers_closed=AnswersClosed(declines=[PrivateDecline(seat=4)])), "who declined in private"),
        (
            event(
                1,
                action_taken=ActionTaken(
                    seat=1, partner_plus_one=5, action=Action(return_cards=Return(cards=Cards(ranks=[5])))
                ),
            ),
            "what seat 1 gives back or refuses",
        ),
        (
            event(
                1,
                action_taken=ActionTaken(
                    seat=1,
                    partner_plus_one=5,
                    consequences=[Consequence(tribute_returned=TributeReturned(cards=[CARD]))],
                ),
            ),
            "the cards given back between seats 1 and 4",
        ),
    ],
)
def test_a_leak_is_found(planted: Event, told: str) -> None:
    assert list(leaks(message(planted), SEAT)) == [f"event 1 shows seat {SEAT} {told}"]


def test_another_seats_view_and_all_hands_are_leaks() -> None:
    assert list(leaks(WatchResponse(snapshot=Observation(viewer_plus_one=2)), SEAT))
    assert list(leaks(WatchResponse(start=WatchStart(hands=dealt(1).hands)), SEAT))


@pytest.mark.parametrize(
    "shown",
    [
        lambda seat: event(7, hand_dealt=dealt(seat)),
        lambda seat: Event(sequence=7, turn=Turn(number=3, question=QUESTION_BURN if seat else 0)),
        lambda seat: event(7, said=Said(seat=1, phrase="" if seat else "hello")),
        lambda seat: event(
            7,
            action_taken=ActionTaken(
                seat=1,
                partner_plus_one=5,
                action=Action(return_cards=Return(cards=Cards(ranks=[5] if seat in (1, 4) else []))),
            ),
        ),
    ],
)
def test_watchers_agree_on_what_is_public_whatever_is_each_ones_own(shown: Callable[[int], Event]) -> None:
    agreement = Agreement()
    assert [problem for seat in range(6) for problem in agreement.take(seat, shown(seat))] == []


def test_a_watcher_that_is_shown_something_else_is_found() -> None:
    agreement = Agreement()
    passed, played = (event(7, action_taken=ActionTaken(seat=1, action=one)) for one in (_passed(), _played()))
    assert list(agreement.take(0, passed)) == []
    assert list(agreement.take(3, played)) == ["event 7 is another to seat 3 than to seat 0"]
    assert list(agreement.take(0, passed)) == []


def _passed() -> Action:
    return Action(pass_turn=Pass())


def _played() -> Action:
    return Action(play=Play(cards=Cards(ranks=[5])))


def test_an_answer_names_the_event_that_shows_the_act() -> None:
    assert list(acknowledged(event(7, action_taken=ActionTaken(seat=1)), 1)) == []
    assert list(acknowledged(event(7, action_taken=ActionTaken(seat=2)), 1))
    assert list(acknowledged(event(7), 1))
