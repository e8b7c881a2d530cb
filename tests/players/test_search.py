"""The search: repeatable, lawful, never worse than the planner for want of time, and blind to hidden cards."""

import math
import random
from array import array

import pytest

from gouji.engine import Action, Hand, InvalidState, RuleSet
from gouji.engine.hand import encode
from gouji.players import PLAYERS
from gouji.players._rollouts import play_out
from gouji.players.search import Effort, SearchPlayer, lead

from ..engine.test_observation import random_rules
from .lawful import play_match
from .test_planner import PUZZLES, decisions

STANDARD = RuleSet.parse("standard")
PLANNER, SEARCH = PLAYERS["planner"](), SearchPlayer()
HASTY, CALM = SearchPlayer(Effort((4, 3), (8, 8))), SearchPlayer(Effort((6, 2), (24, 48)))


def test_it_finds_at_least_90_in_100_of_the_positions() -> None:
    found = sum(SEARCH.decide(hand.observe(hand.turn), 1, math.inf) in best for hand, best in PUZZLES)
    assert found >= 0.9 * len(PUZZLES)


def test_without_time_the_planner_decides() -> None:
    chance = random.Random(1)
    for hand in decisions(STANDARD, chance, hands=1):
        seen = hand.observe(hand.turn)
        assert SEARCH.decide(seen, chance.getrandbits(64), 0.0) == PLANNER.decide(seen, 1, 0.0)


@pytest.mark.parametrize("seed", range(6))
def test_all_that_it_chooses_is_lawful_under_any_rules(seed: int) -> None:
    chance = random.Random(100 + seed)
    assert play_match(HASTY, random_rules(chance), chance, hands=1).total() > 20


def test_the_same_seed_gives_the_same_choice_whatever_the_others_hold() -> None:
    chance = random.Random(3)
    other = 0
    for hand in decisions(RuleSet.parse("qingdao"), chance, hands=1):
        if chance.random() < 0.1:
            assert hand.turn is not None
            seen = hand.observe(hand.turn)
            drawn = seen.determinize(chance)
            choice = CALM.decide(seen, 7, math.inf)
            assert CALM.decide(drawn.observe(hand.turn), 7, math.inf) == choice
            other += choice != PLANNER.decide(seen, 7, math.inf)
    assert other > 0


def test_a_hand_is_played_out_to_what_it_is_worth() -> None:
    hand = Hand.position(STANDARD, ["4", "QQ5", "KK5", "99", "88", "77"], 0)
    out, data = Action.parse("0 play 4"), hand.to_bytes()
    worth = play_out(STANDARD, [data, data], [encode(out)])
    assert worth[0] == worth[1]
    # Head is 5 and 4 points; the worst that can follow is last and second-last, or fourth.
    assert -1 - 3 + 5 <= worth[0] / 2 <= 9 + 12


def test_what_cannot_be_played_out_is_refused() -> None:
    hand = Hand.position(STANDARD, ["4", "QQ5", "KK5", "99", "88", "77"], 0)
    with pytest.raises(ValueError, match="played out"):
        play_out(STANDARD, [hand.to_bytes()], [encode(Action.parse("0 play 5"))])
    with pytest.raises(InvalidState):
        play_out(STANDARD, [b"short"], [encode(Action.parse("0 play 4"))])


def test_a_lead_is_counted_hand_by_hand_in_standard_errors() -> None:
    assert lead([3, 5, 9], [1, 3, 7]) == math.inf
    assert lead([1, 3], [1, 3]) == 0
    differences = array("d", [2, 0, 4, 2])
    assert lead([1 + each for each in differences], [1] * 4) == pytest.approx(2 / ((8 / 3 / 4) ** 0.5))
