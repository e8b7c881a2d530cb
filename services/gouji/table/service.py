"""The table service over gRPC: `bind` and the servicer, which unpacks, calls and packs."""

from collections.abc import AsyncIterator, Sequence
from contextlib import aclosing
from typing import Any, Final

import grpc

from gouji.serving.app import App
from gouji.serving.auth import Role, caller
from gouji.serving.errors import ServiceError, StorageUnavailable
from gouji.table import projection
from gouji.table.commands import Command, CommandQueue, check_same
from gouji.table.host import Host
from gouji.table.lease import Lease
from gouji.table.live import Live
from gouji.table.loading import fold_log
from gouji.table.metrics import TableMetrics
from gouji.table.relay import Relay
from gouji.table.store import Standing, Store
from gouji.table.streams import Streams
from gouji.table.writer import LogWriter
from gouji.v1 import events_pb2, table_pb2, table_pb2_grpc
from gouji.wire import MalformedMessage, action_from_proto

Context = grpc.aio.ServicerContext[Any, Any]

LONGEST_COMMAND_ID: Final = 64
"""Characters of a command's id."""

ROLES: Final = {
    "Act": {Role.PLAYER},
    "Watch": {Role.PLAYER, Role.OPERATOR},
    "Observe": {Role.PLAYER, Role.OPERATOR},
    "TakeSeat": {Role.PLAYER},
    "Leave": {Role.PLAYER},
    "Open": {Role.SERVICE},
    "Adopt": {Role.SERVICE},
    "Drain": {Role.OPERATOR},
}
"""Who may call what."""


def bind(app: App) -> None:
    """Add live tables to a process."""
    metrics = TableMetrics(app.metrics.registry)
    store = Store(app.database)
    lease = Lease(store, app.clock, app.settings.lease_seconds)
    writer = LogWriter(store, app.clock, metrics, app.settings.commit_interval_ms, lambda: lease.holds)
    host = Host(app, store, lease, writer, metrics)
    relay = Relay(store, app.channels, app.clock, metrics, app.log)
    app.add_servicer(
        table_pb2_grpc.add_TableServiceServicer_to_server,
        TableServicer(app, host, store, metrics),
        table_pb2.DESCRIPTOR.services_by_name["TableService"].full_name,
        roles=ROLES,
    )
    app.background("log writer", writer.run)
    app.background("table lease", host.keep_lease)
    app.background("table timers", host.tick)
    app.background("free tables", host.take_tables)
    app.background("outbox relay", relay.run)
    app.on_start(host.start)
    app.on_stop(host.stop)


