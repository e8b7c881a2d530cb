"""Errors of the engine.

    EngineError
    ├── IllegalAction       readable, but the rules refuse it: has a `Reason`
    ├── RuleSetError        a rule set that cannot be used
    │   ├── UnknownOption
    │   ├── BadValue
    │   └── RulesConflict
    └── InvalidState        bytes or a position that are no state

Unreadable text raises `MalformedCards`, `MalformedAction` or `UnknownAction`, all `ValueError`.
"""

from gouji.engine.actions import Action
from gouji.engine.reasons import Reason


class EngineError(Exception):
    """Anything that the engine refuses."""


class IllegalAction(EngineError):
    """The rules refuse an action; nothing has changed."""

    def __init__(self, reason: Reason, action: Action | None = None) -> None:
        super().__init__(reason, action)
        self.reason = reason
        self.action = action

    def __str__(self) -> str:
        """Name the reason, never the cards: the text may reach a log."""
        return self.reason.value


class RuleSetError(EngineError):
    """A rule set that cannot be used; the text says which option, why, and under which clause."""


class UnknownOption(RuleSetError):
    """A name that is no preset or no option."""


class BadValue(RuleSetError):
    """A value that the option does not take."""


class RulesConflict(RuleSetError):
    """Two options that make no sense together."""


class InvalidState(EngineError):
    """Bytes or a position that are not a state of a hand; ``part`` names what of a position is wrong."""

    def __init__(self, why: str, part: str = "") -> None:
        super().__init__(why)
        self.part = part
