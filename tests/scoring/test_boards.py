"""Which boards a match counts on, and how scores become ranks."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gouji.scoring.boards import (
    ALL,
    WIDTHS,
    Board,
    Count,
    Counted,
    Entry,
    Kind,
    Move,
    boards_of,
    folded,
    gained,
    low,
    move,
    ranks,
    rated,
    sure_part,
)
from gouji.scoring.rating import Skill

MATCH = Counted(0, "standard", "eu")
NEW = Entry(0, 0, listed=False)
SCORES = st.integers(-3000, 3000)


def test_points_count_by_season_preset_and_region_and_over_all_of_each() -> None:
    made = boards_of(Kind.POINTS, "2026-11", MATCH)
    assert len(made) == len(set(made)) == 8
    assert {made[0], made[-1]} == {
        Board(Kind.POINTS, ALL, ALL, ALL),
        Board(Kind.POINTS, "2026-11", "standard", "eu"),
    }


def test_ratings_count_by_preset_alone() -> None:
    made = boards_of(Kind.RATING, "2026-11", MATCH)
    assert len(made) == 4
    assert {board.preset for board in made} == {"standard"}


def test_without_a_season_or_region_a_match_counts_over_all_once() -> None:
    assert len(boards_of(Kind.POINTS, ALL, Counted(0, "standard", ALL))) == 2


def test_who_has_played_is_listed_and_who_has_no_match_left_is_not() -> None:
    first = gained(NEW, -4, 1)
    assert first == Entry(-4, 1, listed=True)
    assert gained(first, 2, 0) == Entry(-2, 1, listed=True)
    assert gained(first, 4, -1) == Entry(0, 0, listed=False)


def test_a_provisional_rating_is_not_listed() -> None:
    assert rated(NEW, None, 1) == Entry(0, 1, listed=False)
    assert rated(Entry(0, 9, listed=False), 1234, 1) == Entry(1234, 10, listed=True)
    assert rated(Entry(1234, 1, listed=True), 1200, -1) == Entry(1200, 0, listed=False)


def test_a_rating_stands_for_what_is_nearly_sure_of_it() -> None:
    assert sure_part(Skill(30.0, 4.0, 20)) == 1800


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (NEW, Entry(5, 1, listed=True), Move(None, 5)),
        (Entry(5, 1, listed=True), Entry(7, 2, listed=True), Move(5, 7)),
        (Entry(5, 1, listed=True), Entry(0, 0, listed=False), Move(5, None)),
        (Entry(5, 1, listed=True), Entry(5, 2, listed=True), None),
        (NEW, Entry(0, 1, listed=False), None),
    ],
)
def test_a_move_says_how_a_listed_score_changed(before: Entry, after: Entry, expected: Move | None) -> None:
    assert move(before, after) == expected


@given(st.lists(st.tuples(st.integers(1, 2), SCORES, SCORES)))
def test_folded_moves_are_what_changed_in_the_counts_and_nothing_else(moves: list[tuple[int, int, int]]) -> None:
    came = [(board_id, None, after) for board_id, _, after in moves]
    went = [(board_id, after, None) for board_id, _, after in moves]
    assert folded(came + went) == {}
    for count, players in folded(came).items():
        held = [after for board_id, _, after in came if board_id == count.board_id]
        assert players == sum(count.low <= score < count.low + count.width for score in held)


def test_scores_below_zero_lie_in_the_count_below_them() -> None:
    assert [low(score, 1024) for score in (-1025, -1024, -1, 0, 1023, 1024)] == [-2048, -1024, -1024, 0, 0, 1024]
    assert folded([(1, None, -1)]) == {Count(1, width, low(-1, width)): 1 for width in WIDTHS}


@given(st.lists(st.integers(0, 8), min_size=1), st.integers(0, 30), st.integers(1, 30))
def test_ranks_are_one_more_than_the_players_with_more(scores: list[int], start: int, length: int) -> None:
    ordered = sorted(scores, reverse=True)
    some = ordered[start % len(ordered) :][:length]
    marks = list(dict.fromkeys(some))[:2]
    ahead = [sum(score > mark for score in scores) for mark in marks]
    assert list(ranks(some, ahead)) == [1 + sum(other > score for other in scores) for score in some]


def test_nobody_has_no_rank() -> None:
    assert list(ranks([], [])) == []


def test_the_next_rank_is_as_much_lower_as_players_share_one() -> None:
    scores = [9, 7, 7, 7, 3]
    random.Random(1).shuffle(scores)
    assert list(ranks(sorted(scores, reverse=True), [0, 1])) == [1, 2, 2, 2, 5]
