"""The engine against the oracle: both play the same hands side by side, and must agree at every step."""

import random
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
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
    NotBuilt,
    Reason,
    RuleSet,
    RuleSetError,
    UnknownAction,
)
from gouji.engine.cards import RANKS, SEATS, opposite, parse_cards, sort_cards
from gouji.engine.cases import Case, read_cases

from .oracle import Model, plays_in
from .oracle.plays import asks_all, is_play

# Rule sets

OPTIONS = {
    "twos_wild": ("any", "with_joker_only", "never"),
    "big_joker_duel": ("none", "two_kills_one"),
    "joker_duel": ("none", "swords"),
    "single_two_is_gouji": (True, False),
    "big_joker_is_gouji": (True, False),
    "open_cards": ("pure", "twos_substitute", "any_but_big_joker"),
    "opposite_last_word": ("always", "yielded"),
    "yield": (True, True, False),
    "burn": (True, True, True, False),
    "burn_order": ("in_turn", "in_turn_team", "burn_first", "team_first"),
    "burn_guard": (True, False),
    "burn_team_mate": (True, False),
    "counter_burn": (True, False),
    "burn_needs_open": (False, True),
    "end_when": ("one_team_left", "one_left"),
    "scoring": ("team_points", "individual"),
    "negatives": ("keep", "drop"),
    "teams": (True, True, True, False),
    "revolution": ("any", "any", "any", "off"),
    "opening": (True, False),
    "natural_open": (False, True),
    "no_open_on_lead": (False, True),
    "no_open_on_counter": (False, True),
    "threes_last": (False, True),
    "first_choked_is_last": (False, True),
}
"""What may be drawn for each option that is built; what stands more than once is drawn more often."""

NEED = {
    "opening": ("burn_needs_open", "natural_open", "no_open_on_lead", "no_open_on_counter"),
    "threes_last": ("first_choked_is_last",),
    "teams": ("end_when", "scoring", "burn_order", "burn_team_mate"),
}
"""Options that mean nothing, or exclude each other, where another is off."""


@st.composite
def rule_sets(draw: st.DrawFn, presets: tuple[str, ...] = ("standard", "qingdao", "lianzhong")) -> RuleSet | None:
    """Any rule set of the options that are built; None for one that makes no sense."""
    preset = draw(st.sampled_from(presets))
    drawn = draw(st.fixed_dictionaries({}, optional={name: st.sampled_from(words) for name, words in OPTIONS.items()}))
    for option, needing in NEED.items():
        if not drawn.get(option, RuleSet(preset)[option]):
            drawn = {name: value for name, value in drawn.items() if name not in needing}
            if option == "teams":
                # Undecided: what an order of burning that speaks of team-mates means without teams (R7.6).
                drawn["burn_order"] = draw(st.sampled_from(["in_turn", "burn_first"]))
    try:
        return RuleSet.parse({"preset": preset, **drawn})
    except RuleSetError:
        return None


# Positions


@dataclass
class Setting:
    """A position as both sides take it, or a dealt hand."""

    rules: RuleSet
    hands: list[str]
    lead: int
    seats: dict[str, list[int]] = field(default_factory=dict)
    phase: str = "play"
    dealt: Hand | None = None

    def sides(self) -> tuple[Hand, Model]:
        dealt = self.dealt is not None
        model = Model.position(self.rules, self.hands, self.lead, phase=self.phase, dealt=dealt, **self.seats)
        if self.dealt is not None:
            return self.dealt.clone(), model
        return Hand.position(self.rules, self.hands, self.lead, phase=self.phase, **self.seats), model

    def as_case(self, actions: list[str]) -> str:
        """Write the position and what was done as a rule case."""
        named = "".join(f"  {key}: {seats}\n" for key, seats in self.seats.items() if seats)
        rules = ", ".join(f"{name}: {value}" for name, value in self.rules.spec().items())
        hands = ", ".join(f'"{cards}"' for cards in self.hands)
        return (
            f"- id: difference\n  rules: {{{rules}}}\n  hands: [{hands}]\n  lead: {self.lead}\n{named}"
            f"  phase: {self.phase}\n  actions: [{', '.join(actions)}]\n"
        )


def seat_lists(most: int) -> st.SearchStrategy[list[int]]:
    """No seats, as often as some."""
    return st.just([]) | st.lists(st.integers(0, 5), unique=True, max_size=most)


def as_hand(cards: str) -> str:
    """No more jokers of a kind than there are packs."""
    for joker in "wW":
        cards = cards.replace(joker, "", max(0, cards.count(joker) - 4))
    return sort_cards(cards)


