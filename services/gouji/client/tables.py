"""One table: finding it, following it, acting at it."""

import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from typing import TypeVar
from uuid import uuid4

import grpc

from gouji.client.errors import ClientError
from gouji.client.session import Metadata, Session
from gouji.client.view import TableView
from gouji.engine import Action
from gouji.v1 import table_pb2_grpc
from gouji.v1.events_pb2 import Event
from gouji.v1.table_pb2 import (
    ActRequest,
    ActResponse,
    LeaveRequest,
    LeaveResponse,
    ObserveRequest,
    ObserveResponse,
    TakeSeatRequest,
    TakeSeatResponse,
    WatchRequest,
    WatchResponse,
)
from gouji.wire import action_to_proto

Answer = TypeVar("Answer")


class TableClient:
    """One table for one session; ``spectate`` watches from outside even if seated.

    The server that has the table may change at any time: after a failure the next one is the server that the failure
    names, or is looked up anew. Failures that stay raise `ClientError`.
    """

    def __init__(self, session: Session, table_id: str, *, spectate: bool = False) -> None:
        self.table_id = table_id
        self.view = TableView()
        self._session = session
        self._spectate = spectate
        self._address: str | None = None
        self._ahead = 0.0
        self._left = False

    @property
    def seconds_left(self) -> float | None:
        """Time until the table decides in place of whoever is asked; None where no clock runs."""
        if not self.view.turn.HasField("deadline"):
            return None
        return self.view.turn.deadline.ToNanoseconds() / 1e9 - time.time() - self._ahead

    async def locate(self) -> str:
        """Ask for the address of the server that has the table now, and use it from here on."""
        self._address = await self._session.locate(self.table_id)
        return self._address

    async def watch(self) -> AsyncGenerator[Event, None]:
        """Follow the table from the event after ``view.sequence`` to the match's last, each folded first.

        A broken, silent or lagging stream is opened anew where it stopped: no event is doubled or left out. It ends
        early when the watcher leaves its seat for good.
        """
        while self.view.ended is None and not self._has_left:
            async with aclosing(self._session.follow(self._open_watch, self._note)) as responses:
                async for response in responses:
                    self._ahead = response.batch.now.ToNanoseconds() / 1e9 - time.time()
                    for event in response.batch.events:
                        if event.sequence <= self.view.sequence:
                            continue
                        self.view.fold(event)
                        yield event
                    if self.view.ended or self._has_left:
                        return

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
        )
        timeout = self._session.patience.attempt
        return await self._call(lambda stub, headers: stub.Act(request, metadata=headers, timeout=timeout))

    async def take_seat(self) -> TakeSeatResponse:
        """Play one's seat again after a bot has (``view.away``); nothing happens when none does.

        A public action does the same by itself. An answer to a private question does not: it would show that one was
        asked.
        """
        request = TakeSeatRequest(table_id=self.table_id)
        timeout = self._session.patience.attempt
        return await self._call(lambda stub, headers: stub.TakeSeat(request, metadata=headers, timeout=timeout))

    async def leave(self) -> LeaveResponse:
        """Leave the match for good, whatever that costs; a bot plays on. Safe to repeat."""
        request = LeaveRequest(table_id=self.table_id)
        timeout = self._session.patience.attempt
        left = await self._call(lambda stub, headers: stub.Leave(request, metadata=headers, timeout=timeout))
        self._left = True
        return left

    @property
    def _has_left(self) -> bool:
        """The watcher has no seat here any more, and did not come to look on from outside."""
        return not self._spectate and (self._left or self.view.left)

    async def observe(self) -> ObserveResponse:
        """Ask what the caller may know and do now."""
        request = ObserveRequest(table_id=self.table_id, spectate=self._spectate)
        timeout = self._session.patience.attempt
        return await self._call(lambda stub, metadata: stub.Observe(request, metadata=metadata, timeout=timeout))

    async def _call(
        self, method: "Callable[[table_pb2_grpc.TableServiceAsyncStub, Metadata], Awaitable[Answer]]"
    ) -> Answer:
        """Make one call at the server that has the table."""

        async def attempt(metadata: Metadata) -> Answer:
            stub = await self._stub()
            try:
                return await method(stub, metadata)
            except grpc.aio.AioRpcError as error:
                self._note(ClientError.of(error))
                raise

        return await self._session.repeat(attempt)

    def _note(self, error: ClientError) -> None:
        """Go where the error says that the table is; else look it up anew, unless asking elsewhere cannot help."""
        if error.passing:
            self._address = error.details.get("address")

    async def _open_watch(self, metadata: Metadata) -> "grpc.aio.UnaryStreamCall[WatchRequest, WatchResponse]":
        stub = await self._stub()
        request = WatchRequest(table_id=self.table_id, from_sequence=self.view.sequence + 1, spectate=self._spectate)
        return stub.Watch(request, metadata=metadata)

    async def _stub(self) -> "table_pb2_grpc.TableServiceAsyncStub":
        address = self._address or await self.locate()
        return table_pb2_grpc.TableServiceStub(self._session.channel(address))
