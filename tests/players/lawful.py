"""Players under rule sets drawn at random: is everything that they choose lawful?

``python -m tests.players.lawful planner 1000000`` goes on until so many decisions were made.
"""

import math
import random
import sys
from collections import Counter

from gouji.engine import Hand, Match, RuleSet
from gouji.players import Player, find_player

from ..engine.test_observation import random_rules

MOST_ACTIONS = 20_000
"""More than any hand takes."""


def play_match(player: Player, rules: RuleSet, chance: random.Random, *, hands: int = 2) -> Counter[str]:
    """Play a match, the same player at all seats, and count its decisions by question.

    Raises `IllegalAction` for an unlawful choice.
    """
    asked = Counter[str]()
    match = Match(rules, hands=hands)
    while not match.over and match.dealt < 2 * hands:
        hand = match.deal(chance.randbytes(32), history=True)
        _play_hand(player, hand, chance, asked)
        match.record(hand)
    return asked


def _play_hand(player: Player, hand: Hand, chance: random.Random, asked: Counter[str]) -> None:
    for _ in range(MOST_ACTIONS):
        if hand.turn is None:
            return
        asked[str(hand.question)] += 1
        hand.apply(player.decide(hand.observe(hand.turn), chance.getrandbits(64), math.inf))
    raise AssertionError(f"a hand under {hand.rules} did not end")


def main(level: str, decisions: int) -> None:
    """Go on for so many decisions, and say what was asked how often."""
    player, chance, asked = find_player(level), random.Random(1), Counter[str]()
    rule_sets = 0
    while asked.total() < decisions:
        asked += play_match(player, random_rules(chance), chance)
        rule_sets += 1
    sys.stdout.write(f"{asked.total():,} lawful decisions of {level} under {rule_sets:,} rule sets\n")
    sys.stdout.write(", ".join(f"{question} {count:,}" for question, count in asked.most_common()) + "\n")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
