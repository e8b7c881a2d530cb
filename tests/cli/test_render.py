import io

import pytest
from rich.console import Console

from gouji.cli import render
from gouji.cli.sentences import SENTENCES
from gouji.client.errors import REASONS
from gouji.engine import Action, ActionKind, Hand, RuleSet
from gouji.engine.cards import Card
from gouji.engine.events import BurnSucceeded, SeatFinished, SeatStruck, TrickWon

STANDARD = RuleSet.parse("standard")


def test_cards_are_grouped_as_people_hold_them() -> None:
    assert render.by_rank("3A2wWA2A2w5") == "W  w×2  2×3  A×3  5  3"
    assert render.by_rank("") == ""


@pytest.mark.parametrize(
    ("action", "text"),
    [
        (Action(0, ActionKind.PLAY, "KK"), "KK"),
        (Action(0, ActionKind.BURN, "AA"), "burns AA (烧牌)"),
        (Action(0, ActionKind.PASS), "passes"),
        (Action(0, ActionKind.YIELD), "yields (让牌)"),
        (Action(0, ActionKind.KEEP_HEAD), "keeps a head (要头)"),
        (Action(0, ActionKind.NO_CALL), "does not call"),
    ],
)
def test_deeds(action: Action, text: str) -> None:
    assert render.deed(action) == text


def test_a_trick_is_a_line() -> None:
    acts = [Action(0, ActionKind.PLAY, "KK"), Action(3, ActionKind.PLAY, "22")]
    told = [f"{act.seat} {render.deed(act, leads=act is acts[0])}" for act in acts]
    assert render.trick_line("N1", [*told, render.follows(TrickWon(3, 3))]) == "N1: 0 leads KK · 3 22 · wins 3"


def test_consequences() -> None:
    assert render.follows(TrickWon(3, 4)) == "wins 3, 4 catches the wind (接风)"
    assert render.follows(SeatFinished(2, 1)) == "2 is 头科/head"
    assert render.follows(SeatStruck(1, (Card(2, 1), Card(2, 0), Card(0, 0)))) == "1 is struck out (烧糊) with 5×2  3"
    assert render.follows(BurnSucceeded(1, 0, 2)) == "1 has burned 0 (烧成), doubled 2×"


def test_scores_by_team_or_by_seat() -> None:
    assert render.scores_line((), (6, 0)) == "even 6 · odd 0"
    assert render.scores_line((2, 1, 0, 0, -1, -2), ()).startswith("0 +2 · 1 +1 · 2 +0")


def test_places_bear_both_names() -> None:
    assert render.order_line([2, 0]) == "2 头科/head · 0 二科/second"


def drawn(hand: Hand, viewer: int, away: tuple[int, ...] = ()) -> str:
    out = io.StringIO()
    console = Console(file=out, width=80)
    console.print(render.seats_table(hand.observe(viewer), [f"name{seat}" for seat in range(6)], away))
    return out.getvalue()


def test_the_table_hides_what_the_rules_hide() -> None:
    hand = Hand.deal(RuleSet.parse({"preset": "standard", "revolution": "off"}), bytes(32))
    shown = drawn(hand, 0)
    assert [line.split()[-1] for line in shown.splitlines()].count("?") >= 5
    assert all(f"name{seat}" in shown for seat in range(6))


def test_the_table_says_whose_turn_it_is_and_what_stands_beside_a_seat() -> None:
    hand = Hand.position(STANDARD, ["", "AAw5599", "3", "224567", "34", "3"], 1, finished=[0])
    hand.apply(Action(1, ActionKind.PLAY, "5"))
    lines = drawn(hand, 1, away=(5,)).splitlines()
    assert lines[2].startswith(">")
    assert "头科/head" in lines[0]
    assert "out" in lines[0]
    assert "no head (无头)" in lines[3]
    assert "a bot plays on" in lines[5]
    assert "1 card" in lines[2]


def test_the_line_of_the_play_to_beat() -> None:
    hand = Hand.position(STANDARD, ["KK3", "3", "3", "224567", "3", "3"], 0)
    assert render.table_line(hand.observe(0)) == "0 leads"
    hand.apply(Action(0, ActionKind.PLAY, "KK"))
    assert render.table_line(hand.observe(3)) == "to beat: KK of 0 (够级)"


def test_every_reason_has_a_sentence() -> None:
    assert set(SENTENCES) == REASONS
    assert all(said.endswith((".", "`.")) for said in SENTENCES.values())
