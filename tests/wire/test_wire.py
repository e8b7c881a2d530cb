"""Messages say just what the engine says: everything goes out and comes back the same."""

import random
from collections.abc import Iterator
from typing import get_args

import pytest

from gouji.engine import Action, ActionKind, Hand, RuleSet, UnknownOption
from gouji.engine.actions import OF_SEAT, WITH_CARDS
from gouji.engine.cards import Card, full_deck
from gouji.engine.events import (
    BurnSucceeded,
    Consequence,
    HandOver,
    HandVoided,
    ScrambleBegan,
    SeatChoked,
    SeatFinished,
    SeatOpened,
    SeatStruck,
    SeatStuck,
    TrickWon,
)
from gouji.engine.hand import QUESTIONS
from gouji.v1 import actions_pb2, cards_pb2, consequences_pb2, observation_pb2, rules_pb2
from gouji.wire import (
    MOST_CARDS,
    MalformedMessage,
    action_from_proto,
    action_to_proto,
    card_from_proto,
    card_to_proto,
    cards_from_proto,
    cards_to_proto,
    consequence_from_proto,
    consequences_to_proto,
    match_from_proto,
    observation_from_proto,
    observation_to_proto,
    question_to_proto,
    rules_from_proto,
    rules_to_proto,
)
from gouji.wire import actions as wire_actions
from gouji.wire import consequences as wire_consequences

ONE_RANK = {ActionKind.REFUSE, ActionKind.BUY_WITH, ActionKind.GIVE}


def example(kind: ActionKind) -> Action:
    if kind in OF_SEAT:
        return Action(3, kind, target=4)
    if kind in ONE_RANK:
        return Action(3, kind, "2")
    if kind is ActionKind.LAY_OFF:
        return Action(3, kind, "43")
    return Action(3, kind, "W2KK" if kind in WITH_CARDS else "")


def test_every_card_comes_back() -> None:
    deck = full_deck()
    assert [card_from_proto(card_to_proto(card)) for card in deck] == deck


def test_ranks_have_the_numbers_of_the_engine_plus_one() -> None:
    assert [card_to_proto(Card(rank, -1)).rank for rank in range(15)] == list(range(1, 16))
    assert list(cards_pb2.Rank.values()) == list(range(16))


def test_cards_come_back_sorted() -> None:
    assert cards_from_proto(cards_to_proto("3wK2W")) == "Ww2K3"


@pytest.mark.parametrize(
    "card",
    [
        cards_pb2.Card(rank=cards_pb2.RANK_ACE),
        cards_pb2.Card(suit=cards_pb2.SUIT_CLUBS),
        cards_pb2.Card(rank=cards_pb2.RANK_BIG_JOKER, suit=cards_pb2.SUIT_CLUBS),
        cards_pb2.Card(rank=16, suit=1),  # type: ignore[arg-type]
        cards_pb2.Card(rank=1, suit=5),  # type: ignore[arg-type]
    ],
)
def test_what_is_no_card_is_malformed(card: cards_pb2.Card) -> None:
    with pytest.raises(MalformedMessage):
        card_from_proto(card)


def test_more_cards_than_a_hand_holds_are_malformed() -> None:
    assert len(cards_from_proto(cards_to_proto("3" * MOST_CARDS))) == MOST_CARDS
    with pytest.raises(MalformedMessage):
        cards_from_proto(cards_to_proto("3" * (MOST_CARDS + 1)))


@pytest.mark.parametrize("kind", ActionKind)
def test_every_action_comes_back(kind: ActionKind) -> None:
    action = example(kind)
    message = action_to_proto(action)
    assert action_from_proto(3, actions_pb2.Action.FromString(message.SerializeToString())) == action


def test_a_revolt_may_show_cards() -> None:
    action = Action(0, ActionKind.REVOLT, "KKKK")
    assert action_from_proto(0, action_to_proto(action)) == action


def test_actions_cover_engine_and_message() -> None:
    assert set(wire_actions.FIELDS) == set(ActionKind)
    fields = [field for field, _ in wire_actions.FIELDS.values()]
    assert sorted(fields) == sorted(actions_pb2.Action.DESCRIPTOR.fields_by_name)


@pytest.mark.parametrize(
    "message",
    [
        actions_pb2.Action(),
        actions_pb2.Action(play=actions_pb2.Play()),
        actions_pb2.Action(burn=actions_pb2.Burn(cards=cards_pb2.Cards(ranks=[cards_pb2.RANK_UNSPECIFIED]))),
        actions_pb2.Action(play=actions_pb2.Play(cards=cards_pb2.Cards(ranks=[99]))),  # type: ignore[list-item]
        actions_pb2.Action(give=actions_pb2.Give()),
        actions_pb2.Action(lay_off=actions_pb2.LayOff()),
        actions_pb2.Action(choose_last=actions_pb2.ChooseLast(seat=6)),
    ],
)
def test_what_is_no_action_is_malformed(message: actions_pb2.Action) -> None:
    with pytest.raises(MalformedMessage):
        action_from_proto(0, message)


