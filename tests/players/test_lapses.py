"""Levels that forget and overlook: what stays with them, and that the more they lose the weaker they are."""

import math
import random
from collections import Counter
from dataclasses import replace
from itertools import pairwise

import pytest

from gouji.arena.play import Contest, play_deal
from gouji.engine import Action, Hand, RuleSet
from gouji.engine.cards import counts_of
from gouji.engine.hand import decode
from gouji.players import PLAYERS
from gouji.players.lapses import CarelessPlayer, CasualPlayer, LapsingPlayer
from gouji.players.planner import PlannerPlayer

from ..engine.test_observation import random_rules
from .lawful import play_match

STANDARD = RuleSet.parse("standard")


class Attentive(LapsingPlayer):
    """Loses nothing."""

    summary = "Plays as the planner does."
    lapses = 0.0


class Blind(LapsingPlayer):
    """Sees as little as it may."""

    summary = "Overlooks whatever it can."
    lapses = 1.0


def played_on(turns: int, number: int = 3) -> list[Hand]:
    """A hand as it stood at each turn."""
    hand, chance, stood = Hand.deal(STANDARD, number.to_bytes(32, "big")), random.Random(number), []
    while not hand.over and len(stood) < turns:
        assert hand.turn is not None
        stood.append(hand.clone())
        hand.apply(PLAYERS["greedy"]().decide(hand.observe(hand.turn), chance.getrandbits(64), math.inf))
    return stood


def test_who_loses_nothing_plays_as_a_planner_that_does_not_count_what_others_hold() -> None:
    for hand in played_on(300):
        assert hand.turn is not None
        seen = hand.observe(hand.turn)
        planned = PlannerPlayer().decide(replace(seen, position=b""), 7, math.inf)
        assert Attentive().decide(seen, 7, math.inf) == planned


def test_what_was_forgotten_of_others_stays_forgotten_and_its_own_cards_are_remembered() -> None:
    for seat in range(6):
        kept = [CasualPlayer()._remembered(hand.observe(seat)) for hand in played_on(300)]
        for earlier, later in pairwise(kept):
            for before, after in zip(earlier.seats, later.seats, strict=True):
                assert all(a >= b for a, b in zip(counts_of(after.played), counts_of(before.played), strict=True))
        true = played_on(300)[-1].observe(seat)
        assert kept[-1].seats[seat].played == true.seats[seat].played
        forgotten = [
            sum(counts_of(whole.played)) - sum(counts_of(left.played))
            for whole, left in zip(true.seats, kept[-1].seats, strict=True)
        ]
        assert 0.1 < sum(forgotten) / sum(sum(counts_of(one.played)) for one in true.seats) < 0.3


def test_the_more_it_loses_the_fewer_plays_it_sees_and_never_none() -> None:
    hand = Hand.position(STANDARD, ["44455566", "7", "7", "7", "7", "7"], 0)
    codes = hand.legal_codes(compact=True)
    seen = [[len(player._seen(codes, 8, seed)) for seed in range(200)] for player in (CasualPlayer(), CarelessPlayer())]
    assert len(codes) > sum(seen[0]) / 200 > sum(seen[1]) / 200
    assert min(seen[1]) > 0
    assert Blind()._seen(codes, 8, 1) == codes


def test_of_a_rank_it_overlooks_all_plays_or_none() -> None:
    hand = Hand.position(STANDARD, ["44455566", "7", "7", "7", "7", "7"], 0)
    codes = hand.legal_codes(compact=True)
    whole = Counter(decode(code).cards[-1] for code in codes)
    for seed in range(50):
        seen = Counter(decode(code).cards[-1] for code in CarelessPlayer()._seen(codes, 8, seed))
        assert all(seen[rank] == whole[rank] for rank in seen)


def test_the_play_that_takes_it_out_is_never_overlooked() -> None:
    hand = Hand.position(STANDARD, ["KKK", "7", "7", "7", "7", "7"], 0)
    for seed in range(20):
        assert Blind().decide(hand.observe(0), seed, math.inf) == Action.parse("0 play KKK")


def test_hidden_hands_change_none_of_its_choices() -> None:
    """What it forgets follows from what it was dealt, not from what others hold."""
    chance = random.Random(5)
    for hand in played_on(120)[::7]:
        assert hand.turn is not None
        seen = hand.observe(hand.turn)
        other = seen.determinize(chance).observe(hand.turn)
        assert CarelessPlayer().decide(seen, 9, math.inf) == CarelessPlayer().decide(other, 9, math.inf)


@pytest.mark.parametrize("number", range(6))
def test_what_it_chooses_is_lawful_under_any_rules(number: int) -> None:
    chance = random.Random(number)
    assert play_match(CarelessPlayer(), random_rules(chance), chance, hands=1)


@pytest.mark.parametrize(("stronger", "weaker"), [("planner", "casual"), ("casual", "careless")])
def test_who_loses_more_is_the_weaker(stronger: str, weaker: str) -> None:
    contest = Contest(stronger, weaker, RuleSet.parse("qingdao"))
    duels = [play_deal(contest, (PLAYERS[stronger](), PLAYERS[weaker]()), deal) for deal in range(20)]
    assert sum(sum(duel.places) for duel, _ in duels) > 0
    assert all(tally.faults == 0 for _, tallies in duels for tally in tallies)
