"""Private questions: what lets one go by must be no event of its own."""

import pytest

from gouji.engine import Hand, RuleSet
from gouji.table.window import Answer
from gouji.v1 import events_pb2

POSITIONS = {
    "burn": ({"preset": "standard", "burn_guard": False}, "play", ["KK3", "AA5", "45", "22456", "45", "45"], "play KK"),
    "revolt": ("standard", "revolt", ["2345", "3456", "2345", "w345", "2345", "2345"], ""),
    "sink": ("shandong_64", "sink", ["345", "345", "345", "345", "345", "345"], ""),
    "redeal": ({"preset": "standard", "redeal_on_request": True}, "advance", ["345", "2", "2", "2", "2", "2"], ""),
}


@pytest.mark.parametrize("question", POSITIONS)
def test_declining_a_private_question_is_no_public_act(question: str) -> None:
    rules, phase, hands, first = POSITIONS[question]
    hand = Hand.position(RuleSet.parse(rules), hands, 0, phase=phase, first_hand=True, held=True)
    if first:
        hand.apply(next(action for action in hand.legal_actions() if action.verb == first))
    assert (hand.question, hand.private) == (question, True)
    seat = hand.turn
    assert seat is not None
    assert Answer(seat, hand.default_action(), events_pb2.DECIDED_BY_PLAYER).declines
    others = [action for action in hand.legal_actions() if action != hand.default_action()]
    assert not any(Answer(seat, action, events_pb2.DECIDED_BY_PLAYER).declines for action in others)
