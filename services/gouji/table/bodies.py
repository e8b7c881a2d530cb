"""What events say of a hand, in the log's form: hidden cards and private declines too."""

from collections.abc import Iterable, Sequence
from typing import Final

from gouji.engine import ActionKind, Hand
from gouji.engine.cards import SEATS
from gouji.table.window import Answer
from gouji.v1 import events_pb2
from gouji.wire import action_to_proto, card_to_proto, consequences_to_proto, debt_to_proto

_LEAVING: Final = (ActionKind.PLAY, ActionKind.BURN)
"""Actions by which cards leave a hand and the game."""


def dealt(hand: Hand, commitment: bytes, contributions: Iterable[bytes]) -> events_pb2.HandDealt:
    """Say what was dealt, and from what the deal was drawn but for the secret."""
    return events_pb2.HandDealt(
        commitment=commitment,
        hands=hands(hand),
        first_leader=hand.first_leader,
        unseen=hand.phase == "advance",
        consequences=consequences_to_proto(hand.at_deal),
        contributions=contributions,
    )


def taken(hand: Hand, answer: Answer, declined: Sequence[Answer]) -> events_pb2.ActionTaken:
    """Do an action in ``hand``, which changes, and say what came of it."""
    action, partner, unseen = answer.action, hand.partner, hand.phase == "advance"
    leaving = hand.leaving(answer.seat, action.cards) if action.kind in _LEAVING else ()
    consequences = hand.apply(action)
    return events_pb2.ActionTaken(
        seat=answer.seat,
        action=action_to_proto(action),
        decided_by=answer.by,
        cards=map(card_to_proto, leaving),
        consequences=consequences_to_proto(consequences),
        declines=declines(declined),
        partner_plus_one=0 if partner is None else partner + 1,
        hands=hands(hand) if unseen and hand.phase != "advance" else (),
    )


def ended(hand: Hand, secret: bytes) -> events_pb2.HandEnded:
    """Say how a hand ended, and lay its deal open."""
    return events_pb2.HandEnded(
        order=hand.order,
        scores=hand.scores,
        team_scores=hand.team_scores or (),
        voided=hand.void,
        secret=secret,
        hands=as_dealt(hand),
        digest=hand.digest(),
        owes=map(debt_to_proto, hand.owes),
    )


def hands(hand: Hand) -> list[events_pb2.DealtHand]:
    """Give the six hands as they are now."""
    return [events_pb2.DealtHand(cards=map(card_to_proto, hand.cards(seat))) for seat in range(SEATS)]


def as_dealt(hand: Hand) -> list[events_pb2.DealtHand]:
    """Give the six hands as they were dealt; none for a hand that keeps no account."""
    return [events_pb2.DealtHand(cards=map(card_to_proto, cards)) for cards in hand.dealt or ()]


def declines(answers: Iterable[Answer]) -> list[events_pb2.PrivateDecline]:
    """Say who declined a private question, in order."""
    return [events_pb2.PrivateDecline(seat=answer.seat, decided_by=answer.by) for answer in answers]
