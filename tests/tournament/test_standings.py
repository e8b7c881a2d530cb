"""What boards are worth, and how those who are level are ranked."""

import random
from fractions import Fraction
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from gouji.tournament.matchpoints import AVERAGE, BYE, WHOLE, matchpoints
from gouji.tournament.scores import Outing, board_scores, courses, outings
from gouji.tournament.standings import Field, Place, standings
from gouji.tournament.tournament import Round, Sides, Table

from .simulated import SINGLES, SWISS, TEAMS, Simulated, terms_of

quick = settings(max_examples=60)


@given(st.dictionaries(st.integers(1, 50), st.integers(-40, 40), min_size=2, max_size=20))
@quick
def test_matchpoints_are_the_share_of_others_that_made_less(made: dict[int, int]) -> None:
    found = matchpoints(made)
    for table, points in made.items():
        others = [other for one, other in made.items() if one != table]
        share = sum(Fraction(points > other) + Fraction(points == other, 2) for other in others) / len(others)
        assert abs(share * WHOLE - found[table]) <= Fraction(1, 2)
    assert abs(sum(found.values()) - len(made) * AVERAGE) <= len(made) / 2


@given(st.dictionaries(st.integers(1, 50), st.integers(-40, 40), min_size=2, max_size=20), st.integers(-9, 9))
@quick
def test_luck_of_the_deal_cancels(made: dict[int, int], luck: int) -> None:
    assert matchpoints(made) == matchpoints({table: points + luck for table, points in made.items()})


def test_a_table_without_another_brings_the_average() -> None:
    assert matchpoints({3: 12}) == {3: AVERAGE}
    assert matchpoints({}) == {}


def round_with(tables: dict[tuple[int, int], Table], **fields: Any) -> Round:
    sides = [Sides((1,), (2,)), Sides((3,), (4,)), Sides((5,), (6,))]
    return Round(1, 0, sides, (7,), [b"", b""], begun=True, tables=tables, secrets={1: b"", 2: b""}, **fields)


def test_a_ruled_table_and_one_without_a_result_are_compared_with_none() -> None:
    tables = {
        (1, 1): Table("a", ended=True, made=(4, 0)),
        (2, 1): Table("b", ended=True, made=(0, 2), ruled=(7000, 2000)),
        (3, 1): Table("c", ended=True),
    }
    assert board_scores(round_with(tables), 1) == {1: (5000, 5000), 2: (7000, 2000), 3: (5000, 5000)}


def test_a_hand_that_was_dealt_anew_is_compared_with_the_same_hand_alone() -> None:
    tables = {(n, 1): Table("t", ended=True, made=(points, 0), hand=hand) for n, (points, hand) in
              {1: (4, 1), 2: (0, 1), 3: (9, 2)}.items()}  # fmt: skip
    assert board_scores(round_with(tables), 1) == {1: (10_000, 0), 2: (0, 10_000), 3: (5000, 5000)}


def test_a_side_has_its_boards_from_both_sides_of_the_table() -> None:
    made = {(1, 1): (4, 0), (2, 1): (0, 2), (3, 1): (0, 0), (1, 2): (6, 0), (2, 2): (0, 0), (3, 2): (0, 0)}
    found = outings(round_with({spot: Table("t", ended=True, made=points) for spot, points in made.items()}))
    # On the second board the second side sits even: the first one has the rest.
    assert (found[1].score, found[2].score) == (WHOLE + 0, 0 + WHOLE)
    assert (found[3].score, found[4].score) == (0 + 7500, WHOLE + 2500)
    assert found[7] == Outing(2 * BYE, 2 * WHOLE)
    assert found[1].opponents == (2,)


def test_a_ruling_on_a_no_show_touches_nobody_else() -> None:
    made = {(pairing, board): Table("t", ended=True, made=(pairing, 0)) for pairing in (1, 2, 3) for board in (1, 2)}
    before = outings(round_with(made))
    after = outings(round_with(made, no_shows={1: 1000}))
    assert after[1].score == 2000
    assert {number: outing for number, outing in after.items() if number != 1} == {
        number: outing for number, outing in before.items() if number != 1
    }


