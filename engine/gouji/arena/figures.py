"""What many duels say: the share of deals won and the points a hand, each with its interval. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import NormalDist, fmean, stdev
from typing import Final

from gouji.arena.play import Duel

CONFIDENCE: Final = 0.95
"""How sure the intervals are."""

_Z: Final = NormalDist().inv_cdf((1 + CONFIDENCE) / 2)


@dataclass(frozen=True, slots=True)
class Estimate:
    """A figure and its interval."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Figures:
    """How the first player fared against the second.

    The deal is the unit. ``share`` counts a deal won when both games together brought more points, half when as many.
    ``points`` and ``places`` (`PLACE_POINTS`) are the differences a hand.
    """

    deals: int
    share: Estimate
    points: Estimate
    places: Estimate


def figures(duels: Sequence[Duel], hands: int) -> Figures:
    """Sum up duels of so many hands a game; of none, all is undecided."""
    won = [_won(sum(duel.points)) for duel in duels]
    return Figures(
        len(duels),
        _wilson(won),
        _mean([sum(duel.points) / 2 / hands for duel in duels]),
        _mean([sum(duel.places) / 2 / hands for duel in duels]),
    )


def _won(points: int) -> float:
    return 0.5 if points == 0 else float(points > 0)


def _wilson(won: Sequence[float]) -> Estimate:
    """Give Wilson's interval, which has a width also where all was won; draws make it wider than it need be."""
    n = len(won)
    if not n:
        return Estimate(0.5, 0.0, 1.0)
    share = fmean(won)
    middle = (share + _Z**2 / (2 * n)) / (1 + _Z**2 / n)
    half = _Z / (1 + _Z**2 / n) * sqrt(share * (1 - share) / n + _Z**2 / (4 * n**2))
    return Estimate(share, middle - half, middle + half)


def _mean(values: Sequence[float]) -> Estimate:
    """Give the mean and its normal interval: of one value alone it is unknown."""
    if not values:
        return Estimate(0.0, float("-inf"), float("inf"))
    value = fmean(values)
    half = _Z * stdev(values) / sqrt(len(values)) if len(values) > 1 else float("inf")
    return Estimate(value, value - half, value + half)
