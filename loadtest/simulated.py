"""Matches of simulated players of known strength, hand by hand, as tables write them.

Who plays how is drawn: in each hand a seat does as well as its player is strong, give or take its own luck and the luck
that its team has in common; the better ones finish first. Points are those of R7.1.
"""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from gouji.v1 import rules_pb2
from gouji.v1.events_pb2 import Seat
from gouji.v1.scoring_pb2 import BurnTried, Conduct, HandResult

SEATS: Final = 6
POINTS: Final = (4, 2, 0, 0, -2, -4)
PRESETS: Final = ("standard", "standard", "qingdao", "free_for_all")
HAND_US: Final = 240_000_000
"""How long a hand takes, in microseconds."""


@dataclass(frozen=True)
class Luck:
    """How much chance there is in a hand, in points of strength: a seat's own, and a team's."""

    own: float = 12.0
    team: float = 8.0

    def order(self, strengths: Sequence[float], chance: random.Random) -> list[int]:
        """Draw who finishes when, the head first."""
        teams = [chance.gauss(0, self.team) for _ in range(2)]
        done = [strength + teams[seat % 2] + chance.gauss(0, self.own) for seat, strength in enumerate(strengths)]
        return sorted(range(SEATS), key=lambda seat: -done[seat])


def points(order: Sequence[int]) -> list[int]:
    """Give each seat the points of its place."""
    made = [0] * SEATS
    for worth, seat in zip(POINTS, order, strict=True):
        made[seat] = worth
    return made


def population(people: int, spread: float, chance: random.Random) -> dict[str, float]:
    """Draw players and their strengths, around that of a beginner's rating."""
    return {f"p{number:06}": chance.gauss(25.0, spread) for number in range(people)}


def results(
    strengths: dict[str, float], matches: int, began: int, chance: random.Random, luck: Luck = Luck()
) -> Iterator[list[HandResult]]:
    """Draw matches of one to four hands, one after the other from a moment in microseconds.

    Some have bots, some players that leave or let a bot play, some are given up, some are of no queue.
    """
    people, at = sorted(strengths), began
    for number in range(matches):
        players = [player if chance.random() < 0.95 else "" for player in chance.sample(people, SEATS)]
        at += chance.randrange(HAND_US)
        first = HandResult(
            table_id=f"m{number:08}",
            rules=rules_pb2.RuleSet(preset=chance.choice(PRESETS)),
            queue=chance.choice(("east/quick", "east/quick", "west/long", "")),
            seats=[Seat(player_id=player) if player else Seat(bot_level="greedy") for player in players],
            stand_in="greedy",
        )
        yield _match(first, [strengths.get(player, 15.0) for player in players], at, chance, luck)


def _match(
    first: HandResult, strengths: Sequence[float], began: int, chance: random.Random, luck: Luck
) -> list[HandResult]:
    hands, absent = chance.randint(1, 4), chance.randrange(SEATS) if chance.random() < 0.1 else None
    given_up = chance.random() < 0.02
    made = []
    for number in range(1, hands + 1):
        hand = HandResult()
        hand.CopyFrom(first)
        hand.hand = hand.results = number
        hand.last = number == hands
        hand.began.FromMicroseconds(began + (number - 1) * HAND_US)
        hand.ended.FromMicroseconds(began + number * HAND_US)
        if hand.last and given_up:
            hand.abandoned = True
        else:
            _play(hand, strengths, absent, chance, luck)
        made.append(hand)
    return made


def _play(hand: HandResult, strengths: Sequence[float], absent: int | None, chance: random.Random, luck: Luck) -> None:
    order = luck.order(strengths, chance)
    scores = points(order)
    hand.order.extend(order)
    hand.scores.extend(scores)
    if hand.rules.preset != "free_for_all":
        hand.team_scores.extend((sum(scores[0::2]), sum(scores[1::2])))
        hand.sweep = len({seat % 2 for seat in order[:3]}) == 1
    hand.opened.extend(sorted(chance.sample(range(SEATS), 4)))
    hand.burns.extend(BurnTried(burner=chance.randrange(3), burned=3, won=True) for _ in range(chance.randrange(2)))
    for seat in range(SEATS):
        away = seat == absent or bool(hand.seats[seat].bot_level)
        hand.conduct.append(
            Conduct(
                by_player=0 if away else 30,
                by_bot=30 if away else 0,
                left=seat == absent and hand.last,
                absent_us=HAND_US if seat == absent else 0,
            )
        )
