"""What the engine says, as messages of `gouji.v1`, and back.

Pure: it imports the engine and the messages only, so that services, client and command line share one
reading. What cannot be read raises `MalformedMessage`.
"""

from gouji.wire.actions import action_from_proto, action_to_proto
from gouji.wire.cards import (
    MOST_CARDS,
    card_from_proto,
    card_to_proto,
    cards_from_proto,
    cards_to_proto,
    rank_from_proto,
    rank_to_proto,
)
from gouji.wire.consequences import consequence_from_proto, consequences_to_proto
from gouji.wire.errors import MalformedMessage
from gouji.wire.history import history_from_proto, history_to_proto, step_of_event
from gouji.wire.observation import (
    debt_from_proto,
    debt_to_proto,
    observation_from_proto,
    observation_to_proto,
    question_to_proto,
)
from gouji.wire.results import result_from_proto, result_to_proto
from gouji.wire.rules import match_from_proto, rules_from_proto, rules_to_proto

__all__ = [
    "MOST_CARDS",
    "MalformedMessage",
    "action_from_proto",
    "action_to_proto",
    "card_from_proto",
    "card_to_proto",
    "cards_from_proto",
    "cards_to_proto",
    "consequence_from_proto",
    "consequences_to_proto",
    "debt_from_proto",
    "debt_to_proto",
    "history_from_proto",
    "history_to_proto",
    "match_from_proto",
    "observation_from_proto",
    "observation_to_proto",
    "question_to_proto",
    "rank_from_proto",
    "rank_to_proto",
    "result_from_proto",
    "result_to_proto",
    "rules_from_proto",
    "rules_to_proto",
    "step_of_event",
]
