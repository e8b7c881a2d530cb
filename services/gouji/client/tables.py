"""One table: finding it, following it, acting at it."""

import asyncio
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import aclosing, suppress
from dataclasses import dataclass
from typing import TypeVar
from uuid import uuid4

import grpc

from gouji.client.deals import DealWatch
from gouji.client.errors import ClientError
from gouji.client.session import Metadata, Session
from gouji.client.view import TableView
from gouji.engine import Action
from gouji.v1 import bot_pb2_grpc, table_pb2_grpc
from gouji.v1.bot_pb2 import HintRequest, HintResponse
from gouji.v1.events_pb2 import Event
from gouji.v1.table_pb2 import (
    ActRequest,
    ActResponse,
    ContributeRequest,
    LeaveRequest,
    LeaveResponse,
    ListPhrasesRequest,
    MuteRequest,
    ObserveRequest,
    ObserveResponse,
    Phrase,
    ReadyRequest,
    ReadyResponse,
    SayRequest,
    SayResponse,
    TakeSeatRequest,
    TakeSeatResponse,
    VoteHandRequest,
    VoteHandResponse,
    WatchRequest,
    WatchResponse,
)
from gouji.wire import action_to_proto
from gouji.wire.headers import SERVER_HEADER

Answer = TypeVar("Answer")


@dataclass(frozen=True, slots=True)
class Server:
    """A table server: its id, and where to dial it; empty behind a door, which finds it by the id."""

    server_id: str
    address: str

    @property
    def header(self) -> Metadata:
        """The header by which a door finds the server."""
        return ((SERVER_HEADER, self.server_id),) if self.server_id else ()

    @classmethod
    def named_in(cls, details: Mapping[str, str]) -> "Server | None":
        """Take the server that a failure names; None when it names none."""
        server = cls(details.get("server_id", ""), details.get("address", ""))
        return server if server.server_id or server.address else None


