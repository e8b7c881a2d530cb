"""What followed by rule: consequences of the engine ⇄ `Consequence` of the protos."""

from collections.abc import Iterable
from dataclasses import fields
from typing import Any, Final

from gouji.engine.events import (
    BurnSucceeded,
    CardBought,
    Consequence,
    FoursSunk,
    HandOver,
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
from gouji.v1 import consequences_pb2
from gouji.wire.cards import card_from_proto, card_to_proto, rank_from_proto, rank_to_proto
from gouji.wire.errors import MalformedMessage

FIELDS: Final[dict[type[Consequence], str]] = {
    TrickWon: "trick_won",
    SeatFinished: "seat_finished",
    SeatOpened: "seat_opened",
    SeatChoked: "seat_choked",
    SeatStruck: "seat_struck",
    SeatLeft: "seat_left",
    SeatStuck: "seat_stuck",
    BurnSucceeded: "burn_succeeded",
    ScrambleBegan: "scramble_began",
    HandVoided: "hand_voided",
    TributePaid: "tribute_paid",
    TributeReturned: "tribute_returned",
    CardBought: "card_bought",
    TributeResisted: "tribute_resisted",
    TributeShown: "tribute_shown",
    FoursSunk: "fours_sunk",
    RanksLaidOff: "ranks_laid_off",
}
"""Each consequence's field in the message. `HandOver` has none: the event `HandEnded` says it."""

_CLASSES: Final = {field: kind for kind, field in FIELDS.items()}


def consequences_to_proto(consequences: Iterable[Consequence]) -> list[consequences_pb2.Consequence]:
    """Pack consequences in order."""
    return [_pack(entry) for entry in consequences if not isinstance(entry, HandOver)]


def _pack(consequence: Consequence) -> consequences_pb2.Consequence:
    message = consequences_pb2.Consequence()
    body = getattr(message, FIELDS[type(consequence)])
    body.SetInParent()
    for field in fields(consequence):
        value = getattr(consequence, field.name)
        if isinstance(consequence, RanksLaidOff):
            body.ranks.extend(map(rank_to_proto, consequence.ranks))
        elif isinstance(value, tuple):
            getattr(body, field.name).extend(map(card_to_proto, value))
        else:
            setattr(body, field.name, value)
    return message


def consequence_from_proto(message: consequences_pb2.Consequence) -> Consequence:
    """Read a consequence. Raises `MalformedMessage` when none is set."""
    field = message.WhichOneof("kind")
    if field is None:
        raise MalformedMessage("no consequence is set")
    body = getattr(message, field)
    if isinstance(body, consequences_pb2.RanksLaidOff):
        return RanksLaidOff("".join(rank_from_proto(rank) for rank in body.ranks))
    kind = _CLASSES[field]
    return kind(**{entry.name: _read(getattr(body, entry.name)) for entry in fields(kind)})


def _read(value: Any) -> Any:
    """Read a field: a number or text as it is, cards as a tuple."""
    return value if isinstance(value, int | str) else tuple(map(card_from_proto, value))
