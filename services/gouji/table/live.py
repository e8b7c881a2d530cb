"""A table at work: commands, clocks and bots come in; steps go to the log, and what was written is shown.

Nothing is awaited between judging and folding, so a table never sees half a step. A fault in here stops this table
and no other.
"""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any, Final

from gouji.serving.errors import ServiceError
from gouji.table import projection
from gouji.table.asking import Act, Asking, Refused
from gouji.table.behind import Behind
from gouji.table.bot_seats import BotRules, BotSeats
from gouji.table.collecting import Contribution
from gouji.table.commands import Accepted, Command, CommandBook, Told
from gouji.table.door import Door
from gouji.table.ownership import Owned
from gouji.table.presence import CLOCK, PLAYER
from gouji.table.refusals import frozen, refusal, resume_from, wrong_server
from gouji.table.results import hand_results
from gouji.table.store import Step
from gouji.table.surroundings import Surroundings
from gouji.table.table import Table
from gouji.table.timing import Alarm, Due, full_clock
from gouji.table.watch import Guest, Watcher, Watchers
from gouji.table.window import Answer
from gouji.table.writer import Lane, Written
from gouji.v1 import snapshot_pb2, table_pb2
from gouji.v1.events_pb2 import Event
from gouji.wire import action_from_proto

SLOW_US: Final = 500_000
"""A step that takes longer to be written than so many microseconds holds the table up: the clocks are credited."""

First = Event | Answer | Contribution
"""What a step begins with: an event, or what is sealed."""

Shown = list[tuple[Event, Asking]]
"""Events of a step, each with who was asked after it."""

Decide = Callable[[Table, int], Refused | Event | None]
"""Judges at a time what somebody wants: why not, or the event to fold, or None when it is so already."""


