"""Events from announcement to end, without servers: what people may do, and what comes by itself."""

import copy
import hashlib
import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gouji.tournament import chance, course, decisions
from gouji.tournament.course import Ended, News
from gouji.tournament.messages import pairing_messages, tournament_message
from gouji.tournament.refusals import Refusal
from gouji.tournament.tournament import CANCELLED, CHECK_IN, OVER, REGISTRATION, RUNNING, Tournament
from gouji.v1 import tournament_pb2
from gouji.v1.tournament_log_pb2 import NoShowRuled, TableRuled, TournamentEntry

from .simulated import (
    ROUND_ROBIN,
    SECRET,
    SINGLES,
    SWISS,
    TEAMS,
    Simulated,
    bots,
    person,
    terms_of,
)


def refused(reason: str, call: Any, *arguments: Any) -> None:
    with pytest.raises(Refusal) as refusal:
        call(*arguments)
    assert refusal.value.reason == reason


def registering(**terms: Any) -> Simulated:
    made = Simulated.of(terms_of(**terms))
    made.change("OPEN_REGISTRATION")
    return made


# Registration


def test_who_is_in_stays_in_and_nobody_is_in_twice() -> None:
    made = registering()
    team = [person("ann"), person("bob"), person("cas")]
    assert made.enter("Reds", team) == 1
    assert decisions.enter(made.event, "Reds", team) is None
    refused("already_entered", decisions.enter, made.event, "Blues", [person("dan"), person("bob"), person("eve")])
    refused("already_entered", decisions.enter, made.event, "Reds", [person("x"), person("y"), person("z")])
    made.add(decisions.withdraw(made.event, 1))
    assert decisions.withdraw(made.event, 1) is None
    assert made.enter("Reds", team) == 2
    assert decisions.own(made.event, "bob").number == 2


def test_those_beyond_the_limit_wait_and_move_up() -> None:
    made = registering(most_entrants=4)
    for number in range(1, 9):
        made.enter(f"T{number}", bots(number, 3))
    refused("tournament_full", decisions.enter, made.event, "T9", bots(9, 3))
    assert list(made.event.listed) == [1, 2, 3, 4]
    made.add(decisions.withdraw(made.event, 2))
    assert list(made.event.listed) == [1, 3, 4, 5]
    assert tournament_message(made.event).waiting == 3
    made.change("START")
    assert made.event.playing == (1, 3, 4, 5)


def test_with_a_check_in_only_those_play_who_are_there() -> None:
    made = registering(entrants=SINGLES, most_entrants=12)
    for number in range(14):
        made.enter(f"P{number}", [person(f"p{number}")])
    refused("wrong_stage", decisions.check_in, made.event, 1)
    made.change("OPEN_CHECK_IN")
    refused("wrong_stage", decisions.enter, made.event, "P20", [person("p20")])
    for number in range(2, 13):
        made.add(decisions.check_in(made.event, number))
    refused("too_few_entrants", decisions.change_stage, made.event, tournament_pb2.STAGE_CHANGE_START)
    made.add(decisions.check_in(made.event, 14))
    made.change("START")
    assert made.event.playing == (*range(2, 13), 14)


def test_stages_follow_one_another() -> None:
    made = Simulated.of(terms_of())
    start = tournament_pb2.STAGE_CHANGE_START
    refused("wrong_stage", decisions.change_stage, made.event, start)
    refused("wrong_stage", decisions.change_stage, made.event, tournament_pb2.STAGE_CHANGE_PAUSE)
    made.begin(4)
    assert decisions.change_stage(made.event, start) is None
    refused("wrong_stage", decisions.change_stage, made.event, tournament_pb2.STAGE_CHANGE_OPEN_CHECK_IN)


def test_stages_come_by_their_times() -> None:
    terms = terms_of()
    for field, second in (("registration_opens", 10), ("check_in_opens", 20), ("starts", 30)):
        getattr(terms, field).FromSeconds(second)
    made = Simulated.of(terms)
    found = []
    for second in (9, 10, 19, 20, 29, 30):
        made.now = second * 1_000_000
        made.turn()
        found.append(made.event.stage)
    assert found == [1, REGISTRATION, REGISTRATION, CHECK_IN, CHECK_IN, CANCELLED]
    assert "are needed for two tables" in made.record[-1].reason


