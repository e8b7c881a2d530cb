"""What holds in every hand, whatever is played."""

import hashlib
import random
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gouji.engine import PRESETS, Action, ActionKind, Hand, IllegalAction, InvalidState, Match, Reason, RuleSet
from gouji.engine.cards import full_deck

PLAYABLE = (
    *PRESETS,
    {"preset": "qingdao", "fours_open": True, "sink_fours": True, "no_bare_joker_lead": True, "resist": True},
    {"preset": "lianzhong", "doubles_called": True, "backfire_doubles": True, "may_decline_tribute": True},
    {"preset": "qingdao", "two_revolts": "allow", "revolution": "threeless", "buy_from": "downstream"},
    {"preset": "standard", "lay_off": True, "feel": 3, "report": "on_request", "coach": True, "last_by": "choice"},
    {"preset": "korea", "redeal_on_request": True, "fault_costs_turn": True, "decks": 6},
    {"preset": "standard", "negatives": "keep", "burn_guard": False},
    {"preset": "standard", "burn_order": "in_turn", "opposite_last_word": "always"},
    {"preset": "standard", "burn_order": "in_turn_team", "end_when": "one_left", "counter_burn": False},
    {"preset": "standard", "burn_order": "burn_first", "twos_wild": "never", "burn_team_mate": False},
    {"preset": "standard", "twos_wild": "with_joker_only", "big_joker_duel": "two_kills_one", "burn_guard": False},
    {"preset": "standard", "joker_duel": "swords", "burn_guard": False},
    {"preset": "standard", "big_joker_is_gouji": False, "big_joker_duel": "two_kills_one", "joker_duel": "swords"},
    {"preset": "standard", "teams": False, "opening": True, "burn_needs_open": True},
    {"preset": "standard", "opening": True, "natural_open": True, "open_cards": "any_but_big_joker"},
    {"preset": "standard", "revolution": "off", "first_leader": "random", "yield": False, "burn": False},
)
RULES = [RuleSet.parse(spec) for spec in PLAYABLE]


def deal_hand(rules: RuleSet, seed: bytes, held: bool, later: int) -> Hand:
    """Deal a hand of a match, after ``later`` hands played at random."""
    match = Match(rules, hands=8)
    for number in range(later):
        if match.over:
            break
        before = match.deal(hashlib.sha256(seed + bytes([number])).digest())
        before.playout(number)
        match.record(before)
    return match.deal(seed, held=held) if not match.over else Hand.deal(rules, seed, held=held)


deals = st.builds(
    deal_hand, st.sampled_from(RULES), st.binary(min_size=32, max_size=32), st.booleans(), st.integers(0, 3)
)


def cards_of(hand: Hand) -> Counter[str]:
    """Count all cards by rank, held or played."""
    return Counter("".join(hand.hands)) + Counter("".join(hand.played)) + Counter("".join(hand.aside))


def laid_open(hand: Hand) -> set[int]:
    """Seats that left and showed the cards that they still hold (R5.5, R9.8, R9.14)."""
    choked = {seat for seat, _ in hand.choked} if hand.rules["first_choked_is_last"] else set()
    return {*hand.struck, *choked, *(hand.stuck if hand.rules["no_bare_joker_lead"] else ())}


def step(hand: Hand, rng: random.Random) -> int | None:
    """Do one random action, mostly passing when that is lawful, as people do; close answers where they wait."""
    codes = hand.legal_codes()
    if not codes:
        hand.close_answers()
        return None
    code = codes[0] if hand.question != "lead" and rng.random() < 0.4 else rng.choice(codes)
    hand.advance(code)
    return code


def test_deal_holds_every_card_once() -> None:
    hand = Hand.deal(RULES[0], bytes(range(32)))
    dealt = Counter(card for seat in range(6) for card in hand.cards(seat))
    assert dealt == Counter(full_deck())
    assert [len(hand.cards(seat)) for seat in range(6)] == [36] * 6


@settings(max_examples=60)
@given(hand=deals, seed=st.integers(0, 2**32))
def test_hand_plays_to_its_end_with_all_cards_and_a_lawful_result(hand: Hand, seed: int) -> None:
    rng = random.Random(seed)
    before = cards_of(hand)
    for _ in range(5000):
        if hand.over:
            break
        assert (hand.turn is None) == (hand.question is None)
        step(hand, rng)
        held = Counter("".join(cards for seat, cards in enumerate(hand.hands) if seat not in laid_open(hand)))
        assert held + Counter("".join(hand.played)) + Counter("".join(hand.aside)) == before
    assert hand.over
    if not hand.void:
        assert sorted(hand.order) == [0, 1, 2, 3, 4, 5]
        assert [hand.places[seat] for seat in hand.order] == [1, 2, 3, 4, 5, 6]
    assert hand.legal_codes() == []


@settings(max_examples=40)
@given(hand=deals, seed=st.integers(0, 2**32), stop=st.integers(0, 400))
def test_whoever_is_asked_may_decline_unless_it_leads(hand: Hand, seed: int, stop: int) -> None:
    rng = random.Random(seed)
    for _ in range(stop):
        if hand.over:
            return
        step(hand, rng)
    if hand.turn is None:
        return
    assert hand.refusal(hand.default_action()) is None
    if hand.phase == "play":
        passing = hand.refusal(Action(hand.turn, ActionKind.PASS))
        assert passing is (Reason.MUST_LEAD if hand.question == "lead" else None)
    assert all(hand.refusal(action) is None for action in hand.legal_actions())


