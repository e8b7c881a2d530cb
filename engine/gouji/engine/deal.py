"""Dealing (R3.1): an unbiased shuffle from a 256-bit seed, and who leads (R3.2).

The seed feeds HMAC-DRBG with SHA-256 (NIST SP 800-90A, section 10.1.2), whose numbers drive a Fisher-Yates shuffle
with rejection, so that every order is equally likely and anybody can deal the same cards again.
"""

import hmac
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache

from gouji.engine.cards import SEATS, Card, Rank, full_deck
from gouji.engine.rules import RuleSet

SEED_BYTES = 32
"""Length of a deal's seed."""


class HmacDrbg:
    """HMAC-DRBG over SHA-256, seeded once, without reseeding or additional input."""

    def __init__(self, seed: bytes) -> None:
        self._key = bytes(32)
        self._value = b"\x01" * 32
        self._pool = b""
        self._update(seed)

    def _mac(self, data: bytes) -> bytes:
        return hmac.digest(self._key, data, "sha256")

    def _update(self, data: bytes) -> None:
        self._key = self._mac(self._value + b"\x00" + data)
        self._value = self._mac(self._value)
        if data:
            self._key = self._mac(self._value + b"\x01" + data)
            self._value = self._mac(self._value)

    def _generate(self, size: int) -> bytes:
        out = b""
        while len(out) < size:
            self._value = self._mac(self._value)
            out += self._value
        self._update(b"")
        return out[:size]

    def below(self, bound: int) -> int:
        """Return an unbiased number from 0 to ``bound - 1``; ``bound`` is at most 65,536."""
        limit = 65536 - 65536 % bound
        while True:
            if not self._pool:
                self._pool = self._generate(1024)
            number, self._pool = int.from_bytes(self._pool[:2], "big"), self._pool[2:]
            if number < limit:
                return number % bound


def shuffle(deck: Sequence[Card], source: HmacDrbg) -> list[Card]:
    """Give the deck in an order drawn from ``source``."""
    cards = list(deck)
    for last in range(len(cards) - 1, 0, -1):
        other = source.below(last + 1)
        cards[last], cards[other] = cards[other], cards[last]
    return cards


def deck_for(rules: RuleSet) -> list[Card]:
    """Return the cards that are dealt (R1.2, R1.3), in a fixed order; of short ranks the lowest suits stay."""
    return _deck_of(int(str(rules["decks"])), int(str(rules["threes"])), int(str(rules["fours"])))


def _deck_of(decks: int, threes: int, fours: int) -> list[Card]:
    deck = full_deck(decks)
    for rank, stay in ((Rank.THREE, threes), (Rank.FOUR, fours)):
        if stay:
            kept = sorted(card for card in deck if card.rank == rank)
            kept = [card for _, card in sorted(enumerate(kept), key=lambda each: (each[0] % (len(kept) // 4), each[1]))]
            deck = [card for card in deck if card.rank != rank] + kept[:stay]
    return deck


def suits_for(rules: RuleSet) -> Mapping[tuple[int, int], int]:
    """Count the cards that are dealt by rank and suit; jokers have none."""
    return _suits_for(int(str(rules["decks"])), int(str(rules["threes"])), int(str(rules["fours"])))


@lru_cache(maxsize=64)
def _suits_for(decks: int, threes: int, fours: int) -> Mapping[tuple[int, int], int]:
    deck = _deck_of(decks, threes, fours)
    return Counter((card.rank, card.suit) for card in deck if card.suit >= 0)


def deal_cards(rules: RuleSet, seed: bytes, leader: int | str) -> tuple[list[list[Card]], int]:
    """Deal all cards one at a time from seat 0 on, and say who leads.

    ``leader`` is a seat, or ``random``, ``first_seated``, ``show_threes`` or ``show_fours``. Returns six hands in the
    order in which their cards came, and the seat. Raises ValueError for a seed of another length or another ``leader``.
    """
    if len(seed) != SEED_BYTES:
        raise ValueError(f"a deal's seed has {SEED_BYTES} bytes, not {len(seed)}")
    source = HmacDrbg(seed)
    hands = _deal_until_fair(rules, source)
    drawn = source.below(SEATS)
    if leader in ("show_threes", "show_fours"):
        shown = _shows(hands, Rank.THREE if leader == "show_threes" else Rank.FOUR)
        return hands, drawn if shown is None else shown
    if leader == "random":
        return hands, drawn
    if leader == "first_seated":
        return hands, 0
    if leader not in range(SEATS):
        raise ValueError(f"no seat or way to choose the leader: {leader!r}")
    return hands, int(leader)


def _deal_until_fair(rules: RuleSet, source: HmacDrbg) -> list[list[Card]]:
    """Deal again until every seat holds `min_high` cards of J or higher (R3.1)."""
    deck, least = deck_for(rules), int(str(rules["min_high"]))
    while True:
        dealt = shuffle(deck, source)
        hands = [dealt[seat::SEATS] for seat in range(SEATS)]
        if all(sum(card.rank >= Rank.JACK for card in hand) >= least for hand in hands):
            return hands


def _shows(hands: Sequence[Sequence[Card]], rank: Rank) -> int | None:
    """Find the seat with the most of one rank and suit, at least two; ties go to the decisive one dealt first."""
    best: tuple[int, int, int] | None = None
    for seat, hand in enumerate(hands):
        seen: Counter[int] = Counter()
        for turn, card in enumerate(hand):
            if card.rank != rank:
                continue
            seen[card.suit] += 1
            showing = (-seen[card.suit], turn, seat)
            if seen[card.suit] >= 2 and (best is None or showing < best):
                best = showing
    return best[2] if best else None