class TableClient:
    """One table for one session; ``spectate`` watches from outside even if seated.

    Each client is a device of its own: of a player's devices that watch, the one that came last acts, and another's
    command fails with `other_device` until it calls `take_over`.

    The server that has the table may change at any time: after a failure the next one is the server that the failure
    names, or is looked up anew. Failures that stay raise `ClientError`. While it is watched, it contributes to each
    deal that asks its seat, by itself, and ``deals.doubts`` tells what was wrong with any.
    """

    def __init__(self, session: Session, table_id: str, *, spectate: bool = False, device: str = "") -> None:
        """Name the ``device`` (up to 64 characters) to be known again; else one is made up."""
        self.table_id = table_id
        self.device = device or uuid4().hex
        self.view = TableView()
        self.deals = DealWatch()
        self._session = session
        self._spectate = spectate
        self._server: Server | None = None
        self._ahead = 0.0
        self._left = False
        self._contributing: set[asyncio.Task[None]] = set()

    @property
    def seconds_left(self) -> float | None:
        """Time until the table decides in place of whoever is asked; None where no clock runs."""
        if not self.view.turn.HasField("deadline"):
            return None
        return self.view.turn.deadline.ToNanoseconds() / 1e9 - time.time() - self._ahead

    async def locate(self) -> Server:
        """Ask which server has the table now, and use it from here on."""
        found = await self._session.locate(self.table_id)
        self._server = Server(found.server_id, found.address)
        return self._server

    async def watch(self) -> AsyncGenerator[Event, None]:
        """Follow the table from the event after ``view.sequence`` to the match's last, each folded first.

        A broken, silent or lagging stream is opened anew where it stopped: no event is doubled or left out. It ends
        early when the watcher leaves its seat for good.
        """
        while not self.view.over and not self._has_left:
            async with aclosing(self._session.follow(self._open_watch, self._broken)) as responses:
                async for response in responses:
                    self._heard(response)
                    self._ahead = response.batch.now.ToNanoseconds() / 1e9 - time.time()
                    if response.HasField("start"):
                        snapshot = response.snapshot if response.HasField("snapshot") else None
                        self.view.begin(response.start, snapshot, response.presence)
                    for event in response.batch.events:
                        if event.sequence <= self.view.sequence:
                            continue
                        self.view.fold(event)
                        self.deals.take(event)
                        if event.sequence == response.batch.last_sequence:
                            self._contribute_soon()
                        yield event
                    if self.view.over or self._has_left:
                        return

    async def afterwards(self) -> AsyncGenerator[Event, None]:
        """Follow what people say after the match, each event folded first, until there is no more time for it.

        ``view.rematch`` names the new table then, if there is one. A stream that breaks raises `ClientError`: what
        there is to see is seen by calling again.
        """
        stream = await self._open_watch(await self._session.metadata(), stay=True)
        try:
            async for response in stream:
                for event in response.batch.events:
                    self.view.fold(event)
                    yield event
        except grpc.aio.AioRpcError as error:
            raise ClientError.of(error) from error
        finally:
            stream.cancel()

    async def take_over(self) -> None:
        """Act from this device from now on, though another came later."""
        stream = await self._open_watch(await self._session.metadata(), take_over=True)
        try:
            await stream.read()
        except grpc.aio.AioRpcError as error:
            raise ClientError.of(error) from error
        finally:
            stream.cancel()

    async def phrases(self) -> Sequence[Phrase]:
        """Ask what can be said."""
        timeout = self._session.patience.attempt
        request = ListPhrasesRequest()
        listed = await self._call(lambda stub, headers: stub.ListPhrases(request, metadata=headers, timeout=timeout))
        return list(listed.phrases)

    async def say(self, phrase: str) -> SayResponse:
        """Say one of the phrases, by its id, from the caller's seat; once, however often it is tried."""
        request = SayRequest(table_id=self.table_id, command_id=uuid4().hex, phrase=phrase)
        timeout = self._session.patience.attempt
        return await self._call(lambda stub, headers: stub.Say(request, metadata=headers, timeout=timeout))

    async def mute(self, seat: int, *, muted: bool = True) -> list[int]:
        """Not hear the player of a seat any more, or again; gives the seats that are muted."""
        request = MuteRequest(table_id=self.table_id, seat=seat, muted=muted)
        timeout = self._session.patience.attempt
        answer = await self._call(lambda stub, headers: stub.Mute(request, metadata=headers, timeout=timeout))
        return list(answer.muted_seats)

    async def vote(self, *, agree: bool = True) -> VoteHandResponse:
        """Vote that the hand be given up, or take the vote back."""
        request = VoteHandRequest(table_id=self.table_id, agree=agree, hand=self.view.hand.number)
        timeout = self._session.patience.attempt
        return await self._call(lambda stub, headers: stub.VoteHand(request, metadata=headers, timeout=timeout))

    async def ready(self, *, ready: bool = True) -> ReadyResponse:
        """Want a rematch after the match, or no longer."""
        request = ReadyRequest(table_id=self.table_id, ready=ready)
        timeout = self._session.patience.attempt
        return await self._call(lambda stub, headers: stub.Ready(request, metadata=headers, timeout=timeout))

    async def act(self, action: Action, turn: int, command_id: str | None = None) -> ActResponse:
        """Do one action in answer to a turn; the seat is the caller's own.

        Tried again under the same command id when the answer is lost: it is done once. A refusal raises
        `ClientError` with its reason; nothing has changed then.
        """
        request = ActRequest(
            table_id=self.table_id,
            command_id=command_id or uuid4().hex,
            turn=turn,
            action=action_to_proto(action),
            device=self.device,
        )
        timeout = self._session.patience.attempt
        return await self._call(lambda stub, headers: stub.Act(request, metadata=headers, timeout=timeout))

    async def take_seat(self) -> TakeSeatResponse:
        """Play one's seat again after a bot has (``view.away``); nothing happens when none does.

        A public action does the same by itself. An answer to a private question does not: it would show that one was
        asked.
        """
        request = TakeSeatRequest(table_id=self.table_id, device=self.device)
        timeout = self._session.patience.attempt
        return await self._call(lambda stub, headers: stub.TakeSeat(request, metadata=headers, timeout=timeout))

    async def leave(self) -> LeaveResponse:
        """Leave the match for good, whatever that costs; a bot plays on. Safe to repeat."""
        request = LeaveRequest(table_id=self.table_id, device=self.device)
        timeout = self._session.patience.attempt
        left = await self._call(lambda stub, headers: stub.Leave(request, metadata=headers, timeout=timeout))
        self._left = True
        return left

    @property
    def _has_left(self) -> bool:
        """The watcher has no seat here any more, and did not come to look on from outside."""
        return not self._spectate and (self._left or self.view.left)

    def _contribute_soon(self) -> None:
        """Contribute to the deal that waits for the caller's seat, if there is one, beside all else."""
        me = self._session.credentials.player_id if self._session.credentials else ""
        hand = 0 if self._spectate else self.deals.waits_for(me)
        if hand and not self._contributing:
            task = asyncio.create_task(self._contribute(hand))
            self._contributing.add(task)
            task.add_done_callback(self._contributing.discard)

    async def _contribute(self, hand: int) -> None:
        """Contribute; where it fails or comes too late, the deal goes on with the default."""
        request = ContributeRequest(table_id=self.table_id, hand=hand, contribution=self.deals.own(hand))
        timeout = self._session.patience.attempt
        with suppress(ClientError):
            await self._call(lambda stub, headers: stub.Contribute(request, metadata=headers, timeout=timeout))
            self.deals.given(hand)

    async def observe(self, *, brief: bool = False) -> ObserveResponse:
        """Ask what the caller may know and do now; ``brief`` leaves out what is large and for bots."""
        request = ObserveRequest(table_id=self.table_id, spectate=self._spectate, brief=brief)
        timeout = self._session.patience.attempt
        return await self._call(lambda stub, metadata: stub.Observe(request, metadata=metadata, timeout=timeout))

    async def hint(self) -> HintResponse:
        """Ask what the planner would do in the caller's seat now, and why."""
        seen = await self.observe()
        stub: bot_pb2_grpc.BotServiceAsyncStub = bot_pb2_grpc.BotServiceStub(self._session.channel())
        return await self._session.call(stub.Hint, HintRequest(observation=seen.observation))

    async def _call(
        self, method: "Callable[[table_pb2_grpc.TableServiceAsyncStub, Metadata], Awaitable[Answer]]"
    ) -> Answer:
        """Make one call at the server that has the table."""

        async def attempt(metadata: Metadata) -> Answer:
            server = await self._found()
            try:
                return await method(self._stub(server), server.header + metadata)
            except grpc.aio.AioRpcError as error:
                self._note(ClientError.of(error))
                raise

        return await self._session.repeat(attempt)

    def _heard(self, response: WatchResponse) -> None:
        """Look at a message of the watch as it came; for who checks servers."""

    def _broken(self, error: ClientError) -> None:
        """Take in why a stream of the watch has ended."""
        self._note(error)

    def _note(self, error: ClientError) -> None:
        """Go where the error says that the table is; else look it up anew, unless asking elsewhere cannot help.

        A door says when it cannot reach the server. When nobody said why, the way to the door has broken: so many who
        lose one at once need not all ask where their tables are.
        """
        by_door = self._server is not None and not self._server.address
        if error.passing and (error.reason or not by_door):
            self._server = Server.named_in(error.details)

    async def _open_watch(
        self, metadata: Metadata, *, stay: bool = False, take_over: bool = False
    ) -> "grpc.aio.UnaryStreamCall[WatchRequest, WatchResponse]":
        server = await self._found()
        request = WatchRequest(
            table_id=self.table_id,
            from_sequence=self.view.sequence + 1,
            spectate=self._spectate,
            device=self.device,
            stay=stay,
            take_over=take_over,
        )
        return self._stub(server).Watch(request, metadata=server.header + metadata)

    async def _found(self) -> Server:
        """Give the server to ask, looked up if it is not known."""
        return self._server or await self.locate()

    def _stub(self, server: Server) -> "table_pb2_grpc.TableServiceAsyncStub":
        return table_pb2_grpc.TableServiceStub(self._session.channel(server.address or None))
