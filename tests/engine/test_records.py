"""Records: golden ones are played again line by line, what is written is read again, what is forged is found out."""

import random
import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from itertools import pairwise, product
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gouji.engine import PRESETS, RULES_VERSION, Action, ActionKind, Hand, IllegalAction, Match, RuleSet
from gouji.engine.actions import OF_SEAT, WITH_CARDS
from gouji.engine.cards import RANKS, full_deck, sort_cards, suited_text
from gouji.engine.events import TrickWon
from gouji.engine.record_text import MalformedNotation, format_record, parse_record
from gouji.engine.records import (
    DECIDERS,
    BrokenRecord,
    Check,
    HandRecord,
    Move,
    Player,
    Record,
    Result,
    do,
    examine,
    in_lines,
    replay,
    verify,
)
from gouji.engine.secret import SECRET_BYTES, commitment, deal_seed

ROOT = Path(__file__).resolve().parents[2]
GOLDEN = sorted((ROOT / "tests/records").glob("*.txt"))
TEXTS = {path.stem: path.read_text(encoding="utf-8") for path in GOLDEN}
golden = pytest.mark.parametrize("name", TEXTS)


# Golden records


def test_there_is_a_record_of_each_preset() -> None:
    assert set(PRESETS) <= set(TEXTS)
    assert {str(parse_record(TEXTS[name]).rules) for name in PRESETS} == set(PRESETS)


@golden
def test_a_golden_record_is_written_as_it_was_read(name: str) -> None:
    assert format_record(parse_record(TEXTS[name])) == TEXTS[name]


@golden
def test_a_golden_record_is_right(name: str) -> None:
    assert verify(parse_record(TEXTS[name])) == []


@golden
def test_a_golden_record_is_played_again_line_by_line(name: str) -> None:
    record = parse_record(TEXTS[name])
    steps = replay(record)
    for played in (hand for hand in record.hands if not hand.in_play):
        dealt = next(steps)
        assert (dealt.move, dealt.consequences, dealt.played) == (None, (), played)
        assert tuple(dealt.hand.cards(seat) for seat in range(6)) == played.deal
        before = dealt.hand
        for line in played.lines:
            began = before
            for move in line:
                step = next(steps)
                twin = before.clone()
                assert (step.move, step.consequences) == (move, do(twin, move))
                assert twin == step.hand
                before = step.hand
            ended_trick = any(isinstance(consequence, TrickWon) for consequence in step.consequences)
            assert ended_trick or before.phase != began.phase or played.abandoned
        assert played.abandoned or played.result == Result.of(before)
    assert list(steps) == []


@golden
def test_what_a_golden_record_holds_is_all_checked(name: str) -> None:
    record = parse_record(TEXTS[name])
    checks = list(examine(record))
    skipped = {"in_play": ["commitment", "play", "total"], "abandoned": ["play", "total"]}
    assert [check.what for check in checks if check.skipped] == skipped.get(name, [])
    assert len({check.hand for check in checks if check.what == "commitment"}) == len(record.hands)


def test_the_golden_records_show_what_is_rare() -> None:
    whole = "".join(TEXTS.values())
    kinds = {move.action.kind for text in TEXTS.values() for hand in parse_record(text).hands for move in hand.moves
             if move.action}  # fmt: skip
    assert {ActionKind.REVOLT, ActionKind.PAY, ActionKind.RETURN, ActionKind.BUY_WITH, ActionKind.GIVE} <= kinds
    assert {ActionKind.CALL, ActionKind.SINK, ActionKind.YIELD, ActionKind.BURN, ActionKind.REDEAL} <= kinds
    for shown in (
        "order: void",
        "abandoned",
        "contribution 1",
        "(clock)",
        "(bot)",
        "close answers",
        "in play",
        '"Bob the 2nd"',
        "小明",
    ):
        assert shown in whole


