"""One hand of Gouji as an agent-environment cycle (AEC): six agents, each with what its seat may see.

An action is the place of a choice in the short list of the seat that is asked (`Observation.legal_actions`, compact).
The `action_mask` of its info says how long the list is; the list itself, as `Action`s (`choices`), and the whole
`Observation` (`observation`) are there too.
"""

import secrets
from random import Random
from typing import Any, ClassVar, Final

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray
from pettingzoo import AECEnv

from gouji.engine import Action, Hand, Observation, RuleSet
from gouji.engine.cards import SEATS, counts_of
from gouji.engine.hand import QUESTIONS

MOST_CHOICES: Final = 2048
"""Longest list that an agent is offered; what a hand of many jokers has beyond that is left out."""

LENGTH: Final = 15 + SEATS * (15 + 7) + 15 + SEATS + 2 + len(QUESTIONS)
"""Numbers in an observation, as `encode` writes them."""

AGENTS: Final = [f"seat_{seat}" for seat in range(SEATS)]

Seen = NDArray[np.uint8]


def encode(observation: Observation) -> NDArray[np.uint8]:
    """Write an observation as `LENGTH` numbers of 0 to 255, seats in turn order from the viewer on.

    Own cards by rank; of each seat the cards played by rank, cards left (255: hidden), in, passed, has a head, opened,
    burning, place; the table's cards by rank, whose they are, whether they are a Gouji play; scramble; the question.
    """
    me = observation.seat or 0
    numbers: list[int] = np.bincount([card.rank for card in observation.cards], minlength=15).tolist()
    for seat in (observation.seats[(me + steps) % SEATS] for steps in range(SEATS)):
        flags = (seat.is_in, seat.passed, seat.has_head, seat.opened, seat.burning)
        numbers += [*counts_of(seat.played), seat.cards_left % 256, *map(int, flags), seat.place]
    numbers += counts_of(observation.table)
    numbers += [int(observation.table_seat == (me + steps) % SEATS) for steps in range(SEATS)]
    numbers += [int(observation.table_is_gouji), int(observation.scramble)]
    numbers += [int(observation.question == question) for question in QUESTIONS]
    return np.array(numbers, dtype=np.uint8)


class GoujiEnv(AECEnv[str, Seen, int | None]):  # type: ignore[misc] # it comes without types
    """One hand; at its end each agent is rewarded with the points of its seat, or of its team where there are teams."""

    metadata: ClassVar[dict[str, Any]] = {"name": "gouji_v0", "render_modes": ["ansi"], "is_parallelizable": False}

    def __init__(self, rules: RuleSet | None = None, render_mode: str | None = None) -> None:
        """Take the rules to play by, the preset ``standard`` when None."""
        super().__init__()
        self.rules = rules or RuleSet.parse("standard")
        self.render_mode = render_mode
        self.possible_agents = list(AGENTS)
        self.agents = list(AGENTS)
        self._actions = spaces.Discrete(MOST_CHOICES)
        self._observations = spaces.Box(0, 255, (LENGTH,), np.uint8)
        self.infos: dict[str, dict[str, Any]] = {}
        self._choices: list[Action] = []
        self._hand: Hand

    def observation_space(self, agent: str) -> spaces.Space[Any]:  # noqa: ARG002 (the same for all)
        """Give the space of observations, the same for all agents."""
        return self._observations

    def action_space(self, agent: str) -> spaces.Space[Any]:  # noqa: ARG002 (the same for all)
        """Give the space of actions, the same for all agents."""
        return self._actions

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:  # noqa: ARG002 (none)
        """Deal anew; the same seed deals the same cards, and the rules stay."""
        deal = Random(seed).randbytes(32) if seed is not None else secrets.token_bytes(32)  # noqa: S311 (repeatable)
        self._hand = Hand.deal(self.rules, deal, history=True)
        self.agents = list(AGENTS)
        self.rewards = dict.fromkeys(AGENTS, 0.0)
        self._cumulative_rewards = dict.fromkeys(AGENTS, 0.0)
        self.terminations = dict.fromkeys(AGENTS, False)
        self.truncations = dict.fromkeys(AGENTS, False)
        self._ask()

    def observe(self, agent: str) -> Seen:
        """Give what an agent's seat may see, as `encode` writes it."""
        return encode(self._hand.observe(AGENTS.index(agent)))

    def step(self, action: int | None) -> None:
        """Do the choice of that place in the list. Raises ValueError for a place that the list does not have."""
        if self.terminations[self.agent_selection]:
            self._was_dead_step(action)
            return
        if action is None or not 0 <= action < len(self._choices):
            raise ValueError(f"there are {len(self._choices)} choices, and {action} is none of them")
        self._cumulative_rewards[self.agent_selection] = 0.0
        self._clear_rewards()
        self._hand.apply(self._choices[action])
        self._ask()
        self._accumulate_rewards()

    def render(self) -> str | None:
        """Give the table in a line, where the mode is ``ansi``; no hand is shown."""
        if self.render_mode != "ansi":
            return None
        hand = self._hand
        return f"{self.agent_selection} {hand.question or 'over'} on {hand.table or 'nothing'}; out: {hand.finished}"

    def close(self) -> None:
        """Do nothing: there is nothing to give back."""

    def _ask(self) -> None:
        """Select the agent that is asked, or end the hand."""
        turn = self._hand.turn
        if turn is None:
            self._end()
            return
        seen = self._hand.observe(turn)
        self._choices = seen.legal_actions(compact=True)[:MOST_CHOICES]
        self.agent_selection = AGENTS[turn]
        self.infos = {agent: {} for agent in AGENTS}
        mask = np.zeros(MOST_CHOICES, dtype=np.int8)
        mask[: len(self._choices)] = 1
        self.infos[AGENTS[turn]] = {"action_mask": mask, "observation": seen, "choices": list(self._choices)}

    def _end(self) -> None:
        teams = self._hand.team_scores
        points = [teams[seat % 2] if teams else self._hand.scores[seat] for seat in range(SEATS)]
        self._choices = []
        self.infos = {agent: {} for agent in AGENTS}
        self.rewards = dict(zip(AGENTS, map(float, points), strict=True))
        self.terminations = dict.fromkeys(AGENTS, True)
