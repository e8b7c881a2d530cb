"""Positions on one line: what is read is what is written, and what cannot be read is named by its column."""

import re
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from gouji.engine import PRESETS, Debt, Hand, InvalidState, RuleSet
from gouji.engine.cards import RANKS, sort_cards
from gouji.engine.hand import PHASES
from gouji.engine.notation import MalformedNotation, Position, format_position, parse_position
from gouji.engine.spans import Span, quote, read_text
from gouji.engine.tribute import KINDS

PAGE = (Path(__file__).resolve().parents[2] / "docs/notation.md").read_text(encoding="utf-8")
SIMPLE = "standard ww9994/5/5/WWWJJJJ4/5/5 0"
WHOLE = (
    "qingdao:fours_open=true,tribute_kinds=point+burn 2K*7/-/AA2w/-/33/45 4 phase=tribute finished=13 opened=0 "
    "burning=2 revolted=5 owed=5>0:last:2,4>1:burn:4 first_hand"
)

RULES = (
    *PRESETS,
    {"preset": "qingdao", "fours_open": "true", "sink_fours": "true"},
    {"preset": "standard", "tribute_kinds": "point last", "opening": "true"},
    {"preset": "standard", "tribute_kinds": "none", "decks": "6", "report_at": "0"},
)

seats = st.integers(0, 5)
several = st.lists(seats, unique=True).map(tuple)
hand_texts = st.text(RANKS, max_size=40).map(sort_cards)
debts = st.builds(Debt, seats, seats, st.sampled_from(KINDS), st.integers(1, 255)).filter(
    lambda debt: debt.payer != debt.receiver
)
positions = st.builds(
    Position,
    st.sampled_from([RuleSet.parse(spec) for spec in RULES]),
    st.tuples(*[hand_texts] * 6),
    seats,
    phase=st.sampled_from(PHASES),
    finished=several,
    opened=several,
    burning=several,
    revolted=several,
    owed=st.lists(debts, max_size=4).map(tuple),
    first_hand=st.booleans(),
)


def error_of(text: str) -> MalformedNotation | None:
    try:
        parse_position(text)
    except MalformedNotation as error:
        return error
    return None


def test_a_position_is_rules_hands_and_lead() -> None:
    assert parse_position(SIMPLE) == Position(RuleSet.parse("standard"), ("ww9994", "5", "5", "WWWJJJJ4", "5", "5"), 0)


def test_all_that_a_position_may_say_stands_on_its_line() -> None:
    position = parse_position(WHOLE)
    assert position == Position(
        RuleSet.parse({"preset": "qingdao", "fours_open": True, "tribute_kinds": ("point", "burn")}),
        ("2KKKKKKK", "", "w2AA", "", "33", "54"),
        4,
        phase="tribute",
        finished=(1, 3),
        opened=(0,),
        burning=(2,),
        revolted=(5,),
        owed=(Debt(5, 0, "last", 2), Debt(4, 1, "burn", 4)),
        first_hand=True,
    )
    assert format_position(position) == WHOLE.replace("2K*7", "2KKKKKKK").replace("AA2w", "w2AA").replace("/45", "/54")


def test_a_position_is_set_up_as_the_engine_sets_it_up() -> None:
    position = parse_position("standard:yield=false KK3/AAw5/3/224567/AAw5/- 0 finished=5 opened=4")
    assert position.set_up() == Hand.position(
        RuleSet.parse({"yield": False}), ["KK3", "AAw5", "3", "224567", "AAw5", ""], 0, finished=[5], opened=[4]
    )


@given(positions)
def test_what_is_written_is_read_again(position: Position) -> None:
    text = format_position(position)
    assert parse_position(text) == position
    assert "\n" not in text


@given(positions)
def test_a_position_that_is_read_is_set_up_or_refused(position: Position) -> None:
    try:
        hand = position.set_up()
    except InvalidState:
        return
    assert hand.rules == position.rules
    assert hand.over or hand.turn is not None or hand.window


