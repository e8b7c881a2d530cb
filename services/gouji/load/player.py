"""One player: comes, queues, sits down, and plays what is lawful at a person's pace, over the public API alone."""

import asyncio
import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final
from uuid import uuid4

import grpc

from gouji.client import ClientError, Credentials, Patience, Queue, Session, TableClient
from gouji.client.tables import Server
from gouji.client.tickets import SETTLED
from gouji.load.book import Book
from gouji.load.checks import Order, leaks
from gouji.load.notes import Notes
from gouji.load.profile import Profile
from gouji.v1.events_pb2 import Event
from gouji.v1.matchmaking_pb2 import TICKET_STATE_MATCHED, Ticket, TicketState
from gouji.v1.rules_pb2 import MatchLength
from gouji.v1.table_pb2 import WatchResponse
from gouji.wire import action_from_proto

PATIENCE: Final = Patience(total=60, attempt=10, silence=30)

OVERTAKEN: Final = frozenset({"stale_turn", "not_your_turn", "table_over", "hand_over", "other_device"})
"""Refusals of who was overtaken: by the clock, by a bot, or by another that answered first."""

NO_DOOR: Final = "no_door"
"""A failure of ours: mobile networks were asked for where table servers are dialled past a door."""

_BEFORE_THE_CLOCK_SECONDS: Final = 0.4
"""By how much people try to be earlier than the clock."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a player plays: the address that it dials, its queue, whether its network is a good one (``steady``)."""

    address: str
    queue: str
    steady: bool = True


class Watcher(TableClient):
    """A client whose messages are checked as they come."""

    def __init__(self, session: Session, table_id: str, seat: int, book: Book, notes: Notes, *, steady: bool) -> None:
        super().__init__(session, table_id)
        self.seat = seat
        self.ahead: float | None = None
        """By how much the server's clock is ahead of ours: what the quickest message said."""
        self._book = book
        self._notes = notes
        self._steady = steady
        self._order = Order()
        self._broke: float | None = None
        self._opening = time.time()

    async def locate(self) -> Server:
        """Find the table's server; who is behind a mobile network reaches it by a door alone."""
        found = await super().locate()
        if found.address and not self._steady:
            told = "the network of this player would be passed by"
            raise ClientError(grpc.StatusCode.FAILED_PRECONDITION, told, reason=NO_DOOR)
        return found

    def _heard(self, response: WatchResponse) -> None:
        now = time.time()
        batch = response.batch
        said = batch.now.ToNanoseconds() / 1e9 - now
        self.ahead = said if self.ahead is None else max(self.ahead, said)
        if response.HasField("start"):
            self._began(response.start.from_sequence, now)
        problems = [*self._order.take(response), *leaks(response, self.seat)]
        for event in batch.events:
            self._notes.events += 1
            problems += self._book.event(self.seat, event, now)
        if self._steady and self._order.next > batch.last_sequence:
            self._book.come(self.seat)
        for problem in problems:
            self._notes.wrong(f"table {self.table_id}, seat {self.seat}: {problem}")

    def _began(self, first: int, now: float) -> None:
        """Note how long it took to get in, or back."""
        kind, since = ("watch", self._opening) if self._broke is None else ("back", self._broke)
        self._notes.span(kind if self._steady else f"{kind}/mobile", since, now)
        self._broke = None
        self._book.skipped(self.seat, first, now)

    def _note(self, error: ClientError) -> None:
        self._notes.absorbed[error.reason or error.code.name] += 1
        super()._note(error)

    def _broken(self, error: ClientError) -> None:
        self._broke = self._broke or time.time()
        super()._broken(error)

    def asked_at(self, event: Event) -> float:
        """Say when the server asked with an event, by our clock; never before this watcher came."""
        return max(event.at.ToNanoseconds() / 1e9 - (self.ahead or 0.0), self._opening)


