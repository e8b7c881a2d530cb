"""Who meets whom: whatever the standings and the past, everybody plays once, and nobody twice where that can be."""

import random
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gouji.tournament.companies import companies
from gouji.tournament.lineups import chairs
from gouji.tournament.pairing import round_robin_teams, singles, swapped, swiss_teams
from gouji.tournament.scores import Past, pair_of, past_of
from gouji.tournament.tournament import Round, Sides

NOBODY = Past({}, {}, {}, {})

quick = settings(max_examples=40)


def round_of(number: int, sides: list[Sides], byes: tuple[int, ...]) -> Round:
    return Round(number, 0, sides, byes, [b""])


def everybody(sides: list[Sides], byes: tuple[int, ...]) -> list[int]:
    return sorted([*byes, *(number for pair in sides for number in (*pair.first, *pair.second))])


@st.composite
def team_pasts(draw: st.DrawFn) -> tuple[list[int], Past]:
    """Teams in some order, of which some have met and some had byes."""
    count = draw(st.integers(2, 15))
    pairs = list(combinations(range(1, count + 1), 2))
    met = draw(st.lists(st.sampled_from(pairs), unique=True, max_size=len(pairs) // 2))
    byes = draw(st.dictionaries(st.integers(1, count), st.integers(1, 2), max_size=count))
    order = draw(st.permutations(range(1, count + 1)))
    return list(order), Past({}, dict.fromkeys(met, 1), byes, {})


@given(team_pasts())
@quick
def test_every_team_plays_once_or_has_a_bye_and_byes_go_round(given: tuple[list[int], Past]) -> None:
    order, past = given
    sides, byes = swiss_teams(order, past)
    assert everybody(sides, byes) == sorted(order)
    assert len(byes) == len(order) % 2
    fewest = min(past.byes.get(number, 0) for number in order)
    assert all(past.byes.get(number, 0) == fewest for number in byes)
    assert (sides, byes) == swiss_teams(order, past)


def can_avoid_rematches(left: frozenset[int], past: Past) -> bool:
    """Whether these can be paired without any who have met, by trying."""
    if not left:
        return True
    one = min(left)
    return any(
        not past.against.get(pair_of(one, other)) and can_avoid_rematches(left - {one, other}, past)
        for other in left - {one}
    )


@given(team_pasts())
@quick
def test_teams_that_have_met_are_paired_only_where_it_cannot_be_helped(given: tuple[list[int], Past]) -> None:
    order, past = given
    sides, byes = swiss_teams(order, past)
    again = [pair for pair in sides if past.against.get(pair_of(pair.first[0], pair.second[0]))]
    if can_avoid_rematches(frozenset(order) - set(byes), past):
        assert not again


def test_the_leaders_meet_and_then_those_behind_them() -> None:
    sides, _ = swiss_teams([4, 2, 1, 3], NOBODY)
    assert [{*pair.first, *pair.second} for pair in sides] == [{4, 2}, {1, 3}]
    sides, _ = swiss_teams([4, 2, 1, 3], Past({}, {(2, 4): 1}, {}, {}))
    assert [{*pair.first, *pair.second} for pair in sides] == [{4, 1}, {2, 3}]


def test_whoever_was_first_less_often_is_first() -> None:
    sides, _ = swiss_teams([1, 2], Past({}, {}, {}, {1: 2, 2: 1}))
    assert sides == [Sides((2,), (1,))]


@given(st.integers(2, 16))
@quick
def test_in_a_round_robin_each_team_meets_each_other_once(count: int) -> None:
    draw = random.Random(count).sample(range(1, count + 1), count)
    rounds = count - 1 + count % 2
    met, byes = [], []
    for number in range(1, rounds + 1):
        sides, free = round_robin_teams(draw, draw, number)
        assert everybody(sides, free) == sorted(draw)
        met += [pair_of(pair.first[0], pair.second[0]) for pair in sides]
        byes += free
    assert sorted(met) == list(combinations(range(1, count + 1), 2))
    assert sorted(byes) == (sorted(draw) if count % 2 else [])


def test_whoever_was_to_meet_a_team_that_left_has_a_bye() -> None:
    sides, byes = round_robin_teams([1, 2, 3, 4], {1, 2, 3}, 1)
    assert everybody(sides, byes) == [1, 2, 3]
    assert len(byes) == 1


@given(st.integers(6, 40), st.booleans(), st.randoms(use_true_random=False))
@quick
def test_single_players_sit_in_sixes_once_each(count: int, near: bool, chance: random.Random) -> None:
    order = chance.sample(range(1, count + 1), count)
    sides, byes = singles(order, NOBODY, near=near)
    assert everybody(sides, byes) == sorted(order)
    assert len(byes) == count % 6
    assert all(len(pair.first) == len(pair.second) == 3 for pair in sides)


@pytest.mark.parametrize("near", [True, False])
def test_in_a_big_event_nobody_has_a_team_mate_or_an_opponent_twice(near: bool) -> None:
    chance, rounds = random.Random(7), []
    for number in range(1, 6):
        order = chance.sample(range(1, 241), 240)
        rounds.append(round_of(number, *singles(order, past_of(rounds), near=near)))
    past = past_of(rounds)
    assert max(past.together.values()) == 1
    twice = sum(times > 1 for times in past.against.values())
    assert twice <= (0 if not near else 5 * 240 // 100)


def test_those_who_sit_together_stand_near_one_another_and_sides_are_even() -> None:
    sides = companies(list(range(1, 13)), NOBODY, near=True)
    assert [sorted((*pair.first, *pair.second)) for pair in sides] == [[1, 2, 3, 4, 5, 6], [7, 8, 9, 10, 11, 12]]
    assert all(abs(sum(pair.first) - sum(pair.second)) == 1 for pair in sides)


def test_entrants_change_places_one_swap_after_the_other() -> None:
    sides = [Sides((1,), (2,)), Sides((3,), (4,))]
    assert swapped(sides, (5,), [(1, 5)]) == ([Sides((5,), (2,)), Sides((3,), (4,))], (1,))
    assert swapped(sides, (5,), [(1, 3), (3, 5)]) == ([Sides((5,), (2,)), Sides((1,), (4,))], (3,))


@pytest.mark.parametrize("side", [((1,), (2,)), ((1, 2, 3), (4, 5, 6))])
def test_both_sides_have_the_same_cards_as_often_and_all_meet_each_opposite(side: tuple[tuple[int, ...], ...]) -> None:
    first, second = side
    boards = [chairs(first, second, board) for board in range(1, 7)]
    assert [{chair.entrant for chair in board[::2]} == set(first) for board in boards] == [True, False] * 3
    opposites = {frozenset((board[seat], board[seat + 3])) for board in boards for seat in range(3)}
    assert len(opposites) == 9
    assert all(len(set(board)) == 6 for board in boards)
