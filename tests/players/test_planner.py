"""The planner: positions it finds, strength, lawfulness under any rules, and that it sees no hidden card."""

import math
import random
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from gouji.arena.figures import figures
from gouji.arena.play import Contest, play_deal
from gouji.engine import PRESETS, Action, Hand, InvalidState, Match, Observation, RuleSet
from gouji.engine.cases import puzzle, read_cases
from gouji.players import PLAYERS

from ..engine.test_observation import random_rules
from .lawful import play_match

POSITIONS = Path(__file__).parents[1] / "positions"
PUZZLES = [puzzle(case) for file in POSITIONS.glob("*.yaml") for case in read_cases(file.name, file.read_text())]
STANDARD = RuleSet.parse("standard")
PLANNER = PLAYERS["planner"]()


def decide(observation: Observation) -> Action:
    return PLANNER.decide(observation, 1, math.inf)


def decisions(rules: RuleSet, chance: random.Random, *, hands: int = 2) -> Iterator[Hand]:
    """Each hand of a match of planners as it stands when a seat decides."""
    match = Match(rules, hands=hands)
    while not match.over and match.dealt < 2 * hands:
        hand = match.deal(chance.randbytes(32), history=True)
        while hand.turn is not None:
            yield hand
            hand.apply(decide(hand.observe(hand.turn)))
        match.record(hand)


def test_it_finds_at_least_85_in_100_of_the_positions() -> None:
    found = sum(decide(hand.observe(hand.turn)) in best for hand, best in PUZZLES)
    assert found >= 0.85 * len(PUZZLES)


@pytest.mark.parametrize("preset", ["standard", "qingdao"])
def test_it_beats_greedy_on_the_same_deals(preset: str) -> None:
    contest = Contest("planner", "greedy", RuleSet.parse(preset), seed="test")
    duels = [play_deal(contest, (PLANNER, PLAYERS["greedy"]()), deal)[0] for deal in range(24)]
    assert figures(duels, 1).share.value > 0.6


@pytest.mark.parametrize("seed", range(12))
def test_all_that_it_chooses_is_lawful_under_any_rules(seed: int) -> None:
    chance = random.Random(seed)
    assert play_match(PLANNER, random_rules(chance), chance).total() > 20


@pytest.mark.parametrize("preset", PRESETS)
def test_other_hidden_hands_change_none_of_its_choices(preset: str) -> None:
    chance = random.Random(preset)
    changed = 0
    for hand in decisions(RuleSet.parse(preset), chance, hands=2):
        if chance.random() < 0.1:
            assert hand.turn is not None
            drawn = hand.observe(hand.turn).determinize(chance)
            changed += drawn.hands != hand.hands
            assert decide(drawn.observe(hand.turn)) == decide(hand.observe(hand.turn))
    assert changed > 10


def test_an_observation_of_another_version_is_decided_on_by_what_it_says_itself() -> None:
    chance = random.Random(4)
    same = asked = 0
    for hand in decisions(STANDARD, chance, hands=1):
        seen = hand.observe(hand.turn)
        action = decide(replace(seen, position=b"of another version"))
        assert hand.refusal(action) is None
        same += action == decide(seen)
        asked += 1
    assert same > 0.9 * asked


def test_an_observation_that_cannot_be_is_refused() -> None:
    seen = Hand.position(STANDARD, ["4449", "55", "5", "5", "5", "5"], 0).observe(0)
    for broken in (replace(seen, seats=seen.seats[:3]), replace(seen, seat=7), replace(seen, cards=seen.cards * 40)):
        with pytest.raises(InvalidState):
            decide(broken)


def test_a_decision_takes_less_than_half_a_millisecond() -> None:
    seen = [hand.observe(hand.turn) for hand in decisions(STANDARD, random.Random(2), hands=1)]
    took = []
    for observation in seen:
        began = time.process_time()
        decide(observation)
        took.append(time.process_time() - began)
    # The middle one of many: a test's machine has other things to do.
    assert sorted(took)[len(took) // 2] < 0.0005
