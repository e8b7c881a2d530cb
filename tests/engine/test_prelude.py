"""What is decided before revolution: the engine against the oracle, question by question (R8, R9)."""

import random
from collections import Counter
from dataclasses import astuple

from gouji.engine import Action, ActionKind, Hand, RuleSet, RuleSetError
from gouji.engine.cards import RANKS, sort_cards
from gouji.engine.tribute import KINDS, Debt

from .oracle.prelude import Asked, Prelude
from .oracle.results import Owed
from .oracle.shadow import BEFORE_REVOLUTION
from .oracle.state import SEATS

PRESETS = ("qingdao", "lianzhong", "shandong_64", "standard", "free_for_all")
SWITCHES = (
    "teams", "return_tribute", "may_refuse", "return_point", "may_decline_tribute", "resist", "doubles_called",
    "threes_last", "fours_open", "sink_fours", "lay_off", "calls", "buy_after_point", "redeal_on_request",
)  # fmt: skip
WORDS = {
    "no_tribute_card": ("highest", "exempt", "highest_for_point"),
    "team_tribute": ("never", "optional", "always"),
    "resist_covers": ("team_all", "team_last", "last_only", "seat"),
    "buy_from": ("opposite_team", "downstream", "own_team"),
}
PALETTES = ("345", "3456", "KA2", "22wW35", "2", "345AK2wW", "2222WW3344")
PHASES = ("advance", "tribute", "tribute", "tribute", "buy", "call", "sink", "lay_off")
TRIALS = 1500


def some_rules(rng: random.Random) -> RuleSet:
    """Any rule set of the options that bear on what comes before revolution."""
    while True:
        spec: dict[str, object] = {"preset": rng.choice(PRESETS)}
        spec |= {name: rng.random() < 0.6 for name in SWITCHES if rng.random() < 0.5}
        spec |= {name: rng.choice(words) for name, words in WORDS.items() if rng.random() < 0.5}
        try:
            return RuleSet.parse({**spec, "revolution": "off"})
        except RuleSetError:
            continue


def some_hand(rng: random.Random) -> str:
    """Few cards of few ranks, now and then enough to resist (R8.6)."""
    if rng.random() < 0.05:
        return "22222222345"
    palette = rng.choice(PALETTES) + rng.choice(("", "9", "K"))
    return sort_cards("".join(rng.choices(palette, k=rng.randint(1, 10))))


def some_debts(rng: random.Random) -> list[Owed]:
    """Debts as no single hand leaves them."""
    return [
        Owed(*rng.sample(SEATS, 2), rng.choice(KINDS), rng.choice((1, 1, 2, 2, 4))) for _ in range(rng.randint(0, 4))
    ]


def compare(hand: Hand, asked: Asked, model: Prelude, rng: random.Random) -> None:
    """Compare one question, and what may be answered."""
    assert (hand.turn, hand.question) == (asked.seat, asked.kind)
    assert [astuple(debt) for debt in hand.owes] == model.owed
    assert list(hand.hands) == model.hands
    legal = hand.legal_actions()
    assert all(asked.allows(action) for action in legal)
    assert not asked.names or set(legal) == set(asked.names)
    if hand.question == "return":
        for action in some_returns(hand, rng):
            assert (hand.refusal(action) is None) == asked.allows(action), action


def some_returns(hand: Hand, rng: random.Random) -> list[Action]:
    """Cards that may be given back or not: as many as are asked for and held, mostly."""
    first = hand.legal_actions()[0]
    held = hand.hands[first.seat]
    return [
        Action(first.seat, ActionKind.RETURN, sort_cards("".join(rng.choices(held + rng.choice(("", RANKS)), k=size))))
        for size in (*[len(first.cards)] * 8, rng.randint(1, 5))
    ]


def choose(hand: Hand, rng: random.Random) -> Action:
    """Pick any lawful answer."""
    actions = hand.legal_actions()
    if hand.question == "return":
        actions += [action for action in some_returns(hand, rng) if hand.refusal(action) is None]
    return rng.choice(actions)


def side_by_side(rng: random.Random, seen: Counter[str]) -> None:
    """Play one position to the end of the prelude on both sides."""
    rules, hands, lead = some_rules(rng), [some_hand(rng) for _ in SEATS], rng.randrange(6)
    phase = rng.choice(PHASES)
    owed = some_debts(rng) if phase in ("advance", "tribute") else []
    debts = [Debt(*debt) for debt in owed]
    hand = Hand.position(rules, hands, lead, phase=phase, owed=debts, first_hand=not owed)
    model = Prelude(rules, hands, lead, owed, phase, first_hand=not owed)
    actions: list[str] = []
    told = f"rules: {rules.spec()}, hands: {hands}, lead: {lead}, phase: {phase}, owed: {owed}, actions: {actions}"
    while hand.phase in BEFORE_REVOLUTION:
        assert model.asked is not None, told
        seen[model.asked.kind] += 1
        try:
            compare(hand, model.asked, model, rng)
        except AssertionError as difference:
            raise AssertionError(told) from difference
        action = choose(hand, rng)
        actions.append(str(action))
        hand.apply(action)
        model.apply(action)
        seen[action.kind.text] += 1
    assert model.asked is None, told
    assert (hand.void, hand.calls, set(hand.doubled)) == (model.void, model.calls, model.doubled), told
    assert list(hand.aside) == model.aside, told
    assert hand.void or list(hand.hands) == model.hands, told


def test_engine_and_oracle_agree_before_revolution() -> None:
    seen = Counter[str]()
    for trial in range(TRIALS):
        side_by_side(random.Random(trial), seen)
    questions = ("call", "double", "redeal", "take", "pay", "return", "accept", "buy", "give", "sink", "lay_off")
    assert [word for word in (*questions, "refuse", "decline", "buy_with") if seen[word] < 5] == []