class TableServicer(table_pb2_grpc.TableServiceServicer):
    """Players act and watch; the other services wake tables up."""

    def __init__(self, app: App, host: Host, store: Store, metrics: TableMetrics) -> None:
        self._app = app
        self._host = host
        self._store = store
        self._streams = Streams(app, store)
        self._commands = CommandQueue(app.settings.most_commands_waiting)
        self._metrics = metrics

    async def Act(  # noqa: N802 (gRPC's name)
        self, request: table_pb2.ActRequest, _context: Context
    ) -> table_pb2.ActResponse:
        """Do a command of the caller's seat; answered once it is in the log."""
        try:
            with self._commands.waiting(request.table_id):
                response = await self._act(request)
        except ServiceError as error:
            self._metrics.commands.labels(error.reason).inc()
            raise
        self._metrics.commands.labels(table_pb2.Outcome.Name(response.outcome)).inc()
        return response

    async def _act(self, request: table_pb2.ActRequest) -> table_pb2.ActResponse:
        _check_command(request)
        table = await self._host.find(request.table_id)
        if isinstance(table, Standing):
            return await self._answer_again(request, _own_seat(table.spec.seats), table.state)
        seat = _own_seat(table.table.seats)
        try:
            return await table.act(seat, request)
        except StorageUnavailable:
            # Nobody knows what became of it; the log does.
            return await self._answer_again(request, seat)

    async def _answer_again(self, request: table_pb2.ActRequest, seat: int, state: str = "") -> table_pb2.ActResponse:
        """Give the first answer to a command that the log has; refuse one that it has not."""
        command = Command.of(seat, request)
        kept = await self._store.command(request.table_id, seat, request.command_id)
        if kept is not None:
            check_same(kept.accepted, command)
            return table_pb2.ActResponse(outcome=table_pb2.OUTCOME_DUPLICATE, sequence=kept.accepted.sequence)
        raise _ended(state) if state else StorageUnavailable()

    async def Watch(  # noqa: N802 (gRPC's name)
        self, request: table_pb2.WatchRequest, _context: Context
    ) -> AsyncIterator[table_pb2.WatchResponse]:
        """Follow a table from an event on, from the caller's seat or as a spectator."""
        table = await self._host.find(request.table_id)
        if isinstance(table, Live):
            viewer = table.viewer_of(_viewer(table.table.seats, spectate=request.spectate))
            messages = self._streams.live(table, viewer, request.from_sequence)
        else:
            viewer = _viewer(table.spec.seats, spectate=request.spectate)
            messages = self._streams.ended(request.table_id, viewer, request.from_sequence)
        async with aclosing(messages):
            async for message in messages:
                yield message

    async def Observe(  # noqa: N802 (gRPC's name)
        self, request: table_pb2.ObserveRequest, _context: Context
    ) -> table_pb2.ObserveResponse:
        """Say how a table stands for the caller's seat, or a spectator."""
        table = await self._host.find(request.table_id)
        if isinstance(table, Live):
            return await table.observe(table.viewer_of(_viewer(table.table.seats, spectate=request.spectate)))
        if table.state == "frozen":
            raise _ended(table.state)
        folded = fold_log(request.table_id, await self._store.events(request.table_id))
        return projection.moment(folded, _viewer(table.spec.seats, spectate=request.spectate))

    async def TakeSeat(  # noqa: N802 (gRPC's name)
        self, request: table_pb2.TakeSeatRequest, _context: Context
    ) -> table_pb2.TakeSeatResponse:
        """Have the caller play its seat again after a bot has. Safe to repeat."""
        table, seat = await self._own_table(request.table_id)
        return table_pb2.TakeSeatResponse(sequence=await table.take_seat(seat))

    async def Leave(  # noqa: N802 (gRPC's name)
        self, request: table_pb2.LeaveRequest, _context: Context
    ) -> table_pb2.LeaveResponse:
        """Have the caller leave for good. Safe to repeat."""
        table, seat = await self._own_table(request.table_id)
        return table_pb2.LeaveResponse(sequence=await table.leave_seat(seat))

    async def _own_table(self, table_id: str) -> tuple[Live, int]:
        """Find a live table and the caller's seat there; refuse with `table_over` or `table_frozen` an ended one."""
        table = await self._host.find(table_id)
        if isinstance(table, Live):
            return table, _own_seat(table.table.seats)
        _own_seat(table.spec.seats)
        raise _ended(table.state)

    async def Open(  # noqa: N802 (gRPC's name)
        self, request: table_pb2.OpenRequest, _context: Context
    ) -> table_pb2.OpenResponse:
        """Take a placed table up now rather than soon. Doing it twice, or too late, changes nothing."""
        return table_pb2.OpenResponse(already_open=await self._host.open(request.table_id))

    async def Adopt(  # noqa: N802 (gRPC's name)
        self, request: table_pb2.AdoptRequest, _context: Context
    ) -> table_pb2.AdoptResponse:
        """Take over a table that another server offers; answered when it goes on here."""
        await self._host.adopt(request.table_id, request.owner, request.fence)
        return table_pb2.AdoptResponse()

    async def Drain(  # noqa: N802 (gRPC's name)
        self, _request: table_pb2.DrainRequest, _context: Context
    ) -> table_pb2.DrainResponse:
        """Have this process stop as on SIGTERM: its tables are handed over first."""
        tables = self._host.drain()
        self._app.ask_to_stop()
        return table_pb2.DrainResponse(tables=tables)


def _ended(state: str) -> ServiceError:
    """Make the error for what cannot be done at a table that is over or frozen."""
    if state == "frozen":
        return ServiceError("table_frozen", "The table has stopped.")
    return ServiceError("table_over", "The match is over.")


def _check_command(request: table_pb2.ActRequest) -> None:
    """Refuse with `malformed` what cannot be a command, before anything is looked up."""
    if not 1 <= len(request.command_id) <= LONGEST_COMMAND_ID or not request.command_id.isprintable():
        raise ServiceError("malformed", f"command_id is not 1 to {LONGEST_COMMAND_ID} characters that can be shown.")
    try:
        action_from_proto(0, request.action)
    except MalformedMessage as error:
        raise ServiceError("malformed", f"action: {error}.") from error


def _seat_of(seats: Sequence[events_pb2.Seat]) -> int | None:
    who = caller()
    if who.role is not Role.PLAYER:
        return None
    return next((seat for seat, held in enumerate(seats) if held.player_id == who.player_id), None)


def _own_seat(seats: Sequence[events_pb2.Seat]) -> int:
    seat = _seat_of(seats)
    if seat is None:
        raise ServiceError("not_seated", "You do not sit at this table.")
    return seat


def _viewer(seats: Sequence[events_pb2.Seat], *, spectate: bool) -> int | None:
    return None if spectate else _seat_of(seats)
