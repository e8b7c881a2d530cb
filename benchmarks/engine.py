"""Measure the engine on one core: best of five runs each, over recorded random games of full `standard` rules."""

import hashlib
import platform
import random
import time
from array import array
from collections import Counter
from collections.abc import Callable

from gouji.engine import Hand, RuleSet
from gouji.engine.hand import decode

RULES = RuleSet.parse("standard")
RECORDED_ACTIONS = 100_000
RUNS = 5


def seed_of(number: int) -> bytes:
    """Give each game its own 32-byte seed."""
    return hashlib.sha256(number.to_bytes(4, "big")).digest()


def record_games() -> list[tuple[Hand, "array[int]", str]]:
    """Play random games until enough actions are recorded: the deal, its packed actions, the last digest."""
    games, actions, rng = [], 0, random.Random(1)
    while actions < RECORDED_ACTIONS:
        deal = Hand.deal(RULES, seed_of(len(games)))
        hand, codes = deal.clone(), array("I")
        while not hand.over:
            codes.append(rng.choice(hand.legal_codes()))
            hand.advance(codes[-1])
        games.append((deal, codes, hand.digest()))
        actions += len(codes)
    return games


def best(run: Callable[[], int]) -> float:
    """Return the least nanoseconds for each of the things that ``run`` does and counts."""
    times = []
    for _ in range(RUNS):
        start = time.perf_counter_ns()
        done = run()
        times.append((time.perf_counter_ns() - start) / done)
    return min(times)


def main() -> None:
    """Print each figure on a line."""
    games = record_games()
    mix = Counter(decode(code).kind.text for _, codes, _ in games for code in codes)
    total = mix.total()
    print(f"{platform.processor() or platform.machine()}, Python {platform.python_version()}")
    print(f"{total} actions of {len(games)} games: " + ", ".join(f"{n / total:.0%} {k}" for k, n in mix.most_common()))

    def in_c() -> int:
        for deal, codes, _ in games:
            deal.clone().advance_all(codes)
        return total

    def from_python() -> int:
        for deal, codes, _ in games:
            advance = deal.clone().advance
            for code in codes:
                advance(code)
        return total

    def driven() -> int:
        rng, actions = random.Random(2), 0
        for deal, _, _ in games[:100]:
            hand = deal.clone()
            while not hand.over:
                hand.advance(rng.choice(hand.legal_codes()))
                actions += 1
        return actions

    def clones() -> int:
        clone = games[0][0].clone
        for _ in range(100_000):
            clone()
        return 100_000

    def hands() -> int:
        for number, (deal, _, _) in enumerate(games * 5):
            deal.clone().playout(number * 2 + 1)
        return len(games) * 5

    def deals() -> int:
        for number in range(300):
            Hand.deal(RULES, seed_of(number))
        return 300

    for deal, codes, digest in games:
        replayed = deal.clone()
        replayed.advance_all(codes)
        assert replayed.digest() == digest, "a replay ended in another state"
    print(f"validate and apply, in C       {best(in_c):8.1f} ns")
    print(f"validate and apply, Python     {best(from_python):8.1f} ns")
    print(f"list and apply, Python         {1e9 / best(driven):8.0f} actions a second")
    print(f"random hands to the end        {1e9 / best(hands):8.0f} a second")
    print(f"clone, Python                  {best(clones):8.1f} ns")
    print(f"deal                           {best(deals) / 1000:8.1f} us")


if __name__ == "__main__":
    main()
