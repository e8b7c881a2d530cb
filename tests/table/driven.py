"""A table as a plain object, driven by hand."""

from collections.abc import Callable

from gouji.engine import Action
from gouji.table.asking import Act, Refused
from gouji.table.table import Table
from gouji.table.window import Answer
from gouji.v1 import events_pb2, rules_pb2, table_pb2
from gouji.v1.events_pb2 import Event

PLAYER, BOT, CLOCK = events_pb2.DECIDED_BY_PLAYER, events_pb2.DECIDED_BY_BOT, events_pb2.DECIDED_BY_CLOCK
SECOND = 1_000_000


class Driven:
    """The time is ``now``; ``log`` is what a database would hold."""

    def __init__(self, spec: table_pb2.TableSpec, clock: rules_pb2.Clock, draw_secret: Callable[[], bytes]) -> None:
        self.now = 1_000 * SECOND
        self.log: list[Event] = []
        self.table = Table("t1")
        self._draw_secret = draw_secret
        self.fold(self.table.open(spec, clock, self.now))

    def fold(self, event: Event) -> None:
        self.log.append(Event.FromString(event.SerializeToString()))
        self.table.fold(event)

    def follow(self) -> list[Event]:
        """Do all that comes by itself now."""
        begun = len(self.log)
        while (event := self.table.follow(self.now, self._draw_secret)) is not None:
            self.fold(event)
        return self.log[begun:]

    def pass_time(self, microseconds: int) -> list[Event]:
        self.now += microseconds
        return self.follow()

    def do(self, text: str, by: events_pb2.DecidedBy.ValueType = PLAYER) -> Refused | Answer | Event:
        action = Action.parse(text)
        decision = self.table.decide(Act(action.seat, self.table.turn, action, by), self.now)
        if isinstance(decision, Answer):
            self.table.seal(decision)
        elif isinstance(decision, Event):
            self.fold(decision)
        self.follow()
        return decision

    def follow_once(self) -> None:
        """Do the first of what comes by itself now."""
        event = self.table.follow(self.now, self._draw_secret)
        if event is not None:
            self.fold(event)

    def play_out(self) -> None:
        """Take the mildest action of each who is asked until the match is over."""
        while not self.table.over:
            for seat in list(self.table.asking.questions):
                hand = self.table.hand_asking(seat)
                if hand is not None and hand.turn == seat:
                    self.do(str(hand.default_action()), BOT)
            self.pass_time(SECOND // 100)