@st.composite
def small_hands(draw: st.DrawFn, least: int = 1) -> list[str]:
    """Hands of few ranks, with many twos and jokers, so that most plays are answered and many are Gouji."""
    high = draw(st.booleans())
    lower = draw(st.lists(st.sampled_from("TJQKA" if high else RANKS[:12]), min_size=1, max_size=4, unique=True))
    added = draw(st.sampled_from(["2wW", "2ww", "22wwW", "wW", "2", ""]))
    palette = "".join(lower) * 2 + added + draw(st.sampled_from(["", "3"]))
    cards = st.text(st.sampled_from(palette), min_size=least, max_size=12)
    return [as_hand(draw(cards)) for _ in range(SEATS)]


@st.composite
def positions(draw: st.DrawFn) -> Setting | None:
    """A position in the play of a hand."""
    rules = draw(rule_sets())
    hands = draw(small_hands())
    revolted = draw(seat_lists(1))
    # Two finished team-mates of a revolter would have ended the hand.
    finished = [seat for seat in draw(seat_lists(1 if revolted else 3)) if seat not in revolted]
    burning = [seat for seat in draw(seat_lists(1)) if seat not in finished + revolted]
    opened = draw(seat_lists(6))
    for seat in finished:
        hands[seat] = ""
    seats = {"finished": finished, "revolted": revolted, "burning": burning, "opened": opened}
    return Setting(rules, hands, draw(st.integers(0, 5)), seats) if rules else None


@st.composite
def gouji(draw: st.DrawFn) -> Setting | None:
    """A position in which all are in and hold what makes Gouji plays and burns."""
    rules = draw(rule_sets())
    hands = [as_hand(cards + draw(st.sampled_from(["2w", "AA", "wW", "22"]))) for cards in draw(small_hands())]
    opened = draw(st.just([0, 1, 2, 3, 4, 5]) | seat_lists(6))
    return Setting(rules, hands, draw(st.integers(0, 5)), {"opened": opened}) if rules else None


@st.composite
def revolutions(draw: st.DrawFn) -> Setting | None:
    """A position before the first lead in which some seats may revolt, and their opposites hold Gouji plays."""
    rules = draw(rule_sets())
    if rules is None or rules["revolution"] == "off":
        return None  # Undecided: whether a set-up position asks for revolts all the same.
    hands = draw(small_hands())
    for seat in draw(st.sets(st.integers(0, 5), min_size=1, max_size=3)):
        hands[seat] = "".join(card for card in hands[seat] if card not in "2wW") or "9"
        hands[opposite(seat)] = as_hand(hands[opposite(seat)] + "2AAKK")
    return Setting(rules, hands, draw(st.integers(0, 5)), {"opened": draw(seat_lists(3))}, "revolt")


@st.composite
def deals(draw: st.DrawFn) -> Setting | None:
    """A dealt hand of 36 cards a seat."""
    rules = draw(rule_sets(("standard",)))
    try:
        hand = Hand.deal(rules or RuleSet(), draw(st.binary(min_size=32, max_size=32)), draw(st.integers(0, 5)))
    except NotBuilt:
        return None
    return Setting(hand.rules, list(hand.hands), hand.first_leader, phase="revolt", dealt=hand)


# What is compared


def of_engine(hand: Hand) -> dict[str, object]:
    scored = hand.rules["scoring"] != "tributes"  # which positions may have, though their scores are not built
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
        "scores": scored and hand.scores,
        "team_scores": scored and hand.team_scores,
        "legal": {str(action) for action in hand.legal_actions()},
    }


def of_oracle(model: Model) -> dict[str, object]:
    table, asked = model.table, model.question
    scored = table.rules["scoring"] != "tributes"
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
        "scores": scored and model.scores,
        "team_scores": scored and model.team_scores,
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


def undecided_reason(model: Model, refused: Action) -> bool:
    """Whether two reasons may be meant.

    A yield on a lead: `must_lead`, as for a close, or `yield_not_allowed`. Under ``swords``: whether a count is wrong
    that no group of jokers could have.
    """
    asked = model.question
    yield_on_a_lead = asked is not None and asked.kind == "lead" and refused.kind is ActionKind.YIELD
    count_under_swords = model.table.rules["joker_duel"] == "swords" and model.judge(refused) is Reason.WRONG_COUNT
    return yield_on_a_lead or count_under_swords


def undecided_play(model: Model) -> str | None:
    """What is open about who is asked about the last play; the hand is then not followed further."""
    table, rules, play = model.table, model.table.rules, model.table.last_play
    if play.by is None:
        return None
    across_in = table.is_in(opposite(play.by))
    can_be_beaten = rules["joker_duel"] == "swords" or rules["big_joker_duel"] == "two_kills_one"
    if play.gouji and play.by in table.finished[2:] and across_in and opposite(play.by) not in play.passed:
        return "a third's last Gouji cards: may its opposite, without a head now, answer? (R4.5, R4.6)"
    if play.gouji and "W" in play.cards and can_be_beaten and not across_in and not play.dead:
        return "a big joker of a seat without a head: are those who passed asked? (R4.5, R2.7)"
    if asks_all(rules, play.cards) and (play.dead or play.after_yield):
        return "a big joker that is not Gouji, as a dead or a yielder's answer: are all asked? (R2.7, R4.3, R4.6)"
    if play.dead and play.after_yield:
        return "the answer to head's or second's last Gouji cards after a yield: is it dead? (R4.3, R4.6)"
    return None


