"""What has happened in a hand, step by step, and what of it each seat has seen.

`shown` is the one rule of what is hidden in an action: observations and the events of a table both go by it.
"""

from dataclasses import dataclass, replace
from typing import Final

from gouji.engine.actions import Action, ActionKind
from gouji.engine.events import Consequence, TributeReturned

HIDING: Final = frozenset({ActionKind.RETURN, ActionKind.REFUSE})
"""Actions whose cards the two seats of a tribute alone see (R8.4)."""


@dataclass(frozen=True, slots=True)
class Step:
    """What a seat did for all to see, and what followed from it by rule.

    ``action`` is None where the time for private questions ended (`Hand.close_answers`). ``partner`` is the other
    seat of a tribute or sale. Private declines (R5.2, R9.1) are no steps.
    """

    action: Action | None
    consequences: tuple[Consequence, ...] = ()
    partner: int | None = None


def shown(step: Step, viewer: int | None) -> Step:
    """Show a step to a seat, or to a spectator (None): what goes back for a tribute stays with the two (R8.4)."""
    if step.action is None or step.partner is None or viewer in (step.action.seat, step.partner):
        return step
    action = replace(step.action, cards="") if step.action.kind in HIDING else step.action
    return replace(step, action=action, consequences=tuple(_unseen(each) for each in step.consequences))


def _unseen(consequence: Consequence) -> Consequence:
    return replace(consequence, cards=()) if isinstance(consequence, TributeReturned) else consequence