CONSEQUENCES: list[Consequence] = [
    TrickWon(2, 3),
    SeatFinished(2, 1),
    SeatOpened(5),
    SeatChoked(1, 4),
    SeatStruck(1, (Card(14, -1), Card(11, 3), Card(0, 0))),
    SeatStuck(0),
    BurnSucceeded(0, 5, 2),
    ScrambleBegan(),
    HandVoided(),
]


def test_every_consequence_comes_back_but_the_end_which_is_an_event() -> None:
    packed = consequences_to_proto([*CONSEQUENCES, HandOver()])
    assert [consequence_from_proto(message) for message in packed] == CONSEQUENCES


def test_consequences_cover_engine_and_message() -> None:
    assert set(wire_consequences.FIELDS) | {HandOver} == set(get_args(Consequence))
    assert set(wire_consequences.FIELDS.values()) == set(consequences_pb2.Consequence.DESCRIPTOR.fields_by_name)
    with pytest.raises(MalformedMessage):
        consequence_from_proto(consequences_pb2.Consequence())


@pytest.mark.parametrize("spec", ["standard", {"preset": "qingdao", "threes_last": "false", "burn_order": "in_turn"}])
def test_rules_come_back(spec: object) -> None:
    rules = RuleSet.parse(spec)
    assert rules_from_proto(rules_to_proto(rules)) == rules
    assert rules_from_proto(rules_pb2.RuleSet()) == RuleSet.parse("standard")


def test_a_preset_among_the_overrides_is_no_option() -> None:
    with pytest.raises(UnknownOption):
        rules_from_proto(rules_pb2.RuleSet(overrides={"preset": "qingdao"}))


def test_lengths_of_matches() -> None:
    rules = RuleSet.parse("standard")
    assert match_from_proto(rules, rules_pb2.MatchLength(hands=3)).hands == 3
    assert match_from_proto(rules, rules_pb2.MatchLength(target=40)).target == 40
    for length in (rules_pb2.MatchLength(), rules_pb2.MatchLength(hands=0), rules_pb2.MatchLength(target=0)):
        with pytest.raises(MalformedMessage):
            match_from_proto(rules, length)


def play_at_random(seed: int, preset: str = "standard") -> Iterator[Hand]:
    chance = random.Random(seed)
    hand = Hand.deal(RuleSet.parse(preset), chance.randbytes(32), held=True, history=seed % 2 == 0)
    while not hand.over:
        yield hand
        if hand.turn is None:
            hand.close_answers()
        else:
            hand.apply(chance.choice(hand.legal_actions()))
    yield hand


@pytest.mark.parametrize("seed", range(4))
def test_observations_come_back_from_whole_hands(seed: int) -> None:
    trick = [Action(1, ActionKind.PLAY, "KK"), Action(2, ActionKind.PASS)]
    for hand in play_at_random(seed):
        for viewer in (*range(6), None):
            seen = hand.observe(viewer)
            message = observation_to_proto(seen, hand=2, scores=[3, -4], trick=trick)
            again = observation_pb2.Observation.FromString(message.SerializeToString())
            assert observation_from_proto(again) == seen
            assert (again.hand, list(again.scores)) == (2, [3, -4])
            assert [action_from_proto(act.seat, act.action) for act in again.trick] == trick


def test_what_a_seat_may_do_follows_from_its_observation_alone() -> None:
    for hand in play_at_random(5):
        if hand.turn is not None:
            seen = observation_from_proto(observation_to_proto(hand.observe(hand.turn)))
            assert sorted(seen.legal_actions()) == sorted(hand.legal_actions())


def test_words_of_the_engine_are_those_of_the_messages() -> None:
    words = set(QUESTIONS)
    assert {question_to_proto(word) for word in words} == set(observation_pb2.Question.values()) - {0}
    assert question_to_proto(None) == observation_pb2.QUESTION_UNSPECIFIED


@pytest.mark.parametrize(
    "change",
    [
        lambda message: message.ClearField("seats"),
        lambda message: message.ClearField("phase"),
        lambda message: setattr(message, "viewer_plus_one", 7),
    ],
)
def test_what_is_no_observation_is_malformed(change: object) -> None:
    message = observation_to_proto(next(play_at_random(1)).observe(0))
    change(message)  # type: ignore[operator]
    with pytest.raises(MalformedMessage):
        observation_from_proto(message)
