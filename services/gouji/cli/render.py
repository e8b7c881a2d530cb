"""The game as people read it: pure functions from engine objects to text.

Chinese terms stand beside the English ones where players know them better.
"""

from collections.abc import Iterable, Sequence
from typing import Final

from rich.table import Table
from rich.text import Text

from gouji.engine import Action, ActionKind, Card, Observation, SeatView
from gouji.engine.cards import RANKS, sort_cards, team_of
from gouji.engine.events import (
    BurnSucceeded,
    CardBought,
    Consequence,
    FoursSunk,
    HandVoided,
    RanksLaidOff,
    ScrambleBegan,
    SeatChoked,
    SeatFinished,
    SeatLeft,
    SeatOpened,
    SeatStruck,
    SeatStuck,
    TributePaid,
    TributeResisted,
    TributeReturned,
    TributeShown,
    TrickWon,
)

TITLES: Final = ("头科/head", "二科/second", "三科/third", "四科/fourth", "二落/second-last", "大落/last")
"""Titles by place, head first (R6.1)."""

TEAMS: Final = ("even", "odd")
"""Teams by parity of their seats (R1.1)."""

DOT: Final = " · "

_DEEDS: Final = {
    ActionKind.PASS: "passes",
    ActionKind.YIELD: "yields (让牌)",
    ActionKind.CLOSE: "lets it stand (扣牌)",
    ActionKind.REVOLT: "revolts (革命)",
    ActionKind.STAY: "stays",
    ActionKind.KEEP_HEAD: "keeps a head (要头)",
    ActionKind.NO_HEAD: "has no head at once (无头)",
    ActionKind.CALL: "calls that its opposite will not open (宣点)",
    ActionKind.NO_CALL: "does not call",
    ActionKind.DOUBLE: "doubles the tributes (明上)",
    ActionKind.REDEAL: "asks for a new deal",
    ActionKind.DECLINE: "declines",
    ActionKind.PAY: "pays (进贡)",
    ActionKind.RETURN: "gives back (还贡)",
    ActionKind.REFUSE: "refuses",
    ActionKind.ACCEPT: "accepts",
    ActionKind.BUY_WITH: "buys with",
    ActionKind.GIVE: "gives",
    ActionKind.SINK: "sinks its fours (沉4)",
    ActionKind.LAY_OFF: "has laid off (烩牌)",
    ActionKind.FEEL: "feels its opposite's cards (摸班)",
}


def by_rank(cards: str) -> str:
    """Group cards as people hold them, high to low: ``W  w×2  A×3  4``."""
    groups = [(rank, cards.count(rank)) for rank in reversed(RANKS)]
    return "  ".join(rank if count == 1 else f"{rank}×{count}" for rank, count in groups if count)


def title(place: int) -> str:
    """Name a place, 1 for head."""
    return TITLES[place - 1]


def deed(action: Action, *, leads: bool = False) -> str:
    """Say what a seat did, without the seat: ``leads KK``, ``22``, ``burns AA``, ``passes``."""
    if action.kind is ActionKind.PLAY:
        return f"leads {action.cards}" if leads else action.cards
    if action.kind is ActionKind.BURN:
        return f"burns {action.cards} (烧牌)"
    if action.kind is ActionKind.LAST:
        return f"says that {action.target} is last"
    if action.kind is ActionKind.ASK:
        return f"asks {action.target} for its count"
    said = _DEEDS[action.kind]
    return f"{said} {action.cards}" if action.cards else said


def follows(consequence: Consequence) -> str:
    """Say what followed by rule; empty for what shows by itself."""
    said = ""
    match consequence:
        case TrickWon(seat, leader):
            said = f"wins {seat}" if seat == leader else f"wins {seat}, {leader} catches the wind (接风)"
        case SeatFinished(seat, place):
            said = f"{seat} is {title(place)}"
        case SeatOpened(seat):
            said = f"{seat} opens (开点)"
        case SeatChoked(seat, by):
            said = f"{by} chokes {seat} (憋)"
        case SeatStruck(seat, cards) | SeatLeft(seat, cards):
            how = "is struck out (烧糊)" if isinstance(consequence, SeatStruck) else "leaves (落)"
            said = f"{seat} {how} with {by_rank(_ranks(cards))}"
        case SeatStuck(seat):
            said = f"{seat} is stuck (闷)"
        case BurnSucceeded(burner, burned, doublings):
            said = f"{burner} has burned {burned} (烧成)" + (f", doubled {doublings}×" if doublings else "")
        case HandVoided():
            said = "the hand is void and dealt anew"
        case ScrambleBegan():
            said = "a scramble from here (四人乱缠)"
        case other:
            said = _before_play(other)
    return said


