"""A table's log as a record of its game (docs/notation.md).

A hand that has not ended shows its commitment and its leader alone, as the table does.
"""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Final

from gouji.engine import Hand
from gouji.engine.cards import Card
from gouji.engine.records import HandRecord, Move, Player, Record, Result, in_lines
from gouji.engine.secret import NO_CONTRIBUTIONS
from gouji.table.table import Table
from gouji.v1 import events_pb2
from gouji.v1.events_pb2 import Event
from gouji.wire import action_from_proto, card_from_proto, rules_from_proto

_DECIDERS: Final = {
    events_pb2.DECIDED_BY_PLAYER: "player",
    events_pb2.DECIDED_BY_BOT: "bot",
    events_pb2.DECIDED_BY_CLOCK: "clock",
}


def record_of(log: Iterable[Event]) -> Record:
    """Make the record of a log, as far as it goes. Raises ValueError, or an error of the engine, for one that is none.

    Cards, moves and hands' digests are checked on the way, the rest is as the log has it: `verify` checks that.
    """
    events = list(log)
    if not events or not events[0].HasField("table_opened"):
        raise ValueError("a log begins with the opening of its table")
    clerk = _Clerk(events[0].table_opened)
    for event in events:
        clerk.take(event)
    return clerk.record(events[0])


def unfinished(log: Iterable[Event]) -> tuple[bytes, Sequence[events_pb2.DealtHand]]:
    """Give the secret and the dealt cards of the hand that is not over; both empty when there is none.

    The log need not fold: what a table that is given up has to show must not depend on that.
    """
    secret, hands = b"", list[events_pb2.DealtHand]()
    for event in log:
        match event.WhichOneof("body"):
            case "hand_committed":
                secret, hands = event.hand_committed.secret, []
            case "hand_dealt":
                hands = list(event.hand_dealt.hands)
            case "hand_ended" | "table_abandoned":
                secret, hands = b"", []
    return secret, hands


class _Clerk:
    """Writes down one table's game. Hand it every event in order."""

    def __init__(self, opened: events_pb2.TableOpened) -> None:
        self._table = Table(opened.table_id)
        self._seats = opened.seats
        self._hands: list[HandRecord] = []
        self._dealt: Hand | None = None
        self._leader = 0
        self._contributions: tuple[bytes, ...] = NO_CONTRIBUTIONS
        self._commitment = b""
        self._began: datetime | None = None
        self._moves: list[Move] = []
        self._total: Result | None = None

    def take(self, event: Event) -> None:
        """Go on by one event."""
        if event.HasField("action_taken"):
            taken = event.action_taken
            self._decline(taken.declines)
            self._moves.append(Move(action_from_proto(taken.seat, taken.action), self._by(taken)))
        elif event.HasField("answers_closed"):
            self._decline(event.answers_closed.declines)
            self._moves.append(Move())
        self._table.fold(event)
        if event.HasField("hand_dealt"):
            self._begin(event)
        elif event.HasField("hand_ended"):
            ended = event.hand_ended
            self._end(event, ended.secret, ended.hands, _result(ended, ended.order))
        elif event.HasField("table_abandoned") and self._dealt is not None:
            self._end(event, event.table_abandoned.secret, event.table_abandoned.hands, None)
        elif event.HasField("match_ended"):
            self._total = _result(event.match_ended)

    def _by(self, decided: events_pb2.ActionTaken | events_pb2.PrivateDecline) -> str:
        """Say who decided, if not who sits there."""
        usual = "player" if self._seats[decided.seat].player_id else "bot"
        by = _DECIDERS.get(decided.decided_by, usual)
        return "" if by == usual else by

    def _decline(self, declines: Iterable[events_pb2.PrivateDecline]) -> None:
        """Write down private declines: a seat's mildest choice, as the table takes it."""
        if self._table.hand is None:
            return
        hand = self._table.hand.clone()
        for decline in declines:
            action = hand.default_action()
            hand.apply(action)
            self._moves.append(Move(action, self._by(decline)))

    def _begin(self, event: Event) -> None:
        dealt = event.hand_dealt
        self._dealt = self._table.hand.clone() if self._table.hand else None
        self._contributions, self._began = tuple(dealt.contributions), event.at.ToDatetime(UTC)
        self._leader, self._commitment = dealt.first_leader, dealt.commitment
        self._moves = []

    def _end(self, event: Event, secret: bytes, hands: Iterable[events_pb2.DealtHand], result: Result | None) -> None:
        """Write down a hand that is over, or without a result was abandoned."""
        if self._dealt is None:
            raise ValueError(f"event {event.sequence} ends a hand that was not dealt")
        self._hands.append(
            HandRecord(
                number=event.hand,
                leader=self._leader,
                commitment=self._commitment,
                secret=secret,
                contributions=self._contributions,
                began=self._began,
                ended=event.at.ToDatetime(UTC),
                deal=tuple(_cards(dealt) for dealt in hands),
                lines=in_lines(self._dealt, self._moves),
                result=result,
                abandoned=result is None,
            )
        )
        self._dealt = None

    def record(self, first: Event) -> Record:
        """Give what has been written; ``first`` is the log's first event."""
        opened, hands = first.table_opened, list(self._hands)
        if self._dealt is not None:
            hands.append(
                HandRecord(
                    self._table.hand_number,
                    self._leader,
                    self._commitment,
                    contributions=self._contributions,
                    began=self._began,
                )
            )
        by_points = opened.length.WhichOneof("until") == "target"
        return Record(
            table=opened.table_id,
            number=opened.match,
            rules=rules_from_proto(opened.rules),
            players=tuple(map(_player, opened.seats)),
            length=None if by_points else opened.length.hands,
            target=opened.length.target if by_points else None,
            started=first.at.ToDatetime(UTC),
            hands=tuple(hands),
            total=self._total,
            rules_version=opened.rules_version,
            board=opened.board.board_id,
        )


def _player(seat: events_pb2.Seat) -> Player:
    return Player(seat.name or ("" if seat.bot_level else seat.player_id), seat.bot_level)


def _cards(dealt: events_pb2.DealtHand) -> tuple[Card, ...]:
    return tuple(card_from_proto(card) for card in dealt.cards)


def _result(ended: events_pb2.HandEnded | events_pb2.MatchEnded, order: Sequence[int] = ()) -> Result:
    even_odd = tuple(ended.team_scores)
    teams = (even_odd[0], even_odd[1]) if even_odd else None
    return Result(tuple(ended.scores), teams, ended.digest, tuple(order))
