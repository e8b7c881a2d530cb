"""A table as its events tell it: the fold of what one watcher is shown.

It holds what events state and nothing that would take the rules to work out; for that (what is legal, who has
a head) there is `TableClient.observe`.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from gouji.engine import Action, ActionKind, Card
from gouji.engine.cards import RANKS, SEATS, sort_cards
from gouji.engine.events import (
    CardBought,
    FoursSunk,
    RanksLaidOff,
    ScrambleBegan,
    SeatChoked,
    SeatFinished,
    SeatLeft,
    SeatOpened,
    SeatStruck,
    SeatStuck,
    TributePaid,
    TributeReturned,
    TrickWon,
)
from gouji.engine.observation import SeatView
from gouji.v1.consequences_pb2 import Consequence
from gouji.v1.events_pb2 import (
    ActionTaken,
    DealtHand,
    Event,
    HandDealt,
    HandEnded,
    MatchEnded,
    SeatChanged,
    TableAbandoned,
    TableFrozen,
    TableOpened,
    Turn,
)
from gouji.v1.observation_pb2 import QUESTION_UNSPECIFIED, Observation
from gouji.v1.table_pb2 import Presence, WatchStart
from gouji.wire import action_from_proto, card_from_proto, consequence_from_proto, observation_from_proto

_PLAYS = (ActionKind.PLAY, ActionKind.BURN)
_IN_A_TRICK = (*_PLAYS, ActionKind.PASS, ActionKind.YIELD, ActionKind.CLOSE)


@dataclass(slots=True)
class SeatState:
    """What events said of one seat in this hand.

    ``away`` means that a bot plays for its absent player, ``left`` that the player has left for good.
    """

    connected: bool = False
    away: bool = False
    left: bool = False
    played: str = ""
    place: int = 0
    opened: bool = False
    revolted: bool = False
    struck: bool = False
    choked_by: int | None = None
    stuck: bool = False

    def next_hand(self) -> "SeatState":
        """Forget the hand, not who is there."""
        return SeatState(self.connected, self.away, self.left)


@dataclass(slots=True)
class HandState:
    """The hand that is played, or was last. ``trick`` holds its acts so far, oldest first."""

    number: int = 0
    first_leader: int = 0
    cards: list[Card] = field(default_factory=list)
    """The watcher's own cards, dead ones too when it was struck; empty for a spectator."""
    trick: list[Action] = field(default_factory=list)
    finished: list[int] = field(default_factory=list)
    scramble: bool = False
    contested: bool = False
    """A revolter has shown what it would open with; what its opposite answers is no part of a trick (R9.3)."""

    @property
    def table(self) -> Action | None:
        """The play to beat; None at a lead."""
        return next((act for act in reversed(self.trick) if act.kind in _PLAYS), None)


