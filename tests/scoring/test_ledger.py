"""The ledger: what a finished hand means for its players."""

import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gouji.scoring.ledger import MOST_HANDS, MOST_POINTS, Entry, Malformed, Result, Seat, Totals, check, entries, totals

PEOPLE = [Seat(player_id=f"p{number}", name=f"P{number}") for number in range(6)]
BOT = Seat(name="Bot", bot_level="greedy")
RESULT = Result("t1", 1, PEOPLE, order=[2, 0, 1, 3, 5, 4], scores=[2, 0, 4, 0, -4, -2], team_scores=[2, 0])


def test_each_person_gets_its_points_and_its_place_in_the_order():
    made = entries(dataclasses.replace(RESULT, seats=[*PEOPLE[:3], BOT, *PEOPLE[4:]]))
    assert made == [
        Entry(0, "p0", "P0", 2, 2),
        Entry(1, "p1", "P1", 0, 3),
        Entry(2, "p2", "P2", 4, 1),
        Entry(4, "p4", "P4", -4, 6),
        Entry(5, "p5", "P5", -2, 5),
    ]


def test_a_table_of_bots_has_no_entries():
    assert entries(dataclasses.replace(RESULT, seats=[BOT] * 6)) == []


def test_totals_are_summed_by_player_in_the_order_of_their_ids():
    made = [Entry(1, "b", "Old", -2, 5), Entry(0, "a", "A", 4, 1), Entry(4, "b", "New", 4, 1)]
    assert totals(made) == [
        Totals("a", "A", 1, 4, (1, 0, 0, 0, 0, 0)),
        Totals("b", "New", 2, 2, (1, 0, 0, 0, 1, 0)),
    ]


@given(st.permutations(range(6)), st.lists(st.integers(-30, 30), min_size=6, max_size=6))
def test_a_hand_has_each_place_once_and_no_point_is_lost(order, scores):
    result = dataclasses.replace(RESULT, order=order, scores=scores)
    check(result)
    made = entries(result)
    assert sorted(entry.place for entry in made) == [1, 2, 3, 4, 5, 6]
    assert [made[seat].place for seat in order] == [1, 2, 3, 4, 5, 6]
    assert sum(entry.points for entry in made) == sum(scores)


def test_a_result_without_teams_and_one_with_the_last_number_of_a_hand_are_good():
    check(RESULT)
    check(dataclasses.replace(RESULT, team_scores=[], hand=MOST_HANDS))


@pytest.mark.parametrize(
    ("change", "path"),
    [
        ({"table_id": ""}, "table_id"),
        ({"hand": 0}, "hand"),
        ({"hand": MOST_HANDS + 1}, "hand"),
        ({"seats": PEOPLE[:5]}, "seats"),
        ({"seats": [*PEOPLE, BOT]}, "seats"),
        ({"seats": [*PEOPLE[:5], Seat(name="Nobody")]}, "seats[5]"),
        ({"seats": [Seat("p0", "P0", "greedy"), *PEOPLE[1:]]}, "seats[0]"),
        ({"seats": [*PEOPLE[:5], PEOPLE[1]]}, "seats[5].player_id"),
        ({"order": []}, "order"),
        ({"order": [0, 1, 2, 3, 4]}, "order"),
        ({"order": [0, 1, 2, 3, 4, 4]}, "order"),
        ({"order": [1, 2, 3, 4, 5, 6]}, "order"),
        ({"scores": [0] * 5}, "scores"),
        ({"team_scores": [1]}, "team_scores"),
        ({"team_scores": [1, 2, 3]}, "team_scores"),
        ({"match_scores": [0] * 5}, "match_scores"),
        ({"match_team_scores": [0]}, "match_team_scores"),
    ],
)
def test_what_no_finished_hand_can_be_is_refused_by_the_fields_path(change, path):
    with pytest.raises(Malformed) as refused:
        check(dataclasses.replace(RESULT, **change))
    assert refused.value.path == path
    assert refused.value.problem


def test_leaving_costs_its_player_and_nobody_else():
    left = dataclasses.replace(RESULT, penalties=[0, 0, 4, 0, 0, 0])
    before, after = ({entry.seat: entry.points for entry in entries(result)} for result in (RESULT, left))
    assert {seat: before[seat] - after[seat] for seat in before} == {seat: 4 * (seat == 2) for seat in before}
    check(left)


@pytest.mark.parametrize(
    ("penalties", "path"), [([1], "conduct"), ([0, MOST_POINTS + 1, 0, 0, 0, 0], "conduct[1].penalty")]
)
def test_penalties_that_make_no_sense_are_refused(penalties, path):
    with pytest.raises(Malformed) as refused:
        check(dataclasses.replace(RESULT, penalties=penalties))
    assert refused.value.path == path
