"""The load test's audit finds what it is for."""

from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

from gouji.engine import Hand, RuleSet
from gouji.engine.cards import SEATS
from gouji.table.deals import commitment, deal_seed
from gouji.v1.events_pb2 import ActionTaken, Event, HandCommitted, HandDealt, HandEnded, MatchEnded
from gouji.wire import action_to_proto, card_to_proto, consequences_to_proto

SECRET = bytes(range(32))


@pytest.fixture(scope="module")
def audit(load_script: Callable[[Path], ModuleType]) -> ModuleType:
    """`loadtest` is a folder of scripts, not a package."""
    return load_script(Path(__file__).resolve().parents[2] / "loadtest/audit.py")


def log() -> list[Event]:
    """A match of one hand, as a table writes it."""
    hand = Hand.deal(RuleSet.parse("standard"), deal_seed(SECRET, "t", 1, 1))
    events: list[Event] = []

    def say(**body: object) -> None:
        events.append(Event(sequence=len(events) + 1, hand=1, **body))  # type: ignore[arg-type]

    dealt = HandDealt(commitment=commitment(SECRET, "t", 1, 1))
    for seat in range(SEATS):
        dealt.hands.add(cards=map(card_to_proto, hand.cards(seat)))
    say(hand_committed=HandCommitted(commitment=dealt.commitment, secret=SECRET))
    say(hand_dealt=dealt)
    while not hand.over:
        action = hand.legal_actions()[-1]
        cards = hand.leaving(action.seat, action.cards)
        followed = consequences_to_proto(hand.apply(action))
        say(
            action_taken=ActionTaken(
                seat=action.seat,
                action=action_to_proto(action),
                cards=map(card_to_proto, cards),
                consequences=followed,
            )
        )
    say(hand_ended=HandEnded(order=hand.order, secret=SECRET, hands=dealt.hands))
    say(match_ended=MatchEnded())
    return events


def test_a_good_log_is_counted_and_faultless(audit: ModuleType) -> None:
    events = log()
    counted, wrong = audit.audit("t", events)
    assert wrong == []
    assert (counted.hands, counted.moves) == (1, len(events) - 4)


def plays(events: list[Event]) -> list[ActionTaken]:
    return [event.action_taken for event in events if event.HasField("action_taken") and event.action_taken.cards]


def lose_a_dealt_card(events: list[Event]) -> None:
    del events[1].hand_dealt.hands[3].cards[0]


def double_a_dealt_card(events: list[Event]) -> None:
    cards = events[1].hand_dealt.hands[3].cards
    cards[0].CopyFrom(cards[-1])


def play_a_card_twice(events: list[Event]) -> None:
    first, *later = plays(events)
    next(play for play in later if play.seat == first.seat).CopyFrom(first)


def play_other_cards(events: list[Event]) -> None:
    del plays(events)[0].cards[0]


def leave_a_gap(events: list[Event]) -> None:
    del events[5]


def change_the_secret(events: list[Event]) -> None:
    events[-2].hand_ended.secret = bytes(32)


def change_the_commitment(events: list[Event]) -> None:
    events[1].hand_dealt.commitment = bytes(32)


def show_other_hands(events: list[Event]) -> None:
    del events[-2].hand_ended.hands[0].cards[0]


def forget_the_end(events: list[Event]) -> None:
    events.pop()


@pytest.mark.parametrize(
    ("spoil", "found"),
    [
        (lose_a_dealt_card, "not the deck"),
        (change_the_commitment, "another commitment"),
        (double_a_dealt_card, "not the deck"),
        (play_a_card_twice, "does not hold"),
        (play_other_cards, "other cards leave"),
        (leave_a_gap, "follows"),
        (change_the_secret, "commitment"),
        (show_other_hands, "not those dealt"),
        (forget_the_end, "has not ended"),
    ],
)
def test_a_planted_fault_is_found(audit: ModuleType, spoil: Callable[[list[Event]], None], found: str) -> None:
    events = log()
    spoil(events)
    _, wrong = audit.audit("t", events)
    assert any(found in problem for problem in wrong)