@pytest.mark.parametrize(
    ("fields", "entrants", "rounds"),
    [
        ({"rounds": 0}, 9, 4),
        ({"rounds": 5}, 4, 5),
        ({"rounds": 0, "format": ROUND_ROBIN}, 9, 9),
        ({"rounds": 20, "format": ROUND_ROBIN}, 6, 5),
        ({"rounds": 4, "format": ROUND_ROBIN, "entrants": SINGLES}, 12, 4),
    ],
)
def test_rounds_are_as_many_as_the_format_asks_for(fields: Any, entrants: int, rounds: int) -> None:
    made = Simulated.of(terms_of(**fields))
    made.begin(entrants)
    assert made.event.rounds_planned == rounds


# Rounds


def running(entrants: int = 6, **terms: Any) -> Simulated:
    made = Simulated.of(terms_of(**terms))
    made.begin(entrants)
    return made


def test_the_next_board_is_placed_when_a_pairing_has_done_the_one_before() -> None:
    made = running()
    made.turn()
    assert sorted(made.tables) == []
    made.turn()
    assert sorted(made.tables) == ["t-1-1-1", "t-1-2-1", "t-1-3-1"]
    made.tables["t-1-2-1"] = Ended("over", (2, 0))
    made.turn()
    assert course.due_tables(made.event) == [(2, 2)]
    assert course.due_tables(made.event) == [(2, 2)]
    made.turn()
    assert course.due_tables(made.event) == []


def test_a_board_is_open_when_its_last_table_has_ended_and_not_before() -> None:
    made = running()
    made.turn(), made.turn()
    for table_id in ("t-1-1-1", "t-1-2-1"):
        made.tables[table_id] = Ended("over", (2, 0))
    made.turn()
    [one] = made.event.rounds
    assert one.secrets == {}
    assert not any(played.HasField("score") for pairing in pairing_messages(one, [1, 2]) for played in pairing.boards)
    made.tables["t-1-3-1"] = Ended("over", (0, 2))
    made.turn()
    secret = one.secrets[1]
    assert hashlib.sha256(secret + b"spring/1/1").digest() == one.commitments[0]
    scores = [pairing.boards[0].score.even_score for pairing in pairing_messages(one, [1, 2, 3])]
    assert scores == [7500, 7500, 0]


def test_a_board_stays_shut_while_a_table_plays_that_was_not_noted() -> None:
    made = running()
    made.turn(), made.turn()
    ended = {table_id: Ended("over", (2, 0)) for table_id in made.tables}
    made.add(course.follow(made.event, News(1, {}, ended), SECRET, made.now))
    assert course.follow(made.event, News(1, {}, {}, {"spring/1/1"}), SECRET, made.now) is None
    made.add(course.follow(made.event, News(1), SECRET, made.now))
    assert list(made.event.rounds[0].secrets) == [1]


def test_nothing_is_placed_or_paired_while_paused_and_tables_are_noted_all_the_same() -> None:
    made = running()
    made.turn(), made.turn()
    made.change("PAUSE")
    for table_id in made.tables:
        made.tables[table_id] = Ended("over", (2, 0))
    made.turn()
    assert list(made.event.rounds[0].secrets) == [1]
    assert course.due_tables(made.event) == []
    made.change("RESUME")
    assert len(course.due_tables(made.event)) == 3


def test_a_cancelled_event_plays_its_tables_out_and_opens_their_boards() -> None:
    made = running()
    made.turn(), made.turn()
    made.change("CANCEL")
    assert not made.event.done
    for table_id in made.tables:
        made.tables[table_id] = Ended("over", (2, 0))
    made.turn()
    assert made.event.done
    assert list(made.event.rounds[0].secrets) == [1, 2]
    assert not made.event.rounds_over


def test_a_cancelled_event_opens_what_was_placed_and_never_noted_and_no_round_that_has_not_begun() -> None:
    made = running(break_seconds=60)
    made.turn()
    made.change("CANCEL")
    assert made.event.done
    made = running()
    made.turn()
    assert not made.event.rounds[0].tables
    made.change("CANCEL")
    assert course.follow(made.event, News(1, {}, {}, {"spring/1/1", "spring/1/2"}), SECRET, made.now) is None
    assert not made.event.done
    made.turn()
    assert made.event.done
    assert list(made.event.rounds[0].secrets) == [1, 2]


