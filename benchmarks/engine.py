"""Measure the engine on one core beside its peers: best of five runs each, taken in turn.

Ours are over recorded random games of full `standard` rules.
"""

import hashlib
import platform
import random
import time
from array import array
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping
from functools import partial
from statistics import median, quantiles

from peers import Run, open_spiel, rlcard

from gouji.engine import Hand, RuleSet
from gouji.engine.hand import decode

RULES = RuleSet.parse("standard")
RECORDED_ACTIONS = 100_000
RUNS = 5

Games = list[tuple[Hand, "array[int]", str]]
"""Deals, their packed actions, and the digests that they end with."""


def seed_of(number: int) -> bytes:
    """Give each game its own 32-byte seed."""
    return hashlib.sha256(number.to_bytes(4, "big")).digest()


def record_games() -> Games:
    """Play random games until enough actions are recorded: the deal, its packed actions, the last digest."""
    games: Games = []
    actions, rng = 0, random.Random(1)
    while actions < RECORDED_ACTIONS:
        deal = Hand.deal(RULES, seed_of(len(games)))
        hand, codes = deal.clone(), array("Q")
        while not hand.over:
            codes.append(rng.choice(hand.legal_codes()))
            hand.advance(codes[-1])
        games.append((deal, codes, hand.digest()))
        actions += len(codes)
    return games


def best_of_each(runs: Mapping[str, Run]) -> dict[str, float]:
    """Run all in turn, again and again, so that what disturbs one disturbs all; give the least nanoseconds of each.

    The nanoseconds are for each of the things that a run does and counts.
    """
    least = dict.fromkeys(runs, float("inf"))
    for _ in range(RUNS):
        for name, run in runs.items():
            start = time.perf_counter_ns()
            done = run()
            least[name] = min(least[name], (time.perf_counter_ns() - start) / done)
    return least


def replay_in_c(games: Games) -> int:
    """Apply all recorded actions in one call a game."""
    for deal, codes, _ in games:
        deal.clone().advance_all(codes)
    return sum(len(codes) for _, codes, _ in games)


def replay_from_python(games: Games) -> int:
    """Apply all recorded actions one call each."""
    for deal, codes, _ in games:
        advance = deal.clone().advance
        for code in codes:
            advance(code)
    return sum(len(codes) for _, codes, _ in games)


def drive_from_python(games: Games) -> int:
    """List the legal actions and apply one, from Python."""
    rng, actions = random.Random(2), 0
    for deal, _, _ in games[:100]:
        hand = deal.clone()
        while not hand.over:
            hand.advance(rng.choice(hand.legal_codes()))
            actions += 1
    return actions


def play_out(games: Games) -> int:
    """Play every deal five times to its end in C."""
    for number, (deal, _, _) in enumerate(games * 5):
        deal.clone().playout(number * 2 + 1)
    return len(games) * 5


def random_actions(games: Games) -> int:
    """Play every deal twice to its end in C, and count the actions."""
    return sum(deal.clone().playout(number * 2 + 1) for number, (deal, _, _) in enumerate(games * 2))


def play_out_from_one(games: Games) -> int:
    """Play one deal to its end many times in one call."""
    games[0][0].playouts(2_000, 1)
    return 2_000


def list_lengths(games: Games) -> str:
    """Say how long the full and the short lists of actions are, leads and answers apart."""
    full, short = defaultdict[str, list[int]](list), defaultdict[str, list[int]](list)
    for deal, codes, _ in games:
        hand = deal.clone()
        for code in codes:
            if hand.phase == "play":
                kind = "leads" if hand.question == "lead" else "answers"
                full[kind].append(len(hand.legal_codes()))
                short[kind].append(len(hand.legal_codes(compact=True)))
            hand.advance(code)
    return ", ".join(f"{kind} {_middle(full[kind])} full, {_middle(short[kind])} short" for kind in full)


def _middle(lengths: list[int]) -> str:
    """Give the median and the 95th percentile."""
    return f"{int(median(lengths))}/{quantiles(lengths, n=20)[-1]:.0f}"


def clone(games: Games) -> int:
    """Clone one hand many times."""
    copy = games[0][0].clone
    for _ in range(100_000):
        copy()
    return 100_000


def deal_hands(_games: Games) -> int:
    """Deal hands from seeds."""
    for number in range(300):
        Hand.deal(RULES, seed_of(number))
    return 300


def check_digests(games: Games) -> None:
    """Fail if a replay ends in another state than the recording."""
    for deal, codes, digest in games:
        replayed = deal.clone()
        replayed.advance_all(codes)
        if replayed.digest() != digest:
            raise SystemExit("a replay ended in another state")


def measured(games: Games) -> list[tuple[str, str, dict[str, Run]]]:
    """Give what is measured: its name, its unit, and by each game's name how it is done there."""
    ours: dict[str, Callable[[Games], int]] = {
        "validate and apply, in C": replay_in_c,
        "validate and apply, from Python": replay_from_python,
        "clone, from Python": clone,
        "deal": deal_hands,
        "list and apply, from Python": drive_from_python,
        "random hands": play_out,
        "random actions": random_actions,
        "random hands from one position": play_out_from_one,
    }
    beside = {
        "validate and apply, from Python": "apply",
        "clone, from Python": "clone",
        "list and apply, from Python": "drive",
        "random actions": "playout",
    }
    peers = {"OpenSpiel Dou Dizhu": open_spiel(), "RLCard Dou Dizhu": rlcard()}
    return [
        (
            name,
            "a second" if name.startswith(("list", "random")) else "ns",
            {"Gouji": partial(run, games)}
            | {peer: does[beside[name]] for peer, does in peers.items() if beside.get(name) in does},
        )
        for name, run in ours.items()
    ]


def main() -> None:
    """Print each figure on a line, ours first, then the peers'."""
    games = record_games()
    check_digests(games)
    mix = Counter(decode(code).kind.text for _, codes, _ in games for code in codes)
    total = mix.total()
    shares = ", ".join(f"{n / total:.1%} {kind}" for kind, n in mix.most_common())
    print(f"{platform.machine()}, Python {platform.python_version()}")
    print(f"{total} actions of {len(games)} games: {shares}")
    for name, unit, runs in measured(games):
        for game, nanoseconds in best_of_each(runs).items():
            figure = nanoseconds if unit == "ns" else 1e9 / nanoseconds
            print(f"{name:34}{game:22}{figure:12.1f} {unit}")
    print(f"{total / len(games):.0f} actions a hand; lengths of lists, median/95th percentile: {list_lengths(games)}")


if __name__ == "__main__":
    main()
