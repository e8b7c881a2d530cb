"""What a person may type, and what to suggest to one who asks. Pure."""

import re
from collections.abc import Sequence
from enum import Enum
from typing import Final

from gouji.engine import Action, ActionKind, MalformedAction, MalformedCards, UnknownAction
from gouji.engine.actions import WITH_CARDS
from gouji.engine.cards import RANKS, parse_cards

HELP: Final = """\
KK2, k k 2     play these cards: 3 4 5 6 7 8 9 10 j q k a 2, w small joker, W big joker; A×3 is three aces
pass, p        pass (过牌); when you are asked whether to burn or revolt: do not
burn AA2       burn a Gouji play (烧牌)         yield     let the seats after you answer first (让牌)
close          let your opposite's play stand (扣牌)
revolt, stay   leave the hand or not (革命)      keep, nohead   keep a head or not (要头/无头)
pay W, return 49, refuse 5, accept, buy_with 2, give 3      tribute and buying (进贡 还贡 买三)
call, double, sink, lay_off 34, last 2, feel, ask 3         as the table's rules have it; `pass` declines
hint, Enter    suggest plays; then a number picks one of them (`play 3` plays a three)
advice, !      what a good bot would do, and why; then 1 does it
say            list what can be said; `say thanks` says it      mute 3, unmute 3   not hear seat 3, or again
vote, unvote   have this hand given up, if all people agree
?, help        this page                        quit      go away; the same command brings you back
back           play again after a bot has       leave     leave the match for good, at a penalty"""

SUGGESTED: Final = 6
"""Most plays that a hint lists."""


class Wish(Enum):
    """What a person wants that is no move."""

    HELP = "help"
    HINT = "hint"
    ADVICE = "advice"
    QUIT = "quit"
    BACK = "back"
    LEAVE = "leave"


class NotUnderstood(ValueError):
    """Text that is neither a move nor a wish; the message is for the person."""


_WISHES: Final = {
    "": Wish.HINT,
    "hint": Wish.HINT,
    "h": Wish.HINT,
    "advice": Wish.ADVICE,
    "!": Wish.ADVICE,
    "?": Wish.HELP,
    "help": Wish.HELP,
    "quit": Wish.QUIT,
    "exit": Wish.QUIT,
    "back": Wish.BACK,
    "leave": Wish.LEAVE,
}
_WORDS: Final = {
    "p": ActionKind.PASS,
    "pass": ActionKind.PASS,
    "yield": ActionKind.YIELD,
    "close": ActionKind.CLOSE,
    "revolt": ActionKind.REVOLT,
    "stay": ActionKind.STAY,
    "keep": ActionKind.KEEP_HEAD,
    "keep head": ActionKind.KEEP_HEAD,
    "keep_head": ActionKind.KEEP_HEAD,
    "nohead": ActionKind.NO_HEAD,
    "no head": ActionKind.NO_HEAD,
    "no_head": ActionKind.NO_HEAD,
}

_WITH_CARDS: Final = {kind.text: kind for kind in WITH_CARDS | {ActionKind.REVOLT}}
_DECLINES: Final = {
    "revolt": ActionKind.STAY,
    "head": ActionKind.NO_HEAD,
    "call": ActionKind.NO_CALL,
    "accept": ActionKind.ACCEPT,
    **dict.fromkeys(("double", "redeal", "take", "pay", "buy", "give", "sink", "lay_off"), ActionKind.DECLINE),
}
"""What `pass` means where a pass is no answer."""

_ASKED_FOR: Final = {
    "pay": ActionKind.PAY,
    "return": ActionKind.RETURN,
    "accept": ActionKind.REFUSE,
    "buy": ActionKind.BUY_WITH,
    "give": ActionKind.GIVE,
    "lay_off": ActionKind.LAY_OFF,
}
"""What bare cards mean where a play is no answer."""


def read(text: str, seat: int, question: str, listed: Sequence[Action] = ()) -> Action | Wish:
    """Understand a line that ``seat`` typed when asked ``question``.

    A bare number picks from ``listed``, the suggestions on the screen. Raises `NotUnderstood`.
    """
    typed = " ".join(text.split())
    words = typed.lower()
    if words in _WISHES:
        return _WISHES[words]
    if words.isdecimal() and 1 <= int(words) <= len(listed):
        return listed[int(words) - 1]
    if words in _WORDS:
        kind = _WORDS[words]
        return Action(seat, _DECLINES.get(question, kind) if kind is ActionKind.PASS else kind)
    return _with_cards(typed, seat, question)


def _with_cards(typed: str, seat: int, question: str) -> Action:
    """Understand ``burn AA``, ``play AA``, ``AA`` and the other words of the rule cases.

    Cards alone mean what the question asks for.
    """
    verb, _, rest = typed.partition(" ")
    kind = _WITH_CARDS.get(verb.lower())
    if kind is not None:
        return Action(seat, kind, _cards(rest))
    try:
        return Action.parse_verb(seat, typed.lower())
    except (UnknownAction, MalformedAction, MalformedCards):
        return Action(seat, _ASKED_FOR.get(question, ActionKind.PLAY), _cards(typed))


def _cards(typed: str) -> str:
    """Read cards as people type them: any case but for jokers, ten as 10 or T, ``A×3`` for three."""
    counted = typed.replace("×", "*").replace("x", "*")
    tens = re.sub(r"(?<!\*)10", "T", counted)
    upper = "".join(char if char == "w" else char.upper() for char in tens)
    try:
        cards = parse_cards(upper)
    except MalformedCards:
        raise NotUnderstood(f"{typed!r} is not a move: type cards such as KK2, `pass`, or `?` for help.") from None
    if not cards:
        raise NotUnderstood("Name the cards, such as `burn AA2`.")
    return cards


def suggest(legal: Sequence[Action], held: str) -> list[Action]:
    """Choose a short list: what goes out, then for each base the cheapest play, then what needs no cards.

    Cheap means few jokers, then few twos, then no cards of the base left behind, then a low base.
    """
    plays = sorted((action for action in legal if action.cards), key=lambda action: _cost(action, held))
    out = [action for action in plays if len(action.cards) == len(held)]
    cheapest: dict[str, Action] = {}
    for action in plays:
        cheapest.setdefault(_base(action.cards), action)
    chosen = dict.fromkeys([*out, *cheapest.values()])
    return [*list(chosen)[:SUGGESTED], *(action for action in legal if not action.cards)]


def _base(cards: str) -> str:
    """Return the rank that a play is made of (R2.2): its lowest, which a two added to it is not."""
    return min(cards, key=RANKS.index)


def _cost(action: Action, held: str) -> tuple[int, int, int, int, int]:
    base = _base(action.cards)
    left = held.count(base) - action.cards.count(base)
    twos = 0 if base == "2" else action.cards.count("2")
    return action.cards.count("W"), action.cards.count("w"), twos + (base == "2"), left, RANKS.index(base)
