"""Positions with a plainly best move: they can be played, and there are enough of them."""

from collections.abc import Iterable
from pathlib import Path

import pytest

from gouji.engine.cases import Case, CaseError, puzzle, read_cases, run_case
from gouji.engine.clauses import CLAUSES
from gouji.engine.coverage import cited

POSITIONS = Path(__file__).parents[1] / "positions"
ALL = [case for file in sorted(POSITIONS.glob("*.yaml")) for case in read_cases(file.name, file.read_text())]

GOOD = """
- id: one
  hands: [W77, "5", "5", "5", "5", "5"]
  lead: 0
  best: 0 play W77
  why: It goes out at once.
"""


def failures(text: str) -> Iterable[str]:
    return [failure for case in read_cases("some.yaml", text) for failure in run_case(case).failures]


@pytest.mark.parametrize("case", ALL, ids=lambda case: f"{case.file}:{case.id}")
def test_the_best_moves_are_lawful_and_not_the_only_ones(case: Case) -> None:
    assert run_case(case).failures == ()
    assert set(cited(case)) <= set(CLAUSES)
    assert case.raw["why"].endswith(".")


def test_there_are_sixty_of_them_with_ids_of_their_own() -> None:
    assert len({case.id for case in ALL}) == len(ALL) >= 60


def test_a_puzzle_is_the_hand_to_decide_in_and_its_best_moves() -> None:
    (case,) = read_cases("some.yaml", GOOD.replace("0 play W77", "[0 play W7, 0 play 7W7]"))
    hand, best = puzzle(case)
    assert (hand.turn, [str(move) for move in best]) == (0, ["0 play W7", "0 play W77"])


def test_a_best_move_that_is_not_lawful_fails() -> None:
    assert failures(GOOD.replace("W77", "W78", 1).replace("0 play W77", "0 play W77")) == [
        "expected '0 play W77' to be accepted got cards_not_held"
    ]


def test_a_best_move_needs_another_that_is_worse() -> None:
    assert failures(GOOD.replace('W77, "5"', '"7", "5"').replace("0 play W77", "0 play 7")) == [
        "expected another lawful move than the best got none"
    ]


def test_expectations_may_stand_beside_best_moves() -> None:
    assert failures(GOOD + "  expect: {turn: 1}\n") == ["expected turn 1 got 0"]


@pytest.mark.parametrize(
    ("change", "key"),
    [
        (("why:", "reason:"), "reason"),
        (("  why: It goes out at once.\n", ""), "why"),
        (("0 play W77", "0 play X"), "best"),
        (("0 play W77", "{0: W77}"), "best"),
        (("It goes out at once.", "[so]"), "why"),
    ],
)
def test_what_cannot_be_read_names_its_key(change: tuple[str, str], key: str) -> None:
    with pytest.raises(CaseError, match=f"some.yaml: one: {key}: "):
        failures(GOOD.replace(*change))


def test_a_puzzle_whose_actions_are_refused_cannot_be_set_up() -> None:
    (case,) = read_cases("some.yaml", GOOD.replace("lead: 0", "lead: 0\n  actions: [0 play 9]"))
    with pytest.raises(CaseError, match="actions: expected '0 play 9' to be accepted got cards_not_held"):
        puzzle(case)
