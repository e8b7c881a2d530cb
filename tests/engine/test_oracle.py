"""The engine against the oracle: both play the same hands side by side, and must agree at every step."""

import random
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import astuple
from itertools import product
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from gouji.engine import (
    Action,
    ActionKind,
    Hand,
    InvalidState,
    Reason,
    RuleSet,
    RuleSetError,
    UnknownAction,
)
from gouji.engine.cards import RANKS, parse_cards, sort_cards
from gouji.engine.cases import Case, read_cases
from gouji.engine.options import OPTIONS

from .oracle import Model, plays_in
from .oracle.plays import is_play
from .oracle.positions import Setting, deals, gouji, last_cards, positions, revolutions

# What is compared


def of_engine(hand: Hand) -> dict[str, object]:
    return {
        "turn": hand.turn,
        "question": hand.question,
        "lead": hand.lead,
        "table": hand.table,
        "hands": [hand.hands[seat] for seat in hand.in_seats],
        "heads": [hand.has_head(seat) for seat in hand.in_seats],
        "finished": list(hand.finished),
        "opened": sorted(hand.opened),
        "burning": sorted(hand.burning),
        "burns": list(hand.burns),
        "revolted": sorted(hand.revolted),
        "struck": sorted(hand.struck),
        "choked": list(hand.choked),
        "stuck": sorted(hand.stuck),
        "scramble": hand.scramble,
        "void": hand.void,
        "order": hand.order,
        "scores": hand.scores,
        "team_scores": hand.team_scores,
        "owes": [astuple(debt) for debt in hand.owes],
        "legal": {str(action) for action in hand.legal_actions()},
    }


def of_oracle(model: Model) -> dict[str, object]:
    table, asked = model.table, model.question
    return {
        "turn": model.turn,
        "question": asked and asked.kind,
        "lead": model.lead,
        "table": table.trick.cards,
        "hands": [table.hands[seat] for seat in table.seats_in()],
        "heads": [table.has_head(seat) for seat in table.seats_in()],
        "finished": table.finished,
        "opened": sorted(table.opened),
        "burning": sorted(table.burning),
        "burns": table.burns,
        "revolted": sorted(table.revolted),
        "struck": sorted(table.struck),
        "choked": table.choked,
        "stuck": sorted(table.stuck),
        "scramble": table.scramble,
        "void": table.void,
        "order": model.order,
        "scores": model.scores,
        "team_scores": model.team_scores,
        "owes": model.owes,
        "legal": {str(action) for action in model.legal()},
    }


def probes(model: Model, rng: random.Random) -> Iterator[Action]:
    """Actions of which most are refused: other seats, cards not held, other counts, other words."""
    seat = rng.randrange(6) if rng.random() < 0.2 or model.turn is None else model.turn
    hand, under = model.table.hands[seat], model.table.trick.cards
    with_cards = [ActionKind.PLAY, ActionKind.BURN]
    for size in {len(under), len(under) + 1, rng.randint(1, 6)} - {0}:
        yield Action(seat, rng.choice(with_cards), sort_cards("".join(rng.choices(RANKS, k=size))))
        if hand:
            mine = rng.sample(hand, min(size, len(hand)))
            yield Action(seat, rng.choice(with_cards), sort_cards("".join(mine)))
    if hand:
        yield Action(seat, rng.choice(with_cards), rng.choice(plays_in(model.table.rules, hand)))
    others = (ActionKind.REVOLT, ActionKind.NO_HEAD, ActionKind.STAY, ActionKind.KEEP_HEAD, ActionKind.CALL)
    for kind in (ActionKind.PASS, ActionKind.YIELD, ActionKind.CLOSE, rng.choice(others)):
        yield Action(seat, kind)
    yield Action(rng.randrange(6), rng.choice([*others, ActionKind.PASS]))


# What is left out, until the text is read one way


# Side by side


def choose(actions: list[Action], choice: int, few: int) -> Action:
    """Pick an action by a number: some passes, many yields, and mostly one of the ``few`` smallest plays."""
    plays = sorted(
        (action for action in actions if action.kind in (ActionKind.PLAY, ActionKind.BURN)),
        key=lambda action: (len(action.cards), action.cards),
    )
    others = sorted(action for action in actions if action not in plays)
    choice, luck = divmod(choice, 8)
    if others and (luck < 2 or (luck == 2 and len(others) > 1) or not plays):
        return others[choice % len(others)] if luck < 2 else others[-1]
    return plays[choice % (min(len(plays), few) if luck < 7 else len(plays))]


