"""The cases leave out no clause and no option, and coverage sees when they do."""

from pathlib import Path

import pytest

from gouji.engine.cases import Case, read_cases, run_case
from gouji.engine.clauses import CLAUSES
from gouji.engine.coverage import ENOUGH, Coverage, cited, cover, other_values, shows
from gouji.engine.options import OPTIONS
from gouji.engine.reasons import Reason

CASES = Path(__file__).parents[1] / "cases"
ALL = [case for file in sorted(CASES.glob("*.yaml")) for case in read_cases(file.name, file.read_text())]


@pytest.fixture(scope="module")
def coverage() -> Coverage:
    return cover(ALL)


def test_no_clause_and_no_option_is_left_out(coverage: Coverage) -> None:
    assert list(coverage.missing) == []
    assert all(coverage.clauses[clause] for clause in CLAUSES)
    assert all(len(coverage.options[name]) >= ENOUGH for name in OPTIONS)


def test_there_are_as_many_cases_as_there_should_be() -> None:
    assert len(ALL) >= 250
    assert ENOUGH >= 2


def test_cases_cite_clauses_that_there_are() -> None:
    assert {clause for case in ALL for clause in cited(case)} <= set(CLAUSES)
    assert [case.id for case in ALL if not cited(case)] == []


def test_options_name_clauses_that_there_are() -> None:
    chapters = {clause.partition(".")[0] for clause in CLAUSES}
    assert {option.clause for option in OPTIONS.values()} <= set(CLAUSES) | chapters


def test_ids_are_unique_over_all_files() -> None:
    ids = [case.id for case in ALL]
    assert sorted({each for each in ids if ids.count(each) > 1}) == []


def test_every_reason_that_can_be_given_has_a_case() -> None:
    refused = {reason for case in ALL for reason in case.raw["expect"].get("illegal", {}).values()}
    # A seat that may not call is not asked, so another reason comes first.
    assert set(Reason) - {Reason.CALL_NOT_ALLOWED} - refused == set()


TEXT = """
- id: a-lone-two-is-gouji
  cites: R2.7, R4.4
  rules: {preset: standard, burn: false}
  hands: ["29", "5", "5", "5", "5", "5"]
  lead: 0
  actions: [0 play 2]
  expect: {turn: 3}
- id: this-one-fails
  cites: R2.6
  hands: ["29", "5", "5", "5", "5", "5"]
  lead: 0
  expect: {turn: 3}
"""


def test_a_case_shows_the_options_that_it_depends_on() -> None:
    case, _ = read_cases("some.yaml", TEXT)
    assert shows(case, OPTIONS["single_two_is_gouji"])
    assert not shows(case, OPTIONS["big_joker_is_gouji"])


def test_values_that_exclude_what_a_case_sets_are_left_out() -> None:
    case, _ = read_cases("some.yaml", TEXT)
    assert not shows(case, OPTIONS["burn_order"])


def test_what_has_no_case_or_one_is_told_and_cases_that_fail_do_not_count() -> None:
    missing = list(cover(read_cases("some.yaml", TEXT)).missing)
    assert "R2.6 (swords): no case" in missing
    assert "single_two_is_gouji (R2.7): 1 of 2 cases" in missing
    assert not [line for line in missing if line.startswith(("R2.7 ", "R4.4 "))]


@pytest.mark.parametrize(
    ("name", "value", "others"),
    [
        ("burn", True, [False]),
        ("decks", 4, [6]),
        ("feel", 1, [0, 2, 3]),
        ("end_when", "one_left", ["one_team_left"]),
        ("tribute_kinds", ("last", "burn"), [("burn",), ("last",), ("burn", "last"), ("last", "burn", "point")]),
    ],
)
def test_other_values(name: str, value: object, others: list[object]) -> None:
    assert list(other_values(OPTIONS[name], value))[: len(others)] == others


DEALT = """
- id: dealt
  rules: {preset: standard, first_leader: first_seated}
  deal: {seed: "0a"}
  expect: {first_leader: 0, sizes: [36, 36, 36, 36, 36, 36]}
"""


def test_a_dealt_hand_is_the_same_each_time() -> None:
    (case,) = read_cases("some.yaml", DEALT)
    assert run_case(case).failures == ()
    other = Case(case.file, case.id, {**case.raw, "deal": {"seed": "000a"}})
    assert run_case(other).failures == ()
