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
        (("turn: 0", "illegal: {0 pass: [must_lead]}"), "expect.illegal"),
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


@pytest.mark.parametrize("text", ["0 dance", "6 pass", "0 play", "0 pass 9", "0 last", "pass"])
def test_what_is_no_action_is_refused_as_unknown(text: str) -> None:
    (case,) = read_cases("some.yaml", GOOD.replace("{turn: 0}", f"{{illegal: {{{text}: unknown_action}}}}"))
    assert run_case(case).failures == ()


def test_two_cases_with_one_id_are_refused() -> None:
    with pytest.raises(CaseError, match="one: id: stands twice"):
        read_cases("some.yaml", GOOD + GOOD)


def test_numbers_are_read_as_their_digits() -> None:
    (case,) = read_cases("some.yaml", GOOD.replace('"9"', "0333".replace("0", "") + "3"))
    assert run_case(case).failures == ()


DEALT = """
- id: one
  rules: lianzhong
  deal: {seed: "0a"}
  previous: {order: [0, 1, 2, 3, 4, 5], leader: 2}
  expect: {turn: 0, first_leader: 3, match_over: false}
"""


def test_a_hand_is_dealt_after_the_one_before() -> None:
    (case,) = read_cases("some.yaml", DEALT)
    assert run_case(case).failures == ()


@pytest.mark.parametrize(
    ("change", "key"),
    [
        (('{seed: "0a"}', "{}"), "deal.seed"),
        (('"0a"', "ox"), "deal"),
        (('"0a"', f'"1{"0" * 64}"'), "deal"),
        (('"0a"', "-1"), "deal"),
        (('{seed: "0a"}', '{seed: "0a", cut: 1}'), "deal.cut"),
        (("deal:", "lead: 0\n  deal:"), "lead"),
        (("deal:", "phase: play\n  deal:"), "phase"),
        ((", leader: 2", ""), "previous.leader"),
        (("0, 1, 2, 3, 4, 5", "0, 2, 4, 1, 3, 5"), "deal"),  # a sweep has ended the match
        (("leader: 2", "leader: 2, burns: [[0]]"), "previous.burns"),
        (("leader: 2", "leader: 2, calls: [[0, loudly]]"), "previous.calls"),
        (("deal:", "match: {hands: 0}\n  deal:"), "match"),
        (("deal:", "match: {rounds: 1}\n  deal:"), "match.rounds"),
        (("match_over: false", "shown: {viewer: 0, felt: much}"), "expect.shown.felt"),
        (("match_over: false", "shown: {counts: [1]}"), "expect.shown"),
        (("match_over: false", "sizes: 36"), "expect.sizes"),
    ],
)
def test_unreadable_deal_names_case_and_key(change: tuple[str, str], key: str) -> None:
    with pytest.raises(CaseError) as error:
        [run_case(case) for case in read_cases("some.yaml", DEALT.replace(*change))]
    assert str(error.value).startswith(f"some.yaml: one: {key}: ")


def test_a_position_has_no_leader_of_the_hand_before() -> None:
    text = GOOD.replace("lead: 0", "lead: 0\n  previous: {order: [0, 1, 2, 3, 4, 5], leader: 2}")
    with pytest.raises(CaseError, match=r"one: previous\.leader: unknown key"):
        [run_case(case) for case in read_cases("some.yaml", text)]


@pytest.mark.parametrize(("text", "cards"), [("K*7 5", "K*7 5"), ("6*20 7*16", "7*16 6*20"), ("K * 2 9", "KK9")])
def test_a_space_ends_a_number_of_cards(text: str, cards: str) -> None:
    (case,) = read_cases("some.yaml", GOOD.replace('"9"', f'"{text}"').replace("{turn: 0}", "{sizes: [0]}"))
    expected = sum(int(part.partition("*")[2] or len(part)) for part in cards.split())
    assert run_case(case).failures == (f"expected sizes [0] got [{expected}, 1, 1, 1, 1, 1]",)