@dataclass
class Player:
    """One of a crowd. ``book`` gives the book of a table."""

    name: str
    place: Place
    profile: Profile
    notes: Notes
    chance: random.Random
    book: Callable[[str], Book]

    async def live(self, due: float) -> None:
        """Come at a moment, by the wall clock, and play until cancelled, or once."""
        self.notes.players += 1
        try:
            session = self.session(None)
            try:
                await session.become_guest(self.name)
                self.timed("guest", due)
                while await self._queue_and_play(session) and self.profile.arrivals.again:
                    pass
            finally:
                await session.close()
        except ClientError as error:
            self.notes.failures[error.reason or error.code.name] += 1
        except ValueError as error:  # the SDK refuses to fold what does not follow
            self.notes.wrong(f"{self.name}: {error}")
        finally:
            self.notes.players -= 1

    def session(self, credentials: Credentials | None) -> Session:
        """Connect, as the player of these or as nobody yet."""
        return Session(self.place.address, credentials, patience=PATIENCE, own_connections=True)

    def timed(self, kind: str, due: float, interval: float = 0.0) -> None:
        """Note that something which was due has come about, apart for those behind a mobile network."""
        self.notes.time(kind if self.place.steady else f"{kind}/mobile", due, interval)

    async def _queue_and_play(self, session: Session) -> bool:
        """Wait for a table, and play there to the end; returns whether there was one."""
        due, queue = time.time(), Queue(session)
        length = MatchLength(hands=self.profile.hands)
        made = await queue.create_ticket(self.place.queue, no_bots=True, length=length)
        ticket: Ticket = made.ticket
        if ticket.state not in SETTLED:
            ticket = await queue.settled(ticket.ticket_id)
        if ticket.state != TICKET_STATE_MATCHED:
            self.notes.failures[TicketState.Name(ticket.state).lower()] += 1
            return False
        self.timed("queue", due)
        await _Seat(self, session, ticket.table_id, ticket.seat).play()
        self.notes.matches += 1
        return True


class _Seat:
    """A player at one table, through drops and returns."""

    def __init__(self, player: Player, session: Session, table_id: str, seat: int) -> None:
        self._player = player
        self._first = session
        self._table_id = table_id
        self._seat = seat
        self._book = player.book(table_id)
        self._notes = player.notes

    async def play(self) -> None:
        """Play to the match's end."""
        session, drops = self._first, self._player.profile.drops
        try:
            while not await self._sit(session, self._until_drop()):
                self._notes.drops += 1
                self._book.gone(self._seat)
                await self._leave(session)
                await asyncio.sleep(drops.away.draw(self._player.chance))
                session = self._player.session(self._first.credentials)
        finally:
            self._book.gone(self._seat)
            await self._leave(session)

    async def _leave(self, session: Session) -> None:
        if session is not self._first:
            await session.close()

    def _until_drop(self) -> float | None:
        """Draw how long it takes until the app is closed; None for never."""
        per_minute = self._player.profile.drops.per_minute
        return self._player.chance.expovariate(per_minute / 60) if per_minute else None

    async def _sit(self, session: Session, seconds: float | None) -> bool:
        """Watch and act for so long, or to the end; returns whether that has come."""
        steady = self._player.place.steady
        client = Watcher(session, self._table_id, self._seat, self._book, self._notes, steady=steady)
        turns: dict[int, asyncio.Task[None]] = {}
        try:
            async with asyncio.timeout(seconds):
                async for event in client.watch():
                    turn = client.view.turn.number
                    if client.view.asked and (turn not in turns or turns[turn].done()):
                        turns[turn] = asyncio.create_task(self._decide(client, turn, client.asked_at(event)))
        except TimeoutError:
            return False
        finally:
            for task in turns.values():
                task.cancel()
            await asyncio.gather(*turns.values(), return_exceptions=True)
            for doubt in client.deals.doubts:
                self._notes.wrong(f"table {self._table_id}, seat {self._seat}: {doubt}")
        return True

    async def _decide(self, client: Watcher, turn: int, asked: float) -> None:
        """Look, think, and act; all times count from when the server asked."""
        try:
            await self._look_think_act(client, turn, asked)
        except ClientError as error:
            if error.reason in OVERTAKEN:
                self._notes.overtaken += 1
            else:
                self._notes.failures[error.reason or error.code.name] += 1

    async def _look_think_act(self, client: Watcher, turn: int, asked: float) -> None:
        player, think = self._player, self._player.profile.think
        due = asked + think.draw(player.chance)
        left = client.seconds_left
        if left is not None:
            due = max(min(due, time.time() + left - _BEFORE_THE_CLOCK_SECONDS), asked)
        seen = await client.observe(brief=True)
        player.timed("observe", asked)
        if seen.turn.number != turn or not seen.legal_actions:
            return
        action = player.chance.choice(seen.legal_actions)
        await asyncio.sleep(due - time.time())
        if client.view.turn.number != turn:
            self._notes.overtaken += 1
            return
        done = await client.act(action_from_proto(self._seat, action), turn, f"load/{turn}/{uuid4().hex}")
        kind = str(action.WhichOneof("kind"))
        player.timed("act", due, think.median)
        player.timed(f"act.{kind}", due)
        self._notes.actions[kind] += 1
        self._notes.commands += due >= self._notes.measured_from
        if done.sequence and player.place.steady:
            for problem in self._book.command(self._seat, done.sequence, due):
                self._notes.wrong(f"table {self._table_id}: {problem}")
