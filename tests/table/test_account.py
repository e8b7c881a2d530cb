"""What the ledger is told of a finished hand, beside places and points."""

import hashlib
import random
from collections.abc import Iterator

import pytest

from gouji.engine import Action, Hand, Match, RuleSet
from gouji.engine.events import CardBought, TributePaid, TributeResisted, TributeReturned, TributeShown
from gouji.table.account import account
from gouji.v1.scoring_pb2 import BurnTried, HandResult

PRESETS = ("standard", "qingdao", "lianzhong", "korea", "free_for_all")


def hands_of(preset: str, hands: int, chance: random.Random, **options: str) -> Iterator[Hand]:
    """Play a match at random."""
    match = Match(RuleSet.parse({"preset": preset, **options}), hands=hands)
    while not match.over:
        hand = match.deal(hashlib.sha256(chance.randbytes(8)).digest(), history=True)
        while not hand.over:
            hand.apply(chance.choice(hand.legal_actions(compact=True)))
        match.record(hand)
        if not hand.void:
            yield hand


def told(hand: Hand, kind: type) -> list:
    return [each for step in hand.steps or () for each in step.consequences if isinstance(each, kind)]


@pytest.mark.parametrize("preset", PRESETS)
def test_accounts_agree_with_what_happened(preset: str) -> None:
    for hand in hands_of(preset, 4, random.Random(preset), burn_guard="false"):
        made = account(hand)
        assert list(made.opened) == list(hand.opened)
        assert sorted((burn.burner, burn.burned) for burn in made.burns if burn.won) == sorted(
            (burner, burned) for burner, burned, _ in hand.burns
        )
        assert all(burn.burner != burn.burned for burn in made.burns)
        paid, returned = told(hand, TributePaid), told(hand, TributeReturned)
        assert [(t.payer, t.receiver, t.paid) for t in made.tributes if t.paid] == [
            (each.payer, each.receiver, len(each.cards)) for each in paid
        ]
        assert sum(t.returned for t in made.tributes) == sum(each.count for each in returned)
        assert sum(t.resisted for t in made.tributes) == len(told(hand, TributeResisted))
        assert {(t.payer, t.receiver) for t in made.tributes if t.shown} == {
            (each.payer, each.receiver) for each in told(hand, TributeShown)
        }
        assert [(p.buyer, p.seller, p.sold, p.paid) for p in made.purchases] == [
            (each.buyer, each.seller, len(each.sold), len(each.paid)) for each in told(hand, CardBought)
        ]
        swept = bool(hand.rules["teams"]) and len({seat % 2 for seat in hand.order[:3]}) == 1
        assert made.sweep == (swept and not (hand.rules["no_sweep_when_choked"] and hand.choked))


def test_a_burn_names_whose_play_it_burned_and_whether_it_won() -> None:
    hand = Hand.position(RuleSet.parse(), ["KK34567", "AAw5599", "3", "224567", "3", "3"], 0, history=True)
    hand.apply(Action.parse("0 play KK"))
    hand.apply(Action.parse("1 burn AA"))
    while not hand.over:
        hand.apply(hand.default_action())
    (burn,) = account(hand).burns
    assert (burn.burner, burn.burned) == (1, 0)
    assert burn.won == bool(hand.burns)


def test_an_account_holds_nothing_else_and_no_card() -> None:
    (hand,) = hands_of("standard", 1, random.Random(1))
    made = account(hand)
    known = {"opened", "burns", "tributes", "purchases", "sweep", "revolted"}
    assert {field.name for field, _ in made.ListFields()} <= known
    assert {field.name for field in BurnTried.DESCRIPTOR.fields} == {"burner", "burned", "won"}
    assert isinstance(made, HandResult)
