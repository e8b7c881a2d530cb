"""An observation holds all that its seat may know, and whole hands drawn from it fit."""

import random
from collections import Counter
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gouji.engine import (
    OPTIONS,
    PRESETS,
    Action,
    ActionKind,
    Debt,
    Hand,
    InvalidState,
    Match,
    Observation,
    RuleSet,
    RuleSetError,
)
from gouji.engine.cards import full_deck
from gouji.engine.events import TributePaid, TributeReturned
from gouji.engine.history import Step, shown

from .leaks import Counts, in_phases, swap_in_match
from .test_properties import RULES as HOUSE_RULES
from .test_properties import cards_of, step

ALL_PHASES = {"advance", "redeal", "tribute", "buy", "call", "sink", "lay_off", "revolt", "play", "last"}
WORDS = {
    option.name: [str(value) for value in ((True, False) if isinstance(option.default, bool) else option.choices)]
    for option in OPTIONS.values()
    if isinstance(option.default, bool) or (isinstance(option.default, str) and option.choices)
}
QINGDAO = RuleSet.parse("qingdao")


def random_rules(chance: random.Random) -> RuleSet:
    """Change some options of some preset, as far as they go together."""
    rules: dict[str, str] = {"preset": chance.choice(list(PRESETS))}
    for name in chance.sample(sorted(WORDS), 12):
        changed = {**rules, name: chance.choice(WORDS[name])}
        try:
            RuleSet.parse(changed)
        except RuleSetError:
            continue
        rules = changed
    return RuleSet.parse(rules)


def fits(seen: Observation, drawn: Hand, hand: Hand) -> None:
    """What holds of every hand drawn from an observation."""
    assert drawn.observe(seen.seat).to_bytes() == seen.to_bytes()
    assert cards_of(drawn) == cards_of(hand)
    assert (drawn.phase, drawn.in_seats, drawn.finished) == (hand.phase, hand.in_seats, hand.finished)
    if hand.turn is not None and not hand.private:
        assert (drawn.turn, drawn.question) == (hand.turn, hand.question)
    if seen.seat is not None and hand.turn == seen.seat:
        assert drawn.legal_actions() == hand.legal_actions() == seen.legal_actions()


def draw_all_along(rules: RuleSet, chance: random.Random, *, hands: int = 2) -> Counter[str]:
    """Play a match; draw at every decision for the seat that decides and for somebody who looks on."""
    match, phases = Match(rules, hands=hands), Counter[str]()
    for number in range(2 * hands):
        if match.over:
            break
        hand = match.deal(chance.randbytes(32), held=number % 2 == 0, history=chance.random() < 0.7)
        while not hand.over:
            viewers = {hand.turn, chance.choice((*range(6), None))}
            for viewer in viewers if hand.phase != "play" or chance.random() < 0.1 else ():
                seen = hand.observe(viewer)
                fits(seen, seen.determinize(chance), hand)
                phases[hand.phase] += 1
            step(hand, chance)
        match.record(hand)
    return phases


def test_a_hand_drawn_from_an_observation_fits_it_in_every_phase() -> None:
    phases = Counter[str]()
    for seed, rules in enumerate(HOUSE_RULES):
        phases += draw_all_along(rules, random.Random(seed))
    assert set(phases) == ALL_PHASES, phases


@settings(max_examples=15, suppress_health_check=[HealthCheck.too_slow])
@given(seed=st.integers(0, 2**32))
def test_a_hand_drawn_from_an_observation_fits_it_under_any_rules(seed: int) -> None:
    chance = random.Random(seed)
    draw_all_along(random_rules(chance), chance)


def test_a_drawn_hand_can_be_played_to_its_end() -> None:
    for seed, rules in enumerate(HOUSE_RULES):
        chance = random.Random(seed)
        hand = Hand.deal(rules, chance.randbytes(32))
        for _ in range(chance.randrange(120)):
            if not hand.over:
                step(hand, chance)
        for viewer in (*range(6), None):
            drawn = hand.determinize(viewer, chance)
            drawn.playout(seed)
            assert drawn.over


def test_draws_of_hidden_cards_are_uniform() -> None:
    hand = Hand.position(RuleSet.parse("standard"), ["3", "4", "5", "6", "7", "8"], 0)
    chance = random.Random(1)
    drawn = Counter(hand.determinize(0, chance).hands for _ in range(12_000))
    # 5! ways for the five hidden cards, a hundred of each: five standard deviations are 50.
    assert len(drawn) == 120
    assert all(50 < count < 150 for count in drawn.values())


