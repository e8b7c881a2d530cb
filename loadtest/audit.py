"""What a table's log says of its cards: every hand is the deck, and no card is lost or doubled.

It goes by the log's messages alone and knows no rule of play, so that a fault of the engine's shows too.
"""

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from gouji.engine import RuleSet
from gouji.engine.deal import deck_for
from gouji.v1.cards_pb2 import RANK_FOUR, Card
from gouji.v1.consequences_pb2 import Consequence
from gouji.v1.events_pb2 import ActionTaken, Event, HandDealt, HandEnded
from gouji.wire import card_from_proto, rules_from_proto

AFTERWARDS = ("said", "rematch_wish", "rematch_placed")
"""What may follow the end of a match."""


@dataclass
class Audit:
    """One table's log, read event by event: what it counts, and what is wrong with it."""

    table_id: str
    hands: int = 0
    moves: int = 0
    over: bool = False
    sequence: int = 0
    left: list[Counter[tuple[int, int]]] = field(default_factory=list)
    dealt: list[Counter[tuple[int, int]]] = field(default_factory=list)
    finished: set[int] = field(default_factory=set)
    commitment: bytes = b""
    match: int = 1
    deck: Counter[tuple[int, int]] = field(default_factory=lambda: Counter(deck_for(RuleSet())))

    def take(self, event: Event) -> Iterator[str]:
        """Go on by one event; yields a sentence for each thing that is wrong."""
        yield from self._follows(event)
        match event.WhichOneof("body"):
            case "table_opened":
                self.match = event.table_opened.match
                self.deck = Counter(deck_for(rules_from_proto(event.table_opened.rules)))
            case "hand_committed":
                self.commitment = event.hand_committed.commitment
            case "hand_dealt":
                yield from self._deal(event.hand_dealt)
            case "action_taken":
                yield from self._act(event.sequence, event.action_taken)
                yield from self._follow(event.sequence, event.action_taken.consequences)
            case "answers_closed":
                yield from self._follow(event.sequence, event.answers_closed.consequences)
            case "hand_ended":
                yield from self._end(event.hand, event.hand_ended)
            case "match_ended":
                self.over = True
            case "table_frozen" | "table_abandoned":
                yield "the table is frozen"

    def _follows(self, event: Event) -> Iterator[str]:
        if event.sequence != self.sequence + 1:
            yield f"event {event.sequence} follows {self.sequence}"
        if self.over and event.WhichOneof("body") not in AFTERWARDS:
            yield f"event {event.sequence} comes after the end"
        self.sequence = event.sequence

    def _deal(self, dealt: HandDealt) -> Iterator[str]:
        self.dealt = [_count(hand.cards) for hand in dealt.hands]
        self.left = [cards.copy() for cards in self.dealt]
        self.finished = set()
        if dealt.commitment != self.commitment:
            yield "the deal has another commitment than was shown before it"
        if sum(self.dealt, Counter()) != self.deck:
            yield "the cards dealt are not the deck"

    def _act(self, sequence: int, taken: ActionTaken) -> Iterator[str]:
        self.moves += 1
        cards = _count(taken.cards)
        if not cards <= self.left[taken.seat]:
            yield f"event {sequence}: seat {taken.seat} plays cards that it does not hold"
        self.left[taken.seat] -= cards
        if Counter(_named(taken)) != Counter(card.rank for card in taken.cards):
            yield f"event {sequence}: other cards leave than are played"

    def _follow(self, sequence: int, consequences: Iterable[Consequence]) -> Iterator[str]:
        for consequence in consequences:
            if consequence.HasField("seat_finished"):
                self.finished.add(consequence.seat_finished.seat)
            if consequence.HasField("seat_struck"):
                struck = consequence.seat_struck
                if _count(struck.cards) != self.left[struck.seat]:
                    yield f"event {sequence}: a struck seat shows other cards than it holds"
            yield from self._change_hands(sequence, consequence)

    def _change_hands(self, sequence: int, consequence: Consequence) -> Iterator[str]:
        """Move what is paid, given back, bought or laid aside before the play."""
        paid, back, bought = consequence.tribute_paid, consequence.tribute_returned, consequence.card_bought
        for giver, taker, cards in (
            (paid.payer, paid.receiver, paid.cards),
            (back.receiver, back.payer, back.cards),
            (bought.seller, bought.buyer, bought.sold),
            (bought.buyer, bought.seller, bought.paid),
        ):
            moved = _count(cards)
            if not moved <= self.left[giver]:
                yield f"event {sequence}: seat {giver} gives cards that it does not hold"
            self.left[giver] -= moved
            self.left[taker] += moved
        if consequence.HasField("fours_sunk"):
            self._lay_aside([consequence.fours_sunk.seat], [RANK_FOUR])
        self._lay_aside(range(6), consequence.ranks_laid_off.ranks)

    def _lay_aside(self, seats: Iterable[int], ranks: Iterable[int]) -> None:
        for seat in seats:
            for rank in ranks:
                for card in [card for card in self.left[seat] if card[0] == rank - 1]:
                    del self.left[seat][card]

    def _end(self, hand: int, ended: HandEnded) -> Iterator[str]:
        self.hands += 1
        if [_count(shown.cards) for shown in ended.hands] != self.dealt:
            yield f"hand {hand}: the cards shown at the end are not those dealt"
        if hashlib.sha256(ended.secret + f"{self.table_id}/{self.match}/{hand}".encode()).digest() != self.commitment:
            yield f"hand {hand}: the secret does not fit the commitment"
        if {seat for seat, cards in enumerate(self.left) if not cards} != self.finished:
            yield f"hand {hand}: not just the seats that finished have no cards left"
        if not ended.voided and sorted(ended.order) != list(range(6)):
            yield f"hand {hand}: the order does not name each seat once"


def _count(cards: Iterable[Card]) -> Counter[tuple[int, int]]:
    return Counter(card_from_proto(card) for card in cards)


def _named(taken: ActionTaken) -> Sequence[int]:
    """List the ranks that a play or burn names; nothing leaves a hand otherwise."""
    kind = taken.action.WhichOneof("kind")
    return getattr(taken.action, kind).cards.ranks if kind in ("play", "burn") else ()


def audit(table_id: str, events: Iterable[Event]) -> tuple[Audit, list[str]]:
    """Read a whole log; returns its counts, and what is wrong with it, in order."""
    log = Audit(table_id)
    wrong = [problem for event in events for problem in log.take(event)]
    return log, wrong if log.over else [*wrong, "the match has not ended"]