class Live:
    """One live table. It has been folded up to its log's end, and this server owns it."""

    def __init__(self, table: Table, owned: Owned, book: CommandBook, surroundings: Surroundings) -> None:
        self.table = table
        self.owned = owned
        self.watchers = Watchers()
        self.followers: list[Callable[[Event], None]] = []
        self.views: dict[int | None, asyncio.Task[Behind]] = {}
        self._door = Door(self.watchers, round(surroundings.absence_seconds * 1_000_000))
        self.lane = Lane(owned.table_id, owned.fence)
        self.shown = table.sequence
        self.closed: ServiceError | None = None
        self._book = book
        self._around = surroundings
        self._draw_secret = partial(surroundings.draw_secret, owned.spec)
        self._last: Written | None = None
        self._last_shown: Written | None = None
        self._alarm = Alarm(surroundings.timers)
        self._closed_at = 0
        rules = BotRules(owned.spec.bot_pace_ms * 1000, surroundings.stand_in)
        failures = surroundings.metrics.bot_failures
        self._bots = BotSeats(table, rules, surroundings.bots, failures, self._bot_chose)
        self._snapshot: snapshot_pb2.TableSnapshot | None = None

    @property
    def place(self) -> dict[str, Any]:
        """What a log line about this table says: which it is, and where its match stands."""
        return {"table": self.table.table_id, "hand": self.table.hand_number, "turn": self.table.turn}

    @property
    def audience(self) -> int:
        """How many watch, those who are behind too."""
        views = list(self.views.values())
        made = [view for view in views if view.done() and not view.cancelled() and not view.exception()]
        return len(self.watchers) + sum(len(view.result().watchers) for view in made)

    # What comes in

    async def act(self, seat: int, request: table_pb2.ActRequest) -> table_pb2.ActResponse:
        """Do a command, or give its first answer again; answered once it is in the log.

        Raises `ServiceError` with the reason of a refusal, and `MalformedMessage`. A command that is refused leaves
        no trace.
        """
        command = Command.of(seat, request)
        accepted = await self._accepted(command)
        if accepted is not None:
            return table_pb2.ActResponse(outcome=table_pb2.OUTCOME_DUPLICATE, sequence=accepted.sequence)
        self._door.check(seat, request.device)
        action = action_from_proto(seat, request.action)
        with self._guarded():
            decision = self.table.decide(Act(seat, request.turn, action, PLAYER), self._around.now())
            written, sequence = self._do(decision, command)
        await asyncio.shield(written)
        return table_pb2.ActResponse(outcome=table_pb2.OUTCOME_DONE, sequence=sequence)

    async def contribute(self, contribution: Contribution) -> table_pb2.Outcome.ValueType:
        """Seal what a seat puts into the coming deal; answered once it is in the log.

        Raises `ServiceError` with the reason of a refusal: `not_collecting`, `contribution_given`.
        """
        command = Command.contribution(contribution)
        if await self._accepted(command) is not None:
            return table_pb2.OUTCOME_DUPLICATE
        with self._guarded():
            reason = self.table.refuses_contribution(contribution.seat, contribution.hand)
            written, _ = self._do(Refused(reason, self.table.turn) if reason else contribution, command)
        await asyncio.shield(written)
        return table_pb2.OUTCOME_DONE

    async def _accepted(self, command: Command | None) -> Accepted | None:
        """Give what was accepted under a command's id, if there is one, once it is in the log."""
        # A refusal too may tell only what is in the log.
        await self.settled()
        accepted = self._book.find(command) if command else None
        if accepted is not None:
            await self.written()
            await self.settled()
        return accepted

    def _do(self, decision: Refused | First, command: Command | None) -> tuple[Written, int]:
        """Take the step that was decided on; raise why there is none."""
        if isinstance(decision, Refused):
            raise refusal(decision)
        return self._step(decision, command)

    async def tell(self, decide: Decide, command: Command | None = None) -> Told:
        """Do what concerns people rather than cards, or say what was done first under the same command.

        Answered once it is in the log. Raises `ServiceError` with the reason of a refusal.
        """
        accepted = await self._accepted(command)
        if accepted is not None:
            return Told(table_pb2.OUTCOME_DUPLICATE, accepted.sequence)
        with self._guarded():
            decision = decide(self.table, self._around.now())
            if decision is None:
                return Told(table_pb2.OUTCOME_DONE, 0)
            written, sequence = self._do(decision, command)
        await asyncio.shield(written)
        return Told(table_pb2.OUTCOME_DONE, sequence)

    async def observe(self, viewer: int | None, *, with_actions: bool = True) -> table_pb2.ObserveResponse:
        """Say how the table stands for a viewer, by what is in the log."""
        await self.settled()
        with self._guarded():
            return projection.moment(self.table, viewer, with_actions=with_actions)

    async def join(
        self, viewer: int | None, first: int, guest: Guest | None = None
    ) -> tuple[Watcher, table_pb2.ObserveResponse]:
        """Have somebody watch from event ``first`` on.

        Gives the moment from which on all is shown as it comes. Raises `resume_from` for an event yet to come, and when
        the player has left the seat meanwhile.
        """
        moment = await self.observe(viewer, with_actions=False)
        if first > moment.last_sequence + 1:
            raise resume_from(moment.last_sequence + 1)
        if self.viewer_of(viewer) != viewer:
            raise resume_from(first)
        watcher = Watcher(viewer, moment.last_sequence + 1, guest=guest)
        self._door.come(watcher)
        if viewer is not None and not self.table.ended and not self.table.presence[viewer].connected:
            with self._guarded(quiet=True):
                self._step(self.table.change_seat(viewer, self._around.now(), connected=True))
        return watcher, moment

    def part(self, watcher: Watcher) -> None:
        """Forget a watcher. A player who does not come back soon is shown to be gone."""
        if self._door.part(watcher, self._around.now()):
            with self._guarded(quiet=True):
                self._attend()

    def viewer_of(self, seat: int | None) -> int | None:
        """Say as what a seat's player looks on: from its seat, or from outside (None) once it has left for good."""
        return None if seat is None or self.table.presence[seat].left else seat

    async def take_seat(self, seat: int, device: str) -> int:
        """Give a seat back to its player; says which event shows it, 0 when no bot played. Raises `ServiceError`."""
        self._door.check(seat, device)
        return (await self.tell(lambda table, now: table.take_seat(seat, now))).sequence

    async def leave_seat(self, seat: int, device: str) -> int:
        """Have a player leave for good; says which event shows it, 0 when it had left. Raises `ServiceError`."""
        self._door.check(seat, device)
        return await self.leave_for_good(seat)

    async def leave_for_good(self, seat: int) -> int:
        """Do so whatever devices the player has."""
        penalty = self._around.leave_penalty
        return (await self.tell(lambda table, now: table.leave_seat(seat, penalty, now))).sequence

    def wake(self, due: Due) -> None:
        """Do what is due now. A timer set for an earlier turn does nothing."""
        self._alarm.clear(due)
        if self.closed is not None or self.writing or (due.hand, due.turn) != (self.table.hand_number, self.table.turn):
            return
        with self._guarded(quiet=True):
            self._follow()

    # Steps

    @property
    def writing(self) -> bool:
        """Events are on their way to the log: the state is ahead of what may be shown."""
        return self._last_shown is not None and not self._last_shown.done()

    async def settled(self) -> None:
        """Wait until all events are written. Raises what closed the table, if it is.

        Sealed answers are not waited for: how long anything takes must not tell that there are any.
        """
        while self._last_shown is not None and not self._last_shown.done():
            await asyncio.wait([self._last_shown])
        if self.closed is not None:
            raise self.closed

    async def written(self) -> None:
        """Wait until nothing is on its way to the log any more, well or not."""
        while self._last is not None and not self._last.done():
            await asyncio.wait([self._last])

    def begin(self) -> None:
        """Do the first step here: open the table, or take it up again where its log ends."""
        now = self._around.now()
        with self._guarded(quiet=True):
            if self.table.sequence:
                self._step(self.table.resume(now))
            else:
                people = any(seat.player_id for seat in self.owned.spec.seats)
                clock = full_clock(self.owned.spec.clock, self._around.default_clock, people=people)
                self._step(self.table.open(self.owned.spec, clock, now))

    def close(self, error: ServiceError) -> None:
        """Take no further step; what comes in from now on is refused with this error."""
        self._closed_at = self._closed_at if self.closed else self._around.now()
        self.closed = self.closed or error

    def leave(self, error: ServiceError) -> None:
        """Close, and have all watchers come back for what they have not been shown."""
        self.close(error)
        self.watchers.end(resume_from(self.shown + 1) if error.reason == "table_moving" else error)

    def move(self, server_id: str, address: str) -> None:
        """Stay closed, and send all watchers on to the server that has the table now."""
        self.closed = wrong_server(server_id, address)
        self.watchers.move(self.shown + 1, server_id, address)

    def reopen(self) -> None:
        """Go on after `close`, since the table stays here after all. What it took is nobody's time."""
        pause, self.closed = self._around.now() - self._closed_at, None
        self._alarm.clear()
        with self._guarded(quiet=True):
            self._credit_or_attend(pause)

    def _step(self, first: First, command: Command | None = None) -> tuple[Written, int]:
        """Fold what was decided and all that follows by itself, and have it written.

        Returns the write, and the number of the event that shows ``first``; 0 while that is sealed.
        """
        shown: Shown = []
        if isinstance(first, Event):
            self._fold(first, shown)
        else:
            self.table.seal(first)
        self._fold_following(shown)
        sequence = _shown_by(first, shown)
        return self._write(shown, [(command, sequence)] if command else []), sequence

    def _follow(self) -> None:
        """Do what bots have decided and what comes by itself now, and see to what comes next."""
        # Each is done before the next is taken: it may end the turn.
        if [self._step(*decided) for decided in self._bots.take(self._around.now())]:
            return
        shown: Shown = []
        self._fold_following(shown)
        if shown:
            self._write(shown, [])
        else:
            self._attend()

    def _fold_following(self, shown: Shown) -> None:
        now = self._around.now()
        for seat in self._door.gone(now):
            if self.table.presence[seat].connected and not self.table.ended:
                self._fold(self.table.change_seat(seat, now, connected=0), shown)
        while (event := self.table.follow(now, self._draw_secret)) is not None:
            self._fold(event, shown)

    def _fold(self, event: Event, shown: Shown) -> None:
        change = event.seat_changed
        if event.HasField("seat_changed") and change.bot_plays != self.table.presence[change.seat].bot_plays:
            plays = "left" if change.left else "bot" if change.bot_plays else "player"
            self._around.metrics.seats_changed.labels(plays).inc()
        self.table.fold(event)
        shown.append((event, self.table.asking))
        if event.HasField("action_taken") and event.action_taken.decided_by == CLOCK:
            self._around.metrics.clock_expiries.inc()
        if event.HasField("hand_ended"):
            self._around.metrics.hands.inc()
            self._snapshot = self.table.snapshot()

    def _write(self, shown: Shown, commands: list[tuple[Command, int]]) -> Written:
        for command, sequence in commands:
            self._book.add(command.seat, command.command_id, Accepted(command.payload_hash, sequence))
        events = [event for event, _ in shown]
        step = Step(
            table_id=self.table.table_id,
            fence=self.lane.fence,
            at=self._around.now(),
            events=events,
            commands=commands,
            results=hand_results(self.table, events, self._around.stand_in),
            left=[event.seat_changed.seat for event in events if event.seat_changed.left],
            state="over" if self.table.over else None,
            snapshot=None if self.table.over else self._snapshot,
        )
        self._snapshot = None
        written = self._around.writer.append(self.lane, step)
        written.add_done_callback(partial(self._written, shown))
        self._last = written
        if shown:
            self._last_shown = written
        return written

    def _written(self, shown: Shown, written: Written) -> None:
        """Show what has been written, and see to what is due next."""
        if written.cancelled():
            return
        error = written.exception()
        if error is not None:
            self._around.keeper.lost(self, error)
            return
        with self._guarded(quiet=True):
            for event, asking in shown:
                self._show(event, asking)
            pause = self._around.now() - shown[-1][0].at.ToMicroseconds() if shown else 0
            if self.table.over and self.shown == self.table.sequence:
                self.watchers.end()
                self._around.keeper.ended(self)
            else:
                credit = shown and shown[-1][0].HasField("clocks_credited")
                self._credit_or_attend(0 if credit else pause)

    def _credit_or_attend(self, pause: int) -> None:
        """Go on after a pause of so many microseconds, and credit the clocks if the players felt it."""
        if pause > SLOW_US and self._hurries:
            self._step(self.table.credit(pause, self._around.now()))
        else:
            self._attend()

    @property
    def _hurries(self) -> bool:
        """Somebody's time is running, and nothing else is on its way that will show how it stands."""
        return self.table.presence.people and not self.writing and not self.table.ended and self.closed is None

    def _show(self, event: Event, asking: Asking) -> None:
        self.shown = event.sequence
        # No board is open while one of its tables lives.
        behind = self.watchers.show(projection.projected(event, asking, shut=bool(self.table.board)))
        self._around.metrics.overflows.inc(behind)
        for follow in self.followers:
            follow(event)
        if event.seat_changed.left:
            self.watchers.end_seat(event.seat_changed.seat)

    # What is due next

    def _attend(self) -> None:
        """Ask the bots whose time has come, and set a timer for what is due next. Not while steps are written."""
        if self.writing or self.closed is not None:
            return
        moments = (self._bots.attend(), self.table.next_moment, *self._door.moments)
        known = [at for at in moments if at is not None]
        if known:
            self._alarm.set(Due(min(known), self.table.table_id, self.table.hand_number, self.table.turn))

    def _bot_chose(self) -> None:
        """Take a bot's choice, if the table is not being written; else it is taken afterwards."""
        if self.closed is None and not self.writing:
            with self._guarded(quiet=True):
                self._follow()

    @contextmanager
    def _guarded(self, *, quiet: bool = False) -> Iterator[None]:
        """Stop this table, and no other, when something in it fails; ``quiet`` where nobody waits for an answer."""
        try:
            yield
        except ServiceError:
            raise
        except Exception as error:
            reference = self._around.keeper.failed(self, error)
            if not quiet:
                raise frozen(reference) from error


def _shown_by(first: First, shown: Shown) -> int:
    """Say which event shows what was decided; 0 for what is sealed."""
    if isinstance(first, Event):
        return first.sequence
    if isinstance(first, Contribution):
        return 0
    events = [event for event, _ in shown[:1] if event.HasField("action_taken")]
    return events[0].sequence if events and events[0].action_taken.seat == first.seat else 0
