"""Decisions of a seat: `Action` of the engine ⇄ `Action` of the protos, whose seat is the caller's."""

from enum import Enum
from typing import Any, Final

from gouji.engine import Action, ActionKind
from gouji.engine.cards import SEATS, sort_cards
from gouji.v1 import actions_pb2
from gouji.wire.cards import cards_from_proto, cards_to_proto, rank_from_proto, rank_to_proto
from gouji.wire.errors import MalformedMessage


class Form(Enum):
    """What a kind of action says beside its name."""

    BARE = "nothing"
    CARDS = "cards"
    SHOWN = "cards that it may show"
    HIDDEN = "cards, which others do not see"
    RANK = "one rank"
    HIDDEN_RANK = "a rank, which others do not see"
    RANKS = "ranks"
    SEAT = "a seat"


FIELDS: Final[dict[ActionKind, tuple[str, Form]]] = {
    ActionKind.PASS: ("pass_turn", Form.BARE),
    ActionKind.PLAY: ("play", Form.CARDS),
    ActionKind.BURN: ("burn", Form.CARDS),
    ActionKind.YIELD: ("yield_turn", Form.BARE),
    ActionKind.CLOSE: ("close", Form.BARE),
    ActionKind.REVOLT: ("revolt", Form.SHOWN),
    ActionKind.STAY: ("stay", Form.BARE),
    ActionKind.KEEP_HEAD: ("keep_head", Form.BARE),
    ActionKind.NO_HEAD: ("no_head", Form.BARE),
    ActionKind.PAY: ("pay", Form.CARDS),
    ActionKind.RETURN: ("return_cards", Form.HIDDEN),
    ActionKind.REFUSE: ("refuse", Form.HIDDEN_RANK),
    ActionKind.ACCEPT: ("accept", Form.BARE),
    ActionKind.BUY_WITH: ("buy_with", Form.RANK),
    ActionKind.GIVE: ("give", Form.RANK),
    ActionKind.CALL: ("call", Form.BARE),
    ActionKind.NO_CALL: ("no_call", Form.BARE),
    ActionKind.REDEAL: ("redeal", Form.BARE),
    ActionKind.LAST: ("choose_last", Form.SEAT),
    ActionKind.DECLINE: ("decline", Form.BARE),
    ActionKind.SINK: ("sink", Form.BARE),
    ActionKind.LAY_OFF: ("lay_off", Form.RANKS),
    ActionKind.FEEL: ("feel", Form.BARE),
    ActionKind.DOUBLE: ("double", Form.BARE),
    ActionKind.ASK: ("ask", Form.SEAT),
}
"""Each kind's field in the message, and what the field holds."""

_KINDS: Final = {field: (kind, form) for kind, (field, form) in FIELDS.items()}


def action_to_proto(action: Action) -> actions_pb2.Action:
    """Pack an action; its seat is left out."""
    field, form = FIELDS[action.kind]
    message = actions_pb2.Action()
    body = getattr(message, field)
    body.SetInParent()
    match form:
        case Form.CARDS | Form.HIDDEN:
            body.cards.CopyFrom(cards_to_proto(action.cards))
        case Form.SHOWN:
            body.shown.CopyFrom(cards_to_proto(action.cards))
        case Form.RANK | Form.HIDDEN_RANK:
            if action.cards:
                body.rank = rank_to_proto(action.cards)
        case Form.RANKS:
            body.ranks.extend(cards_to_proto(action.cards).ranks)
        case Form.SEAT:
            body.seat = action.target
        case Form.BARE:
            pass
    return message


def action_from_proto(seat: int, message: actions_pb2.Action) -> Action:
    """Read an action of ``seat``. Raises `MalformedMessage`; that it is legal is the engine's to say."""
    field = message.WhichOneof("kind")
    if field is None:
        raise MalformedMessage("no action is set")
    kind, form = _KINDS[field]
    body = getattr(message, field)
    if form is Form.SEAT:
        if body.seat >= SEATS:
            raise MalformedMessage(f"{field} names a seat, 0 to 5")
        return Action(seat, kind, target=body.seat)
    cards = _cards_of(form, body)
    if not cards and form in (Form.CARDS, Form.RANK, Form.RANKS):
        raise MalformedMessage(f"{field} names {form.value}")
    return Action(seat, kind, cards)


def _cards_of(form: Form, body: Any) -> str:
    match form:
        case Form.CARDS | Form.HIDDEN:
            return cards_from_proto(body.cards)
        case Form.SHOWN:
            return cards_from_proto(body.shown)
        case Form.RANK | Form.HIDDEN_RANK:
            return rank_from_proto(body.rank) if body.rank or form is Form.RANK else ""
        case Form.RANKS:
            return sort_cards("".join({rank_from_proto(rank) for rank in body.ranks}))
        case _:
            return ""
