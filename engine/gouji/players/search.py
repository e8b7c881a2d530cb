"""A level that tries its choices out: hands that fit what it has seen are drawn and played on by the planner's plan."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import copysign, inf, sqrt
from random import Random
from typing import ClassVar, Final

from gouji.engine import Action, Hand, Observation
from gouji.engine.hand import decode
from gouji.players._plan import worths
from gouji.players._rollouts import play_out
from gouji.players.prelude import decide_before_play


@dataclass(frozen=True, slots=True)
class Effort:
    """How much is tried out: numbers and no time, so that a decision can be repeated.

    In each round `deals` hands are drawn, and the `choices` that stand best are played on in each of them.
    """

    choices: tuple[int, ...] = (8, 4, 2)
    deals: tuple[int, ...] = (32, 48, 96)


CLEAR: Final = 2.0
"""By how many standard errors another choice must be better than the planner's before it is taken."""

HOPELESS: Final = -1.0
"""A choice that stands worse than this, in standard errors, is not tried any further."""

NEEDED_SECONDS: Final = 0.05
"""With less time than this the planner decides: few rollouts are worse than none."""


class SearchPlayer:
    """Takes the planner's choice unless another is clearly better in the hands that were drawn."""

    summary: ClassVar[str] = "Plays its choices out in its mind before it decides."

    def __init__(self, effort: Effort = Effort(), stopped: Callable[[], bool] = lambda: False) -> None:
        """Take an effort; ``stopped`` is asked between rounds, and once it says so, no more is tried out."""
        self._effort = effort
        self._stopped = stopped

    def decide(self, observation: Observation, seed: int, budget_seconds: float, /) -> Action:
        """Choose; raises ValueError when the seat is not asked."""
        if observation.question is None:
            raise ValueError("this seat is not asked")
        if observation.choices:
            return decide_before_play(observation)
        codes = Hand.from_observation(observation).legal_codes(compact=True)
        values = worths(observation, codes)
        ranked = [codes[at] for at in sorted(range(len(codes)), key=lambda at: -values[at])]
        if (
            len(ranked) == 1
            or budget_seconds < NEEDED_SECONDS
            or len(decode(ranked[0]).cards) == len(observation.cards)
        ):
            return decode(ranked[0])
        return decode(self._tried_out(observation, ranked, seed, time.monotonic() + budget_seconds))

    def _tried_out(self, observation: Observation, ranked: list[int], seed: int, until: float) -> int:
        """Return the planner's choice, the first, or the one that is clearly better."""
        chance = Random(seed)  # noqa: S311 (must be repeatable)
        planned, others = ranked[0], ranked[1:]
        results: dict[int, list[float]] = {code: [] for code in ranked}
        for most, deals in zip(self._effort.choices, self._effort.deals, strict=True):
            kept = [planned, *others[: most - 1]]
            drawn = [observation.determinize(chance).to_bytes() for _ in range(deals)]
            worth = play_out(observation.rules, drawn, kept)
            for at, code in enumerate(kept):
                results[code].extend(worth[at :: len(kept)])
            leads = {code: lead(results[code], results[planned]) for code in kept[1:]}
            others = sorted((code for code in leads if leads[code] > HOPELESS), key=lambda code: -leads[code])
            if not others or self._stopped() or time.monotonic() > until:
                break
        return others[0] if others and leads[others[0]] > CLEAR else planned


def lead(of: Sequence[float], ours: Sequence[float]) -> float:
    """Give how much better the first is on average, in standard errors, compared hand by hand: luck is the same."""
    differences = [one - other for one, other in zip(of, ours, strict=True)]
    mean = sum(differences) / len(differences)
    spread = sum((each - mean) ** 2 for each in differences) / max(1, len(differences) - 1)
    if not spread:
        return copysign(inf, mean) if mean else 0.0
    return mean / sqrt(spread / len(differences))
