"""The rule cases, and how a broken case file is told."""

from pathlib import Path

import pytest

from gouji.engine.cases import Case, CaseError, read_cases, run_case

CASES = Path(__file__).parents[1] / "cases"
ALL = [case for file in sorted(CASES.glob("*.yaml")) for case in read_cases(file.name, file.read_text())]


@pytest.mark.parametrize("case", ALL, ids=lambda case: f"{case.file}:{case.id}")
def test_case(case: Case) -> None:
    assert run_case(case).failures == ()


GOOD = """
- id: one
  hands: ["9", "5", "5", "5", "5", "5"]
  lead: 0
  expect: {turn: 0}
"""


@pytest.mark.parametrize(
    ("change", "key"),
    [
        (("lead:", "leader: 0\n  lead:"), "leader"),
        (("turn:", "turns:"), "expect.turns"),
        (('"9"', '"9X"'), "hands"),
        (("lead: 0", "lead: 6"), "lead"),
        (("lead: 0", "lead: x"), "lead"),
        (("lead: 0", "lead: 0\n  rules: jinan"), "rules"),
        (("lead: 0", "lead: 0\n  rules: {preset: standard, burns: true}"), "rules"),
        (("lead: 0", "lead: 0\n  rules: {preset: standard, burn_order: last}"), "rules"),
        (("lead: 0", "lead: 0\n  phase: tea"), "phase"),
        (("lead: 0", "lead: 0\n  finished: [0]"), "finished"),
        (("lead: 0", "lead: 0\n  actions: [0 play 9Z]"), "actions"),
        (("lead: 0", "lead: 0\n  actions: [7 play 9]"), "actions"),
        (("lead: 0", "lead: 0\n  lead: 1"), "-"),
        (("turn: 0", "turn: 9"), "expect.turn"),
        (("turn: 0", "illegal: {0 pass: bad_luck}"), "expect.illegal"),
        (("turn: 0", "scramble: maybe"), "expect.scramble"),
        (("turn: 0", "shown: {viewer: 0}"), "expect.shown"),
    ],
)
def test_unreadable_case_names_file_case_and_key(change: tuple[str, str], key: str) -> None:
    with pytest.raises(CaseError) as error:
        [run_case(case) for case in read_cases("some.yaml", GOOD.replace(*change))]
    assert str(error.value).startswith("some.yaml: " + ("-" if key == "-" else "one") + f": {key}: ")


def test_case_that_differs_says_what_was_expected_and_what_came() -> None:
    text = GOOD.replace("{turn: 0}", '{turn: 3, legal: [0 play 8], illegal: {0 play 9: must_lead}, table: "9"}')
    (case,) = read_cases("some.yaml", text)
    assert run_case(case).failures == (
        "expected turn 3 got 0",
        "expected '0 play 8' to be accepted got cards_not_held",
        "expected '0 play 9' to be refused with must_lead got accepted",
        "expected table 9 got ",
    )


def test_two_cases_with_one_id_are_refused() -> None:
    with pytest.raises(CaseError, match="one: id: stands twice"):
        read_cases("some.yaml", GOOD + GOOD)


def test_numbers_are_read_as_their_digits() -> None:
    (case,) = read_cases("some.yaml", GOOD.replace('"9"', "0333".replace("0", "") + "3"))
    assert run_case(case).failures == ()
