"""A position on one line (docs/notation.md), read and written.

Whatever a text holds, reading it gives a position or raises `MalformedNotation`. Whether the position can be is the
rules' to say: `Position.set_up`.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from gouji.engine.hand import PHASES, Hand
from gouji.engine.rules import RuleSet
from gouji.engine.spans import MalformedNotation, Span, read_hands, read_rules, read_seat, read_seats, write_rules
from gouji.engine.tribute import Debt


@dataclass(frozen=True, slots=True)
class Position:
    """What `Hand.position` takes, and its rules; hands are canonical card text."""

    rules: RuleSet
    hands: tuple[str, ...]
    lead: int
    phase: str = "play"
    finished: tuple[int, ...] = ()
    opened: tuple[int, ...] = ()
    burning: tuple[int, ...] = ()
    revolted: tuple[int, ...] = ()
    owed: tuple[Debt, ...] = ()
    first_hand: bool = False

    def set_up(self) -> Hand:
        """Set the hand up. Raises `InvalidState` for a position that cannot be."""
        return Hand.position(
            self.rules,
            self.hands,
            self.lead,
            phase=self.phase,
            finished=self.finished,
            opened=self.opened,
            burning=self.burning,
            revolted=self.revolted,
            owed=self.owed,
            first_hand=self.first_hand,
        )


def format_position(position: Position) -> str:
    """Write a position on one line."""
    fields = {
        "phase": position.phase if position.phase != "play" else "",
        "finished": _digits(position.finished),
        "opened": _digits(position.opened),
        "burning": _digits(position.burning),
        "revolted": _digits(position.revolted),
        "owed": ",".join(str(debt).replace(" ", ":") for debt in position.owed),
    }
    return " ".join(
        [
            write_rules(position.rules),
            "/".join(cards or "-" for cards in position.hands),
            str(position.lead),
            *(f"{name}={value}" for name, value in fields.items() if value),
            *(["first_hand"] if position.first_hand else []),
        ]
    )


def _digits(seats: Iterable[int]) -> str:
    return "".join(map(str, seats))


def parse_position(text: str) -> Position:
    """Read a position. Raises `MalformedNotation`, which names the column and what was expected there."""
    words = Span(text).words()
    end = Span("", len(text.rstrip()) + 1)
    rules, hands, lead = (*words[:3], *[end] * (3 - len(words[:3])))
    return Position(read_rules(rules), read_hands(hands), read_seat(lead), **_read_fields(words[3:]))


def _read_fields(words: Sequence[Span]) -> dict[str, Any]:
    fields: dict[str, Any] = {}
    for word in words:
        name, value = word.partition("=")
        if name.text in fields:
            raise word.refuse("each field once")
        if word.text == "first_hand":
            fields["first_hand"] = True
        elif name.text in _FIELDS:
            fields[name.text] = _FIELDS[name.text](value)
        else:
            raise word.refuse(f"first_hand, or {', '.join(f'{field}=…' for field in _FIELDS)}")
    return fields


def _read_phase(span: Span) -> str:
    if span.text not in PHASES:
        raise span.refuse(f"a phase, one of {', '.join(PHASES)}")
    return span.text


def _read_owed(span: Span) -> tuple[Debt, ...]:
    debts = []
    for debt in span.split(","):
        try:
            debts.append(Debt.parse(debt.text.replace(":", " ")))
        except ValueError:
            raise debt.refuse("a tribute such as 5>0:last:2") from None
    return tuple(debts)


_FIELDS: Final[Mapping[str, Callable[[Span], object]]] = {
    "phase": _read_phase,
    "finished": read_seats,
    "opened": read_seats,
    "burning": read_seats,
    "revolted": read_seats,
    "owed": _read_owed,
}

__all__ = ["MalformedNotation", "Position", "format_position", "parse_position"]
