"""What every player must do, and what each is for."""

import math
import random

import pytest

from gouji.engine import Action, Hand, RuleSet
from gouji.players import PLAYERS

STANDARD = RuleSet.parse("standard")
QUICK = [level for level in PLAYERS if level != "search"]
"""Levels that play a whole hand in no time."""


def seed_of(number: int) -> bytes:
    return number.to_bytes(32, "big")


def play_out(hand: Hand, levels: tuple[str, ...], seed: int) -> list[Action]:
    """Play a hand to its end, each seat by its level, and return what was done."""
    chance = random.Random(seed)
    done = []
    while not hand.over:
        assert hand.turn is not None
        player = PLAYERS[levels[hand.turn]]()
        action = player.decide(hand.observe(hand.turn), chance.getrandbits(64), math.inf)
        hand.apply(action)  # raises for what is not legal
        done.append(action)
    return done


def decide(hands: list[str], *acts: str, lead: int = 0, level: str = "greedy", **position: object) -> str:
    """Set up a position, do some acts, and return what the asked seat's player then does."""
    hand = Hand.position(STANDARD, hands, lead, **position)  # type: ignore[arg-type]
    for act in acts:
        hand.apply(Action.parse(act))
    assert hand.turn is not None
    return str(PLAYERS[level]().decide(hand.observe(hand.turn), 0, math.inf))


@pytest.mark.parametrize("level", QUICK)
@pytest.mark.parametrize("number", range(5))
def test_a_player_plays_lawfully_to_the_end(level: str, number: int) -> None:
    hand = Hand.deal(STANDARD, seed_of(number))
    play_out(hand, (level,) * 6, number)
    assert hand.over


@pytest.mark.parametrize("level", QUICK)
def test_the_same_observation_and_seed_give_the_same_choice(level: str) -> None:
    first = Hand.deal(STANDARD, seed_of(7))
    again = Hand.deal(STANDARD, seed_of(7))
    assert play_out(first, (level,) * 6, 1) == play_out(again, (level,) * 6, 1)


@pytest.mark.parametrize("level", PLAYERS)
def test_a_player_that_is_not_asked_says_so(level: str) -> None:
    hand = Hand.position(STANDARD, ["4449", "55", "5", "5", "5", "5"], 0)
    with pytest.raises(ValueError, match="not asked"):
        PLAYERS[level]().decide(hand.observe(1), 0, math.inf)


@pytest.mark.parametrize("level", PLAYERS)
def test_a_player_says_in_a_sentence_what_it_is(level: str) -> None:
    assert PLAYERS[level].summary.endswith(".")


def test_random_takes_each_legal_action_as_likely_as_any_other() -> None:
    observation = Hand.position(STANDARD, ["459", "5", "5", "5", "5", "5"], 0).observe(0)
    chance = random.Random(3)
    taken = [PLAYERS["random"]().decide(observation, chance.getrandbits(64), math.inf) for _ in range(600)]
    counts = [taken.count(action) for action in observation.legal_actions()]
    assert len(counts) == 3
    assert all(150 < count < 250 for count in counts)


@pytest.mark.parametrize(
    ("hands", "acts", "expected"),
    [
        # The lowest rank whole, though twos and jokers could be added.
        (["Ww2244499", "5", "5", "5", "5", "5"], [], "0 play 444"),
        # All that is left, in one play.
        (["Ww22444", "5", "5", "5", "5", "5"], [], "0 play Ww22444"),
        # The lowest rank that beats, without twos where that will do.
        (["4449", "KKK66662", "5", "5", "5", "5"], ["0 play 444"], "1 play 666"),
        # A two rather than nothing.
        (["4449", "266KQJT987", "5", "5", "5", "5"], ["0 play 444"], "1 play 266"),
        # Jokers are saved while many cards are left ...
        (["4449", "w66KQJT987", "5", "5", "5", "5"], ["0 play 444"], "1 pass"),
        # ... and spent when few are.
        (["4449", "w66KQJ", "5", "5", "5", "5"], ["0 play 444"], "1 play w66"),
        # A team-mate's play stands ...
        (["4449", "5", "5556", "5", "5", "5"], ["0 play 444", "1 pass"], "2 pass"),
        # ... unless one can go out.
        (["4449", "5", "555", "5", "5", "5"], ["0 play 444", "1 pass"], "2 play 555"),
    ],
)
def test_greedy_answers_cheaply_and_spares_its_own_team(hands: list[str], acts: list[str], expected: str) -> None:
    assert decide(hands, *acts) == expected


def test_greedy_burns_only_to_go_out() -> None:
    hands = ["KK9", "AA5", "5", "5", "5", "5"]
    assert decide(["KK9", "AAW4", "5", "5", "5", "5"], "0 play KK") == "1 pass"
    assert decide([*hands[:1], "AA", *hands[2:]], "0 play KK") == "1 burn AA"


def test_greedy_leaves_a_hand_only_when_it_holds_no_gouji_play() -> None:
    rest = ["45", "45", "45", "45", "45"]
    assert decide(["3344567899TJJQK", *rest], phase="revolt") == "0 revolt"
    assert decide(["3344567899TJJQKK", *rest], phase="revolt") == "0 stay"


def test_greedy_keeps_a_head_for_three_gouji_plays() -> None:
    rest = ["3w45", "3w45", "3w45"]
    few = ["3456", "w5", "w5", "3344AAw", *rest[:2]]
    many = ["3456", "w5", "w5", "3344AAKKw", *rest[:2]]
    assert decide(few, "0 revolt", phase="revolt") == "3 no_head"
    assert decide(many, "0 revolt", phase="revolt") == "3 keep_head"


def test_greedy_beats_random_on_the_same_deals_with_the_teams_swapped() -> None:
    deals, best = 10, 5 + 3 + 1
    score = 0
    for number in range(deals):
        for levels in (("greedy", "random") * 3, ("random", "greedy") * 3):
            hand = Hand.deal(STANDARD, seed_of(number), leader=0)
            play_out(hand, levels, number)
            score += sum(5 - 2 * place for place, seat in enumerate(hand.order) if levels[seat] == "greedy")
    assert score > 0.8 * best * deals * 2
