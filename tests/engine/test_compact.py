"""The short list of actions (`Hand.legal_actions(compact=True)`) against its definition, and playouts in one call."""

import random
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gouji.engine import PRESETS, Action, ActionKind, Hand, Match, RuleSet
from gouji.engine.cards import RANKS

from .oracle.plays import beats

SPECS = (
    *PRESETS,
    {"preset": "standard", "joker_duel": "swords", "twos_wild": "with_joker_only"},
    {"preset": "qingdao", "burn_guard": True, "fours_open": True},
    {"preset": "free_for_all", "twos_wild": "never", "report": "on_request", "feel": 2},
    {"preset": "standard", "big_joker_is_gouji": False, "joker_duel": "swords", "big_joker_duel": "two_kills_one"},
)
RULES = [RuleSet.parse(spec) for spec in SPECS]
PLAYED = (ActionKind.PLAY, ActionKind.BURN)


def base_of(cards: str) -> str:
    """R2.2: the lowest rank there is."""
    return min(cards, key=RANKS.index)


def likeness(rules: RuleSet, action: Action) -> object:
    """What plays that are alike have in common; what is no play is like nothing else."""
    if action.kind not in PLAYED:
        return action
    duel = rules["big_joker_duel"] != "none" or rules["joker_duel"] != "none"
    small, big = action.cards.count("w"), action.cards.count("W")
    jokers: object = "dead" if big and not duel else (small, big)
    return action.kind, base_of(action.cards), len(action.cards), jokers


def cost(action: Action) -> tuple[int, int, int]:
    return action.cards.count("W"), action.cards.count("w"), action.cards.count("2")


def shortened(rules: RuleSet, actions: Iterable[Action]) -> set[Action]:
    groups: dict[object, list[Action]] = {}
    for action in actions:
        groups.setdefault(likeness(rules, action), []).append(action)
    return {min(group, key=cost) for group in groups.values()}


def positions(rules: RuleSet, seed: int) -> Iterable[Hand]:
    """A hand, mostly passing when that is lawful, before each of its actions."""
    rng = random.Random(seed)
    hand = Match(rules, hands=1).deal(rng.randbytes(32))
    while not hand.over:
        yield hand
        codes = hand.legal_codes()
        hand.advance(codes[0] if hand.question != "lead" and rng.random() < 0.4 else rng.choice(codes))


@settings(max_examples=60)
@given(rules=st.sampled_from(RULES), seed=st.integers(0, 2**32))
def test_the_short_list_is_what_its_definition_says(rules: RuleSet, seed: int) -> None:
    for hand in positions(rules, seed):
        full, short = hand.legal_actions(), hand.legal_actions(compact=True)
        assert len(short) == len(set(short))
        assert set(short) == shortened(rules, full)
        held = len(hand.hands[hand.turn or 0])
        out = [action for action in full if action.kind in PLAYED and len(action.cards) == held]
        assert set(out) <= set(short)


@settings(max_examples=40)
@given(rules=st.sampled_from(RULES), seed=st.integers(0, 2**32))
def test_plays_that_are_alike_are_beaten_by_the_same_plays(rules: RuleSet, seed: int) -> None:
    rng = random.Random(seed)
    hand = rng.choice([hand for hand in positions(rules, seed) if hand.question == "lead"])
    plays = [action for action in hand.legal_actions() if action.kind in PLAYED]
    chosen = {likeness(rules, action): action for action in hand.legal_actions(compact=True)}
    others = [rank * n + "2" * x + "w" * y + "W" * z for rank in "6TA" for n in range(1, 9)
              for x in range(3) for y in range(4) for z in range(5)]  # fmt: skip
    for play in rng.sample(plays, min(len(plays), 20)):
        kept = chosen[likeness(rules, play)]
        for other in rng.sample(others, 150):
            assert beats(rules, other, play.cards) == beats(rules, other, kept.cards)


def test_a_short_list_by_hand() -> None:
    hand = Hand.position(RuleSet.parse("standard"), ["Ww2277", "3", "4", "5", "6", "8"], 0)
    sevens = [a.cards for a in hand.legal_actions(compact=True) if base_of(a.cards) == "7" and len(a.cards) == 3]
    assert sorted(sevens) == ["277", "W77", "w77"]
    assert sum(len(a.cards) == 3 and base_of(a.cards) == "7" for a in hand.legal_actions()) == 7


# Playouts


@pytest.mark.parametrize("preset", PRESETS)
def test_playouts_are_the_same_again_and_can_be_split(preset: str) -> None:
    hand = Hand.deal(RuleSet.parse(preset), bytes(32), held=True)
    before = hand.to_bytes()
    whole = hand.playouts(300, 7)
    assert whole == hand.playouts(300, 7) != hand.playouts(300, 8)
    assert hand.to_bytes() == before
    parts = [hand.playouts(100, 7), hand.playouts(200, 107)]
    assert whole.void == sum(part.void for part in parts)
    assert whole.scores == tuple(map(sum, zip(*(part.scores for part in parts), strict=True)))
    assert [sum(places) for places in whole.places] == [300 - whole.void] * 6
    assert [sum(places) for places in zip(*whole.places, strict=True)] == [300 - whole.void] * 6
    if whole.team_scores is not None and hand.rules["scoring"] == "tributes":
        assert whole.team_scores == (sum(whole.scores[::2]), sum(whole.scores[1::2]))


def test_playouts_of_a_hand_that_is_over_give_its_result() -> None:
    hand = Hand.deal(RuleSet.parse("korea"), bytes(32))
    hand.playout(1)
    found = hand.playouts(3, 0)
    assert found.scores == tuple(3 * points for points in hand.scores)
    assert [found.places[seat][place] for place, seat in enumerate(hand.order)] == [3] * 6
    assert (found.team_scores, found.void) == (None, 0)


def test_playouts_know_who_stands_better() -> None:
    hand = Hand.position(RuleSet.parse("standard"), ["WW2AA", "345679", "3455", "345679", "346", "345679"], 0)
    found = hand.playouts(200, 1)
    assert found.team_scores is not None
    assert found.team_scores[0] > found.team_scores[1]


def test_playouts_run_beside_each_other() -> None:
    hand = Hand.deal(RuleSet.parse("standard"), bytes(32))
    with ThreadPoolExecutor(2) as pool:
        first, second = pool.map(lambda seed: hand.playouts(200, seed), (1, 1))
    assert first == second == hand.playouts(200, 1)


@pytest.mark.parametrize("count", [0, -1])
def test_no_playouts_are_refused(count: int) -> None:
    with pytest.raises(ValueError, match="at least one"):
        Hand.deal(RuleSet.parse("standard"), bytes(32)).playouts(count, 1)