def test_draws_among_bound_hands_are_uniform() -> None:
    """Seat 3 keeps the joker that it was paid; the other cards go anywhere."""
    hand = paid_tribute(returned=False)
    chance = random.Random(2)
    drawn = Counter(hand.determinize(0, chance).hands for _ in range(12_000))
    assert all("W" in hands[3] for hands in drawn)
    assert len(drawn) == 120
    assert all(50 < count < 150 for count in drawn.values())


def paid_tribute(*, returned: bool) -> Hand:
    """Seat 4 has paid its W to seat 3, which gave it a five back if cards are returned."""
    rules = RuleSet.parse({"preset": "free_for_all", "revolution": "off", "return_tribute": returned})
    hand = Hand.position(
        rules, ["A", "3", "4", "5", "W7", "8"], 0, phase="tribute", owed=[Debt(4, 3, "burn", 1)], history=True
    )
    for text in ("4 pay W", "3 return 5") if returned else ("4 pay W",):
        hand.apply(Action.parse(text))
    assert hand.phase == "play"
    return hand


def known(hand: Hand) -> dict[int | None, list[str]]:
    return {viewer: [view.known for view in hand.observe(viewer).seats] for viewer in (*range(6), None)}


def test_cards_paid_are_known_to_all_but_may_be_what_is_given_back_unseen() -> None:
    paid, back = known(paid_tribute(returned=False)), known(paid_tribute(returned=True))
    for viewer in (0, 1, 2, 4, 5, None):
        assert paid[viewer] == ["", "", "", "W", "", ""]
        assert back[viewer] == ["", "", "", "W" if viewer == 4 else "", "", ""]
    assert (paid[3], back[3]) == ([""] * 6, ["", "", "", "", "5", ""])


def test_cards_given_back_show_to_the_two_alone() -> None:
    hand = paid_tribute(returned=True)
    for viewer in (*range(6), None):
        history = hand.observe(viewer).history
        assert history is not None
        back = [each for one in history for each in one.consequences if isinstance(each, TributeReturned)]
        assert [(bool(each.cards), each.count) for each in back] == [(viewer in (3, 4), 1)]
        returned = [one.action for one in history if one.action and one.action.kind is ActionKind.RETURN]
        assert [bool(action.cards) for action in returned] == [viewer in (3, 4)]


def test_a_payer_that_gave_its_highest_holds_nothing_higher() -> None:
    rules = RuleSet.parse({"preset": "free_for_all", "revolution": "off", "return_tribute": False})
    hand = Hand.position(
        rules, ["A", "3Ww", "W4", "56", "27", "8"], 0, phase="tribute", owed=[Debt(4, 3, "burn", 1)], history=True
    )
    hand.apply(Action.parse("4 pay 2"))
    for seed in range(200):
        drawn = hand.determinize(0, random.Random(seed))
        assert "2" in drawn.hands[3]
        assert not set(drawn.hands[4]) & set("wW")


def test_a_known_card_is_known_until_it_is_played() -> None:
    hand = paid_tribute(returned=False)
    while "W" not in hand.played[3]:
        assert hand.observe(0).seats[3].known == "W"
        wanted = [action for action in hand.legal_actions() if hand.turn == 3 and "W" in action.cards]
        hand.apply(wanted[0] if wanted else hand.default_action())
    assert hand.observe(0).seats[3].known == ""


def test_private_declines_are_in_nobodys_history() -> None:
    hand = Hand.deal(RuleSet.parse({"preset": "standard", "burn_guard": False}), bytes(32), history=True)
    chance, declined = random.Random(3), 0
    while not hand.over:
        if hand.private and hand.turn is not None:
            before = [hand.observe(viewer).history for viewer in range(6)]
            hand.apply(hand.default_action())
            declined += 1
            after = [(hand.observe(viewer).history or ())[: len(was or ())] for viewer, was in enumerate(before)]
            assert after == before
            assert all(one.action is None or one.action.kind is not ActionKind.STAY for one in hand.steps or ())
        else:
            step(hand, chance)
    assert declined


def test_the_history_tells_all_that_was_done_in_order() -> None:
    hand, chance = Hand.deal(QINGDAO, bytes(range(32)), history=True), random.Random(4)
    done = []
    while not hand.over:
        action = chance.choice(hand.legal_actions())
        seen = not (hand.private and action == hand.default_action())
        followed = hand.apply(action)
        if seen:
            done.append((action, followed))
    history = hand.observe(None).history
    assert history is not None
    assert [(one.action, one.consequences) for one in history[:-1]] == done[:-1]
    assert history[-1].action == done[-1][0]


