"""The engine against the oracle: both play the same hands side by side, and must agree at every step."""

import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import product

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gouji.engine import Action, ActionKind, EngineError, Hand, RuleSet
from gouji.engine.cards import RANKS, sort_cards

from .oracle import Model, plays_in
from .oracle.plays import is_play

FLAGS = (
    "single_two_is_gouji", "big_joker_is_gouji", "yield", "burn_guard", "burn_team_mate",
    "counter_burn", "opening", "burn_needs_open", "no_open_on_lead", "no_open_on_counter", "first_choked_is_last",
)  # fmt: skip
CHOICES = {
    "twos_wild": ("any", "with_joker_only", "never"),
    "big_joker_duel": ("none", "two_kills_one"),
    "joker_duel": ("none", "swords"),
    "open_cards": ("pure", "twos_substitute", "any_but_big_joker"),
    "opposite_last_word": ("always", "yielded"),
    "burn": (True, True, True, False),
    "burn_order": ("in_turn", "in_turn_team", "burn_first", "team_first"),
    "end_when": ("one_team_left", "one_left"),
    "scoring": ("team_points", "individual"),
    "negatives": ("keep", "drop"),
    "teams": (True, True, True, False),
    "threes_last": (False, False, True),
}
OPTIONS = {name: st.booleans() for name in FLAGS} | {name: st.sampled_from(words) for name, words in CHOICES.items()}


@dataclass
class Setting:
    """A position as both take it."""

    rules: RuleSet
    hands: list[str]
    lead: int
    seats: dict[str, list[int]] = field(default_factory=dict)
    phase: str = "play"

    def both(self) -> tuple[Hand, Model]:
        hand = Hand.position(self.rules, self.hands, self.lead, phase=self.phase, **self.seats)
        return hand, Model.position(self.rules, self.hands, self.lead, phase=self.phase, **self.seats)


@st.composite
def rule_sets(draw: st.DrawFn) -> RuleSet | None:
    """Any rule set of the options that are built, or None where they exclude each other."""
    given_options = draw(st.fixed_dictionaries({}, optional=OPTIONS))
    preset = draw(st.sampled_from(["standard", "qingdao", "lianzhong", "free_for_all"]))
    try:
        return RuleSet.parse({"preset": preset, **given_options})
    except EngineError:
        return None


def few_jokers(cards: str) -> str:
    """No more jokers of a kind than there are packs."""
    for joker in "wW":
        cards = cards.replace(joker, "", max(0, cards.count(joker) - 4))
    return sort_cards(cards)


@st.composite
def small_hands(draw: st.DrawFn) -> list[str]:
    """Hands of few ranks, with many twos and jokers."""
    lower = draw(st.lists(st.sampled_from(RANKS[:12]), min_size=1, max_size=4, unique=True))
    palette = "".join(lower) * 2 + draw(st.sampled_from(["2wW", "2", "wW", "", "22ww", "2w"]))
    texts = st.text(st.sampled_from(palette), min_size=1, max_size=12)
    return [few_jokers(draw(texts)) for _ in range(6)]


@st.composite
def positions(draw: st.DrawFn) -> Setting | None:
    """A position in the play of a hand."""
    rules = draw(rule_sets())
    hands = draw(small_hands())
    seats = st.lists(st.integers(0, 5), unique=True, max_size=1)
    finished = draw(st.one_of(st.just([]), st.lists(st.integers(0, 5), unique=True, max_size=3)))
    named = {"finished": finished, "revolted": draw(st.one_of(st.just([]), seats))}
    named["burning"] = draw(st.one_of(st.just([]), seats))
    named["opened"] = sorted(draw(st.sets(st.integers(0, 5))))
    for seat in finished:
        hands[seat] = ""
    return Setting(rules, hands, draw(st.integers(0, 5)), named) if rules else None


def state_of_engine(hand: Hand) -> dict[str, object]:
    return {
        "turn": hand.turn,
        "question": hand.question,
        "lead": hand.lead,
        "table": hand.table,
        "hands": [hand.hands[seat] for seat in hand.in_seats],
        "finished": list(hand.finished),
        "opened": sorted(hand.opened),
        "burning": sorted(hand.burning),
        "burns": list(hand.burns),
        "revolted": sorted(hand.revolted),
        "struck": list(hand.struck),
        "choked": list(hand.choked),
        "stuck": sorted(hand.stuck),
        "scramble": hand.scramble,
        "void": hand.void,
        "order": hand.order,
        "scores": hand.scores,
        "team_scores": hand.team_scores,
        "legal": {str(action) for action in hand.legal_actions()},
    }


