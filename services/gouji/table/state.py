"""How a table stands: the fold of its log, which it may begin at a snapshot.

No event is made here, and nothing is judged; what a log may hold and in which order is `Table`'s to say.
"""

from collections.abc import Iterable, Sequence
from typing import Final, Self

from gouji.engine import Action, Hand, Match
from gouji.engine.cards import SEATS
from gouji.table import bodies, deals, timing
from gouji.table.account import account
from gouji.table.collecting import Collecting, Contribution
from gouji.table.company import Company
from gouji.table.past import Past
from gouji.table.presence import Roster
from gouji.table.window import Answer, Window
from gouji.v1 import events_pb2, rules_pb2, scoring_pb2, snapshot_pb2
from gouji.v1.events_pb2 import Event
from gouji.wire import action_from_proto, match_from_proto, result_from_proto, result_to_proto, rules_from_proto

SNAPSHOT_VERSION: Final = 4
"""Form of snapshots; whoever changes what `TableState` keeps between two hands raises it."""


class TableState:
    """One table as its log tells it. Only the events of that log may be folded, each once and in order."""

    def __init__(self, table_id: str) -> None:
        self.table_id = table_id
        self.sequence = 0
        self.at = 0
        self.seats: Sequence[events_pb2.Seat] = ()
        self.queue = ""
        self.opened = events_pb2.TableOpened()
        self.rules = rules_pb2.RuleSet()
        self.clock = rules_pb2.Clock()
        self.hand: Hand | None = None
        self.hand_number = 0
        self.match_number = 1
        self.turn = 0
        self.began = 0
        self.window: Window | None = None
        self.collecting: Collecting | None = None
        self.trick: list[Action] = []
        self.past = Past()
        self.company = Company()
        self.scores: Sequence[int] = ()
        self.presence = Roster()
        self.conduct: Sequence[scoring_pb2.Conduct] = ()
        self.account = scoring_pb2.HandResult()
        self.over = False
        self.frozen = ""
        self._match: Match | None = None
        self._secret = b""
        self._recorded = True
        self._committed_at = 0
        self._banks_us = [0] * SEATS

    @property
    def match(self) -> Match:
        """The match; ValueError before the table has opened."""
        if self._match is None:
            raise ValueError("the table has not opened")
        return self._match

    @property
    def ended(self) -> bool:
        """Nothing happens here any more."""
        return self.over or bool(self.frozen)

    @property
    def board(self) -> str:
        """The duplicate board that is played; empty where the table deals for itself."""
        return self.opened.board.board_id

    def deal(self, secret: bytes, contributions: Sequence[bytes]) -> Hand:
        """Deal the match's next hand anew from its secret and the seats' contributions: always the same."""
        number = self.hand_number
        if self.board:
            seed = deals.board_seed(secret, self.board, number)
        else:
            seed = deals.deal_seed(secret, self.table_id, self.match_number, number, contributions)
        return self.match.deal(seed, held=True, history=True)

    def commitment(self, secret: bytes, hand: int) -> bytes:
        """Give what is shown before a hand of this secret. Raises ValueError for a secret that is not the board's."""
        if not self.board:
            return deals.commitment(secret, self.table_id, self.match_number, hand)
        shown = deals.board_commitment(secret, self.board)
        if shown != self.opened.board.commitment:
            raise ValueError("the board's secret does not fit its commitment")
        return shown

    def _declined(self, seats: Iterable[int]) -> Hand:
        """Copy the hand as it is once these seats, in order, have declined their private questions."""
        if self.hand is None:
            raise ValueError("no hand is being played")
        hand = self.hand.clone()
        for seat in seats:
            if hand.turn != seat or not hand.private:
                raise ValueError("a seat declined that was not asked")
            hand.apply(hand.default_action())
        return hand

    # Snapshots

    def snapshot(self) -> snapshot_pb2.TableSnapshot:
        """Tell what matters to the next hand, right after a hand's end. Raises ValueError at any other time."""
        if self.hand is None or not self._recorded:
            raise ValueError("a hand is being played")
        snapshot = snapshot_pb2.TableSnapshot(
            version=SNAPSHOT_VERSION,
            sequence=self.sequence,
            hand=self.hand_number,
            turn=self.turn,
            opened=self.opened,
            results=map(result_to_proto, self.match.results),
            attendance=self.presence.kept(),
        )
        snapshot.at.FromMicroseconds(self.at)
        return snapshot

    @classmethod
    def restored(cls, table_id: str, snapshot: snapshot_pb2.TableSnapshot) -> Self:
        """Make the table anew as its log stood; the log's next event can be folded then."""
        table = cls(table_id)
        table._fold_opened(snapshot.opened)
        table.match.results += map(result_from_proto, snapshot.results)
        table.sequence, table.at = snapshot.sequence, snapshot.at.ToMicroseconds()
        table.hand_number, table.turn = snapshot.hand, snapshot.turn
        table.presence = Roster.restored(snapshot.opened.seats, snapshot.attendance)
        return table

    # Folding

    def fold(self, event: Event) -> None:
        """Take in the next event of the log. Raises ValueError for one that does not follow on this state."""
        if event.sequence != self.sequence + 1:
            raise ValueError(f"event {event.sequence} does not follow {self.sequence}")
        at = event.at.ToMicroseconds()
        self.presence.passed(self._played(event, at - self.at))
        self.sequence, self.at, self.hand_number = event.sequence, at, event.hand
        self._fold_body(event)
        self.company.fold(event)

    def _played(self, event: Event, us: int) -> int:
        """Say for how much of the time since the event before nothing held the table up."""
        if self.frozen or event.HasField("table_resumed"):
            return 0
        return max(us - event.clocks_credited.pause_ms * 1000, 0)

    def _fold_body(self, event: Event) -> None:
        match event.WhichOneof("body"):
            case "table_opened":
                self._fold_opened(event.table_opened)
            case "hand_committed":
                self._fold_committed(event.hand_committed)
            case "hand_dealt":
                self._fold_dealt(event.hand_dealt)
            case "action_taken":
                self._fold_action(event.action_taken)
            case "answers_closed":
                self._fold_closed(event.answers_closed)
            case "hand_ended":
                self._fold_ended(event.hand_ended)
            case "seat_changed":
                self._fold_seat(event.seat_changed)
            case None:
                raise ValueError(f"event {event.sequence} says nothing")
            case _:
                self._fold_around(event)

    def _fold_around(self, event: Event) -> None:
        """Take in what happens to the table rather than at it."""
        match event.WhichOneof("body"):
            case "table_resumed":
                self._fold_resumed()
            case "clocks_credited":
                self._fold_credit(event.clocks_credited.pause_ms * 1000)
            case "match_ended" | "table_abandoned":
                self.over, self.frozen = True, ""
            case "said" | "hand_vote" | "rematch_wish" | "rematch_placed":
                pass  # the company's
            case "table_frozen":
                self.frozen = event.table_frozen.reference
            case body:
                raise ValueError(f"event {event.sequence} is unknown: {body}")

    def seal(self, given: Answer | Contribution) -> None:
        """Keep an answer to a private question, or a contribution. Raises ValueError for a seat that is not asked."""
        if isinstance(given, Contribution):
            if self.collecting is None:
                raise ValueError("no contributions are collected")
            self.collecting.seal(given)
            return
        if self.window is None:
            raise ValueError("no private questions are open")
        self.window.seal(given)

    def _fold_opened(self, opened: events_pb2.TableOpened) -> None:
        self.opened = opened
        self.rules, self.clock, self.queue = opened.rules, opened.clock, opened.queue
        self.match_number = opened.match
        self.seats = tuple(opened.seats)
        self.presence = Roster.of(opened.seats, self.at)
        self._match = match_from_proto(rules_from_proto(opened.rules), opened.length)

    def _fold_committed(self, committed: events_pb2.HandCommitted) -> None:
        until = committed.until.ToMicroseconds()
        self.collecting = Collecting(committed.secret, self.hand_number, committed.awaited, until)
        # What was of the hand before is forgotten here, so that a snapshot need not keep it.
        self.hand, self.window, self.trick, self.past = None, None, [], Past()
        self._secret, self._banks_us = b"", [0] * SEATS
        self.scores, self.began = self.match.team_scores or self.match.scores, self.at
        self._committed_at = self.at

    def _fold_dealt(self, dealt: events_pb2.HandDealt) -> None:
        if self.collecting is None:
            raise ValueError("a hand is dealt without a commitment")
        self._secret = self.collecting.secret
        self.collecting, self._recorded = None, False
        self.hand = self.deal(self._secret, tuple(dealt.contributions))
        if bodies.hands(self.hand) != list(dealt.hands):
            raise ValueError("the secret does not give the cards that the log says were dealt")
        self.past = Past()
        self.scores = self.match.team_scores or self.match.scores
        self._banks_us = [self.clock.bank_ms * 1000] * SEATS
        self._begin_turn()

    def _fold_action(self, taken: events_pb2.ActionTaken) -> None:
        action = action_from_proto(taken.seat, taken.action)
        self.presence[taken.seat].acted(taken.decided_by, self.at)
        if self.window is None:
            bank = self._banks_us[taken.seat]
            self._banks_us[taken.seat] = timing.bank_after(self.began, self.at, self.clock.turn_ms, bank)
        self.hand = self._declined(decline.seat for decline in taken.declines)
        self.hand.apply(action)
        self.trick.append(action)
        self._begin_turn()

    def _fold_closed(self, closed: events_pb2.AnswersClosed) -> None:
        self.hand = self._declined(decline.seat for decline in closed.declines)
        self.hand.close_answers()
        self._begin_turn()

    def _fold_ended(self, ended: events_pb2.HandEnded) -> None:
        if self.hand is None or self.hand.digest() != ended.digest:
            raise ValueError("the hand did not end as the log says")
        self.match.record(self.hand, given_up=ended.given_up)
        self._recorded, self.window = True, None
        if not ended.voided:
            self.conduct = self.presence.end_hand()
            self.account = account(self.hand)
            self.account.began.FromMicroseconds(self._committed_at)

    def _fold_seat(self, changed: events_pb2.SeatChanged) -> None:
        seat = self.presence[changed.seat]
        seat.changed(changed, self.at)
        if seat.gone and self.collecting is not None:
            self.collecting.miss(changed.seat)

    def _fold_credit(self, pause_us: int) -> None:
        self.began = min(self.began + pause_us, self.at)
        if self.window is not None and self.window.until is not None:
            self.window.until += pause_us
        self.presence.credited(pause_us, self.at)

    def _fold_resumed(self) -> None:
        self.presence.resumed(self.at)
        self.frozen = ""
        self.began = self.at
        if self.collecting is not None and self.collecting.waits:
            self.collecting.until = self.at + self.clock.contributions_ms * 1000
        if self.window is not None:
            self.window.until = self._window_end()

    def _begin_turn(self) -> None:
        if self.hand is None or not self.hand.table:
            self.trick = []
        if self.hand is not None:
            self.past.follow(self.hand.steps or ())
        self.turn += 1
        self.began = self.at
        self.window = None
        if self.hand is not None and self.hand.window and not self.hand.over:
            self.window = Window(self.hand, self._window_end())

    def _window_end(self) -> int | None:
        least, most = self.clock.answers_least_ms, self.clock.answers_most_ms
        if not most and not self.presence.people:
            return None
        return self.at + deals.window_ms(self._secret, self.sequence, least, most) * 1000
