"""`gouji check`: what it prints and how it exits."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from gouji.cli.main import app

CASES = sorted((Path(__file__).parents[1] / "cases").glob("*.yaml"))

GOOD = """
- id: a-lone-two-is-gouji
  cites: R2.7
  rules: {preset: standard, burn: false}
  hands: ["29", "5", "5", "5", "5", "5"]
  lead: 0
  actions: [0 play 2]
  expect: {turn: 3}
"""


def run(*arguments: object) -> tuple[int, str]:
    result = CliRunner().invoke(app, ["check", *map(str, arguments)])
    return result.exit_code, result.output


@pytest.mark.parametrize(
    ("text", "code", "told", "last"),
    [
        (GOOD, 0, "", "1 passed, 0 failed"),
        (GOOD.replace("turn: 3", "turn: 1"), 1, "", "0 passed, 1 failed"),
        (GOOD.replace("turn: 3", "turns: 3"), 2, "expect.turns: unknown key", "0 passed, 0 failed"),
        (GOOD.replace("lead: 0", "lead: 9"), 2, "lead: 9 is not a seat, 0 to 5", "0 passed, 0 failed"),
        (GOOD + GOOD.replace("-two", "-2").replace("lead:", "leads:"), 2, "leads: unknown key", "1 passed, 0 failed"),
    ],
)
def test_cases_are_played(text: str, code: int, told: str, last: str, tmp_path: Path) -> None:
    file = tmp_path / "some.yaml"
    file.write_text(text)
    result = CliRunner().invoke(app, ["check", str(file)])
    assert (result.exit_code, result.stdout.splitlines()[-1]) == (code, last)
    assert result.stderr.partition("is-gouji: ")[2].strip() == told


def test_a_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    code, output = run(tmp_path / "none.yaml")
    assert (code, "No such file" in output) == (2, True)


def test_all_clauses_and_options_have_cases() -> None:
    code, output = run("--coverage", *CASES)
    assert code == 0
    assert output.endswith(" options, 0 without enough cases\n")


def test_what_has_no_case_is_told(tmp_path: Path) -> None:
    file = tmp_path / "some.yaml"
    file.write_text(GOOD)
    code, output = run("--coverage", file)
    assert code == 1
    lines = output.splitlines()
    assert lines[0] == "R1.1 (seats, opposites, teams): no case"
    assert "single_two_is_gouji (R2.7): 1 of 2 cases" in lines
    assert not any(line.startswith("R2.7 ") for line in lines)


def test_coverage_of_what_cannot_be_read_is_told(tmp_path: Path) -> None:
    file = tmp_path / "some.yaml"
    file.write_text(GOOD.replace("actions", "deeds"))
    assert run("--coverage", file) == (2, f"{file}: a-lone-two-is-gouji: deeds: unknown key\n")


BEST = """
- id: the-lowest-card
  hands: ["459", "5", "5", "5", "5", "5"]
  lead: 0
  best: 0 play 4
  why: So says this test.
"""


def test_a_bot_is_asked_in_the_cases_that_have_a_best_move(tmp_path: Path) -> None:
    file = tmp_path / "some.yaml"
    file.write_text(BEST + GOOD + BEST.replace("the-lowest", "a-higher").replace("play 4", "play 5"))
    code, output = run("--bot", "greedy", file)
    assert (code, output) == (1, "a-higher-card: expected '0 play 5' got '0 play 4'\n1 passed, 1 failed\n")


def test_a_bot_that_there_is_not_is_told(tmp_path: Path) -> None:
    code, output = run("--bot", "grandmaster", tmp_path / "none.yaml")
    assert (code, "no player 'grandmaster'" in output) == (2, True)