def state_of_oracle(model: Model) -> dict[str, object]:
    table = model.table
    return {
        "turn": model.turn,
        "question": model.question and model.question.kind,
        "lead": model.lead,
        "table": table.trick.cards,
        "hands": [table.hands[seat] for seat in table.seats_in()],
        "finished": table.finished,
        "opened": sorted(table.opened),
        "burning": sorted(table.burning),
        "burns": table.burns,
        "revolted": table.revolted,
        "struck": table.struck,
        "choked": table.choked,
        "stuck": sorted(table.stuck),
        "scramble": table.scramble,
        "void": table.void,
        "order": model.order,
        "scores": model.scores,
        "team_scores": model.team_scores,
        "legal": {str(action) for action in model.legal()},
    }


def probes(model: Model, rng: random.Random) -> Iterator[Action]:
    """Actions of which most are refused."""
    seat = rng.randrange(6) if rng.random() < 0.2 or model.turn is None else model.turn
    hand, under = model.table.hands[seat], model.table.trick.cards
    for size in {len(under), len(under) + 1, rng.randint(1, 6)} - {0}:
        mine = rng.sample(hand, min(size, len(hand))) if hand else ["9"]
        any_cards = [rng.choice(RANKS) for _ in range(size)]
        for cards in (mine, any_cards):
            yield Action(seat, rng.choice([ActionKind.PLAY, ActionKind.BURN]), sort_cards("".join(cards)))
    in_hand = plays_in(model.table.rules, hand)
    if in_hand:
        yield Action(seat, rng.choice([ActionKind.PLAY, ActionKind.BURN]), rng.choice(in_hand))
    for kind in (ActionKind.PASS, ActionKind.YIELD, ActionKind.CLOSE, ActionKind.STAY, ActionKind.KEEP_HEAD):
        yield Action(seat, kind)
    yield Action(rng.randrange(6), rng.choice([ActionKind.REVOLT, ActionKind.NO_HEAD, ActionKind.CALL, ActionKind.PASS]))


def side_by_side(hand: Hand, model: Model, choices: bytes, rng: random.Random, done: list[str]) -> int:
    """Play on until the hand is over or the choices are; say how many actions were compared."""
    for step, choice in enumerate([None, *choices]):
        if choice is not None:
            actions = sorted(hand.legal_actions())
            if not actions:
                return step - 1
            action = actions[choice % len(actions)]
            done.append(str(action))
            hand.apply(action)
            model.apply(action)
        engine, oracle = state_of_engine(hand), state_of_oracle(model)
        differs = {key: (engine[key], oracle[key]) for key in engine if engine[key] != oracle[key]}
        assert not differs, f"engine, oracle: {differs}"
        for probe in probes(model, rng):
            got, wanted = hand.refusal(probe), model.judge(probe)
            assert got == wanted, f"{probe}: engine {got}, oracle {wanted}"
    return len(choices)


def as_case(setting: Setting, done: list[str]) -> str:
    """The position and actions as a rule case."""
    named = "".join(f"  {key}: {value}\n" for key, value in setting.seats.items() if value)
    rules = ", ".join(f"{name}: {value}" for name, value in setting.rules.spec().items())
    hands = ", ".join(f'"{cards}"' for cards in setting.hands)
    return (
        f"- id: difference\n  rules: {{{rules}}}\n  hands: [{hands}]\n  lead: {setting.lead}\n{named}"
        f"  phase: {setting.phase}\n  actions: [{', '.join(done)}]\n"
    )


def run(setting: Setting, choices: bytes, seed: int) -> int:
    try:
        hand, model = setting.both()
    except EngineError:
        return 0
    done: list[str] = []
    try:
        return side_by_side(hand, model, choices, random.Random(seed), done)
    except Exception as difference:
        difference.add_note(as_case(setting, done))
        raise


def test_engine_and_oracle_agree_in_positions() -> None:
    compared = Counter[str]()

    @settings(max_examples=2000, deadline=None, suppress_health_check=list(HealthCheck))
    @given(setting=positions(), choices=st.binary(min_size=80, max_size=80), seed=st.integers(0, 2**16))
    def agree(setting: Setting | None, choices: bytes, seed: int) -> None:
        if setting is not None:
            compared["actions"] += run(setting, choices, seed)

    agree()
    print(compared)
    assert compared["actions"] > 5000


@given(cards=st.text(st.sampled_from("3K2wW9"), max_size=9))
def test_the_oracle_finds_every_play_in_a_hand(cards: str) -> None:
    rules = RuleSet.parse()
    held = [range(cards.count(rank) + 1) for rank in RANKS]
    every = ("".join(rank * number for rank, number in zip(RANKS, numbers, strict=True)) for numbers in product(*held))
    assert sorted(plays_in(rules, cards)) == sorted(sort_cards(part) for part in every if is_play(rules, part))