def test_a_copy_goes_on_with_its_own_history() -> None:
    hand = Hand.deal(RuleSet.parse("standard"), bytes(32), history=True)
    other = hand.clone()
    other.apply(other.default_action())
    assert hand.steps is not None
    assert other.dealt == hand.dealt
    assert len(other.steps or ()) >= len(hand.steps)
    other.playout(1)
    assert other.steps is None
    assert hand.observe(0).history is not None
    assert Hand.from_bytes(hand.to_bytes(), hand.rules).observe(0).history is None


def test_what_was_dealt_shows_to_its_seat_and_after_the_calls_before_the_deal() -> None:
    hand = Hand.deal(RuleSet.parse("lianzhong"), bytes(32), history=True)
    assert hand.phase == "advance"
    assert not any(hand.observe(viewer).dealt or hand.observe(viewer).cards for viewer in range(6))
    while hand.phase == "advance":
        hand.apply(hand.default_action())
    assert hand.dealt is not None
    for viewer in range(6):
        assert hand.observe(viewer).dealt == hand.dealt[viewer] == hand.cards(viewer)
    assert hand.observe(None).dealt == ()


def test_only_its_seat_sees_what_it_sank() -> None:
    rules = RuleSet.parse({"preset": "shandong_64", "revolution": "off"})
    hand = Hand.position(rules, ["445", "456", "456", "456", "456", "4456"], 0, phase="sink", history=True)
    hand.apply(Action.parse("0 sink"))
    assert [hand.observe(viewer).aside for viewer in (*range(6), None)] == ["44", "", "", "", "", "", ""]
    drawn = {hand.determinize(1, random.Random(seed)).aside[0] for seed in range(50)}
    assert len(drawn) > 1
    assert all(drawn)


def test_ranks_laid_off_show_and_are_out_of_every_drawn_hand() -> None:
    rules = RuleSet.parse({"preset": "standard", "lay_off": True, "revolution": "off"})
    hand = Hand.deal(rules, bytes(32))
    while hand.question != "lay_off":
        hand.apply(hand.default_action())
    hand.apply(Action(hand.first_leader, ActionKind.LAY_OFF, "3"))
    assert [hand.observe(viewer).laid_off for viewer in (0, None)] == ["3", "3"]
    drawn = hand.determinize(0, random.Random(1))
    assert "3" not in "".join(drawn.hands)
    assert "".join(drawn.aside).count("3") == 16


def test_drawn_suits_are_those_of_the_packs() -> None:
    for spec in ("standard", "shandong_64"):
        hand = Hand.deal(RuleSet.parse(spec), bytes(32))
        while hand.phase != "play":
            hand.apply(hand.default_action())
        drawn = hand.determinize(2, random.Random(1))
        dealt = Counter(card for seat in range(6) for card in drawn.cards(seat))
        assert dealt == Counter(card for seat in range(6) for card in hand.cards(seat))
        if spec == "standard":
            assert dealt == Counter(full_deck())


def test_a_revolter_is_drawn_without_jokers_and_twos() -> None:
    hands = ["3456", "2345w", "A456", "2456w", "KQ56W", "2W56"]
    hand = Hand.position(RuleSet.parse("standard"), hands, 0, revolted=[2])
    for seed in range(100):
        assert not set(hand.determinize(0, random.Random(seed)).hands[2]) & set("2wW")


def test_a_struck_seats_cards_and_a_team_mates_that_may_be_seen_are_drawn_as_they_are() -> None:
    rules = RuleSet.parse({"preset": "standard", "coach": True})
    hand = Hand.position(rules, ["", "3456", "789", "3456789TJQK", "TJQ", "3456789TJQK"], 1, finished=[0])
    drawn = hand.determinize(0, random.Random(1))
    assert (drawn.hands[2], drawn.hands[4]) == (hand.hands[2], hand.hands[4])
    assert [view.shown for view in hand.observe(0).seats] == ["", "", "987", "", "QJT", ""]
    assert not any(view.shown for view in hand.observe(1).seats)


