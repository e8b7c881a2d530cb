"""Ranks and cards (R1.2): text of the engine ⇄ `Rank`, `Cards`, `Card`."""

from typing import Final

from gouji.engine.cards import RANKS, SUITS, Card
from gouji.v1 import cards_pb2
from gouji.wire.errors import MalformedMessage

MOST_CARDS: Final = 54
"""The largest hand there is (R1.2, six packs); no message may name more."""

_RANK: Final = {rank: cards_pb2.Rank.ValueType(number) for number, rank in enumerate(RANKS, start=1)}
_TEXT: Final[dict[int, str]] = {number: rank for rank, number in _RANK.items()}


def rank_to_proto(rank: str) -> cards_pb2.Rank.ValueType:
    """Give the number of a rank's letter. Raises KeyError for any other text."""
    return _RANK[rank]


def rank_from_proto(rank: int) -> str:
    """Give a rank's letter. Raises `MalformedMessage` for the unspecified and for unknown numbers."""
    text = _TEXT.get(rank)
    if text is None:
        raise MalformedMessage(f"{rank} is no rank")
    return text


def cards_to_proto(ranks: str) -> cards_pb2.Cards:
    """Pack card text, keeping its order."""
    return cards_pb2.Cards(ranks=[_RANK[rank] for rank in ranks])


def cards_from_proto(cards: cards_pb2.Cards) -> str:
    """Give canonical card text. Raises `MalformedMessage` for an unknown rank or more than `MOST_CARDS`."""
    if len(cards.ranks) > MOST_CARDS:
        raise MalformedMessage(f"{len(cards.ranks)} cards; no hand holds more than {MOST_CARDS}")
    # The numbers go by rank, so that sorting them sorts the cards.
    return "".join([rank_from_proto(rank) for rank in sorted(cards.ranks, reverse=True)])


def card_to_proto(card: Card) -> cards_pb2.Card:
    """Pack one card with its suit."""
    return cards_pb2.Card(rank=cards_pb2.Rank.ValueType(card.rank + 1), suit=cards_pb2.Suit.ValueType(card.suit + 1))


def card_from_proto(card: cards_pb2.Card) -> Card:
    """Read one card with its suit; a joker has none. Raises `MalformedMessage` for what is no card."""
    rank, suit = card.rank - 1, card.suit - 1
    if not 0 <= rank < len(RANKS) or not -1 <= suit < len(SUITS) or (suit < 0) != (RANKS[rank] in "wW"):
        raise MalformedMessage(f"suit {card.suit} of rank {card.rank} is no card")
    return Card(rank, suit)
