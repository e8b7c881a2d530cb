"""What a finished match does to the ratings."""

import random
from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gouji.scoring.rating import (
    DRIFT,
    START,
    TITLES,
    Match,
    Skill,
    after,
    corrected,
    found,
    is_provisional,
    match_to_rate,
    rated_as,
    widened,
)
from gouji.v1.scoring_pb2 import Conduct

from .desk import DAY_US, ENDED_US, SIX, hand, last

POINTS = st.lists(st.integers(-12, 12), min_size=6, max_size=6)
BOT = rated_as("", "greedy")


def match(scores: Sequence[int], rated: Sequence[str] = SIX, absent: Sequence[int] = ()) -> Match:
    """A match in which the titles were as the points."""
    teams = [sum(scores[0::2]), sum(scores[1::2])]
    return Match(rated, scores, scores, teams, ENDED_US, frozenset(absent), BOT)


def beginners(rated: Sequence[str] = SIX) -> dict[str, Skill]:
    return dict.fromkeys(rated, START)


def means(skills: dict[str, Skill]) -> list[float]:
    return [skills[player].mu for player in SIX]


def test_the_team_with_more_points_gains_what_the_other_loses_and_all_are_surer() -> None:
    skills = after(match([4, 2, 0, 0, -2, -4]), beginners())
    assert all(skills[player].mu > START.mu for player in SIX[0::2])
    assert all(skills[player].mu < START.mu for player in SIX[1::2])
    assert sum(means(skills)) == pytest.approx(6 * START.mu)
    assert all(skill.sigma < START.sigma and skill.matches == 1 for skill in skills.values())


def test_of_a_team_who_made_more_of_the_titles_gains_more_or_loses_less() -> None:
    mu = means(after(match(TITLES), beginners()))
    assert mu[0] > mu[2] > mu[4]
    assert mu[1] > mu[3] > mu[5]


def test_what_a_player_makes_counts_less_than_what_its_team_makes() -> None:
    mu = means(after(replace(match([4, 2, 0, 0, -2, -4]), titles=[-5, 5, -3, 3, -1, 1]), beginners()))
    assert min(mu[0::2]) > START.mu > max(mu[1::2])


def test_a_drawn_match_between_equals_moves_nobody() -> None:
    assert means(after(match([0] * 6), beginners())) == [START.mu] * 6


def test_without_teams_everybody_is_rated_by_its_own_points() -> None:
    alone = replace(match([2, 1, 0, 0, -1, -2]), team_scores=[])
    mu = means(after(alone, beginners()))
    assert sorted(mu, reverse=True) == mu
    assert mu[2] == mu[3]
    assert mu[0] > START.mu > mu[5]


def test_bots_of_one_level_share_a_rating_that_counts_the_match_once() -> None:
    rated = [*SIX[:3], BOT, BOT, BOT]
    skills = after(match([4, 2, 2, 0, -4, -4], rated), beginners(rated))
    assert skills.keys() == {*SIX[:3], BOT}
    assert skills[BOT].matches == 1


@given(POINTS, st.lists(st.floats(0, 50), min_size=6, max_size=6), st.lists(st.floats(0.5, 9), min_size=6, max_size=6))
def test_the_same_match_always_gives_the_same_and_leaves_what_was_given(
    scores: list[int], mus: list[float], sigmas: list[float]
) -> None:
    skills = {player: Skill(mu, sigma, 3) for player, mu, sigma in zip(SIX, mus, sigmas, strict=True)}
    given_skills = dict(skills)
    made = after(match(scores), skills)
    assert made == after(match(scores), skills)
    assert skills == given_skills
    assert all(skill.sigma > 0 and skill.matches == 4 for skill in made.values())


# Who was away


@given(POINTS, st.sets(st.integers(0, 5), min_size=1, max_size=3))
def test_who_was_absent_never_gains_and_learns_nothing_of_itself(scores: list[int], absent: set[int]) -> None:
    before = beginners([*SIX, BOT])
    made = after(match(scores, absent=sorted(absent)), before)
    as_seated = after(match(scores), beginners())
    for seat in absent:
        player = made[SIX[seat]]
        assert player.mu == min(START.mu, as_seated[SIX[seat]].mu)
        assert (player.sigma, player.matches) == (START.sigma, 1)


def test_the_bot_that_stood_in_is_expected_to_play_as_it_does_and_is_not_rated() -> None:
    before = beginners([*SIX, BOT]) | {BOT: Skill(5.0, 1.0, 900, ENDED_US - 1)}
    made = after(match([-4, 4, 0, 2, -2, 0], absent=[0]), before)
    as_seated = after(match([-4, 4, 0, 2, -2, 0]), beginners())
    assert made[BOT] == before[BOT]
    assert as_seated["c"].mu < made["c"].mu < START.mu  # less is lost with a weak bot for a mate
    assert START.mu < made["b"].mu < as_seated["b"].mu  # and less is won against it


def test_a_bot_with_a_seat_of_its_own_is_rated_for_that_alone() -> None:
    rated = ["a", BOT, *SIX[2:]]
    before = beginners(rated)
    made = after(match([-4, 4, 0, 2, -2, 0], rated, absent=[0]), before)
    assert made[BOT].mu > START.mu
    assert made[BOT].matches == 1


# Time


