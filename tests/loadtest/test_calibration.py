"""The tool that looks at what ratings say: its figures, on play that is known and on a few real matches."""

import random
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

from gouji.scoring.rating import Match


@pytest.fixture(scope="module")
def calibration(load_script: Callable[[Path], ModuleType]) -> ModuleType:
    return load_script(Path(__file__).resolve().parents[2] / "loadtest/calibration.py")


def test_predictions_are_judged_by_what_came_true(calibration: ModuleType) -> None:
    said = [calibration.Prediction(0.75, 1.0, 0), calibration.Prediction(0.75, 0.0, 30)]
    assert calibration.brier(said) == (0.25**2 + 0.75**2) / 2
    assert calibration.settled(said) == said[1:]
    assert calibration.bins([*said, calibration.Prediction(1.0, 1.0, 0)]) == [(0.75, 0.5, 2), (1.0, 1.0, 1)]


def test_everybody_plays_as_often_and_the_same_seed_plays_the_same(calibration: ModuleType) -> None:
    strengths = {f"p{number}": -number / 20 for number in range(12)}
    matches, again = (list(calibration.draw_matches(strengths, 2, random.Random(3))) for _ in range(2))
    assert matches == again
    assert [number for number, _ in matches] == [0, 0, 1, 1]
    played = [player for _, match in matches for player in match.rated]
    assert sorted(played) == sorted([*strengths] * 2)
    for _, match in matches:
        assert sum(match.titles) == 0
        assert len(match.team_scores) == 2


@pytest.mark.parametrize("way", ["as shipped", "win or loss alone", "the same, openskill's own constants"])
def test_stronger_players_are_found_and_their_wins_are_said_before(calibration: ModuleType, way: str) -> None:
    chance, strengths = random.Random(4), {f"p{number:02}": float(number) for number in range(12)}
    season = calibration.Season(calibration.WAYS[way], strengths)
    for number in range(40):
        order = chance.sample(sorted(strengths), 12)
        for players in (order[:6], order[6:]):
            titles = [strengths[player] + chance.gauss(0, 3) for player in players]
            teams = [round(sum(titles[0::2])), round(sum(titles[1::2]))]
            season.play(Match(players, [0] * 6, [round(made) for made in titles], teams, 1), number)
    assert season.rank_correlation > 0.7
    assert calibration.brier(season.predictions[-20:]) < 0.25


def test_strengths_themselves_say_most(calibration: ModuleType) -> None:
    strengths = {f"p{number}": number / 10 for number in range(6)}
    match = Match(["p5", "p0", "p4", "p1", "p3", "p2"], [0] * 6, [0] * 6, [5, -5], 1)
    (known,) = calibration.known(strengths, [(0, match)])
    assert known.said > 0.9
    assert known.ended == 1.0
