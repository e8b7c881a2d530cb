"""Peers to measure beside the engine: Dou Dizhu (鬥地主), the nearest game of its kind, in OpenSpiel and in RLCard.

`pip install -r benchmarks/requirements.txt` brings them; what is not installed is left out. Each peer does what
``engine.py`` does with its own game: the same loops, its own fastest way in.
"""

import importlib
import random
from collections.abc import Callable
from typing import Any

GAMES = 200

Run = Callable[[], int]
"""Does a number of things and says how many."""


def open_spiel() -> dict[str, Run]:
    """OpenSpiel's Dou Dizhu, from dealt states; empty when it is not installed."""
    try:
        spiel = importlib.import_module("pyspiel")
    except ImportError:
        return {}
    rng = random.Random(1)
    game = spiel.load_game("dou_dizhu")
    deals = [_dealt(game, rng) for _ in range(GAMES)]
    played = [(deal, _random_moves(deal, rng)) for deal in deals]
    bots = [spiel.make_uniform_random_bot(seat, seat) for seat in range(3)]

    def apply_recorded() -> int:
        for deal, moves in played:
            apply = deal.clone().apply_action
            for move in moves:
                apply(move)
        return sum(len(moves) for _, moves in played)

    def drive() -> int:
        return sum(len(_random_moves(deal, rng)) for deal in deals)

    def clone() -> int:
        copy = deals[0].clone
        for _ in range(20_000):
            copy()
        return 20_000

    def play_out() -> int:
        for number, deal in enumerate(deals):
            spiel.evaluate_bots(deal.clone(), bots, number)
        return sum(len(moves) for _, moves in played)

    return {"apply": apply_recorded, "drive": drive, "clone": clone, "playout": play_out}


def _dealt(game: Any, rng: random.Random) -> Any:
    state = game.new_initial_state()
    while state.is_chance_node():
        state.apply_action(rng.choice([outcome for outcome, _ in state.chance_outcomes()]))
    return state


def _random_moves(deal: Any, rng: random.Random) -> list[int]:
    state, moves = deal.clone(), []
    while not state.is_terminal():
        moves.append(rng.choice(state.legal_actions()))
        state.apply_action(moves[-1])
    return moves


def rlcard() -> dict[str, Run]:
    """RLCard's Dou Dizhu; empty when it is not installed."""
    try:
        make = importlib.import_module("rlcard").make
    except ImportError:
        return {}
    env, rng = make("doudizhu"), random.Random(1)

    def drive() -> int:
        moves = 0
        for _ in range(5):
            state, _ = env.reset()
            while not env.is_over():
                state, _ = env.step(rng.choice(list(state["legal_actions"])))
                moves += 1
        return moves

    return {"drive": drive}
