"""A player's part in the deals of a table: what it contributes, and whether the table kept its word."""

import secrets
from collections.abc import Iterator
from dataclasses import dataclass

from gouji.engine.deal import deal_cards
from gouji.engine.secret import SECRET_BYTES, board_commitment, board_seed, commitment, deal_seed
from gouji.v1.events_pb2 import Event, HandCommitted, HandDealt, HandEnded, TableOpened
from gouji.wire import card_from_proto, rules_from_proto


@dataclass(slots=True)
class _Deal:
    """What was shown of one hand's deal; ``own`` is what was contributed to it, ``counts`` that it must be in it."""

    committed: HandCommitted
    own: bytes
    counts: bool = False
    dealt: HandDealt | None = None


class DealWatch:
    """Checks each deal by what was shown of it. Hand it every event in order, from the first on."""

    def __init__(self) -> None:
        self.doubts: list[str] = []
        """What a table did that no honest one does, a sentence each."""
        self._opened = TableOpened()
        self._deals: dict[int, _Deal] = {}

    def take(self, event: Event) -> None:
        """Go on by one event."""
        deal = self._deals.get(event.hand)
        if event.HasField("table_opened"):
            self._opened = event.table_opened
        elif event.HasField("hand_committed"):
            own = secrets.token_bytes(SECRET_BYTES)
            self._deals[event.hand] = _Deal(event.hand_committed, own)
            self.doubts += (f"Hand {event.hand}: {doubt}." for doubt in self._committed(event.hand_committed))
        elif event.HasField("hand_dealt") and deal:
            deal.dealt = event.hand_dealt
            self.doubts += (f"Hand {event.hand}: {doubt}." for doubt in self._dealt(deal, event.hand_dealt))
        elif event.HasField("hand_ended") and deal and deal.dealt:
            self.doubts += (f"Hand {event.hand}: {doubt}." for doubt in self._ended(deal, event.hand, event.hand_ended))
            del self._deals[event.hand]

    def waits_for(self, player_id: str) -> int:
        """Give the hand to whose deal this player is to contribute and has not; 0 when there is none."""
        hand, deal = max(self._deals.items(), default=(0, None), key=lambda item: item[0])
        if deal is None or deal.dealt or deal.counts or not player_id:
            return 0
        seats = {seat for seat, held in enumerate(self._opened.seats) if held.player_id == player_id}
        return hand if seats & set(deal.committed.awaited) else 0

    def own(self, hand: int) -> bytes:
        """Give what this player contributes to a hand that was committed to: drawn once, and kept."""
        return self._deals[hand].own

    def given(self, hand: int) -> None:
        """Note that the table has taken the contribution: it must be part of the deal."""
        if hand in self._deals:
            self._deals[hand].counts = True

    def _committed(self, committed: HandCommitted) -> Iterator[str]:
        board = self._opened.board
        if board.board_id and committed.commitment != board.commitment:
            yield "the commitment is not that of the board"

    def _dealt(self, deal: _Deal, dealt: HandDealt) -> Iterator[str]:
        if dealt.commitment != deal.committed.commitment:
            yield "the deal has another commitment than was shown before it"
        if deal.counts and deal.own not in dealt.contributions:
            yield "your contribution, which the table took, is not part of the deal"

    def _ended(self, deal: _Deal, hand: int, ended: HandEnded) -> Iterator[str]:
        opened, dealt = self._opened, deal.dealt or HandDealt()
        board = opened.board.board_id
        if board and not ended.secret:
            return  # it stays shut until the board's last table has ended
        if board:
            shown = board_commitment(ended.secret, board)
            seed = board_seed(ended.secret, board, hand)
        else:
            shown = commitment(ended.secret, opened.table_id, opened.match, hand)
            seed = deal_seed(ended.secret, opened.table_id, opened.match, hand, list(dealt.contributions))
        if shown != deal.committed.commitment:
            yield "the secret does not fit the commitment"
        cards, _ = deal_cards(rules_from_proto(opened.rules), seed, 0)
        hands = [sorted(map(card_from_proto, held.cards)) for held in ended.hands]
        if [sorted(held) for held in cards] != hands:
            yield "secret and contributions give other cards than were dealt"
