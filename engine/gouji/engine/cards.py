"""Cards (R1): ranks, suits, decks, and cards as text.

Cards are written as people write them: ``3 4 5 6 7 8 9 T J Q K A 2 w W``, in any order, spaces ignored, and ``K*7``
for seven kings. The canonical text goes from the highest rank to the lowest: ``WWw22KKK3``.
"""

import re
from collections.abc import Iterable
from enum import IntEnum
from typing import NamedTuple

RANKS = "3456789TJQKA2wW"
"""All ranks as text, low to high (R1.2)."""

SUITS = "SHDC"
"""Suits as text, lowest first: where a hand holds more than it plays, these leave first."""

SEATS = 6
"""Seats at a table (R1.1)."""

_RUN = re.compile(r"([3-9TJQKA2wW])(?: *\* *(\d{1,3}))?")


class Rank(IntEnum):
    """Rank of a card, low to high (R1.2)."""

    THREE = 0
    FOUR = 1
    FIVE = 2
    SIX = 3
    SEVEN = 4
    EIGHT = 5
    NINE = 6
    TEN = 7
    JACK = 8
    QUEEN = 9
    KING = 10
    ACE = 11
    TWO = 12
    SMALL_JOKER = 13
    BIG_JOKER = 14


class Card(NamedTuple):
    """One card: ``rank`` is an index into `RANKS`, ``suit`` one into `SUITS`, or -1 for a joker."""

    rank: int
    suit: int

    def __str__(self) -> str:
        """Rank and suit, such as ``KS``; a joker is ``w`` or ``W``."""
        return RANKS[self.rank] + (SUITS[self.suit] if self.suit >= 0 else "")


class MalformedCards(ValueError):
    """Text that is not cards."""


def parse_cards(text: str) -> str:
    """Read cards in any order and give their canonical text.

    Raises `MalformedCards` if anything but cards and spaces stands in it.
    """
    # A space ends a number: `K*7 5` is seven kings and a five.
    runs = list(_RUN.finditer(text))
    if "".join(run.group() for run in runs).replace(" ", "") != text.replace(" ", ""):
        raise MalformedCards(f"{text!r} is not cards: write 3 4 5 6 7 8 9 T J Q K A 2 w W, and K*7 for seven kings")
    return sort_cards("".join(run[1] * int(run[2] or 1) for run in runs))


def sort_cards(ranks: str) -> str:
    """Give ranks from the highest to the lowest, as people hold them."""
    return "".join(sorted(ranks, key=RANKS.index, reverse=True))


def counts_of(ranks: str) -> list[int]:
    """Count cards by rank: 15 numbers, threes first."""
    return [ranks.count(rank) for rank in RANKS]


def opposite(seat: int) -> int:
    """Return the seat across the table (對頭, R1.1)."""
    return (seat + 3) % SEATS


def team_of(seat: int) -> int:
    """Return 0 for the even seats, 1 for the odd ones (聯邦, R1.1)."""
    return seat % 2


def full_deck(decks: int = 4) -> list[Card]:
    """Return all cards of ``decks`` packs in a fixed order: 54 a pack (R1.2)."""
    pack = [Card(rank, suit) for rank in range(13) for suit in range(4)]
    pack += [Card(Rank.SMALL_JOKER, -1), Card(Rank.BIG_JOKER, -1)]
    return pack * decks


def suited_text(cards: Iterable[Card]) -> str:
    """Write cards with their suits, rank by rank from the highest: ``WW w 2SHD ASC``."""
    ranks: dict[int, str] = {}
    for card in sorted(cards, key=lambda card: (-card.rank, card.suit)):
        ranks[card.rank] = ranks.get(card.rank, "") + (RANKS[card.rank] if card.suit < 0 else SUITS[card.suit])
    return " ".join(group if RANKS[rank] in group else RANKS[rank] + group for rank, group in ranks.items())