def test_a_round_begins_after_its_break_and_may_be_paired_anew_until_then() -> None:
    made = running(break_seconds=60)
    made.turn()
    made.now += 59_000_000
    assert not made.turn()
    course.check_pair_again(made.event, 1)
    refused("unknown_round", course.check_pair_again, made.event, 2)
    made.add(decisions.withdraw(made.event, 6))
    plan = course.plan_of(made.event, chance.seed_of(SECRET), 1)
    made.add(course.round_paired(made.event, 1, course.with_swaps(plan.pairing(), [(1, 2)]), SECRET, made.now))
    refused("unknown_entrant", course.with_swaps, plan.pairing(), [(1, 6)])
    assert len(made.event.rounds) == 1
    assert len(made.event.rounds[0].byes) == 1
    made.now += 60_000_000
    made.turn()
    assert made.event.rounds[0].begun
    refused("round_begun", course.check_pair_again, made.event, 1)


def test_a_table_that_stands_still_counts_once_a_director_has_ruled_on_it() -> None:
    made = running()
    made.turn(), made.turn()
    made.tables |= {"t-1-1-1": Ended("over", (2, 0)), "t-1-2-1": Ended("over", (0, 2)), "t-1-3-1": Ended("frozen")}
    made.turn()
    assert made.event.rounds[0].unsettled(1)
    ruled = TableRuled(round=1, pairing=3, board=1, even_score=6000, odd_score=6000)
    made.add(decisions.rule_table(made.event, ruled))
    made.turn()
    [score] = [pairing.boards[0].score for pairing in pairing_messages(made.event.rounds[0], [3])]
    assert (score.even_score, score.odd_score, score.ruled, score.no_result) == (6000, 6000, True, True)


def test_a_table_that_was_ruled_on_before_it_was_placed_is_not_placed() -> None:
    made = running()
    made.turn()
    ruled = TableRuled(round=1, pairing=1, board=1, even_score=0, odd_score=10_000)
    made.add(decisions.rule_table(made.event, ruled))
    assert course.due_tables(made.event) == [(1, 2), (2, 1), (3, 1)]


def test_who_leaves_is_paired_no_more_and_an_event_without_anybody_ends() -> None:
    made = running(4, rounds=5, break_seconds=1)
    made.play(random.Random(1), rounds=1)
    for number in (1, 2):
        made.add(decisions.withdraw(made.event, number))
    made.play(random.Random(2), rounds=3)
    # The second round had been paired when they left.
    assert [made.event.rounds[at].plays(1) for at in (1, 2)] == [True, False]
    for number in (3, 4):
        made.add(decisions.withdraw(made.event, number))
    made.play(random.Random(3))
    assert made.event.stage == OVER
    assert len(made.event.rounds_over) <= 4


def test_a_substitute_plays_for_the_entrant_from_the_next_table_on() -> None:
    made = registering(entrants=SINGLES)
    for number in range(12):
        made.enter(f"P{number}", [person(f"p{number}")])
    made.change("START")
    refused("already_entered", decisions.substitute, made.event, 1, 0, person("p5"))
    refused("unknown_entrant", decisions.substitute, made.event, 1, 1, person("new"))
    made.add(decisions.substitute(made.event, 1, 0, person("new")))
    assert decisions.own(made.event, "new").number == 1
    refused("unknown_entrant", decisions.own, made.event, "p0")


def test_rulings_are_for_rounds_that_have_begun_and_entrants_that_play() -> None:
    made = running(5)
    table = TableRuled(round=1, pairing=1, board=1)
    refused("unknown_round", decisions.rule_table, made.event, table)
    made.pair()
    refused("wrong_stage", decisions.rule_table, made.event, table)
    made.turn()
    refused("unknown_round", decisions.rule_table, made.event, TableRuled(round=1, pairing=3, board=1))
    refused("unknown_entrant", decisions.rule_no_show, made.event, NoShowRuled(round=1, entrant=6))
    refused("unknown_entrant", decisions.adjust, made.event, 9, 100)
    made.add(decisions.rule_no_show(made.event, NoShowRuled(round=1, entrant=1, withdraw=True)))
    assert made.event.entrants[1].withdrawn


