"""Rule sets and lengths of matches: `RuleSet` and `Match` of the engine ⇄ `RuleSet` and `MatchLength`."""

from functools import lru_cache

from gouji.engine import Match, RuleSet, UnknownOption
from gouji.v1 import rules_pb2
from gouji.wire.errors import MalformedMessage


def rules_to_proto(rules: RuleSet) -> rules_pb2.RuleSet:
    """Pack a rule set as its preset and what differs."""
    overrides = rules.spec()
    return rules_pb2.RuleSet(preset=overrides.pop("preset"), overrides=overrides)


def rules_from_proto(message: rules_pb2.RuleSet) -> RuleSet:
    """Read a rule set. Raises `RuleSetError` (`UnknownOption`, `BadValue`, `RulesConflict`)."""
    return _parse(message.preset, tuple(sorted(message.overrides.items())))


@lru_cache(maxsize=256)
def _parse(preset: str, overrides: tuple[tuple[str, str], ...]) -> RuleSet:
    given = dict(overrides)
    if "preset" in given:
        raise UnknownOption("preset is no option: name it in its own field")
    return RuleSet.parse({"preset": preset, **given})


def match_from_proto(rules: RuleSet, length: rules_pb2.MatchLength) -> Match:
    """Begin a match of that length.

    Raises `MalformedMessage` for a length that is unset or zero.
    """
    match length.WhichOneof("until"):
        case "hands" if length.hands:
            return Match(rules, hands=length.hands)
        case "target" if length.target:
            return Match(rules, target=length.target)
        case _:
            raise MalformedMessage("a match takes a number of hands or a target, at least 1")
