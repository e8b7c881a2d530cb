"""Shares, points and their intervals."""

import math

import pytest

from gouji.arena.figures import Estimate, figures
from gouji.arena.play import Duel


def duels(*points: tuple[int, int]) -> list[Duel]:
    return [Duel(deal, both, both) for deal, both in enumerate(points)]


def test_a_deal_counts_by_both_of_its_games_and_half_when_they_are_even() -> None:
    found = figures(duels((12, -4), (-2, -2), (6, -6), (1, 0)), hands=1)
    assert (found.deals, found.share.value) == (4, 0.625)
    assert found.points.value == pytest.approx((8 - 4 + 0 + 1) / 2 / 4)


def test_the_interval_of_a_share_is_wilson_s() -> None:
    # 81 of 263: a worked example of Wilson's interval (Newcombe 1998).
    found = figures(duels(*[(1, 0)] * 81, *[(-1, 0)] * 182), hands=1)
    assert (found.share.low, found.share.high) == pytest.approx((0.2553, 0.3662), abs=5e-5)


def test_the_interval_of_points_is_normal_and_goes_by_the_hand() -> None:
    found = figures(duels(*[(4, 0), (0, -4)] * 50), hands=2)
    assert found.points.value == 0
    assert found.points.high == pytest.approx(1.96 * math.sqrt(100 / 99) / 10, abs=1e-4)


def test_all_won_leaves_a_doubt_and_nothing_played_leaves_all() -> None:
    assert figures(duels(*[(12, 12)] * 20), hands=1).share.low == pytest.approx(0.8389, abs=1e-4)
    none = figures([], hands=1)
    assert (none.share, none.points.high) == (Estimate(0.5, 0.0, 1.0), math.inf)
    assert figures(duels((2, 2)), hands=1).points == Estimate(2, -math.inf, math.inf)