# Anything


@given(st.integers(0, 10_000), st.sampled_from([TEAMS, SINGLES]), st.sampled_from([SWISS, ROUND_ROBIN]))
@settings(max_examples=25)
def test_whatever_happens_an_event_ends_and_its_record_tells_all(seed: int, kind: Any, form: Any) -> None:
    fate = random.Random(seed)
    made = Simulated.of(terms_of(entrants=kind, format=form, rounds=fate.randint(1, 4), boards=fate.randint(1, 3)))
    made.begin(fate.randint(4, 9) if kind == TEAMS else fate.randint(12, 20))
    for _ in range(200):
        made.turn()
        if made.event.done:
            break
        meddle(made, fate)
        made.now += 1_000_000
        made.end_tables(fate)
    assert made.event.done
    assert made.event.seed == chance.seed_of(SECRET)
    assert hashlib.sha256(made.event.seed + b"spring").digest() == made.event.seed_commitment
    again = Tournament("spring")
    for entry in made.record:
        again.fold(TournamentEntry.FromString(entry.SerializeToString()))
    assert tournament_message(again) == tournament_message(made.event)
    seed_ = made.event.seed
    assert course.ranked(again, again.rounds_over, seed_) == course.ranked(made.event, made.event.rounds_over, seed_)
    assert all(set(one.secrets) == set(one.boards) for one in made.event.rounds if one.over)


def meddle(made: Simulated, fate: random.Random) -> None:
    """Do what a director does now and then."""
    event, one = made.event, made.event.current
    number = fate.choice(event.playing)
    kind = fate.randrange(12)
    if kind == 0 and not event.entrants[number].withdrawn:
        made.add(decisions.withdraw(event, number))
    elif kind == 1:
        made.add(decisions.adjust(event, number, fate.randint(-500, 500)))
    elif kind == 2 and one is not None and one.begun and one.pairings:
        spot = fate.choice(list(one.spots()))
        ruled = TableRuled(round=one.number, pairing=spot[0], board=spot[1], even_score=5000)
        made.add(decisions.rule_table(event, ruled))
    elif kind == 3 and one is not None and one.begun and one.plays(number):
        made.add(decisions.rule_no_show(event, NoShowRuled(round=one.number, entrant=number)))
    elif kind == 4 and event.stage == RUNNING:
        made.change("PAUSE")
        made.turn()
        made.change("RESUME")


@given(st.integers(0, 10_000))
@settings(max_examples=15)
def test_a_driver_may_stop_between_any_two_steps_and_another_repeats_what_it_knew(seed: int) -> None:
    """Every step is tried again with news from before it: nothing is done twice."""
    fate = random.Random(seed)
    made = running(6, rounds=2)
    for _ in range(100):
        number = made.event.current.number if made.event.current else 0
        placed = made.place(course.due_tables(made.event)) if made.event.current else {}
        ended = {table_id: one for table_id, one in made.tables.items() if one is not None}
        news = News(number, placed, ended)
        if fate.random() < 0.3:
            continue  # it asked for tables, and stopped before it wrote that down
        if course.wants_pairing(made.event):
            made.pair()
        stale = copy.deepcopy(news)
        for _ in range(fate.randint(0, 6)):
            made.add(course.follow(made.event, news, SECRET, made.now))
        made.add(course.follow(made.event, stale, SECRET, made.now))
        if made.event.done:
            break
        made.end_tables(fate)
    assert made.event.done
    noted = [
        (entry.tables_placed.round, table.pairing, table.board)
        for entry in made.record
        for table in entry.tables_placed.tables
    ]
    ended_ = [
        (entry.tables_ended.round, table.pairing, table.board)
        for entry in made.record
        for table in entry.tables_ended.tables
    ]
    opened = [
        (entry.board_opened.round, entry.board_opened.board) for entry in made.record if entry.HasField("board_opened")
    ]
    assert len(set(noted)) == len(noted) == len(ended_) == 2 * 3 * 2
    assert sorted(set(opened)) == sorted(opened) == [(1, 1), (1, 2), (2, 1), (2, 2)]
