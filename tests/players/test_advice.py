"""What the planner says of its choices."""

import math
import random
from collections import Counter

import pytest

from gouji.engine import Action, Hand, RuleSet
from gouji.players import PLAYERS
from gouji.players.advice import advise
from gouji.players.why import SENTENCES, Why

from ..engine.test_observation import random_rules
from .test_planner import decisions


def advice(hands: list[str], *acts: str, rules: str = "standard", lead: int = 0, **position: object) -> tuple[str, Why]:
    hand = Hand.position(RuleSet.parse(rules), hands, lead, **position)  # type: ignore[arg-type]
    for act in acts:
        hand.apply(Action.parse(act))
    found = advise(hand.observe(hand.turn))
    return found.action.verb, found.why


LOW = "KQ98877664"
HIGH = "KKQ8776654"


@pytest.mark.parametrize(
    ("position", "expected"),
    [
        ((["Ww999", LOW, LOW, LOW, LOW, LOW],), ("play Ww999", Why.GOES_OUT)),
        ((["W773", *["KK995"] * 5],), ("play W77", Why.JOKER_TAKES_ALONG)),
        ((["33445", *["AAKKQQJJTT9988"] * 5],), ("play 33", Why.SHEDS)),
        ((["AA5555", *["KK997"] * 5],), ("play AA", Why.KEEPS_LEAD)),
        ((["KKQ8776654", "WA99", LOW, LOW, LOW, LOW], "0 play KK"), ("burn WA", Why.BURNS_THROUGH)),
        ((["QQ4", LOW, "AA88776654", LOW, LOW, LOW], "0 play QQ", "1 pass"), ("pass", Why.SPARES_MATE)),
        ((["TTTT", "KKKKQ95", "KK7", "QQ8", "KKJ", "QQ8"], "0 play TTTT"), ("pass", Why.WIND_COMES)),
        ((["99", "34", "55", "55", "55", "55"], "0 play 99"), ("pass", Why.NOTHING_BEATS)),
        ((["JJJ4", "WAA55444", LOW, LOW, LOW, LOW], "0 play JJJ"), ("play WAA", Why.STOPS_OPPONENT)),
    ],
)
def test_a_choice_comes_with_the_reason_that_weighs_most(
    position: tuple[list[str], str], expected: tuple[str, Why]
) -> None:
    assert advice(*position) == expected


def test_opening_is_said() -> None:
    low = "KQT98876643"
    hands = ["KKK8876643", "KQT8876643", "KQT8876643", "AAA8876643", "KQT8876643", low]
    assert advice(hands, "0 play KKK", rules="qingdao") == ("play AAA", Why.OPENS)


def test_before_the_play_too() -> None:
    rest = ["45", "45", "45", "45", "45"]
    assert advice(["3344567899TJJQK", *rest], phase="revolt") == ("revolt", Why.HOPELESS)


def test_whatever_comes_up_in_play_has_a_reason_of_its_own() -> None:
    chance = random.Random(1)
    said = Counter(
        advise(hand.observe(hand.turn)).why
        for preset in ("standard", "lianzhong", "qingdao")
        for hand in decisions(RuleSet.parse(preset), chance, hands=4)
    )
    usual = {Why.SHEDS, Why.SHEDS_AS_ANSWER, Why.SAVES, Why.SPARES_MATE, Why.WINS_LEAD, Why.KEEPS_LEAD, Why.LAST_WORD}
    assert {*usual, Why.OPENS, Why.GOES_OUT, Why.NO_BURN, Why.NOTHING_BEATS} <= set(said)
    assert max(said[why] for why in said) < 0.6 * said.total()


def test_every_reason_is_one_sentence_in_both_languages() -> None:
    assert set(SENTENCES) == set(Why)
    for said in SENTENCES.values():
        assert said.english.endswith(".")
        assert said.english.count(".") == 1
        assert said.chinese.endswith("。")
        assert said.chinese.count("。") == 1


@pytest.mark.parametrize("seed", range(6))
def test_it_advises_what_the_planner_plays(seed: int) -> None:
    chance = random.Random(seed)
    planner = PLAYERS["planner"]()
    for hand in decisions(random_rules(chance), chance, hands=1):
        seen = hand.observe(hand.turn)
        assert advise(seen).action == planner.decide(seen, 1, math.inf)


def test_who_is_not_asked_gets_no_advice() -> None:
    hand = Hand.position(RuleSet.parse("standard"), ["4449", "55", "5", "5", "5", "5"], 0)
    with pytest.raises(ValueError, match="not asked"):
        advise(hand.observe(1))
