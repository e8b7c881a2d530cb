"""One rule case as it is written: text, and how each value of it is read."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from gouji.engine.actions import Action, ActionKind, MalformedAction, UnknownAction
from gouji.engine.cards import parse_cards
from gouji.engine.errors import IllegalAction
from gouji.engine.hand import Hand
from gouji.engine.match import Match
from gouji.engine.reasons import Reason
from gouji.engine.rules import RuleSet


class CaseError(Exception):
    """A case that cannot be read: names the file, the case and the key."""

    def __init__(self, file: str, case: str, key: str, why: str) -> None:
        super().__init__(f"{file}: {case}: {key}: {why}")


def read_action(hand: Hand, text: str) -> Action:
    """Read an action; a bare ``refuse`` is of the lowest rank that may be refused now (R8.4).

    Raises as `Action.parse` does.
    """
    seat, _, verb = text.strip().partition(" ")
    if verb.strip() != ActionKind.REFUSE.text:
        return Action.parse(text)
    refusals = [
        action for action in hand.legal_actions() if action.kind is ActionKind.REFUSE and str(action.seat) == seat
    ]
    return refusals[0] if refusals else Action.parse(f"{text} 3")


@dataclass(frozen=True, slots=True)
class Case:
    """One case as written; all scalars are text. Its readers raise `CaseError` for the key that they are told."""

    file: str
    id: str
    raw: Mapping[str, Any]

    def error(self, key: str, why: str) -> CaseError:
        """Make the error for one of this case's keys."""
        return CaseError(self.file, self.id, key, why)

    def items(self, key: str, value: object) -> list[object]:
        """Read a list."""
        if not isinstance(value, list):
            raise self.error(key, "must be a list")
        return value

    def mapping(self, key: str, value: object, keys: set[str]) -> Mapping[str, Any]:
        """Read a mapping that has some of these keys and no others."""
        if not isinstance(value, Mapping):
            raise self.error(key, "must be a mapping")
        for unknown in sorted(value.keys() - keys):
            raise self.error(f"{key}.{unknown}", "unknown key")
        return value

    def text(self, key: str, value: object) -> str:
        """Read a scalar."""
        if not isinstance(value, str):
            raise self.error(key, "must be text")
        return value

    def texts(self, key: str, value: object) -> list[str]:
        """Read a list of scalars."""
        return [self.text(key, item) for item in self.items(key, value)]

    def cards(self, key: str, value: object) -> str:
        """Read cards."""
        try:
            return parse_cards(self.text(key, value))
        except ValueError as broken:
            raise self.error(key, str(broken)) from None

    def number(self, key: str, value: object) -> int:
        """Read a number."""
        try:
            return int(self.text(key, value))
        except ValueError:
            raise self.error(key, f"{value!r} is not a number") from None

    def seat(self, key: str, value: object) -> int:
        """Read a seat."""
        seat = self.number(key, value)
        if seat not in range(6):
            raise self.error(key, f"{seat} is not a seat, 0 to 5")
        return seat

    def seat_or_none(self, key: str, value: object) -> int | None:
        """Read a seat, or ``none``."""
        return None if value == "none" else self.seat(key, value)

    def seats(self, key: str, value: object) -> list[int]:
        """Read a list of seats."""
        return [self.seat(key, item) for item in self.items(key, value)]

    def numbers(self, key: str, value: object) -> list[int]:
        """Read a list of numbers."""
        return [self.number(key, item) for item in self.items(key, value)]

    def flag(self, key: str, value: object) -> bool:
        """Read true or false."""
        words = {"true": True, "false": False}
        if value not in words:
            raise self.error(key, f"{value!r} is not true or false")
        return words[str(value)]

    def try_action(self, key: str, hand: Hand, text: str) -> str:
        """Do an action and return the reason for which it was refused, or nothing."""
        try:
            hand.apply(read_action(hand, text))
        except UnknownAction:
            return Reason.UNKNOWN_ACTION.value
        except IllegalAction as illegal:
            return illegal.reason.value
        except ValueError as broken:
            raise self.error(key, str(broken)) from None
        return ""

    def action(self, key: str, hand: Hand, text: str) -> Action:
        """Read an action."""
        try:
            return read_action(hand, text)
        except ValueError as broken:
            raise self.error(key, str(broken)) from None

    def refusal(self, key: str, hand: Hand, text: str) -> str:
        """Return the reason for which an action would be refused, or nothing; what a fault costs is not looked at."""
        try:
            return str(getattr(hand.refusal(read_action(hand, text)), "value", ""))
        except (UnknownAction, MalformedAction):
            return Reason.UNKNOWN_ACTION.value
        except ValueError as broken:
            raise self.error(key, str(broken)) from None

    def match(self, rules: RuleSet) -> Match:
        """Begin the match that the case's hand belongs to: one without end unless ``match`` says otherwise."""
        length = self.mapping("match", self.raw.get("match") or {}, {"hands", "target"})
        lengths = {key: self.number(f"match.{key}", value) for key, value in length.items()}
        try:
            return Match(rules, **(lengths or {"hands": 1_000_000}))
        except ValueError as broken:
            raise self.error("match", str(broken)) from None
