"""What a seat decides, as text and as packed integers.

One class serves all actions, since all have one form: a seat, what it does, and cards or a seat that it speaks of.
Text is that of the rule cases: ``0 play ww999``, ``3 pass``, ``5 last 2``.
"""

from dataclasses import dataclass
from enum import IntEnum
from typing import Final

from gouji.engine.cards import MalformedCards, parse_cards


class ActionKind(IntEnum):
    """Kinds of actions; the numbers are those of the packed form."""

    PASS = 0
    PLAY = 1
    BURN = 2
    YIELD = 3
    CLOSE = 4
    REVOLT = 5
    STAY = 6
    KEEP_HEAD = 7
    NO_HEAD = 8
    PAY = 9
    RETURN = 10
    REFUSE = 11
    ACCEPT = 12
    BUY_WITH = 13
    GIVE = 14
    CALL = 15
    NO_CALL = 16
    REDEAL = 17
    LAST = 18
    DECLINE = 19
    SINK = 20
    LAY_OFF = 21
    FEEL = 22
    DOUBLE = 23
    ASK = 24

    @property
    def text(self) -> str:
        """The word of the rule cases."""
        return self.name.lower()


WITH_CARDS: Final = frozenset(
    {
        ActionKind.PLAY,
        ActionKind.BURN,
        ActionKind.PAY,
        ActionKind.RETURN,
        ActionKind.REFUSE,
        ActionKind.BUY_WITH,
        ActionKind.GIVE,
        ActionKind.LAY_OFF,
    }
)
"""Kinds that must name cards. A revolt may (R9.3)."""


OF_SEAT: Final = frozenset({ActionKind.LAST, ActionKind.ASK})
"""Kinds that name a seat."""


class UnknownAction(ValueError):
    """A word that names no action."""


class MalformedAction(ValueError):
    """An action that cannot be read: a seat out of range, cards that are missing or not cards."""


@dataclass(frozen=True, slots=True, order=True)
class Action:
    """One decision of one seat.

    ``cards`` is canonical card text where the kind speaks of cards, else empty; ``target`` is the seat that ``last``
    and ``ask`` speak of, else -1.
    """

    seat: int
    kind: ActionKind
    cards: str = ""
    target: int = -1

    def __str__(self) -> str:
        """Give the text of the rule cases."""
        return f"{self.seat} {self.verb}"

    @property
    def verb(self) -> str:
        """The text without the seat: ``play ww999``."""
        if self.kind in OF_SEAT:
            return f"{self.kind.text} {self.target}"
        return f"{self.kind.text} {self.cards}" if self.cards else self.kind.text

    @classmethod
    def parse(cls, text: str) -> "Action":
        """Read ``SEAT VERB [CARDS | SEAT]``.

        Raises `UnknownAction` for a word that is no action, and `MalformedAction` or `MalformedCards` for the rest.
        """
        seat, _, verb = text.strip().partition(" ")
        if seat not in {"0", "1", "2", "3", "4", "5"}:
            raise MalformedAction(f"{text!r}: an action starts with a seat, 0 to 5")
        return cls.parse_verb(int(seat), verb)

    @classmethod
    def parse_verb(cls, seat: int, text: str) -> "Action":
        """Read an action of ``seat`` without the seat: ``play ww999``. Raises as `parse` does."""
        word, _, rest = text.strip().partition(" ")
        try:
            kind = ActionKind[word.upper()]
        except KeyError:
            raise UnknownAction(f"{word!r} is not an action") from None
        rest = rest.strip()
        if kind in OF_SEAT:
            if rest not in {"0", "1", "2", "3", "4", "5"}:
                raise MalformedAction(f"{text!r}: {kind.text} names a seat, 0 to 5")
            return cls(seat, kind, target=int(rest))
        if bool(rest) != (kind in WITH_CARDS) and not (kind is ActionKind.REVOLT and rest):
            raise MalformedAction(f"{text!r}: {kind.text} {'names' if kind in WITH_CARDS else 'takes no'} cards")
        return cls(seat, kind, parse_cards(rest))


__all__ = ["OF_SEAT", "WITH_CARDS", "Action", "ActionKind", "MalformedAction", "MalformedCards", "UnknownAction"]