@settings(max_examples=25)
@given(hand=deals, seed=st.integers(0, 2**32))
def test_same_seed_and_actions_give_the_same_digest(hand: Hand, seed: int) -> None:
    rng = random.Random(seed)
    twin = hand.clone()
    while not hand.over:
        code = step(hand, rng)
        if code is None:
            twin.close_answers()
        else:
            twin.advance(code)
        assert twin == hand
    assert twin.digest() == hand.digest()


@settings(max_examples=25)
@given(hand=deals, seed=st.integers(0, 2**32), stop=st.integers(0, 200))
def test_clone_and_bytes_are_independent_of_the_original(hand: Hand, seed: int, stop: int) -> None:
    rng = random.Random(seed)
    for _ in range(stop):
        if not hand.over:
            step(hand, rng)
    raw = hand.to_bytes()
    clone, read = hand.clone(), Hand.from_bytes(raw, hand.rules)
    assert clone == hand == read
    if not hand.over:
        step(clone, rng)
        assert clone != hand
    assert hand.to_bytes() == raw


@settings(max_examples=40)
@given(
    hand=deals,
    seed=st.integers(0, 2**32),
    stop=st.integers(0, 300),
    wild=st.integers(0, 2**32 - 1) | st.integers(0, 2**64 - 1),
)
def test_refused_actions_change_nothing(hand: Hand, seed: int, stop: int, wild: int) -> None:
    rng = random.Random(seed)
    for _ in range(stop):
        if not hand.over:
            step(hand, rng)
    raw = hand.to_bytes()
    if hand.question != "return":
        assert (hand.refusal(wild) is None) == (wild in hand.legal_codes())
    if hand.refusal(wild) is not None and not hand.rules["fault_costs_turn"]:
        with pytest.raises(IllegalAction):
            hand.apply(wild)
        with pytest.raises(IllegalAction):
            hand.advance(wild)
        assert hand.to_bytes() == raw


@settings(max_examples=40)
@given(hand=deals, seed=st.integers(0, 2**32), stop=st.integers(0, 300))
def test_observation_is_enough_to_know_what_one_may_do(hand: Hand, seed: int, stop: int) -> None:
    rng = random.Random(seed)
    for _ in range(stop):
        if not hand.over:
            step(hand, rng)
    for seat in range(6):
        legal = hand.observe(seat).legal_actions()
        assert legal == (hand.legal_actions() if hand.turn == seat else [])
    assert hand.observe(None).cards == ()


def swap_hidden(hand: Hand, seat: int, rng: random.Random) -> Hand | None:
    """Deal the cards that ``seat`` cannot see anew among the others, by rank; None where the state forbids it."""
    others = [other for other in hand.in_seats if other != seat]
    pool = list("".join(hand.hands[other] for other in others))
    rng.shuffle(pool)
    hands = list(hand.hands)
    for other in others:
        hands[other], pool = "".join(pool[: len(hands[other])]), pool[len(hands[other]) :]
    try:
        return Hand.position(hand.rules, hands, hand.trick_leader)
    except InvalidState:
        return None


@settings(max_examples=30)
@given(seed=st.binary(min_size=32, max_size=32), chance=st.integers(0, 2**32))
def test_observation_does_not_depend_on_hidden_cards(seed: bytes, chance: int) -> None:
    rng = random.Random(chance)
    dealt = Hand.deal(RULES[-1], seed)
    hand = Hand.position(dealt.rules, dealt.hands, dealt.trick_leader)
    for seat in range(6):
        other = swap_hidden(hand, seat, rng)
        assert other is not None
        assert other.observe(seat) == hand.observe(seat)


@settings(max_examples=300)
@given(
    hand=deals,
    seed=st.integers(0, 2**32),
    stop=st.integers(0, 200),
    changes=st.lists(st.tuples(st.integers(11, 1100), st.integers(0, 255)), max_size=4),
    data=st.binary(max_size=600),
)
def test_any_bytes_are_a_state_that_can_be_played_or_an_error(
    hand: Hand, seed: int, stop: int, changes: list[tuple[int, int]], data: bytes
) -> None:
    rng = random.Random(seed)
    for _ in range(stop):
        if not hand.over:
            step(hand, rng)
    raw = bytearray(hand.to_bytes())
    for index, byte in changes:
        raw[index % len(raw)] = byte
    for candidate in (data, bytes(raw)):
        try:
            read = Hand.from_bytes(candidate, hand.rules)
        except InvalidState:
            continue
        assert read.to_bytes() == candidate
        read.observe(0)
        read.playout(seed)
        assert read.over


def test_bytes_of_other_rules_are_refused() -> None:
    hand = Hand.deal(RULES[0], bytes(32))
    with pytest.raises(InvalidState):
        Hand.from_bytes(hand.to_bytes(), RULES[1])


@settings(max_examples=50)
@given(hand=deals, seed=st.integers(1, 2**63))
def test_playouts_end(hand: Hand, seed: int) -> None:
    assert hand.playout(seed) > 0
    assert hand.over
