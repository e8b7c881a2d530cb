"""One deal between two players, played twice. The same settings and number give the same games, move by move."""

import hashlib
import math
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from gouji.engine import Action, Hand, Match, Observation, RuleSet
from gouji.engine.cards import SEATS, team_of
from gouji.players import Player

PLACE_POINTS: Final = (5, 3, 1, -1, -3, -5)
"""What each place counts in every preset alike, head first, beside the preset's own points."""

MOST_ACTIONS: Final = 20_000
"""More than any hand takes: one that goes on is a fault of the rules."""


@dataclass(frozen=True, slots=True)
class Contest:
    """What is played: two players by name, the rules, hands a game, and the seed of all chance."""

    a: str
    b: str
    rules: RuleSet
    hands: int = 1
    seed: str = "1"
    budget_seconds: float = math.inf


@dataclass(slots=True)
class Tally:
    """What a player did: decisions, those of them replaced since it raised an error or chose unlawfully, and time."""

    decisions: int = 0
    faults: int = 0
    seconds: float = 0.0
    longest_seconds: float = 0.0

    def add(self, other: "Tally") -> None:
        """Add up."""
        self.decisions += other.decisions
        self.faults += other.faults
        self.seconds += other.seconds
        self.longest_seconds = max(self.longest_seconds, other.longest_seconds)


@dataclass(frozen=True, slots=True)
class Duel:
    """How a deal went: by what the first player had more than the second, in each of the two games."""

    deal: int
    points: tuple[int, int]
    places: tuple[int, int]


def play_deal(contest: Contest, players: tuple[Player, Player], deal: int) -> tuple[Duel, tuple[Tally, Tally]]:
    """Play a deal with the first player at the even seats, and again with it at the odd ones."""
    tallies = (Tally(), Tally())
    games = [_Game(contest, deal, shift, players, tallies).play() for shift in range(2)]
    points, places = zip(*games, strict=True)
    return Duel(deal, points, places), tallies


class _Game:
    def __init__(
        self, contest: Contest, deal: int, shift: int, players: tuple[Player, Player], tallies: tuple[Tally, Tally]
    ) -> None:
        self._contest = contest
        self._deal = deal
        self._shift = shift
        self._players = players
        self._tallies = tallies

    def play(self) -> tuple[int, int]:
        """Play the hands of the game; the differences in points and in places."""
        match = Match(self._contest.rules, hands=self._contest.hands)
        places = 0
        while not match.over:
            hand = match.deal(_drawn(self._contest.seed, self._deal, "deal", match.dealt), history=True)
            self._play_hand(hand, match.dealt)
            match.record(hand)
            places += self._lead([_place_points(hand, seat) for seat in range(SEATS)])
        teams = match.team_scores
        return (self._lead_of_teams(teams) if teams else self._lead(match.scores)), places

    def _side(self, seat: int) -> int:
        return (seat + self._shift) % 2

    def _lead(self, by_seat: Sequence[int]) -> int:
        return sum(points if self._side(seat) == 0 else -points for seat, points in enumerate(by_seat))

    def _lead_of_teams(self, teams: tuple[int, int]) -> int:
        even, odd = teams
        return even - odd if self._side(team_of(0)) == 0 else odd - even

    def _play_hand(self, hand: Hand, number: int) -> None:
        for turn in range(MOST_ACTIONS):
            if hand.turn is None:
                return
            side = self._side(hand.turn)
            # Chance of its own for each decision, which tells nothing of the deal.
            seed = _drawn(self._contest.seed, self._deal, self._shift, number, turn)
            hand.apply(self._decide(side, hand, int.from_bytes(seed[:8], "big")))
        raise RuntimeError(f"a hand under {self._contest.rules} did not end in {MOST_ACTIONS} actions")

    def _decide(self, side: int, hand: Hand, seed: int) -> Action:
        observation = hand.observe(hand.turn)
        began = time.perf_counter()
        action = _lawful(hand, self._players[side], observation, seed, self._contest.budget_seconds)
        took = time.perf_counter() - began
        self._tallies[side].add(Tally(1, action is None, took, took))
        return hand.default_action() if action is None else action


def _lawful(hand: Hand, player: Player, observation: Observation, seed: int, budget_seconds: float) -> Action | None:
    """Give a player's choice if it is an action that the rules allow."""
    try:
        action = player.decide(observation, seed, budget_seconds)
        return action if hand.refusal(action) is None else None
    except Exception:  # noqa: BLE001 (whatever another author's player raises costs its turn alone)
        return None


def _place_points(hand: Hand, seat: int) -> int:
    return 0 if hand.void else PLACE_POINTS[hand.order.index(seat)]


def _drawn(*parts: object) -> bytes:
    """Give 32 bytes that follow from these parts."""
    return hashlib.sha256("/".join(map(str, parts)).encode()).digest()
