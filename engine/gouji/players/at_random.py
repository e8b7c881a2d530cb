"""The weakest level, and the yardstick for all others: any lawful action."""

from random import Random
from typing import ClassVar

from gouji.engine import Action, Observation


class RandomPlayer:
    """Picks among the legal actions, each as likely as any other."""

    summary: ClassVar[str] = "Plays any lawful action."

    def decide(self, observation: Observation, seed: int, _budget_seconds: float, /) -> Action:
        """Choose; raises ValueError when the seat is not asked."""
        choices = observation.legal_actions()
        if not choices:
            raise ValueError("this seat is not asked")
        return Random(seed).choice(choices)  # noqa: S311 (must be repeatable)