def test_a_rating_widens_by_whole_days_without_a_match_and_not_above_where_it_began() -> None:
    settled = Skill(30.0, 2.0, 200, ENDED_US)
    assert widened("a", settled, ENDED_US + DAY_US - 1) == settled
    assert widened("a", settled, ENDED_US - DAY_US) == settled
    assert widened("a", settled, ENDED_US + 100 * DAY_US).sigma == pytest.approx((4 + 100 * DRIFT**2) ** 0.5)
    assert widened("a", settled, ENDED_US + 10**9 * DAY_US) == settled._replace(sigma=START.sigma)


def test_bots_do_not_forget_and_who_never_played_stays_a_beginner() -> None:
    bot = Skill(30.0, 2.0, 200, ENDED_US)
    assert widened(BOT, bot, ENDED_US + 1000 * DAY_US) == bot
    assert widened("a", START, ENDED_US) == START


def test_a_match_finds_ratings_widened() -> None:
    skills = beginners() | {"a": Skill(30.0, 2.0, 200, ENDED_US - 30 * DAY_US)}
    assert found(skills, match([0] * 6))["a"] == widened("a", skills["a"], ENDED_US)


def test_a_match_that_ended_before_the_last_does_not_turn_time_back() -> None:
    skills = beginners() | {"a": Skill(30.0, 2.0, 200, ENDED_US + DAY_US)}
    assert after(match([4, 2, 0, 0, -2, -4]), skills)["a"].at == ENDED_US + DAY_US


def test_ratings_are_provisional_until_the_deviation_is_small() -> None:
    assert is_provisional(START)
    assert not is_provisional(START._replace(sigma=2.0))


# Corrections


def test_a_correction_moves_a_rating_by_what_the_match_should_have_made_of_it() -> None:
    before, old, new = beginners(), match([4, 2, 0, 0, -2, -4]), match([-4, -2, 0, 0, 2, 4])
    stands = after(old, before)
    now = stands | {"a": Skill(40.0, 3.0, 9, ENDED_US + 7)}
    made = corrected(now, before, old, new)
    assert made["b"].mu == pytest.approx(after(new, before)["b"].mu)
    assert made["a"].mu - 40.0 == pytest.approx(after(new, before)["a"].mu - stands["a"].mu)
    assert made["a"]._replace(mu=0) == now["a"]._replace(mu=0)


def test_a_match_that_is_ruled_void_is_taken_back_and_can_be_put_back() -> None:
    before, old = beginners(), match([4, 2, 0, 0, -2, -4])
    void = corrected(after(old, before), before, old, None)
    assert means(void) == pytest.approx([START.mu] * 6)
    assert {skill.matches for skill in void.values()} == {0}
    back = corrected(void, before, None, old)
    assert means(back) == pytest.approx(means(after(old, before)))


# Which matches


@pytest.mark.parametrize(
    "results",
    [
        [],
        [hand(players=SIX)],
        [last(queue="")],
        [last(number=2, results=2)],
        [last(voided=True)],
        [hand(), last(number=2, abandoned=True)],
    ],
)
def test_matches_that_are_not_over_not_of_a_queue_or_void_are_not_rated(results: list) -> None:
    assert match_to_rate(results) is None


def test_a_match_is_rated_by_the_points_and_titles_of_all_its_hands() -> None:
    second = last(number=2, order=[0, 5, 4, 3, 2, 1], scores=[0, 1, 2, 3, 4, 5], queue="", tournament="cup")
    first = hand(players=SIX, scores=[10, 0, 0, 0, 0, 0], queue="", tournament="cup")
    made = match_to_rate([first, second])
    assert made is not None
    assert made.scores == [10, 1, 2, 3, 4, 5]
    assert made.titles == [10, -2, -2, -2, -2, -2]
    assert made.team_scores == [16, 9]
    assert made.involved == list(SIX)


@pytest.mark.parametrize(
    ("conduct", "absent"),
    [
        (Conduct(by_player=10, by_bot=10), False),
        (Conduct(by_player=5, by_bot=10, by_clock=5), False),
        (Conduct(by_player=9, by_bot=10), True),
        (Conduct(by_player=99, by_bot=1, left=True, penalty=4), True),
    ],
)
def test_who_left_or_had_a_bot_decide_for_the_most_part_was_absent(conduct: Conduct, absent: bool) -> None:
    made = match_to_rate([last(conduct=[conduct, *[Conduct(by_player=9)] * 5])])
    assert made is not None
    assert made.absent == (frozenset({0}) if absent else frozenset())
    assert (BOT in made.involved) == absent
    assert made.scores[0] == 4  # what leaving costs is no matter of skill


def test_a_bots_own_seat_is_not_absent() -> None:
    made = match_to_rate([last(players=["", *SIX[1:]], conduct=[Conduct(by_bot=9)] * 6)])
    assert made is not None
    assert 0 not in made.absent
    assert made.rated[0] == BOT


def test_the_order_of_players_strengths_comes_out_after_many_matches() -> None:
    chance = random.Random(3)
    strength = {f"p{number:02}": number for number in range(12)}
    skills = beginners(list(strength))
    for _ in range(600):
        rated = chance.sample(sorted(strength), 6)
        order = sorted(range(6), key=lambda seat: chance.gauss(strength[rated[seat]], 4), reverse=True)
        scores = [0] * 6
        for seat, points in zip(order, TITLES, strict=True):
            scores[seat] = points
        skills |= after(match(scores, rated), skills)
    ranked = sorted(skills, key=lambda player: skills[player].mu)
    misplaced = sum(abs(place - strength[player]) for place, player in enumerate(ranked))
    assert misplaced <= 18  # 48 is what chance makes of it
