"""The ledger: what finished hands mean for their match and their players."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gouji.scoring.ledger import (
    MOST_ABSENT_US,
    MOST_ACCOUNTS,
    MOST_DECISIONS,
    MOST_HANDS,
    MOST_POINTS,
    Entry,
    Malformed,
    SeatSum,
    check,
    entries,
    match_sum,
    seat_sums,
)
from gouji.v1.events_pb2 import Seat
from gouji.v1.scoring_pb2 import BurnTried, Conduct, HandResult

from .desk import ENDED_US, SIX, hand, last

PLAYED = [Conduct(by_player=20)] * 6


def test_each_person_gets_its_points_and_its_place_in_the_order() -> None:
    made = hand(players=("a", "b", "c", "", "e", "f"), order=[2, 0, 1, 3, 5, 4], scores=[2, 0, 4, 0, -4, -2])
    assert entries(made) == [
        Entry(0, "a", 2, 2),
        Entry(1, "b", 0, 3),
        Entry(2, "c", 4, 1),
        Entry(4, "e", -4, 6),
        Entry(5, "f", -2, 5),
    ]


@pytest.mark.parametrize(
    "made", [hand(players=[""] * 6), hand(players=SIX, voided=True), hand(players=SIX, abandoned=True, order=[])]
)
def test_bots_and_what_does_not_count_have_no_entries(made: HandResult) -> None:
    assert entries(made) == []


@given(st.permutations(range(6)), st.lists(st.integers(-30, 30), min_size=6, max_size=6))
def test_a_hand_has_each_place_once_and_no_point_is_lost(order: list[int], scores: list[int]) -> None:
    made = hand(players=SIX, order=order, scores=scores)
    check(made)
    found = entries(made)
    assert sorted(entry.place for entry in found) == [1, 2, 3, 4, 5, 6]
    assert [found[seat].place for seat in order] == [1, 2, 3, 4, 5, 6]
    assert sum(entry.points for entry in found) == sum(scores)


def test_leaving_costs_its_player_and_nobody_else() -> None:
    conduct = [Conduct(left=seat == 2, penalty=4 * (seat == 2)) for seat in range(6)]
    left, before = (entries(hand(players=SIX, conduct=how)) for how in (conduct, []))
    assert [was.points - now.points for was, now in zip(before, left, strict=True)] == [0, 0, 4, 0, 0, 0]


def test_a_seats_sums_are_those_of_its_hands() -> None:
    burns = [BurnTried(burner=0, burned=1, won=True), BurnTried(burner=0, burned=3), BurnTried(burner=5, burned=0)]
    conduct = [Conduct(by_player=9, by_bot=3, by_clock=1, absent_us=70, penalty=3 * (n == 0)) for n in range(6)]
    first = hand(players=SIX, opened=[0, 4], burns=burns, sweep=True, conduct=conduct)
    second = last(number=2, order=[1, 0, 2, 3, 4, 5], conduct=[Conduct(left=n == 0) for n in range(6)])
    sums = seat_sums([first, second])
    assert sums[0] == SeatSum(
        points=4 - 3 + 4,
        hands=2,
        p1=1,
        p2=1,
        openings=1,
        burns_tried=2,
        burns_won=1,
        sweeps=1,
        by_player=9,
        by_bot=3,
        by_clock=1,
        absent_us=70,
        left=True,
        penalty=3,
    )
    assert [seat.sweeps for seat in sums] == [1, 0] * 3
    assert [seat.burns_tried for seat in sums] == [2, 0, 0, 0, 0, 1]


def test_of_a_hand_that_does_not_count_it_counts_how_it_was_played() -> None:
    sums = seat_sums([hand(players=SIX, voided=True, opened=[0], conduct=[Conduct(by_player=9, penalty=4)] * 6)])
    assert sums == [SeatSum(by_player=9)] * 6


def test_a_match_is_over_once_all_its_results_are_there_in_whatever_order() -> None:
    hands = [hand(number=1, ended=ENDED_US), hand(number=3, results=2, ended=ENDED_US + 1)]
    final = last(number=4, results=3, ended=ENDED_US + 2)
    playing = match_sum(hands)
    assert (playing.hands, playing.recorded, playing.hands_in_all, playing.ended_at) == (2, 2, None, None)
    missing = match_sum([final, hands[1]])
    assert (missing.hands_in_all, missing.ended_at, missing.voided) == (3, None, False)
    over = match_sum([final, *hands])
    assert (over.recorded, over.ended_at, over.voided) == (3, ENDED_US + 2, False)
    assert over.began_at == ENDED_US - 60_000_000
    assert (over.even_points, over.odd_points) == (3 * 2, -3 * 2)
    assert match_sum([hand(team_scores=[])]).even_points is None


def test_a_match_whose_server_does_not_count_results_ends_with_the_last() -> None:
    assert match_sum([hand(results=0), last(number=2, results=0)]).ended_at == ENDED_US
    without = last(results=0)
    without.ClearField("began")
    assert match_sum([without]).began_at == ENDED_US


@pytest.mark.parametrize(
    ("results", "voided"),
    [
        ([hand(), last(number=2)], False),
        ([hand(), last(number=2, voided=True)], False),
        ([hand(voided=True), last(number=2, voided=True)], True),
        ([hand(), last(number=2, abandoned=True)], True),
        ([last(abandoned=True)], True),
        ([hand(voided=True)], False),
    ],
)
def test_a_match_is_void_when_it_was_given_up_or_none_of_its_hands_counts(
    results: list[HandResult], voided: bool
) -> None:
    assert match_sum(results).voided is voided


@pytest.mark.parametrize(
    "made",
    [hand(), hand(team_scores=[]), hand(number=MOST_HANDS), hand(conduct=PLAYED), last(abandoned=True, order=[])],
)
def test_what_a_table_may_send_is_good(made: HandResult) -> None:
    check(made)


def changed(change: Callable[[HandResult], Any]) -> HandResult:
    made = hand(players=SIX)
    change(made)
    return made


@pytest.mark.parametrize(
    ("made", "path"),
    [
        (HandResult(), "table_id"),
        (hand("a\0b"), "table_id"),
        (hand(queue="a\0b"), "queue"),
        (hand(tournament="a\0b"), "tournament"),
        (hand(preset="a\0b"), "rules.preset"),
        (hand(players=["a\0b", *SIX[1:]]), "seats[0].player_id"),
        (hand(number=0), "hand"),
        (hand(number=MOST_HANDS + 1, results=1), "hand"),
        (hand(results=MOST_HANDS + 1), "results"),
        (hand(players=SIX[:5]), "seats"),
        (hand(players=[*SIX, ""]), "seats"),
        (changed(lambda made: made.seats[5].CopyFrom(Seat(name="Nobody"))), "seats[5]"),
        (changed(lambda made: made.seats[0].MergeFrom(Seat(bot_level="greedy"))), "seats[0]"),
        (hand(players=[*SIX[:5], "b"]), "seats[5].player_id"),
        (hand(order=[]), "order"),
        (hand(order=[0, 1, 2, 3, 4]), "order"),
        (hand(order=[0, 1, 2, 3, 4, 4]), "order"),
        (hand(order=[1, 2, 3, 4, 5, 6]), "order"),
        (hand(voided=True), "voided"),
        (hand(scores=[0] * 5), "scores"),
        (hand(scores=[MOST_POINTS + 1, 0, 0, 0, 0, 0]), "scores[0]"),
        (hand(team_scores=[0, -MOST_POINTS - 1]), "team_scores[1]"),
        (hand(team_scores=[1]), "team_scores"),
        (hand(team_scores=[1, 2, 3]), "team_scores"),
        (hand(conduct=[Conduct()]), "conduct"),
        (hand(conduct=[*PLAYED[:5], Conduct(penalty=MOST_POINTS + 1)]), "conduct[5].penalty"),
        (hand(conduct=[Conduct(by_bot=MOST_DECISIONS + 1), *PLAYED[:5]]), "conduct[0]"),
        (hand(conduct=[Conduct(absent_us=MOST_ABSENT_US + 1), *PLAYED[:5]]), "conduct[0].absent_us"),
        (hand(burns=[BurnTried()] * (MOST_ACCOUNTS + 1)), "burns"),
        (changed(lambda made: made.ClearField("ended")), "ended"),
        (changed(lambda made: setattr(made.ended, "seconds", 2**60)), "ended"),
        (changed(lambda made: setattr(made.began, "nanos", -1)), "began"),
    ],
)
def test_what_no_finished_hand_can_be_is_refused_by_the_fields_path(made: HandResult, path: str) -> None:
    with pytest.raises(Malformed) as refused:
        check(made)
    assert refused.value.path == path
    assert refused.value.problem
