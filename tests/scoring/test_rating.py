"""What a finished match does to the ratings."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from openskill.models import PlackettLuce

from gouji.scoring.rating import START, Match, Skill, after, rated_as

PEOPLE = [f"p{seat}" for seat in range(6)]
POINTS = st.lists(st.integers(-12, 12), min_size=6, max_size=6)


def match(scores: list[int], rated: list[str] = PEOPLE) -> Match:
    return Match(rated, scores, [sum(scores[0::2]), sum(scores[1::2])])


def beginners(rated: list[str] = PEOPLE) -> dict[str, Skill]:
    return dict.fromkeys(rated, START)


def means(skills: dict[str, Skill]) -> list[float]:
    return [skills[player].mu for player in PEOPLE]


def test_the_team_with_more_points_gains_what_the_other_loses_and_all_are_surer() -> None:
    skills = after(match([4, 2, 0, 0, -2, -4]), beginners())
    assert all(skills[player].mu > START.mu for player in PEOPLE[0::2])
    assert all(skills[player].mu < START.mu for player in PEOPLE[1::2])
    assert sum(means(skills)) == pytest.approx(6 * START.mu)
    assert all(skill.sigma < START.sigma and skill.matches == 1 for skill in skills.values())


def test_of_a_team_who_made_more_of_the_titles_gains_more_or_loses_less() -> None:
    mu = means(after(match([4, 2, 0, 0, -2, -4]), beginners()))
    assert mu[0] > mu[2] > mu[4]
    assert mu[1] > mu[3] > mu[5]


def test_mates_with_equal_points_share_alike_as_the_library_has_it() -> None:
    model = PlackettLuce()
    expected = model.rate([[model.rating() for _ in range(3)] for _ in range(2)], scores=[3.0, -3.0])
    skills = after(match([1, -1] * 3), beginners())
    assert [skills["p0"].mu, skills["p1"].mu] == [team[0].mu for team in expected]


def test_a_drawn_match_between_equals_moves_nobody() -> None:
    assert means(after(match([0] * 6), beginners())) == [START.mu] * 6


def test_without_teams_everybody_is_rated_by_its_own_points() -> None:
    mu = means(after(Match(PEOPLE, [2, 1, 0, 0, -1, -2], []), beginners()))
    assert sorted(mu, reverse=True) == mu
    assert mu[2] == mu[3]
    assert mu[0] > START.mu > mu[5]


def test_bots_of_one_level_share_a_rating_that_counts_the_match_once() -> None:
    bot = rated_as("", "greedy")
    rated = [rated_as(f"p{seat}", "") if seat < 3 else bot for seat in range(6)]
    skills = after(match([4, 2, 2, 0, -4, -4], rated), beginners(rated))
    assert skills.keys() == {"p0", "p1", "p2", bot}
    assert skills[bot].matches == 1


@given(POINTS, st.lists(st.floats(0, 50), min_size=6, max_size=6), st.lists(st.floats(0.5, 9), min_size=6, max_size=6))
def test_the_same_match_always_gives_the_same_and_leaves_what_was_given(
    scores: list[int], mus: list[float], sigmas: list[float]
) -> None:
    skills = {player: Skill(mu, sigma, 3) for player, mu, sigma in zip(PEOPLE, mus, sigmas, strict=True)}
    given_skills = dict(skills)
    made = after(match(scores), skills)
    assert made == after(match(scores), skills)
    assert skills == given_skills
    assert all(skill.sigma > 0 and skill.matches == 4 for skill in made.values())


def test_the_order_of_players_strengths_comes_out_after_many_matches() -> None:
    chance = random.Random(3)
    strength = {f"p{number:02}": number for number in range(12)}
    skills = beginners(list(strength))
    for _ in range(600):
        rated = chance.sample(sorted(strength), 6)
        order = sorted(range(6), key=lambda seat: chance.gauss(strength[rated[seat]], 4), reverse=True)
        scores = [0] * 6
        for seat, points in zip(order, (4, 2, 0, 0, -2, -4), strict=True):
            scores[seat] = points
        skills |= after(match(scores, rated), skills)
    ranked = sorted(skills, key=lambda player: skills[player].mu)
    misplaced = sum(abs(place - strength[player]) for place, player in enumerate(ranked))
    assert misplaced <= 18  # 48 is what chance makes of it