# Side by side


def choose(actions: list[Action], choice: int) -> Action:
    """Pick an action by a number: some passes, many yields, small plays more often than large."""
    plays = sorted(
        (action for action in actions if action.kind in (ActionKind.PLAY, ActionKind.BURN)),
        key=lambda action: (len(action.cards), action.cards),
    )
    others = sorted(action for action in actions if action not in plays)
    choice, luck = divmod(choice, 8)
    if others and (luck < 2 or (luck == 2 and len(others) > 1) or not plays):
        return others[choice % len(others)] if luck < 2 else others[-1]
    return plays[choice % (min(len(plays), 8) if luck < 7 else len(plays))]


def agree(hand: Hand, model: Model, rng: random.Random) -> int:
    """Compare all that can be seen, and what is said of some actions; return how many were compared."""
    engine, oracle = of_engine(hand), of_oracle(model)
    differs = {key: (engine[key], oracle[key]) for key in engine if engine[key] != oracle[key]}
    assert not differs, f"engine, oracle: {differs}"
    compared = 0
    for action in probes(model, rng):
        said, wanted = hand.refusal(action), model.judge(action)
        if said != wanted and undecided_reason(model, action):
            continue
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
            asked, action = model.question.kind, choose(hand.legal_actions(), choice)
            done.append(str(action))
            hand.apply(action)
            model.apply(action)
            undecided = undecided_play(model)
            if undecided:
                seen["undecided: " + undecided] += 1
                return
            seen["probes"] += agree(hand, model, rng)
            note(seen, model, asked, action)
    except Exception as difference:
        difference.add_note(setting.as_case(done))
        raise


ORDINARY = ("actions", "probes", "hands", "lead play", "answer play", "last_word play", "answer yield", "gouji play")
BURNING = ("burn burn", "burn pass", "counter-burn", "burns that succeeded", "struck")
LATE = ("choked", "stuck", "opened", "dead play", "play after a yield", "play in the scramble")
REVOLT = ("revolt revolt", "revolt stay", "head keep_head", "head no_head", "void", "revolted")


@pytest.mark.parametrize(
    ("settings_of", "examples", "length", "least", "must_come_up"),
    [
        (positions(), 500, 120, 8000, (*ORDINARY, *BURNING, *LATE)),
        (gouji(), 500, 120, 8000, (*ORDINARY, *BURNING, "gouji yield", "dead play", "opened")),
        (revolutions(), 500, 120, 4000, (*ORDINARY, *REVOLT, "dead play", "burn burn", "opened")),
        (deals(), 25, 400, 2000, ("lead play", "answer play", "gouji play", "opened")),
    ],
    ids=["positions", "gouji", "revolutions", "deals"],
)
def test_engine_and_oracle_agree(
    settings_of: st.SearchStrategy[Setting | None],
    examples: int,
    length: int,
    least: int,
    must_come_up: tuple[str, ...],
) -> None:
    seen = Counter[str]()

    @settings(max_examples=examples, deadline=None, suppress_health_check=list(HealthCheck), phases=set(Phase))
    @given(setting=settings_of, choices=st.binary(min_size=length, max_size=length), seed=st.integers(0, 2**16))
    def play(setting: Setting | None, choices: bytes, seed: int) -> None:
        if setting is not None:
            side_by_side(setting, choices, seed, seen)

    play()
    assert enough(seen, least, must_come_up) == []


def enough(seen: Mapping[str, int], least: int, must_come_up: tuple[str, ...]) -> list[str]:
    """Print what was compared and name what did not come up."""
    print(", ".join(f"{name}: {number}" for name, number in sorted(seen.items())))
    return [name for name in must_come_up if not seen[name]] + ([] if seen["actions"] >= least else ["actions"])


@given(cards=st.text(st.sampled_from("3K2wW9"), max_size=9))
def test_the_oracle_finds_every_play_of_a_hand(cards: str) -> None:
    rules = RuleSet.parse()
    held = [range(cards.count(rank) + 1) for rank in RANKS]
    every = ("".join(rank * number for rank, number in zip(RANKS, numbers, strict=True)) for numbers in product(*held))
    assert sorted(plays_in(rules, cards)) == sorted(sort_cards(part) for part in every if is_play(rules, part))


# The oracle itself against the rule cases

CASES = Path(__file__).parents[1] / "cases"
IN_PLAY = [
    case
    for file in sorted(CASES.glob("*.yaml"))
    for case in read_cases(file.name, file.read_text())
    if case.raw.get("phase", "play") in ("play", "revolt") and not {"owed", "previous"} & case.raw.keys()
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
    for key, value in expected.items():
        found, wanted = got[key], whole(value)
        assert (tuple(found) if isinstance(found, list) else found) == wanted, key