def test_the_record_of_the_page_is_a_record() -> None:
    page = (ROOT / "docs/notation.md").read_text(encoding="utf-8")
    (shown,) = re.findall(r"^```record\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    record = parse_record(shown)
    assert format_record(record) == shown
    assert record.hands[0] == parse_record(TEXTS["two_revolts"]).hands[0]


# Forgeries


def forge(text: str, old: str, new: str) -> str:
    assert old in text
    return text.replace(old, new, 1)


def swap_two_cards(text: str) -> str:
    """Swap the highest card of seat 0 with the lowest of seat 1."""
    record = parse_record(text)
    first, second, *rest = record.hands[0].deal
    deal = (
        tuple(sorted((second[-1], *first[1:]), reverse=True)),
        tuple(sorted((first[0], *second[:-1]), reverse=True)),
        *rest,
    )
    return format_record(replace(record, hands=(replace(record.hands[0], deal=deal), *record.hands[1:])))


def without_a_decline(text: str) -> str:
    return re.sub(r", \d pass, close answers", ", close answers", text, count=1)


def first_hand_alone(text: str) -> str:
    record = parse_record(text)
    return format_record(replace(record, hands=record.hands[:1]))


def with_a_third_hand(text: str) -> str:
    record = parse_record(text)
    third = replace(record.hands[0], number=3)
    return format_record(replace(record, hands=(*record.hands, third)))


def hidden(text: str) -> str:
    """Say of a hand that is over that it is still being played."""
    record = parse_record(text)
    first = record.hands[0]
    return format_record(replace(record, hands=(HandRecord(1, first.leader, first.commitment), *record.hands[1:])))


def of_secret(text: str) -> str:
    secret = parse_record(text).hands[0].secret
    assert secret
    return text.replace(secret.hex(), secret.hex()[::-1], 1)


def no_secret(text: str) -> str:
    return re.sub(r"^secret: .*\n", "", text, count=1, flags=re.MULTILINE)


def one_more(found: re.Match[str]) -> str:
    return f"{found[1]}{int(found[2]) + 1}"


def of_scores(text: str) -> str:
    return re.sub(r"^(scores: )(-?\d+)", one_more, text, count=1, flags=re.MULTILINE)


def of_team_scores(text: str) -> str:
    return re.sub(r"^(team_scores: )(-?\d+)", one_more, text, count=1, flags=re.MULTILINE)


def of_total(text: str) -> str:
    head, total = text.split("\ntotal\n")
    return f"{head}\ntotal\n{of_scores(total)}"


def of_order(text: str) -> str:
    return re.sub(r"^order: (\d) (\d)", r"order: \2 \1", text, count=1, flags=re.MULTILINE)


def of_leader(text: str) -> str:
    return re.sub(r"^leader: (\d)", lambda found: f"leader: {(int(found[1]) + 1) % 6}", text, count=1, flags=re.M)


def of_digest(text: str) -> str:
    return re.sub(r"^digest: .{4}", "digest: 0123", text, count=1, flags=re.MULTILINE)


def of_commitment(text: str) -> str:
    return re.sub(r"^commitment: .{4}", "commitment: 0123", text, count=1, flags=re.MULTILINE)


@pytest.mark.parametrize(
    ("change", "found"),
    [
        (swap_two_cards, {"deal"}),
        (of_secret, {"commitment", "deal", "play", "leader"}),
        (of_commitment, {"commitment"}),
        (no_secret, {"play"}),
        (of_leader, {"leader"}),
        (of_order, {"order"}),
        (of_scores, {"scores"}),
        (of_team_scores, {"team scores"}),
        (of_total, {"scores"}),
        (of_digest, {"digest"}),
        (without_a_decline, {"play"}),
        (first_hand_alone, {"total"}),
        (with_a_third_hand, {"play", "commitment", "times"}),
        (hidden, {"play"}),
    ],
)
def test_a_forged_record_is_found_out(change: object, found: set[str]) -> None:
    assert callable(change)
    text = change(TEXTS["qingdao"])
    assert text != TEXTS["qingdao"]
    problems = verify(parse_record(text))
    assert problems
    assert {problem.what for problem in problems} <= found


def test_a_seed_beside_a_secret_comes_from_it() -> None:
    record = parse_record(TEXTS["korea"])
    first = record.hands[0]
    assert first.secret
    for seed, problems in ((deal_seed(first.secret, "korea", 1, 1), []), (bytes(range(32)), ["seed"])):
        told = replace(record, hands=(replace(first, seed=seed),))
        assert [check.what for check in verify(told)] == problems


@pytest.mark.parametrize(("old", "new"), [("table: qingdao", "table: other"), ("hand 2", "hand 3")])
def test_what_the_deal_is_drawn_from_cannot_be_changed(old: str, new: str) -> None:
    problems = verify(parse_record(forge(TEXTS["qingdao"], old, new)))
    assert "commitment" in {problem.what for problem in problems}


def test_other_rules_or_another_length_are_found_out() -> None:
    assert verify(parse_record(forge(TEXTS["qingdao"], "rules: qingdao", "rules: qingdao:twos_wild=never")))
    assert verify(parse_record(forge(TEXTS["qingdao"], "length: 2 hands", "length: 3 hands")))
    assert verify(parse_record(forge(TEXTS["qingdao"], "length: 2 hands", "length: 1 hand")))
    assert verify(parse_record(forge(TEXTS["qingdao"], "length: 2 hands", "length: to 1 points")))


@golden
def test_cards_that_are_changed_in_any_move_are_found_out(name: str) -> None:
    """Change each tenth move to one with other cards that is legal there: the rest, or the digest, no longer fits."""
    record = parse_record(TEXTS[name])
    chance = random.Random(name)
    steps = list(replay(record))
    for before, step in list(pairwise(steps))[::10]:
        if step.move is None or step.move.action is None:
            continue
        cards = step.move.action.cards
        others = [action for action in before.hand.legal_actions() if action.cards != cards]
        if others:
            assert verify(_with_move(record, step.played, step.move, Move(chance.choice(others))))


def _with_move(record: Record, played: HandRecord, old: Move, new: Move) -> Record:
    lines = tuple(tuple(new if move is old else move for move in line) for line in played.lines)
    hands = tuple(replace(hand, lines=lines) if hand is played else hand for hand in record.hands)
    return replace(record, hands=hands)


# Texts

HEXES = st.binary(min_size=32, max_size=32)
seats = st.integers(0, 5)
card_texts = st.text(RANKS, min_size=1, max_size=12).map(sort_cards)
actions = st.one_of(
    st.builds(Action, seats, st.sampled_from(sorted(set(ActionKind) - WITH_CARDS - OF_SEAT))),
    st.builds(Action, seats, st.sampled_from(sorted({*WITH_CARDS, ActionKind.REVOLT})), card_texts),
    st.builds(Action, seats, st.sampled_from(sorted(OF_SEAT)), target=seats),
)
moves = st.builds(Move, st.none() | actions, st.sampled_from(["", *DECIDERS]))
hands_of_cards = st.lists(st.sampled_from(full_deck(1)), max_size=9).map(
    lambda cards: tuple(sorted(cards, reverse=True))
)
points = st.integers(-400, 400)
results = st.builds(
    Result,
    st.tuples(*[points] * 6),
    st.none() | st.tuples(points, points),
    HEXES.map(bytes.hex),
    st.just(()) | st.permutations(range(6)).map(tuple),
)
hand_numbers = st.integers(1, 999_999_999)
contributions = st.tuples(*[st.just(b"") | HEXES] * 6)
times = st.none() | st.datetimes(timezones=st.just(UTC))
ended_hands = st.builds(
    HandRecord,
    hand_numbers,
    seats,
    st.none() | HEXES,
    st.none() | HEXES,
    st.none() | HEXES,
    st.tuples(*[hands_of_cards] * 6),
    st.lists(st.lists(moves, min_size=1, max_size=5).map(tuple), max_size=3).map(tuple),
    results,
    contributions,
    times,
    times,
)
abandoned_hands = ended_hands.map(lambda hand: replace(hand, result=None, abandoned=True))
hands_in_play = st.builds(HandRecord, hand_numbers, seats, st.none() | HEXES, contributions=contributions, began=times)
names = st.text(max_size=12)
lengths = st.tuples(hand_numbers, st.none()) | st.tuples(st.none(), hand_numbers)


@st.composite
def records(draw: st.DrawFn) -> Record:
    length, target = draw(lengths)
    return Record(
        table=draw(names),
        rules=RuleSet.parse(draw(st.sampled_from([*PRESETS, {"preset": "qingdao", "tribute_kinds": "point burn"}]))),
        players=draw(st.tuples(*[st.builds(Player, names, names)] * 6)),
        length=length,
        target=target,
        started=draw(st.none() | st.datetimes(timezones=st.just(UTC))),
        board=draw(names),
        held=draw(st.booleans()),
        hands=tuple(draw(st.lists(ended_hands | hands_in_play | abandoned_hands, max_size=2))),
        total=draw(st.none() | results.map(lambda result: replace(result, order=()))),
        rules_version=draw(st.integers(1, 99)),
        number=draw(hand_numbers),
    )


@settings(max_examples=150)
@given(records())
def test_what_is_written_is_read_again(record: Record) -> None:
    assert parse_record(format_record(record)) == record


@given(moves)
def test_a_move_is_its_text(move: Move) -> None:
    assert Move.parse(str(move)) == move


def test_cards_with_suits_stand_rank_by_rank() -> None:
    assert suited_text(sorted(full_deck(1))) == " ".join(["W", "w", *(f"{rank}SHDC" for rank in "2AKQJT9876543")])


def test_remarks_blank_lines_and_line_ends_of_other_systems_mean_nothing() -> None:
    text = TEXTS["standard"]
    loose = "# a good game\n\n" + text.replace("\n", " \r\n").replace("leader", "\n# who leads\n\nleader")
    assert parse_record(loose) == parse_record(text)


HEADER = """\
gouji record 2
table: t
match: 1
rules: standard
rules_version: 2
length: 1 hand
seat 0: Ann
seat 1: Ann
seat 2: Ann
seat 3: Ann
seat 4: Ann
seat 5: Ann
"""
DEAL = "".join(f"deal {seat}: WW 2SHD\n" for seat in range(6))
HAND = f"hand 1\nleader: 0\n{DEAL}  0 play KK, 3 pass\norder: 0 1 2 3 4 5\nscores: 0 0 0 0 0 0\ndigest: {'0' * 64}\n"


@pytest.mark.parametrize(
    ("old", "new", "line", "column", "expected"),
    [
        ("gouji record 2", "gouji record 1", 1, 1, "`gouji record 2`, the first line"),
        ("table: t", "rabble: t", 2, 1, "`table: …`"),
        ("table: t", 'table: "t', 2, 8, '"text in quotes", as JSON writes it'),
        ("table: t", 'table: "t" u', 2, 12, "the end of the line"),
        ("table: t", 'table: "\\ud800"', 2, 8, "whole characters"),
        ("table: t", "table:", 2, 7, "a word"),
        ("rules: standard", "rules: standard:burn=so", 4, 22, "another value (burn (R5)"),
        ("rules_version: 2", "rules_version: 0", 5, 16, "a version, from 1"),
        ("length: 1 hand", "length: 01 hands", 6, 9, "a number, from 1"),
        ("length: 1 hand", "length: long", 6, 9, "`N hands` or `to N points`"),
        ("seat 0: Ann", "started: 2025-13-30T08:00:00Z\nseat 0: Ann", 7, 10, "a time such as"),
        ("seat 0: Ann", "started: 2025-11-30T08:00:00+01:00\nseat 0: Ann", 7, 10, "a time such as"),
        ("seat 0: Ann", "held: maybe\nseat 0: Ann", 7, 7, "no"),
        ("seat 0: Ann", "seat 0: Ann Lee", 7, 13, "the end of the line"),
        ("seat 0: Ann", "seat 0: bot", 7, 12, "a word"),
        ("seat 0: Ann", 'seat 0: bot ""', 7, 13, "a bot's level"),
        ("seat 5: Ann", "seat 6: Ann", 12, 1, "`seat 5: …`"),
        ("hand 1\n", "hand one\n", 13, 6, "a hand's number, from 1"),
        ("leader: 0", "secret: 12\nleader: 0", 14, 9, "64 hexadecimal digits"),
        ("leader: 0", "leader: 7", 14, 9, "a seat, 0 to 5, not '7'"),
        ("leader: 0\n", f"secret: {'0' * 64}\nleader: 0\nin play\n", 16, 1, "a deal"),
        ("deal 0: WW 2SHD", "deal 0: WW 2", 15, 12, "a rank and its suits"),
        ("deal 0: WW 2SHD", "deal 0: Ww 2SHD", 15, 9, "a rank and its suits"),
        ("0 play KK, 3 pass", "0 play KK,, 3 pass", 21, 13, "an action such as `0 play KK`"),
        ("0 play KK, 3 pass", "0 play KK, 3 pas", 21, 14, "an action such as `0 play KK`"),
        ("0 play KK, 3 pass", "0 play KK, 3 pass (me)", 21, 14, "an action such as `0 play KK`"),
        ("0 play KK, 3 pass", "0 play KX, 3 pass", 21, 3, "an action such as `0 play KK`"),
        ("order: 0", "oder: 0", 22, 1, "moves after two spaces, or `order: …`"),
        ("order: 0 1", "order: 0", 22, 8, "six seats, head first, or void"),
        ("order: 0 1", "order: 9 1", 22, 8, "a seat, 0 to 5"),
        ("scores: 0", "scores: 0 0", 23, 9, "6 numbers"),
        ("scores: 0", "scores: x", 23, 9, "a number"),
        (f"digest: {'0' * 64}\n", "", 24, 1, "`digest: …`"),
        (f"digest: {'0' * 64}\n", f"digest: {'0' * 64}\nhands 2\n", 25, 1, "`hand N`, or after the last hand"),
    ],
)
def test_what_cannot_be_read_is_named_with_its_place(old: str, new: str, line: int, column: int, expected: str) -> None:
    parse_record(HEADER + HAND)
    with pytest.raises(MalformedNotation) as caught:
        parse_record(forge(HEADER + HAND, old, new))
    assert f"line {line}, column {column}: expected {expected}" in str(caught.value)


def error_of(text: str) -> MalformedNotation | None:
    try:
        parse_record(text)
    except MalformedNotation as error:
        return error
    return None


@settings(max_examples=200)
@given(st.text())
def test_any_text_is_a_record_or_an_error(text: str) -> None:
    for whole in (text, HEADER + text, HEADER + HAND + text):
        error = error_of(whole)
        if error is not None:
            assert min(error.line, error.column) >= 1
        else:
            record = parse_record(whole)
            assert parse_record(format_record(record)) == record


@settings(max_examples=200)
@given(name=st.sampled_from(["korea", "redealt", "in_play"]), data=st.data())
def test_a_record_with_a_slip_is_refused_or_checked(name: str, data: st.DataObject) -> None:
    text = TEXTS[name]
    at = data.draw(st.integers(0, len(text) - 1))
    slip = data.draw(st.text(max_size=2) | st.sampled_from([*RANKS, *"0123456789 ,\n"]))
    whole = text[:at] + slip + text[at + data.draw(st.integers(0, 3)) :]
    if error_of(whole) is None:
        verify(parse_record(whole))


# Records of other games than tables'


def play(rules: RuleSet, *, held: bool, hands: int, chance: random.Random) -> Record:
    """Play at random from seeds, as an arena does."""
    match, played = Match(rules, hands=hands), []
    while not match.over:
        seed = chance.randbytes(SECRET_BYTES)
        dealt = match.deal(seed, held=held)
        hand = dealt.clone()
        made = list(_play_out(hand, chance))
        match.record(hand)
        played.append(
            HandRecord(
                match.dealt,
                dealt.first_leader,
                seed=seed,
                deal=tuple(dealt.cards(seat) for seat in range(6)),
                lines=in_lines(dealt, made),
                result=Result.of(hand),
            )
        )
    return Record(
        "arena",
        rules,
        (Player("", "random"),) * 6,
        length=hands,
        held=held,
        hands=tuple(played),
        total=Result.total(match),
    )


def _play_out(hand: Hand, chance: random.Random) -> Iterator[Move]:
    while not hand.over:
        move = Move() if hand.turn is None else Move(chance.choice(hand.legal_actions()))
        do(hand, move)
        yield move


@pytest.mark.parametrize("held", [True, False])
@pytest.mark.parametrize("preset", PRESETS)
def test_a_game_from_seeds_is_recorded_and_checked(preset: str, *, held: bool) -> None:
    record = play(RuleSet.parse(preset), held=held, hands=2, chance=random.Random(preset))
    again = parse_record(format_record(record))
    assert again == record
    assert verify(again) == []
    assert {check.what for check in examine(again) if check.skipped} == {"commitment"}
    assert (Move() in [move for hand in record.hands for move in hand.moves]) == held


# Playing again


def test_a_move_that_is_refused_breaks_the_record_there() -> None:
    record = parse_record(re.sub(r"^  0 play \w+", "  0 play 3W4", TEXTS["two_revolts"], count=1, flags=re.MULTILINE))
    with pytest.raises(BrokenRecord, match=r"hand 2: move 2, `0 play W43`: not_one_base|cards_not_held") as caught:
        list(replay(record))
    assert caught.value.hand == 2


def test_answers_that_do_not_wait_cannot_be_closed() -> None:
    record = parse_record(forge(TEXTS["korea"], "  close answers\n", "  close answers, close answers\n"))
    with pytest.raises(BrokenRecord, match="no answers are waiting"):
        list(replay(record))


def test_a_hand_that_stops_too_soon_breaks_the_record() -> None:
    record = parse_record(re.sub(r"^  .*\norder", "order", TEXTS["korea"], count=1, flags=re.MULTILINE))
    with pytest.raises(BrokenRecord, match="not over after its last move"):
        list(replay(record))


def test_a_hand_without_secret_and_seed_cannot_be_played() -> None:
    record = parse_record(re.sub(r"^secret: .*\n", "", TEXTS["korea"], flags=re.MULTILINE))
    with pytest.raises(BrokenRecord, match="neither its secret nor its seed"):
        list(replay(record))
    assert Check(1, "play", "neither its secret nor its seed is known") in verify(record)


def test_what_a_step_holds_is_the_readers_own() -> None:
    steps = list(replay(parse_record(TEXTS["korea"])))
    assert len({step.hand.to_bytes() for step in steps}) > len(steps) // 2
    with pytest.raises(IllegalAction):
        steps[-1].hand.apply(Action.parse("0 pass"))


def test_a_hand_in_play_holds_nothing_hidden() -> None:
    played = parse_record(TEXTS["korea"]).hands[0]
    for given_away in ({"secret": bytes(32)}, {"seed": bytes(32)}, {"deal": played.deal}, {"lines": played.lines}):
        with pytest.raises(ValueError, match="still being played"):
            HandRecord(1, 0, **given_away)  # type: ignore[arg-type]


def test_another_version_of_the_rules_is_refused() -> None:
    record = replace(parse_record(TEXTS["korea"]), rules_version=RULES_VERSION + 1)
    said = f"played under rules of version {RULES_VERSION + 1}, and this program knows version {RULES_VERSION} alone"
    assert list(map(str, examine(record))) == [f"match: rules version: {said}"]
    with pytest.raises(BrokenRecord, match=f"^{said}$"):
        next(replay(record))


def test_a_record_says_when_it_began() -> None:
    assert parse_record(TEXTS["korea"]).started == datetime(2025, 11, 30, 8, tzinfo=UTC)


def test_a_commitment_is_bound_to_its_table_and_hand() -> None:
    secret = bytes(range(32))
    places = list(product(("t", "u"), (1, 2), (1, 2)))
    made = {commitment(secret, *where) for where in places}
    assert len(made) == 8
    assert len({deal_seed(secret, *where) for where in places} | made) == 16


def test_every_contribution_changes_the_deal_and_zeros_are_the_default() -> None:
    secret, given = bytes(range(32)), bytes(range(1, 33))
    alone = {deal_seed(secret, "t", 1, 1, [given if seat == one else b"" for seat in range(6)]) for one in range(6)}
    assert len(alone | {deal_seed(secret, "t", 1, 1)}) == 7
    assert deal_seed(secret, "t", 1, 1, [bytes(32)] * 6) == deal_seed(secret, "t", 1, 1)
    for wrong in ([given] * 5, [given[1:], *[b""] * 5]):
        with pytest.raises(ValueError, match="six seats contribute 32 bytes"):
            deal_seed(secret, "t", 1, 1, wrong)


@pytest.mark.parametrize("seat", range(6))
def test_a_contribution_that_is_forged_is_found_out(seat: int) -> None:
    record = parse_record(TEXTS["people"])
    (played,) = record.hands
    given = list(played.contributions)
    given[seat] = bytes(31) + b"1"
    problems = {check.what for check in verify(replace(record, hands=(replace(played, contributions=tuple(given)),)))}
    assert "deal" in problems
    assert ("contributions" in problems) == (seat > 2)


def test_hands_that_do_not_follow_one_another_are_found_out() -> None:
    record = parse_record(TEXTS["qingdao"])
    first, second = record.hands
    for hands in (
        (replace(first, ended=first.began, began=first.ended), second),
        (first, replace(second, began=first.began)),
    ):
        assert [check.what for check in verify(replace(record, hands=hands))] == ["times"]


def test_an_abandoned_hand_is_checked_as_far_as_it_went_and_is_the_last() -> None:
    record = parse_record(TEXTS["abandoned"])
    (played,) = record.hands
    assert (verify(record), played.abandoned, len(played.moves)) == ([], True, 59)
    assert verify(replace(record, hands=(replace(played, lines=(*played.lines, (Move(),))),)))
    again = replace(played, number=2)
    assert "another hand follows it" in {check.problem for check in verify(replace(record, hands=(played, again)))}
    with pytest.raises(ValueError, match="no result"):
        replace(played, result=Result((0,) * 6, None, "0" * 64))
