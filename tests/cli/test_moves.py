import pytest

from gouji.cli.moves import SUGGESTED, NotUnderstood, Wish, read, suggest
from gouji.engine import Action, ActionKind, Hand, RuleSet


@pytest.mark.parametrize(
    ("typed", "cards"),
    [
        ("KK2", "2KK"),
        ("k k 2", "2KK"),
        ("10 10", "TT"),
        ("1010", "TT"),
        ("10", "T"),
        ("t", "T"),
        ("A×3", "AAA"),
        ("ax3 w", "wAAA"),
        ("K*10", "K" * 10),
        ("Ww9", "Ww9"),
        ("play 3", "3"),
        ("PLAY kk", "KK"),
        ("3", "3"),
    ],
)
def test_cards_are_read_as_people_type_them(typed: str, cards: str) -> None:
    assert read(typed, 2, "lead") == Action(2, ActionKind.PLAY, cards)


@pytest.mark.parametrize(
    ("typed", "kind"),
    [
        ("p", ActionKind.PASS),
        (" Pass ", ActionKind.PASS),
        ("yield", ActionKind.YIELD),
        ("close", ActionKind.CLOSE),
        ("revolt", ActionKind.REVOLT),
        ("stay", ActionKind.STAY),
        ("keep", ActionKind.KEEP_HEAD),
        ("no  head", ActionKind.NO_HEAD),
        ("nohead", ActionKind.NO_HEAD),
        ("decline", ActionKind.DECLINE),
    ],
)
def test_words_are_read(typed: str, kind: ActionKind) -> None:
    assert read(typed, 0, "answer") == Action(0, kind)


def test_burn_names_cards() -> None:
    assert read("burn aa2", 1, "burn") == Action(1, ActionKind.BURN, "2AA")


def test_pass_declines_a_revolution() -> None:
    assert read("p", 1, "revolt") == Action(1, ActionKind.STAY)


@pytest.mark.parametrize(
    ("typed", "wish"),
    [("", Wish.HINT), ("hint", Wish.HINT), ("?", Wish.HELP), ("help", Wish.HELP), ("quit", Wish.QUIT)],
)
def test_wishes_are_no_moves(typed: str, wish: Wish) -> None:
    assert read(typed, 0, "lead") is wish


def test_a_number_picks_from_the_list_that_was_shown_and_is_a_card_otherwise() -> None:
    listed = [Action(0, ActionKind.PLAY, card) for card in "456"]
    assert read("3", 0, "lead", listed) == listed[2]
    assert read("3", 0, "lead") == Action(0, ActionKind.PLAY, "3")
    assert read("play 3", 0, "lead", listed) == Action(0, ActionKind.PLAY, "3")
    assert read("4", 0, "lead", listed) == Action(0, ActionKind.PLAY, "4")


@pytest.mark.parametrize("typed", ["banana", "KK1", "burn", "burn x", "play", "1"])
def test_nonsense_is_explained(typed: str) -> None:
    with pytest.raises(NotUnderstood, match=r"[A-Za-z].*\."):
        read(typed, 0, "lead")


def test_suggestions_are_few_cheap_first_and_legal() -> None:
    hand = Hand.position(RuleSet.parse("standard"), ["Ww2AAKKQ99888443", "3", "3", "3", "3", "3"], 0)
    legal = hand.legal_actions()
    suggested = suggest(legal, hand.hands[0])
    assert len(legal) > 50
    assert [action.cards for action in suggested] == ["3", "44", "888", "99", "Q", "KK"]
    assert set(suggested) <= set(legal)


def test_suggestions_start_with_the_play_that_goes_out() -> None:
    hand = Hand.position(RuleSet.parse("standard"), ["w44", "5", "3", "3", "3", "3"], 0)
    suggested = suggest(hand.legal_actions(), hand.hands[0])
    assert [action.cards for action in suggested][:2] == ["w44", "44"]


def test_suggestions_end_with_all_that_needs_no_cards() -> None:
    hand = Hand.position(RuleSet.parse("standard"), ["999", "WTTTT", "3", "3", "3", "3"], 0)
    hand.apply(Action(0, ActionKind.PLAY, "999"))
    suggested = suggest(hand.legal_actions(), hand.hands[1])
    assert [action.verb for action in suggested] == ["play TTT", "pass"]


def test_no_more_plays_are_suggested_than_a_screen_holds() -> None:
    hand = Hand.deal(RuleSet.parse({"preset": "standard", "revolution": "off"}), bytes(32))
    suggested = suggest(hand.legal_actions(), hand.hands[hand.turn or 0])
    assert len(suggested) == SUGGESTED
