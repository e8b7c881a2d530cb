"""A level that plans: it takes its hand apart into groups and asks which choice leaves the least to be played out."""

from typing import ClassVar

from gouji.engine import Action, Hand, Observation
from gouji.engine.hand import decode
from gouji.players.advice import best_of
from gouji.players.prelude import decide_before_play


class PlannerPlayer:
    """Plays what leaves the least to be played out, by the cards that the others may still hold.

    `_burden.pyx` says what a hand costs, `_plan.pyx` what a choice is worth, `prelude.py` what is done before the play.
    """

    summary: ClassVar[str] = "Plans how its whole hand goes out, and plays with its team-mates."

    def decide(self, observation: Observation, _seed: int, _budget_seconds: float, /) -> Action:
        """Choose; raises ValueError when the seat is not asked."""
        if observation.question is None:
            raise ValueError("this seat is not asked")
        if observation.choices:
            return decide_before_play(observation)
        return decode(best_of(observation, Hand.from_observation(observation).legal_codes(compact=True)))
