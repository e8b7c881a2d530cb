"""How often somebody may call."""

import pytest

from gouji.serving.rates import Rates


def test_a_burst_is_let_in_and_then_one_at_a_time() -> None:
    rates = Rates(per_second=10, burst=3)
    assert [rates.take("p1", now=5.0) for _ in range(3)] == [0, 0, 0]
    assert rates.take("p1", now=5.0) == pytest.approx(0.1)
    assert rates.take("p1", now=5.05) == pytest.approx(0.05)
    assert rates.take("p1", now=5.1) == 0
    assert rates.take("p1", now=5.1) == pytest.approx(0.1)


def test_who_is_refused_pays_nothing_for_it() -> None:
    rates = Rates(per_second=10, burst=1)
    rates.take("p1", now=0.0)
    assert all(rates.take("p1", now=0.05) for _ in range(1000))
    assert rates.take("p1", now=0.1) == 0


def test_each_has_a_bucket_of_its_own() -> None:
    rates = Rates(per_second=1, burst=1)
    assert rates.take("p1", now=0.0) == 0
    assert rates.take("p2", now=0.0) == 0
    assert rates.take("p1", now=0.0) > 0


def test_those_who_called_last_are_remembered() -> None:
    rates = Rates(per_second=1, burst=1, most=2)
    for player in ("p1", "p2", "p1", "p3"):
        rates.take(player, now=0.0)
    assert rates.take("p1", now=0.0) > 0
    assert rates.take("p2", now=0.0) == 0


def test_a_call_that_weighs_more_is_made_less_often() -> None:
    rates = Rates(per_second=10, burst=20)
    assert [rates.take("bot", 0.0, weight=5) for _ in range(4)] == [0, 0, 0, 0]
    assert rates.take("bot", 0.0, weight=5) == pytest.approx(0.5)
    assert rates.take("bot", 0.5, weight=5) == 0
