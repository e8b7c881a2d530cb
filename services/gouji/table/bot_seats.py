"""The seats of one live table that bots play: their own, and those of people who are away.

A bot is asked at once and its choice held until it seems to have thought (`TableSpec.bot_pace_ms`). How long depends on
what everybody will see, the action, and on the hand's secret: no cards. Private questions know no pace, since nothing
that happens in them shows before they are over.
"""

import asyncio
from collections.abc import Callable, Iterator
from contextvars import Context
from dataclasses import dataclass
from typing import Final

from prometheus_client import Counter

from gouji.engine import Action, ActionKind
from gouji.table import projection
from gouji.table.asking import Act, Refused
from gouji.table.bots import BotQueue
from gouji.table.commands import BOT_COMMANDS, Command
from gouji.table.table import Table
from gouji.table.window import Answer
from gouji.v1 import actions_pb2, bot_pb2, events_pb2
from gouji.v1.events_pb2 import Event
from gouji.wire import MalformedMessage, action_from_proto, action_to_proto

_EASY: Final = 0.6
_HARD: Final = 1.5
"""Passing takes this much of a bot's usual time, leading that much."""

_PASSES: Final = (ActionKind.PASS, ActionKind.CLOSE, ActionKind.DECLINE, ActionKind.NO_CALL)

Choosing = asyncio.Future[actions_pb2.Action]


@dataclass(frozen=True, slots=True)
class BotRules:
    """How bots play at one table: their usual time in microseconds, and the level of who plays on for people."""

    pace_us: int
    stand_in: str


class BotSeats:
    """Asks for the seats that bots play. Forgets what it asked as soon as the turn is over."""

    def __init__(self, table: Table, rules: BotRules, queue: BotQueue, failures: Counter, wake: Callable[[], None]):
        self._table = table
        self._rules = rules
        self._queue = queue
        self._failures = failures
        self._wake = wake
        self._turn = 0
        self._asked: dict[int, Choosing] = {}
        self._chosen: dict[int, tuple[int, Act]] = {}

    def attend(self) -> int | None:
        """Ask for all seats that have not been asked this turn; say when the first choice is to be taken."""
        asking = self._table.asking
        if self._turn != asking.number:
            self._turn, self._asked, self._chosen = asking.number, {}, {}
        for seat in [seat for seat in self._asked if not self._level(seat)]:
            del self._asked[seat]
            self._chosen.pop(seat, None)
        for seat in asking.questions:
            level = self._level(seat)
            if level and seat not in self._asked:
                self._ask(seat, level)
        self._hear()
        return min((moment for moment, _ in self._chosen.values()), default=None)

    def take(self, now: int) -> Iterator[tuple[Event | Answer, Command | None]]:
        """Give what bots decide now. Each must be folded before the next is asked for."""
        if self._turn != self._table.turn:
            return
        self._hear()
        for seat, (moment, act) in list(self._chosen.items()):
            if moment > now:
                continue
            del self._chosen[seat]
            # The player may have taken its seat back, or answered; or the turn is over.
            if act.turn != self._table.turn or not self._level(seat) or self._table.hand_asking(seat) is None:
                continue
            decision = self._table.decide(act, now)
            if isinstance(decision, Refused):
                raise ValueError(f"a bot's lawful action was refused: {decision.reason}")
            yield decision, _sealed(act) if isinstance(decision, Answer) else None

    def _level(self, seat: int) -> str:
        """Say which bot plays a seat; empty when its player does."""
        attended = self._table.presence[seat]
        if not attended.person:
            return self._table.seats[seat].bot_level
        return self._rules.stand_in if attended.bot_plays else ""

    def _ask(self, seat: int, level: str) -> None:
        decision = bot_pb2.Decision(
            level=level, observation=projection.observation(self._table, seat), seed=self._table.chance_for(seat)
        )
        choice = self._asked[seat] = self._queue.ask(decision)
        # What comes of it is nobody's request any more: neither log lines nor traces go on from turn to turn.
        choice.add_done_callback(lambda _: self._wake(), context=Context())

    def _hear(self) -> None:
        """Take in choices that have come."""
        for seat, choice in self._asked.items():
            came = choice.done() and not choice.cancelled() and seat not in self._chosen
            if came and self._level(seat) and self._table.hand_asking(seat) is not None:
                act = self._lawful(seat, choice)
                self._chosen[seat] = (self._moment(act.action), act)

    def _lawful(self, seat: int, choice: Choosing) -> Act:
        """Give the bot's choice, or the mildest action in place of none, or of nonsense."""
        cause = str(choice.exception() or "")
        if not cause:
            try:
                act = Act(seat, self._turn, action_from_proto(seat, choice.result()), events_pb2.DECIDED_BY_BOT)
            except MalformedMessage:
                cause = "malformed"
            else:
                cause = self._table.refusal(act)
                if not cause:
                    return act
        self._failures.labels(cause).inc()
        hand = self._table.hand_asking(seat)
        if hand is None:
            raise ValueError("a bot that is not asked")
        return Act(seat, self._turn, hand.default_action(), events_pb2.DECIDED_BY_CLOCK)

    def _moment(self, action: Action) -> int:
        """Say when a choice is to be taken."""
        table = self._table
        if table.window is not None or not self._rules.pace_us:
            return table.began
        leads = table.hand is not None and table.hand.question == "lead"
        effort = _HARD if leads else _EASY if action.kind in _PASSES else 1.0
        ready = table.began + round(effort * table.thought_for(action.seat) * self._rules.pace_us)
        return min(ready, table.asking.deadline or ready)


def _sealed(act: Act) -> Command:
    """Make the command under which a bot's sealed answer is kept: one a turn."""
    payload = action_to_proto(act.action).SerializeToString(deterministic=True)
    return Command(act.seat, f"{BOT_COMMANDS}{act.turn}", act.turn, payload)