def test_cards_of_a_choked_seat_that_left_are_drawn_as_they_lie() -> None:
    """R9.8: all have seen them, as those of a struck seat."""
    compared = 0
    for number in range(40):
        rng, hand = random.Random(number), Hand.deal(RuleSet.parse("qingdao"), number.to_bytes(32, "big"))
        while not hand.over:
            hand.advance(rng.choice(hand.legal_codes()))
            for seat in {seat for seat, _ in hand.choked} - set(hand.in_seats):
                if not hand.over and rng.random() < 0.1:
                    assert hand.determinize((seat + 1) % 6, rng).hands[seat] == hand.hands[seat]
                    compared += 1
    assert compared > 100


@pytest.mark.parametrize("name", PRESETS)
def test_cards_swapped_between_others_change_no_byte_of_an_observation(name: str) -> None:
    counted: Counts = Counter()
    for seed in range(2):
        swap_in_match(name, RuleSet.parse(name), seed, counted, often=0.04)
    kinds = Counter(kind for (_, _, kind), n in counted.items() for _ in range(n))
    assert min(kinds[kind] for kind in ("asked", "seat", "spectator")) > 20, counted


def test_cards_swapped_between_others_change_no_byte_in_any_phase() -> None:
    counted: Counts = Counter()
    for seed, rules in enumerate(HOUSE_RULES):
        swap_in_match(str(rules), rules, seed, counted, often=0.005, hands=2)
    choosing = RuleSet.parse({"preset": "standard", "last_by": "choice"})
    for seed in range(6):
        swap_in_match(str(choosing), choosing, seed, counted, often=0)
    phases = in_phases(counted)
    assert set(phases) == ALL_PHASES
    assert min(phases.values()) >= 5, phases


def test_cards_swapped_between_others_change_no_byte_under_any_rules() -> None:
    counted: Counts = Counter()
    for seed in range(12):
        rules = random_rules(random.Random(seed))
        swap_in_match(str(rules), rules, seed, counted, often=0.02, hands=2)
    assert sum(counted.values()) > 200


def test_what_is_no_position_is_refused() -> None:
    chance = random.Random(5)
    hand = Hand.deal(RuleSet.parse("standard"), bytes(32))
    seen = hand.observe(0)
    for position in (b"", seen.position[:-1], hand.to_bytes()):
        with pytest.raises(InvalidState):
            changed(seen, position).determinize(chance)
    for _ in range(300):
        mangled = bytearray(seen.position)
        for _ in range(chance.randrange(1, 4)):
            mangled[chance.randrange(11, len(mangled))] = chance.randrange(256)
        try:
            drawn = changed(seen, bytes(mangled)).determinize(chance)
        except InvalidState:
            continue
        drawn.playout(1)
        assert drawn.over


def changed(seen: Observation, position: bytes) -> Observation:
    values = {name: getattr(seen, name) for name in Observation.__slots__}
    return Observation(**{**values, "position": position})


def test_equal_observations_alone_have_equal_bytes() -> None:
    hand = Hand.deal(RuleSet.parse("standard"), bytes(32))
    assert hand.observe(1).to_bytes() == hand.clone().observe(1).to_bytes()
    assert len({hand.observe(viewer).to_bytes() for viewer in (*range(6), None)}) == 7


def test_a_step_without_a_partner_hides_nothing() -> None:
    paid = Step(Action(0, ActionKind.PAY, "W"), (TributePaid(0, 1, ()),), 1)
    for viewer in (*range(6), None):
        assert shown(paid, viewer) == paid
        assert shown(Step(None), viewer) == Step(None)


@pytest.mark.parametrize(
    "broken",
    [{"seats": ()}, {"cards": ((7,),)}, {"cards": ((99, 0),)}, {"cards": ((3, 9),)}, {"cards": ((14, -1),) * 7}],
)
def test_an_observation_that_cannot_be_is_refused(broken: dict[str, Any]) -> None:
    seen = replace(Hand.position(RuleSet.parse("standard"), ["3", "4", "5", "6", "7", "8"], 0).observe(0), **broken)
    with pytest.raises((InvalidState, ValueError)):
        seen.legal_actions()


def test_nothing_is_drawn_from_an_observation_without_seats() -> None:
    seen = Hand.position(RuleSet.parse("qingdao"), ["3", "4", "5", "6", "7", "8"], 0, history=True).observe(0)
    with pytest.raises(InvalidState, match="six seats"):
        replace(seen, seats=()).determinize(random.Random(0))


def test_a_hand_is_not_made_from_nothing() -> None:
    with pytest.raises(TypeError, match="dealt or set up"):
        Hand()
