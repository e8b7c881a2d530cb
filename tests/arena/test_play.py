"""Duplicate deals: fair, repeatable, and safe from what players do."""

from typing import ClassVar

import pytest

from gouji.arena.play import Contest, play_deal
from gouji.engine import PRESETS, Action, Observation, RuleSet
from gouji.players import PLAYERS, Player

STANDARD = RuleSet.parse("standard")
GREEDY, RANDOM = PLAYERS["greedy"](), PLAYERS["random"]()


def contest(rules: object = "standard", hands: int = 1) -> Contest:
    return Contest("a", "b", RuleSet.parse(rules), hands)


@pytest.mark.parametrize("preset", PRESETS)
def test_two_equal_players_are_even_on_every_deal(preset: str) -> None:
    duel, tallies = play_deal(contest(preset), (GREEDY, GREEDY), 3)
    assert sum(duel.points) == sum(duel.places) == 0
    assert tallies[0].decisions == tallies[1].decisions > 0
    assert tallies[0].faults == 0


def test_the_same_deal_is_the_same_game_and_others_are_others() -> None:
    duels = [play_deal(contest(), (RANDOM, GREEDY), deal)[0] for deal in (1, 1)]
    assert duels[0] == duels[1]
    seeds = [Contest("a", "b", STANDARD, seed=seed) for seed in ("1", "2")]
    counts = [play_deal(each, (GREEDY, GREEDY), 1)[1][0].decisions for each in seeds]
    assert counts[0] != counts[1]


def test_players_change_cards_and_not_only_seats() -> None:
    seen: list[tuple[int, str]] = []

    class Watcher(type(GREEDY)):  # type: ignore[misc]
        def decide(self, observation: Observation, seed: int, budget_seconds: float, /) -> Action:
            if observation.phase == "play" and observation.cards == observation.dealt:
                seen.append((observation.seat or 0, "".join(map(str, observation.cards))))
            action: Action = super().decide(observation, seed, budget_seconds)
            return action

    play_deal(contest(), (Watcher(), GREEDY), 1)
    assert {seat for seat, _ in seen} == set(range(6))
    assert len({cards for _, cards in seen}) == 6


def test_a_game_of_more_hands_settles_tribute() -> None:
    asked: set[str] = set()

    class Watcher(type(GREEDY)):  # type: ignore[misc]
        def decide(self, observation: Observation, seed: int, budget_seconds: float, /) -> Action:
            asked.add(observation.question or "")
            action: Action = super().decide(observation, seed, budget_seconds)
            return action

    play_deal(contest("qingdao", hands=3), (Watcher(), GREEDY), 1)
    assert {"pay", "return", "lead", "answer"} <= asked


class Broken:
    """Raises, or chooses what is not lawful, in turn."""

    summary: ClassVar[str] = "Broken."
    turns = 0

    def decide(self, observation: Observation, _seed: int, _budget_seconds: float, /) -> Action:
        self.turns += 1
        if self.turns % 2:
            raise ZeroDivisionError
        return Action.parse(f"{observation.seat} play WWWW")


def test_what_a_broken_player_does_costs_nothing_but_its_turns() -> None:
    broken: Player = Broken()
    duel, (tally, other) = play_deal(contest(), (broken, GREEDY), 1)
    assert (tally.faults, other.faults) == (tally.decisions, 0)
    assert sum(duel.points) < 0


def test_a_free_for_all_counts_seats() -> None:
    duel, _ = play_deal(contest("free_for_all"), (GREEDY, RANDOM), 1)
    assert duel.places == (18, 18)
    assert all(points > 0 for points in duel.points)
