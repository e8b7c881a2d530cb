"""The environment passes PettingZoo's own tests, and is Gouji."""

import random

import pytest

pytest.importorskip("pettingzoo", reason="the extra gouji[zoo]")

import numpy as np
from pettingzoo.test import api_test, seed_test

from gouji.engine import PRESETS, Hand, RuleSet
from gouji.players import PLAYERS
from gouji.zoo.env import AGENTS, LENGTH, GoujiEnv, encode


@pytest.mark.parametrize("preset", PRESETS)
def test_it_passes_pettingzoo_s_own_api_test(preset: str) -> None:
    api_test(GoujiEnv(RuleSet.parse(preset)), num_cycles=300)


def test_it_passes_pettingzoo_s_own_seed_test() -> None:
    seed_test(GoujiEnv, num_cycles=100)


def test_players_play_in_it_as_at_a_table_and_are_rewarded_with_the_points() -> None:
    env = GoujiEnv()
    env.reset(seed=5)
    hand = Hand.deal(env.rules, random.Random(5).randbytes(32), history=True)
    planner = PLAYERS["planner"]()
    rewards = {}
    for agent in env.agent_iter():
        _, reward, over, _, info = env.last()
        if over:
            rewards[agent] = reward
            env.step(None)
            continue
        action = planner.decide(info["observation"], 1, 0.0)
        assert (AGENTS[hand.turn or 0], info["observation"]) == (agent, hand.observe(hand.turn))
        hand.apply(action)
        env.step(info["choices"].index(action))
    assert hand.over
    assert hand.team_scores is not None
    assert rewards == {agent: hand.team_scores[seat % 2] for seat, agent in enumerate(AGENTS)}


def test_an_agent_sees_its_own_seat_alone() -> None:
    env = GoujiEnv()
    env.reset(seed=1)
    assert [agent for agent, info in env.infos.items() if info] == [env.agent_selection]
    other = AGENTS[(AGENTS.index(env.agent_selection) + 1) % 6]
    assert not env.infos[other]
    with pytest.raises(ValueError, match="none of them"):
        env.step(2000)


def test_an_observation_is_written_from_its_viewer_on() -> None:
    hand = Hand.position(RuleSet.parse("standard"), ["4449", "55", "666", "5", "5", "5"], 0)
    numbers = encode(hand.observe(0))
    assert numbers.shape == (LENGTH,)
    assert numbers[:15].tolist() == [0, 3, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0]
    left = [15 + seat * 22 + 15 for seat in range(6)]
    assert numbers[left].tolist() == [4, 2, 3, 1, 1, 1]
    assert np.array_equal(encode(hand.observe(2))[left], [3, 1, 1, 1, 4, 2])