@dataclass(slots=True)
class TableView:
    """What one watcher knows of a table after event ``sequence``. Fold events in order, each once.

    ``seat`` is the watcher's own, or None for a spectator; it is known from the first hand on.
    """

    seat: int | None = None
    sequence: int = 0
    opened: TableOpened = field(default_factory=TableOpened)
    seats: list[SeatState] = field(default_factory=lambda: [SeatState() for _ in range(SEATS)])
    hand: HandState = field(default_factory=HandState)
    turn: Turn = field(default_factory=Turn)
    results: list[HandEnded] = field(default_factory=list)
    ended: MatchEnded | None = None
    frozen: TableFrozen | None = None
    votes: set[int] = field(default_factory=set)
    """Seats that want this hand given up."""
    ready: set[int] = field(default_factory=set)
    """Seats that want a rematch."""
    rematch: str = ""
    """The rematch's table, once it is placed."""
    abandoned: TableAbandoned | None = None

    @property
    def over(self) -> bool:
        """The match has ended, or the table was given up: no event follows."""
        return self.ended is not None or self.abandoned is not None

    @property
    def asked(self) -> bool:
        """The watcher itself must decide."""
        return self.turn.question != QUESTION_UNSPECIFIED

    @property
    def away(self) -> bool:
        """A bot plays the watcher's own seat: `TableClient.take_seat`, or the next public action, takes it back."""
        return self.seat is not None and self.seats[self.seat].away

    @property
    def left(self) -> bool:
        """The watcher has left its seat for good."""
        return self.seat is not None and self.seats[self.seat].left

    def begin(self, start: WatchStart, snapshot: Observation | None, presence: Sequence[Presence] = ()) -> None:
        """Take up the table as a watch that begins there shows it, if events before were left out.

        The hands' ``results`` before, and votes and wishes, are not known then.
        """
        if start.from_sequence <= self.sequence + 1:
            return
        self.sequence, self.turn, self.opened = start.from_sequence - 1, start.turn, start.opened
        if snapshot is not None:
            seen = observation_from_proto(snapshot)
            self.seat = seen.seat
            self.hand = _hand_of(snapshot)
            self.seats = [_seat_of(view) for view in seen.seats]
            for seat in seen.finished:
                self.seats[seat].place = seen.seats[seat].place
        for state, there in zip(self.seats, presence, strict=False):
            state.connected, state.away, state.left = there.connected, there.bot_plays, there.left

    def fold(self, event: Event) -> None:
        """Take in the next event. Raises ValueError for one that does not follow."""
        if event.sequence != self.sequence + 1:
            raise ValueError(f"event {event.sequence} does not follow {self.sequence}")
        self.sequence = event.sequence
        self.turn = event.turn
        match event.WhichOneof("body"):
            case "table_opened":
                self.opened = event.table_opened
            case "hand_dealt":
                self._dealt(event.hand, event.hand_dealt)
            case "action_taken":
                self._acted(event.action_taken)
                self._followed(event.action_taken.consequences)
            case "answers_closed":
                self._followed(event.answers_closed.consequences)
            case _:
                self._went_on(event)

    def _went_on(self, event: Event) -> None:
        """Take in what is no part of the play of a hand."""
        match event.WhichOneof("body"):
            case "hand_ended":
                self.results.append(event.hand_ended)
                self.votes.clear()
            case "match_ended":
                self.ended = event.match_ended
            case "seat_changed":
                self._changed(event.seat_changed)
            case "table_abandoned":
                self.abandoned = event.table_abandoned
            case "table_resumed":
                self.frozen = None
                for seat in self.seats:
                    seat.connected = False
                self.votes.clear()
            case "table_frozen":
                self.frozen = event.table_frozen
            case _:
                self._wished(event)

    def _wished(self, event: Event) -> None:
        """Take in what the people want."""
        match event.WhichOneof("body"):
            case "hand_vote":
                (self.votes.add if event.hand_vote.agree else self.votes.discard)(event.hand_vote.seat)
            case "rematch_wish":
                (self.ready.add if event.rematch_wish.ready else self.ready.discard)(event.rematch_wish.seat)
            case "rematch_placed":
                self.rematch = event.rematch_placed.table_id

    def _dealt(self, number: int, dealt: HandDealt) -> None:
        self.hand = HandState(number, dealt.first_leader)
        self.seats = [seat.next_hand() for seat in self.seats]
        self._see(dealt.hands)

    def _see(self, hands: Sequence[DealtHand]) -> None:
        """Take up the watcher's own cards, if they are shown here."""
        shown = [seat for seat, hand in enumerate(hands) if hand.cards]
        if len(shown) == 1:
            self.seat = shown[0]
            self.hand.cards = [card_from_proto(card) for card in hands[self.seat].cards]

    def _exchange(self, seat: int, cards: Iterable[Card], *, lost: bool) -> None:
        """Move cards into the watcher's own hand, or out of it."""
        if seat != self.seat:
            return
        for card in cards:
            (self.hand.cards.remove if lost else self.hand.cards.append)(card)

    def _acted(self, taken: ActionTaken) -> None:
        action = action_from_proto(taken.seat, taken.action)
        self._see(taken.hands)
        seat = self.seats[action.seat]
        gone = [card_from_proto(card) for card in taken.cards]
        seat.played = sort_cards(seat.played + _ranks_of(gone))
        seat.revolted |= action.kind is ActionKind.REVOLT
        if action.kind in _IN_A_TRICK and not self.hand.contested:
            self.hand.trick.append(action)
        self.hand.contested = action.kind is ActionKind.REVOLT and bool(action.cards)
        if self.seat == action.seat:
            for card in gone:
                self.hand.cards.remove(card)

    def _followed(self, consequences: Iterable[Consequence]) -> None:
        for consequence in consequences:
            match consequence_from_proto(consequence):
                case TrickWon():
                    self.hand.trick.clear()
                case ScrambleBegan():
                    self.hand.scramble = True
                case SeatFinished(seat, place):
                    self.hand.finished.append(seat)
                    self.seats[seat].place = place
                case TributePaid() | TributeReturned() | CardBought() | FoursSunk() | RanksLaidOff() as change:
                    self._changed_hands(change)
                case other:
                    self._marked(other)

    def _changed_hands(self, change: object) -> None:
        """Take in what becomes of cards before the play."""
        match change:
            case TributePaid(giver, taker, cards) | TributeReturned(giver, taker, cards):
                self._exchange(giver, cards, lost=True)
                self._exchange(taker, cards, lost=False)
            case CardBought(buyer, seller, sold, paid):
                self._exchange(seller, sold, lost=True)
                self._exchange(buyer, sold, lost=False)
                self._exchange(buyer, paid, lost=True)
                self._exchange(seller, paid, lost=False)
            case FoursSunk(seat):
                self._lay_aside("4", only=seat)
            case RanksLaidOff(ranks):
                self._lay_aside(ranks, only=self.seat)

    def _lay_aside(self, ranks: str, *, only: int | None) -> None:
        if self.seat is not None and only == self.seat:
            self.hand.cards = [card for card in self.hand.cards if RANKS[card.rank] not in ranks]

    def _marked(self, consequence: object) -> None:
        """Take in what stays with one seat for the rest of the hand."""
        match consequence:
            case SeatOpened(seat):
                self.seats[seat].opened = True
            case SeatChoked(seat, by):
                self.seats[seat].choked_by = by
            case SeatStuck(seat):
                self.seats[seat].stuck = True
            case SeatStruck(seat, cards) | SeatLeft(seat, cards):
                self.seats[seat].struck |= isinstance(consequence, SeatStruck)
                self.seats[seat].played = sort_cards(self.seats[seat].played + _ranks_of(cards))

    def _changed(self, change: SeatChanged) -> None:
        self.seats[change.seat].connected = change.connected
        self.seats[change.seat].away = change.bot_plays
        self.seats[change.seat].left = change.left


def _hand_of(snapshot: Observation) -> HandState:
    seen = observation_from_proto(snapshot)
    return HandState(
        number=snapshot.hand,
        first_leader=seen.first_leader,
        cards=list(seen.cards),
        trick=[action_from_proto(act.seat, act.action) for act in snapshot.trick],
        finished=list(seen.finished),
        scramble=seen.scramble,
        # A contest is a part of the time for revolts, in which a play stands on the table.
        contested=seen.phase == "revolt" and bool(seen.table),
    )


def _seat_of(seen: SeatView) -> SeatState:
    return SeatState(
        played=seen.played,
        opened=seen.opened,
        revolted=seen.revolted,
        struck=seen.struck,
        choked_by=seen.choked_by,
        stuck=seen.stuck,
    )


def _ranks_of(cards: Iterable[Card]) -> str:
    return "".join(RANKS[card.rank] for card in cards)