def _before_play(consequence: Consequence) -> str:
    """Say what becomes of cards before the play; empty for all else."""
    said = ""
    match consequence:
        case TributePaid(payer, receiver, cards):
            said = f"{payer} pays {receiver} {_ranks(cards)} (进贡)"
        case TributeReturned(receiver, payer, cards):
            said = f"{receiver} gives {payer} back {_ranks(cards) or 'as many'} (还贡)"
        case CardBought(buyer, seller, sold, paid):
            price = f"for {_ranks(paid)}" if paid else "for nothing"
            said = f"{buyer} gets {_ranks(sold)} from {seller} {price} (买)"
        case TributeResisted(payer, receiver, kind):
            said = f"{payer} resists and owes {receiver} no {kind} tribute (抗贡)"
        case TributeShown(payer, receiver, cards):
            said = f"{payer} shows the {_ranks(cards)} that it would have paid to {receiver}"
        case FoursSunk(seat):
            said = f"{seat} sinks its fours (沉4)"
        case RanksLaidOff(ranks):
            said = f"all lay off their {' and '.join(ranks)} (烩牌)"
    return said


def _ranks(cards: Iterable[Card]) -> str:
    return sort_cards("".join(RANKS[card.rank] for card in cards))


def trick_line(label: str, acts: Iterable[str]) -> str:
    """Write a trick on a line: ``N1: 0 leads KK · 3 22 · wins 3``."""
    return f"{label}: {DOT.join(acts)}"


def order_line(order: Sequence[int]) -> str:
    """Write the places of a hand that is over, head first."""
    return DOT.join(f"{seat} {title(place)}" for place, seat in enumerate(order, start=1))


def scores_line(scores: Sequence[int], team_scores: Sequence[int]) -> str:
    """Write scores by team where there are teams, else by seat."""
    if team_scores:
        return DOT.join(f"{team} {score}" for team, score in zip(TEAMS, team_scores, strict=True))
    return DOT.join(f"{seat} {score:+d}" for seat, score in enumerate(scores))


def seat_notes(view: SeatView, *, away: bool = False) -> str:
    """Say what stands beside a seat: titles and what it did in this trick or hand."""
    if view.place:
        return title(view.place)
    notes = {
        "revolted (革命)": view.revolted,
        "struck out (烧糊)": view.struck,
        "burning (烧)": view.burning,
        "opened (开点)": view.opened,
        "no head (无头)": view.is_in and not view.has_head,
        f"keeps its head for {view.kept_head} more": view.kept_head > 0,
        f"choked by {view.choked_by} (憋)": view.choked_by is not None,
        "stuck (闷)": view.stuck,
        "passed (过牌)": view.passed and view.is_in,
        "a bot plays on": away,
    }
    return ", ".join(note for note, holds in notes.items() if holds)


def seats_table(observation: Observation, names: Sequence[str], away: Iterable[int] = ()) -> Table:
    """Lay out the six seats: whose turn, name, team, cards left as the rules show them, notes."""
    absent = set(away)
    table = Table(box=None, padding=(0, 2, 0, 0), show_header=False)
    for seat, view in enumerate(observation.seats):
        table.add_row(
            ">" if observation.turn == seat else " ",
            str(seat),
            Text(names[seat], style="bold" if seat == observation.seat else ""),
            TEAMS[team_of(seat)] if observation.rules["teams"] else "",
            cards_left(view),
            seat_notes(view, away=seat in absent),
        )
    return table


def cards_left(view: SeatView) -> str:
    """Say how many cards a seat holds; ``?`` where the rules hide it (R9.11)."""
    if not view.is_in:
        return "out"
    return "?" if view.cards_left < 0 else f"{view.cards_left} card{'s' if view.cards_left != 1 else ''}"


def table_line(observation: Observation) -> str:
    """Say what there is to beat."""
    if observation.table_seat is None or not observation.table:
        return f"{observation.trick_leader} leads"
    gouji = " (够级)" if observation.table_is_gouji else ""
    return f"to beat: {observation.table} of {observation.table_seat}{gouji}"