def field_of(rounds: list[dict[int, tuple[int, tuple[int, ...]]]], **fields: Any) -> Field:
    """Rounds of one board: entrant to its score and its opponents."""
    numbers = {number for one in rounds for number in one}
    made = {number: [Outing(one[number][0], WHOLE, one[number][1]) for one in rounds] for number in numbers}
    usual = {"corrections": {}, "lots": {number: number for number in numbers}, "side": 1}
    return Field(made, **{**usual, **fields})


def order(places: list[Place]) -> list[int]:
    return [place.entrant for place in places]


def test_who_is_level_is_ranked_by_the_strength_of_its_opponents() -> None:
    rounds = [
        {1: (10_000, (3,)), 2: (10_000, (4,)), 3: (0, (1,)), 4: (0, (2,))},
        {1: (0, (2,)), 2: (10_000, (1,)), 3: (10_000, (4,)), 4: (0, (3,))},
    ]
    places = standings(field_of(rounds), swiss=True)
    assert order(places) == [2, 3, 1, 4] or order(places) == [2, 1, 3, 4]
    by_number = {place.entrant: place for place in places}
    assert (by_number[1].buchholz, by_number[3].buchholz) == (30_000, 10_000)
    assert by_number[1].rank < by_number[3].rank
    assert [place.rank for place in places] == [1, 2, 3, 4]


def test_in_a_round_robin_who_beat_the_other_comes_first_and_then_the_lot() -> None:
    rounds = [
        {1: (4000, (2,)), 2: (6000, (1,)), 3: (5000, (4,)), 4: (5000, (3,))},
        {1: (6000, (3,)), 3: (4000, (1,)), 2: (4000, (4,)), 4: (6000, (2,))},
    ]
    places = standings(field_of(rounds, lots={1: 1, 2: 2, 3: 3, 4: 4}), swiss=False)
    assert order(places) == [4, 2, 1, 3]
    assert {place.entrant: place.encounter for place in places}[2] == 2000


def test_a_direct_encounter_counts_only_where_all_have_met() -> None:
    rounds = [{1: (4000, (2,)), 2: (6000, (1,)), 3: (5000, ())}, {1: (6000, (9,)), 2: (4000, (9,)), 3: (5000, (9,))}]
    rounds[1][9] = (0, (1,))
    rounds[0][9] = (0, ())
    places = standings(field_of(rounds, lots={1: 1, 2: 2, 3: 3, 9: 9}), swiss=False)
    assert [place.encounter for place in places] == [0, 0, 0, 0]
    # Who has won a round comes before who has not; of those the lot decides.
    assert order(places) == [1, 2, 3, 9]


@given(st.integers(0, 10_000), st.sampled_from([TEAMS, SINGLES]))
@settings(max_examples=12)
def test_every_entrant_has_one_rank_and_scores_add_up(seed: int, kind: Any) -> None:
    played = Simulated.of(terms_of(entrants=kind, format=SWISS, rounds=3))
    played.begin(9 if kind == TEAMS else 27)
    played.play(random.Random(seed))
    event = played.event
    made = courses(event, event.rounds)
    assert all(len(course) == 3 for course in made.values())
    places = standings(Field(made, {}, {number: number for number in made}, 1 if kind == TEAMS else 3), swiss=True)
    assert sorted(place.entrant for place in places) == sorted(event.playing)
    assert [place.score for place in places] == sorted((place.score for place in places), reverse=True)
    seats = 1 if kind == TEAMS else 3
    for one in event.rounds:
        pairs, byes = len(one.pairings), len(one.byes)
        assert sum(outing.score for outing in outings(one).values()) == 2 * WHOLE * pairs * seats + 2 * BYE * byes
