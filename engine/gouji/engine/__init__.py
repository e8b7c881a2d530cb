"""The rules of Gouji (夠級): pure, without I/O, clock or global state.

`Hand` is one hand, `Match` a series of them, `RuleSet` what is played. See ``engine/README.md`` for the map.
"""

from gouji.engine.actions import Action, ActionKind, MalformedAction, UnknownAction
from gouji.engine.cards import Card, MalformedCards
from gouji.engine.errors import (
    BadValue,
    EngineError,
    IllegalAction,
    InvalidState,
    RulesConflict,
    RuleSetError,
    UnknownOption,
)
from gouji.engine.hand import Hand
from gouji.engine.match import HandResult, Match
from gouji.engine.observation import Observation, SeatView
from gouji.engine.reasons import Reason
from gouji.engine.rules import OPTIONS, PRESETS, RULES_VERSION, Option, RuleSet
from gouji.engine.tribute import Aftermath, Debt

__all__ = [
    "OPTIONS",
    "PRESETS",
    "RULES_VERSION",
    "Action",
    "ActionKind",
    "Aftermath",
    "BadValue",
    "Card",
    "Debt",
    "EngineError",
    "Hand",
    "HandResult",
    "IllegalAction",
    "InvalidState",
    "MalformedAction",
    "MalformedCards",
    "Match",
    "Observation",
    "Option",
    "Reason",
    "RuleSet",
    "RuleSetError",
    "RulesConflict",
    "SeatView",
    "UnknownAction",
    "UnknownOption",
]