def agree(hand: Hand, model: Model, rng: random.Random) -> int:
    """Compare all that can be seen, and what is said of some actions; return how many were compared."""
    engine, oracle = of_engine(hand), of_oracle(model)
    differs = {key: (engine[key], oracle[key]) for key in engine if engine[key] != oracle[key]}
    assert not differs, f"engine, oracle: {differs}"
    compared = 0
    for action in probes(model, rng):
        said, wanted = hand.refusal(action), model.judge(action)
        assert said == wanted, f"{action}: engine {said}, oracle {wanted}"
        compared += 1
    return compared


def note(seen: Counter[str], model: Model, asked: str, action: Action) -> None:
    """Count what has come up, so that the test can say that it was worth something."""
    table, play = model.table, model.table.last_play
    seen["actions"] += 1
    seen[f"{asked} {action.kind.text}"] += 1
    if action.kind in (ActionKind.PLAY, ActionKind.BURN):
        seen["counter-burn"] += action.kind is ActionKind.BURN and play.doublings > 0
        seen["dead play"] += play.dead
        seen["play after a yield"] += play.after_yield
        seen["play in the scramble"] += table.scramble
    if table.over:
        seen["hands"] += 1
        seen["burns that succeeded"] += len(table.burns)
        for name in ("struck", "choked", "stuck", "opened", "revolted"):
            seen[name] += len(getattr(table, name))
        seen["void"] += table.void


def side_by_side(setting: Setting, choices: bytes, seed: int, seen: Counter[str]) -> None:
    """Play a hand until it is over, or the choices are."""
    try:
        hand, model = setting.sides()
    except (RuleSetError, InvalidState):
        return
    rng = random.Random(seed)
    done: list[str] = []
    try:
        seen["probes"] += agree(hand, model, rng)
        for choice in choices:
            if model.question is None:
                return
            asked = model.question.kind
            action = choose(hand.legal_actions(), choice, few=8 if setting.dealt is None else 60)
            done.append(str(action))
            hand.apply(action)
            model.apply(action)
            seen["probes"] += agree(hand, model, rng)
            note(seen, model, asked, action)
    except Exception as difference:
        difference.add_note(setting.as_case(done))
        raise


ORDINARY = (
    "probes",
    "hands",
    "lead play",
    "answer play",
    "answer pass",
    "answer yield",
    "last_word pass",
    "gouji play",
)
BURNING = ("burn burn", "burn pass", "opened")
REVOLT = ("revolt revolt", "revolt stay", "revolted", "head keep_head", "head no_head", "void")


@pytest.mark.parametrize(
    ("settings_of", "examples", "length", "least", "must_come_up"),
    [
        (positions(), 250, 120, 6000, (*ORDINARY, *BURNING, "choked", "play in the scramble")),
        (gouji(), 180, 120, 5000, (*ORDINARY, *BURNING, "counter-burn", "burns that succeeded", "struck")),
        (last_cards(), 300, 40, 4000, (*ORDINARY, *BURNING, "dead play")),
        (revolutions(), 250, 80, 4000, (*ORDINARY, *REVOLT)),
        (deals(), 9, 400, 1500, ("lead play", "answer play", "gouji play")),
    ],
    ids=["positions", "gouji", "last_cards", "revolutions", "deals"],
)
def test_engine_and_oracle_agree(
    settings_of: st.SearchStrategy[Setting | None],
    examples: int,
    length: int,
    least: int,
    must_come_up: tuple[str, ...],
) -> None:
    seen = Counter[str]()

    # A difference is told as a case; shrinking it can take minutes.
    @settings(
        max_examples=examples,
        suppress_health_check=list(HealthCheck),
        phases=set(Phase) - {Phase.shrink, Phase.explain},
    )
    @given(setting=settings_of, choices=st.binary(min_size=length, max_size=length), seed=st.integers(0, 2**16))
    def play(setting: Setting | None, choices: bytes, seed: int) -> None:
        if setting is not None:
            side_by_side(setting, choices, seed, seen)

    play()
    assert enough(seen, least, must_come_up) == []


