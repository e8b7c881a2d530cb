"""What follows from tribute and buying about the cards that others hold (R8, R9.3).

Cards paid and bought are seen by all, cards given back by the two seats alone. A payer gives its highest, so what it
pays also tells what it has not.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from gouji.engine.actions import ActionKind
from gouji.engine.cards import RANKS, Card, counts_of, sort_cards
from gouji.engine.events import CardBought, Consequence, SeatOpened, TributePaid, TributeReturned, TrickWon
from gouji.engine.history import Step

ANY: Final = 255
"""As a bound: any number of cards."""

_TWO: Final = RANKS.index("2")


@dataclass(slots=True)
class Bounds:
    """Least and most cards of each rank that a seat holds or has played, and what it may not pay on (R8.3)."""

    least: list[int] = field(default_factory=lambda: [0] * len(RANKS))
    most: list[int] = field(default_factory=lambda: [ANY] * len(RANKS))
    received: list[int] = field(default_factory=lambda: [0] * len(RANKS))

    def gain(self, rank: int, cards: int = 1) -> None:
        """Take in cards that were seen."""
        self.least[rank] += cards
        self._raise(rank, cards)

    def lose(self, rank: int, cards: int = 1) -> None:
        """Give away cards that were seen."""
        self.least[rank] = max(0, self.least[rank] - cards)
        if self.most[rank] != ANY:
            self.most[rank] = max(0, self.most[rank] - cards)

    def change_unseen(self, cards: int, *, gained: bool) -> None:
        """Take in or give away cards of which only the number was seen."""
        for rank in range(len(RANKS)):
            if gained:
                self._raise(rank, cards)
            else:
                self.least[rank] = max(0, self.least[rank] - cards)

    def has_at_most(self, rank: int, cards: int) -> None:
        """Learn of an upper bound."""
        self.most[rank] = min(self.most[rank], cards)

    def has_at_least(self, rank: int, cards: int) -> None:
        """Learn of a lower bound."""
        self.least[rank] = max(self.least[rank], cards)

    def _raise(self, rank: int, cards: int) -> None:
        if self.most[rank] != ANY:
            self.most[rank] += cards


def bounds_of(history: Iterable[Step]) -> dict[int, Bounds]:
    """Say what the steps before the play tell of the cards of seats; cards played since still count in."""
    known: defaultdict[int, Bounds] = defaultdict(Bounds)
    for step in history:
        if step.action is not None and step.action.kind is ActionKind.REVOLT:
            for rank, cards in enumerate(counts_of(step.action.cards)):
                known[step.action.seat].has_at_least(rank, cards)
        for consequence in step.consequences:
            if isinstance(consequence, TrickWon):
                return known
            _learn(known, consequence)
    return known


def _learn(known: Mapping[int, Bounds], consequence: Consequence) -> None:
    match consequence:
        case TributePaid(payer, receiver, cards):
            _learn_from_payment(known[payer], known[receiver], cards)
        case TributeReturned(receiver, payer, cards, count):
            _learn_from_return(known[receiver], known[payer], cards, count)
        case CardBought(buyer, seller, sold, paid):
            _learn_from_sale(known[buyer], known[seller], sold, paid)


def _learn_from_payment(payer: Bounds, receiver: Bounds, cards: Sequence[Card]) -> None:
    """R8.3: of ranks above the lowest that it pays, the payer keeps only what it was paid itself."""
    lowest = min(card.rank for card in cards)
    for rank, paid in Counter(card.rank for card in cards).items():
        payer.lose(rank, paid)
        receiver.gain(rank, paid)
        receiver.received[rank] += paid
    for rank in range(lowest + 1, len(RANKS)):
        payer.has_at_most(rank, payer.received[rank])


def _learn_from_return(giver: Bounds, taker: Bounds, cards: Sequence[Card], count: int) -> None:
    """R8.4: whoever did not see the cards knows how many went back."""
    if not cards:
        giver.change_unseen(count, gained=False)
        taker.change_unseen(count, gained=True)
    for card in cards:
        giver.lose(card.rank)
        taker.gain(card.rank)


def _learn_from_sale(buyer: Bounds, seller: Bounds, sold: Sequence[Card], paid: Sequence[Card]) -> None:
    """R8.7: the buyer had none, the seller two or more; who pays with a joker had nothing lower to pay with."""
    for card in sold:
        buyer.has_at_most(card.rank, 0)
        buyer.gain(card.rank)
        seller.has_at_least(card.rank, 2)
        seller.lose(card.rank)
    for card in paid:
        for rank in range(_TWO, card.rank):
            buyer.has_at_most(rank, 0)
        buyer.lose(card.rank)
        seller.gain(card.rank)


def known_cards(bounds: Bounds, played: str) -> str:
    """Give the cards that a seat is known to hold still, as text."""
    counts = counts_of(played)
    return sort_cards("".join(RANKS[rank] * max(0, bounds.least[rank] - counts[rank]) for rank in range(len(RANKS))))


def opened_in(history: Iterable[Step]) -> set[int]:
    """Say which seats opened by what happened, not by their deal (R9.6)."""
    return {each.seat for step in history for each in step.consequences if isinstance(each, SeatOpened)}
