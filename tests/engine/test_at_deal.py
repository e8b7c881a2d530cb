"""What follows by rule before anybody is asked: tribute that is shown or resisted (R8.5, R8.6)."""

import pytest

from gouji.engine import Action, Hand, RuleSet
from gouji.engine.cards import RANKS
from gouji.engine.events import Consequence, TributePaid, TributeResisted, TributeShown
from gouji.engine.tribute import Aftermath, Debt

LAST = {"preset": "standard", "tribute_kinds": ["last"], "revolution": "off"}


def shown(consequences: tuple[Consequence, ...]) -> list[tuple[int, int, str]]:
    return [
        (told.payer, told.receiver, "".join(RANKS[card.rank] for card in told.cards))
        for told in consequences
        if isinstance(told, TributeShown)
    ]


def settling(hands: list[str], *owed: Debt, **options: object) -> Hand:
    return Hand.position(RuleSet.parse(LAST | options), hands, 0, phase="tribute", owed=owed)


def test_team_mates_show_what_they_would_have_paid_and_keep_it() -> None:
    hand = settling(["3", "4", "3", "5", "Www2AA", "6"], Debt(4, 0, "last", 2))
    assert shown(hand.at_deal) == [(4, 0, "W"), (4, 0, "w")]
    assert (hand.owes, hand.hands[4], hand.lead) == ((), "Www2AA", 0)


def test_what_is_shown_is_no_card_just_received() -> None:
    debts = Debt(5, 4, "burn", 1), Debt(4, 0, "last", 2)
    hand = settling(["3", "4", "3", "5", "w2A", "W6"], *debts, tribute_kinds=["burn", "last"], return_tribute=False)
    assert (hand.at_deal, hand.owes) == ((), debts[:1])
    followed = hand.apply(Action.parse("5 pay W"))
    assert isinstance(followed[0], TributePaid)
    assert shown(followed) == [(4, 0, "w"), (4, 0, "2")]


@pytest.mark.parametrize("mate", ["3AA", "WWWW22"])
def test_nothing_is_shown_where_nothing_would_be_paid(mate: str) -> None:
    assert settling(["3", "4", "3", "5", mate, "6"], Debt(4, 0, "last", 2), resist=True).at_deal == ()


def test_it_follows_from_the_deal_and_the_hand_before() -> None:
    hand = Hand.deal(RuleSet.parse(LAST), bytes(32), 0, after=Aftermath((0, 1, 3, 5, 2, 4)), first_hand=False)
    assert {(payer, receiver) for payer, receiver, _ in shown(hand.at_deal)} == {(4, 0)}
    assert [str(debt) for debt in hand.owes] == ["2>1 last 1"]


def test_a_seat_that_resists_says_so_at_once() -> None:
    hand = settling(["3", "4", "3", "5", "6", "WWWW2"], Debt(5, 0, "last", 2), resist=True)
    assert hand.at_deal == (TributeResisted(5, 0, "last"),)
