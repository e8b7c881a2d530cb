"""Teams: the fairest split, and the chances that scoring's model predicts."""

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from openskill.models import PlackettLuce

from gouji.matchmaking.teams import fairest, splits, win_chance
from gouji.scoring.rating import BETA

RATINGS = st.lists(st.floats(0, 50), min_size=6, max_size=6)


@given(RATINGS, st.lists(st.floats(0.5, 9), min_size=6, max_size=6))
def test_the_chance_is_what_scorings_model_predicts(mus: list[float], sigmas: list[float]) -> None:
    model = PlackettLuce(beta=BETA)
    six = [model.rating(mu=mu, sigma=sigma) for mu, sigma in zip(mus, sigmas, strict=True)]
    lead = sum(mus[:3]) - sum(mus[3:])
    expected = model.predict_win([six[:3], six[3:]])[0]
    assert win_chance(lead, sum(sigma**2 for sigma in sigmas)) == pytest.approx(expected, abs=1e-9)


@given(RATINGS)
def test_of_all_ten_splits_the_fairest_is_taken(ratings: list[float]) -> None:
    def lead(team: tuple[int, ...]) -> float:
        return abs(2 * sum(ratings[number] for number in team) - sum(ratings))

    taken = fairest((1,) * 6, 6, ratings)
    assert lead(taken) == pytest.approx(min(map(lead, combinations(range(6), 3))), abs=1e-9)


@pytest.mark.parametrize(
    ("units", "teams"),
    [
        ((1,) * 6, 10),
        ((3, 3), 1),
        ((3, 2, 1), 1),
        ((2, 2, 1, 1), 2),
        ((2, 1, 1, 1, 1), 4),
        ((2, 2, 2), 0),
        ((4, 1, 1), 0),
    ],
)
def test_units_are_kept_whole(units: tuple[int, ...], teams: int) -> None:
    assert len(splits(units, 6)) == teams


def test_people_are_spread_over_both_teams_before_chances_count() -> None:
    assert fairest((1,) * 6, 2, [40, 40, 0, 0, 0, 0])[1] != 1
    assert all(1 not in trio for trio in splits((1,) * 6, 2))


def test_what_cannot_be_split_is_an_error() -> None:
    with pytest.raises(ValueError, match="empty"):
        fairest((2, 2, 2), 6, [25.0] * 6)