def enough(seen: Mapping[str, int], least: int, must_come_up: tuple[str, ...]) -> list[str]:
    """Print what was compared and name what did not come up."""
    sys.stdout.write(", ".join(f"{name}: {number}" for name, number in sorted(seen.items())) + "\n")
    return [name for name in must_come_up if not seen[name]] + ([] if seen["actions"] >= least else ["actions"])


@given(cards=st.text(st.sampled_from("3K2wW9"), max_size=9))
def test_the_oracle_finds_every_play_of_a_hand(cards: str) -> None:
    rules = RuleSet.parse()
    held = [range(cards.count(rank) + 1) for rank in RANKS]
    every = ("".join(rank * number for rank, number in zip(RANKS, numbers, strict=True)) for numbers in product(*held))
    assert sorted(plays_in(rules, cards)) == sorted(sort_cards(part) for part in every if is_play(rules, part))


# The oracle itself against the rule cases

CASES = Path(__file__).parents[1] / "cases"
NOT_MODELLED = {
    "grand_slam", "last_by", "two_revolts", "no_sweep_when_choked", "fours_open", "sink_fours",
    "lay_off", "report", "feel", "coach", "fault_costs_turn", "no_bare_joker_lead",
}  # fmt: skip
"""Options that act in the play or at its end and are beyond the oracle's chapters."""

BEYOND = {"hands", "match_over", "sizes", "high", "first_leader"}
"""Expectations that are."""


def modelled(case: Case) -> bool:
    """Whether a case is of the play or of revolution, under rules that the oracle knows."""
    raw = case.raw
    if {"owed", "previous", "deal", "match"} & raw.keys() or BEYOND & raw["expect"].keys():
        return False
    if raw.get("phase", "play") not in ("play", "revolt"):
        return False
    rules = RuleSet.parse(raw.get("rules") or "standard")
    return all(rules[name] == OPTIONS[name].default for name in NOT_MODELLED)


IN_PLAY = [
    case for file in sorted(CASES.glob("*.yaml")) for case in read_cases(file.name, file.read_text()) if modelled(case)
]
SEATS_NAMED = ("finished", "opened", "burning", "revolted")


def whole(value: object) -> object:
    """What a case's text stands for: seats and points as numbers, lists as tuples."""
    if isinstance(value, list):
        return tuple(whole(item) for item in value)
    words = {"true": True, "false": False, "none": None}
    return words[str(value)] if value in words else int(str(value))


def said(model: Model, text: str) -> str:
    try:
        return model.judge(Action.parse(text)) or "accepted"
    except UnknownAction:
        return Reason.UNKNOWN_ACTION


@pytest.mark.parametrize("case", IN_PLAY, ids=lambda case: f"{case.file}:{case.id}")
def test_the_oracle_holds_the_rule_cases(case: Case) -> None:
    raw, expected = case.raw, dict(case.raw["expect"])
    seats = {key: [int(seat) for seat in raw.get(key, [])] for key in SEATS_NAMED}
    hands = [parse_cards(cards) for cards in raw["hands"]]
    rules = RuleSet.parse(raw.get("rules", "standard"))
    model = Model.position(rules, hands, int(raw["lead"]), phase=raw.get("phase", "play"), **seats)
    for text in raw.get("actions") or []:
        assert said(model, text) == "accepted", text
        model.apply(Action.parse(text))
    for text, reason in {**dict.fromkeys(expected.pop("legal", []), "accepted"), **expected.pop("illegal", {})}.items():
        assert said(model, text) == reason, text
    expected.pop("shown", None)  # what is hidden is not of the oracle's chapters
    got = of_oracle(model)
    if "table" in expected:
        assert parse_cards(expected.pop("table")) == got["table"]
    if "owes" in expected:
        owes = [f"{debt.payer}>{debt.receiver} {debt.kind} {debt.cards}" for debt in model.owes]
        assert owes == expected.pop("owes")
    for key, value in expected.items():
        found, wanted = got[key], whole(value)
        assert (tuple(found) if isinstance(found, list) else found) == wanted, key