@pytest.mark.parametrize(
    ("text", "column", "expected"),
    [
        ("", 1, "a preset, one of standard, qingdao"),
        ("   ", 1, "a preset"),
        ("bridge 3/3/3/3/3/3 0", 1, "a preset"),
        ("standard: 3/3/3/3/3/3 0", 10, "option=value"),
        ("standard:bun=true 3/3/3/3/3/3 0", 10, "the name of an option"),
        ("standard:burn=maybe 3/3/3/3/3/3 0", 15, "another value (burn (R5) takes"),
        ("standard:burn=false,burn=true 3/3/3/3/3/3 0", 21, "each option once"),
        ("standard:preset=korea 3/3/3/3/3/3 0", 10, "the name of an option"),
        ("standard:calls=true 3/3/3/3/3/3 0", 1, "rules that can be played ("),
        ("standard", 9, "six hands"),
        ("standard 3/3/3/3/3 0", 10, "six hands with / between them"),
        ("standard 3/3//3/3/3 0", 14, "cards, or - for an empty hand"),
        ("standard 3/3/KX/3/3/3 0", 15, "a card, one of 3 4 5"),
        ("standard 3/3/K*/3/3/3 0", 15, "a card, one of 3 4 5"),
        ("standard 3/3/3/3/3/3", 21, "a seat, 0 to 5"),
        ("standard 3/3/3/3/3/3 6", 22, "a seat, 0 to 5, not '6'"),
        ("standard 3/3/3/3/3/3 0 phase=deal", 30, "a phase, one of play, revolt"),
        ("standard 3/3/3/3/3/3 0 opened=06", 32, "seats, 0 to 5, each once"),
        ("standard 3/3/3/3/3/3 0 opened=11", 32, "seats, 0 to 5, each once"),
        ("standard 3/3/3/3/3/3 0 opened=", 31, "seats, 0 to 5"),
        ("standard 3/3/3/3/3/3 0 opened=1 opened=2", 33, "each field once"),
        ("standard 3/3/3/3/3/3 0 owed=5>0:last:2,5>5:last:1", 40, "a tribute such as 5>0:last:2"),
        ("standard 3/3/3/3/3/3 0 passed=1", 24, "first_hand, or phase=…, finished=…"),
    ],
)
def test_what_cannot_be_read_is_named_with_its_column(text: str, column: int, expected: str) -> None:
    with pytest.raises(MalformedNotation) as caught:
        parse_position(text)
    assert (caught.value.column, caught.value.line) == (column, 0)
    assert f"column {column}: expected {expected}" in str(caught.value)


@settings(max_examples=400)
@given(st.one_of(st.text(), st.text(f"{RANKS}/-*:=,+> 0123456789abcdefghijklmnopqrstuvwxyz_", max_size=80)))
@example("standard 3/3/3/3/3/3 0 owed=1>2:last:١")
@example("standard\x00 3/3/3/3/3/3 0")
def test_any_text_is_a_position_or_an_error(text: str) -> None:
    error = error_of(text)
    if error is not None:
        assert 1 <= error.column <= len(text) + 1
    else:
        position = parse_position(text)
        assert parse_position(format_position(position)) == position


@settings(max_examples=300)
@given(position=positions, data=st.data())
def test_a_text_with_a_slip_is_a_position_or_an_error(position: Position, data: st.DataObject) -> None:
    text = format_position(position)
    at = data.draw(st.integers(0, len(text) - 1))
    slip = data.draw(st.text(max_size=2))
    error = error_of(text[:at] + slip + text[at + 1 :])
    assert error is None or 1 <= error.column <= len(text) + 2


@given(st.text())
@example("bot")
@example("小明")
@example('a "b"\n\u202e\u2028\x7f\U000e0001')
def test_a_name_stands_on_one_line_and_hides_nothing(name: str) -> None:
    quoted = quote(name)
    assert quoted.isprintable()
    assert read_text(Span(quoted)) == (name, Span("", len(quoted) + 1))


def test_the_positions_of_the_page_are_positions() -> None:
    shown = re.findall(r"^```position\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    lines = [line for block in shown for line in block.splitlines()]
    assert len(lines) >= 3
    for line in lines:
        assert format_position(parse_position(line)) == line
        parse_position(line).set_up()


@pytest.mark.parametrize(("name", "words"), [("phase", PHASES), ("kind", KINDS), ("rank", RANKS)])
def test_the_grammar_of_the_page_lists_what_there_is(name: str, words: tuple[str, ...]) -> None:
    (rule,) = re.findall(rf"^{name} += (.*) ;$", PAGE, re.MULTILINE)
    assert rule == " | ".join(f'"{word}"' for word in words)
