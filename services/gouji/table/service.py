"""The table service over gRPC: `bind` and the servicer, which unpacks, calls and packs."""

from dataclasses import replace
from typing import Any, Final

import grpc

from gouji.engine.secret import SECRET_BYTES
from gouji.serving.app import App
from gouji.serving.auth import ANY_ROLE, PLAYERS, STAFF, Role, Roles, caller
from gouji.serving.duplicate import board_shut, is_shut
from gouji.serving.errors import ServiceError, StorageUnavailable, malformed
from gouji.serving.lifeline import Lifeline
from gouji.serving.requests import check_id
from gouji.serving.vault import vault_for
from gouji.table import phrases, projection
from gouji.table.admin import bind_admin
from gouji.table.afterwards import Afterwards
from gouji.table.collecting import Contribution
from gouji.table.commands import Accepted, Command, CommandQueue, check_same
from gouji.table.host import Host
from gouji.table.lease import Lease
from gouji.table.live import Live
from gouji.table.loading import fold_log
from gouji.table.metrics import TableMetrics
from gouji.table.ownership import Ownership, Standing
from gouji.table.people import People, own_seat, seat_of, seats_of, spec_of
from gouji.table.people_store import PeopleStore
from gouji.table.relay import Relay
from gouji.table.removal import Removal
from gouji.table.store import Store
from gouji.table.streams import Streams, Want
from gouji.table.views import Views
from gouji.table.watch import Guest
from gouji.table.writer import LogWriter
from gouji.v1 import actions_pb2, reasons_pb2, table_pb2, table_pb2_grpc
from gouji.wire import MalformedMessage, action_from_proto

Context = grpc.aio.ServicerContext[Any, Any]

LONGEST_COMMAND_ID: Final = 64
"""Characters of a command's id."""

ROLES: Final[Roles] = {
    "Act": PLAYERS,
    "Contribute": {Role.PLAYER},
    "Watch": PLAYERS | STAFF,
    "Observe": PLAYERS | STAFF,
    "TakeSeat": PLAYERS,
    "Leave": PLAYERS,
    "Open": {Role.SERVICE},
    "ListPhrases": ANY_ROLE,
    "Say": PLAYERS,
    "Mute": {Role.PLAYER},
    "VoteHand": {Role.PLAYER},
    "Ready": {Role.PLAYER},
    "Adopt": {Role.SERVICE},
    "Drain": {Role.OPERATOR},
    "Unseat": {Role.SERVICE},
    "RemoveFromTables": {Role.SERVICE},
}
"""Who may call what."""


def bind(app: App) -> None:
    """Add live tables to a process."""
    metrics = TableMetrics(app.metrics.registry)
    store = Store(app.database, vault_for(app.settings))
    ownership = Ownership(app.database)
    lease = Lease(ownership, Lifeline(app.database), app.clock, app.settings.lease_seconds)
    writer = LogWriter(
        store, app.clock, metrics, app.settings.commit_interval_ms, lambda: lease.holds, tracing=app.tracing
    )
    host = Host(app, store, ownership, lease, writer=writer, metrics=metrics)
    people_store = PeopleStore(app.database, store)
    afterwards = Afterwards(app, people_store)
    views = Views(app, store, metrics)
    relay = Relay(store, app.channels, app.clock, metrics, app.log)
    removal = Removal(app, host, store)
    servicer = TableServicer(
        app,
        host,
        store,
        metrics,
        streams=Streams(app, store, afterwards),
        views=views,
        people=People(host, store, people_store, afterwards),
        removal=removal,
    )
    app.add_servicer(
        table_pb2_grpc.add_TableServiceServicer_to_server,
        servicer,
        table_pb2.DESCRIPTOR.services_by_name["TableService"].full_name,
        roles=ROLES,
    )
    bind_admin(app, host, store)
    app.probes.ready_when("registered", lambda: lease.holds)
    app.background("log writer", writer.run)
    app.background("table lease", host.keep_lease)
    app.background("table timers", host.tick)
    app.background("free tables", host.taking.run)
    app.background("outbox relay", relay.run)
    app.background("outbox watch", relay.watch)
    app.background("after matches", afterwards.run)
    app.background("people of ended tables", removal.run)
    app.on_start(host.start)
    app.on_stop(host.stop)
    app.on_stop(views.close)
    app.on_stop(afterwards.close)


class TableServicer(table_pb2_grpc.TableServiceServicer):
    """Players act and watch; the other services wake tables up."""

    def __init__(
        self,
        app: App,
        host: Host,
        store: Store,
        metrics: TableMetrics,
        *,
        streams: Streams,
        views: Views,
        people: People,
        removal: Removal,
    ) -> None:
        self._app = app
        self._host = host
        self._store = store
        self._streams = streams
        self._views = views
        self._people = people
        self._removal = removal
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
            command = Command.of(own_seat(table.spec.seats), request)
            return await self._act_again(request.table_id, command, table.state)
        seat = own_seat(table.table.seats)
        try:
            return await table.act(seat, request)
        except StorageUnavailable:
            # Nobody knows what became of it; the log does.
            return await self._act_again(request.table_id, Command.of(seat, request))

    async def _act_again(self, table_id: str, command: Command, state: str = "") -> table_pb2.ActResponse:
        accepted = await self._accepted(table_id, command, state)
        return table_pb2.ActResponse(outcome=table_pb2.OUTCOME_DUPLICATE, sequence=accepted.sequence)

    async def Contribute(  # noqa: N802 (gRPC's name)
        self, request: table_pb2.ContributeRequest, _context: Context
    ) -> table_pb2.ContributeResponse:
        """Put the caller's share into the coming deal; answered once it is in the log."""
        if len(request.contribution) != SECRET_BYTES:
            raise malformed("contribution", f"not {SECRET_BYTES} bytes")
        table = await self._host.find(request.table_id)
        state, seats = (table.state, table.spec.seats) if isinstance(table, Standing) else ("", table.table.seats)
        given = Contribution(own_seat(seats), request.hand, request.contribution)
        try:
            if isinstance(table, Live):
                return table_pb2.ContributeResponse(outcome=await table.contribute(given))
        except StorageUnavailable:
            pass  # nobody knows what became of it; the log does
        await self._accepted(request.table_id, Command.contribution(given), state)
        return table_pb2.ContributeResponse(outcome=table_pb2.OUTCOME_DUPLICATE)

    async def _accepted(self, table_id: str, command: Command, state: str) -> Accepted:
        """Find a command in the log; refuse one that it has not."""
        kept = await self._store.command(table_id, command.seat, command.command_id)
        if kept is not None:
            check_same(kept.accepted, command)
            return kept.accepted
        raise _ended(state) if state else StorageUnavailable()

    async def Watch(  # type: ignore[override]  # noqa: N802 (gRPC's name; writes instead of yielding)
        self, request: table_pb2.WatchRequest, context: Context
    ) -> None:
        """Follow a table from an event on, from the caller's seat or as a spectator."""
        _check_device(request.device)
        async with self._app.budgets.returns:
            table = await self._host.find(request.table_id)
            seats, shut = seats_of(table), await self._is_shut(table)
            muted = await self._people.muted(seats)
        viewer = _viewer(table, spectate=request.spectate, shut=shut)
        guest = Guest(caller().player_id, request.device, request.take_over, muted)
        want = Want(viewer, request.from_sequence, guest, request.from_now, shut)
        view = await self._views.of(request.table_id, table, viewer)
        source = view or (table if isinstance(table, Live) else None)
        if source:
            last = await self._streams.live(source, want, context.write)
        else:
            last = await self._streams.ended(request.table_id, want, context.write)
        # What is said after the match is no part of a delayed view.
        if request.stay and view is None:
            await self._streams.afterwards(request.table_id, replace(want, first=last + 1), context.write)

    async def Observe(  # noqa: N802 (gRPC's name)
        self, request: table_pb2.ObserveRequest, _context: Context
    ) -> table_pb2.ObserveResponse:
        """Say how a table stands for the caller's seat, or a spectator, and what would become of a proposal."""
        if request.HasField("proposed"):
            _check_action(request.proposed, "proposed")
        table = await self._host.find(request.table_id)
        viewer = _viewer(table, spectate=request.spectate, shut=await self._is_shut(table))
        shown = await self._moment(request.table_id, table, viewer)
        if request.HasField("proposed"):
            shown.refusal = (
                projection.refusal(table.table, viewer, request.proposed)
                if isinstance(table, Live)
                else reasons_pb2.REASON_TABLE_OVER
            )
        return projection.brief(shown) if request.brief else shown

    async def _moment(self, table_id: str, table: Live | Standing, viewer: int | None) -> table_pb2.ObserveResponse:
        view = await self._views.of(table_id, table, viewer)
        if view is not None:
            return projection.moment(view.table, viewer)
        if isinstance(table, Live):
            return await table.observe(viewer)
        if table.state == "frozen":
            raise _ended(table.state)
        folded = fold_log(table_id, await self._store.events(table_id))
        return projection.moment(folded, viewer)

    async def _is_shut(self, table: Live | Standing) -> bool:
        """Say whether a table plays a board that is not open yet."""
        spec = spec_of(table)
        if not spec.HasField("board"):
            return False
        return isinstance(table, Live) or await is_shut(self._app.database, spec.table_id)

    async def TakeSeat(  # noqa: N802 (gRPC's name)
        self, request: table_pb2.TakeSeatRequest, _context: Context
    ) -> table_pb2.TakeSeatResponse:
        """Have the caller play its seat again after a bot has. Safe to repeat."""
        _check_device(request.device)
        table, seat = await self._own_table(request.table_id)
        return table_pb2.TakeSeatResponse(sequence=await table.take_seat(seat, request.device))

    async def Leave(  # noqa: N802 (gRPC's name)
        self, request: table_pb2.LeaveRequest, _context: Context
    ) -> table_pb2.LeaveResponse:
        """Have the caller leave for good. Safe to repeat."""
        _check_device(request.device)
        table, seat = await self._own_table(request.table_id)
        return table_pb2.LeaveResponse(sequence=await table.leave_seat(seat, request.device))

    async def _own_table(self, table_id: str) -> tuple[Live, int]:
        """Find a live table and the caller's seat there; refuse with `table_over` or `table_frozen` an ended one."""
        table = await self._host.find(table_id)
        if isinstance(table, Live):
            return table, own_seat(table.table.seats)
        own_seat(table.spec.seats)
        raise _ended(table.state)

    async def Open(  # noqa: N802 (gRPC's name)
        self, request: table_pb2.OpenRequest, _context: Context
    ) -> table_pb2.OpenResponse:
        """Take a placed table up now rather than soon. Doing it twice, or too late, changes nothing."""
        return table_pb2.OpenResponse(already_open=await self._host.open(request.table_id))

    async def ListPhrases(  # noqa: N802 (gRPC's name)
        self, _request: table_pb2.ListPhrasesRequest, _context: Context
    ) -> table_pb2.ListPhrasesResponse:
        """List what can be said."""
        return phrases.listed()

    async def Say(self, request: table_pb2.SayRequest, _context: Context) -> table_pb2.SayResponse:  # noqa: N802
        """Say a phrase from the caller's seat; answered once it is in the log."""
        _check_command_id(request.command_id)
        return await self._people.say(request)

    async def Mute(self, request: table_pb2.MuteRequest, _context: Context) -> table_pb2.MuteResponse:  # noqa: N802
        """Mute a seat's player for the caller, or have it heard again."""
        return await self._people.mute(request)

    async def VoteHand(  # noqa: N802 (gRPC's name)
        self, request: table_pb2.VoteHandRequest, _context: Context
    ) -> table_pb2.VoteHandResponse:
        """Vote that this hand be given up, or take the vote back; answered once it is in the log."""
        return await self._people.vote(request)

    async def Ready(self, request: table_pb2.ReadyRequest, _context: Context) -> table_pb2.ReadyResponse:  # noqa: N802
        """Note whether the caller wants a rematch; answered once it is in the log."""
        return await self._people.ready(request)

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

    async def Unseat(  # noqa: N802 (gRPC's name)
        self, request: table_pb2.UnseatRequest, _context: Context
    ) -> table_pb2.UnseatResponse:
        """Have a player leave where it sits. Safe to repeat."""
        check_id("player_id", request.player_id)
        unseated = await self._removal.unseat(request.player_id)
        return table_pb2.UnseatResponse(table_id=unseated.table_id, again=unseated.again)

    async def RemoveFromTables(  # noqa: N802 (gRPC's name)
        self, request: table_pb2.RemoveFromTablesRequest, _context: Context
    ) -> table_pb2.RemoveFromTablesResponse:
        """Take a player that was deleted out of tables. Safe to repeat."""
        check_id("player_id", request.player_id)
        return table_pb2.RemoveFromTablesResponse(again=await self._removal.remove(request.player_id))


def _ended(state: str) -> ServiceError:
    """Make the error for what cannot be done at a table that is over or frozen."""
    if state == "frozen":
        return ServiceError("table_frozen", "The table has stopped.")
    return ServiceError("table_over", "The match is over.")


def _check_command(request: table_pb2.ActRequest) -> None:
    """Refuse with `malformed` what cannot be a command, before anything is looked up."""
    _check_command_id(request.command_id)
    _check_device(request.device)
    _check_action(request.action, "action")


def _check_action(action: actions_pb2.Action, field: str) -> None:
    try:
        action_from_proto(0, action)
    except MalformedMessage as error:
        raise ServiceError("malformed", f"{field}: {error}.") from error


def _check_command_id(command_id: str) -> None:
    if not 1 <= len(command_id) <= LONGEST_COMMAND_ID or not command_id.isprintable():
        raise ServiceError("malformed", f"command_id is not 1 to {LONGEST_COMMAND_ID} characters that can be shown.")


def _check_device(device: str) -> None:
    if len(device) > LONGEST_COMMAND_ID or not device.isprintable():
        raise malformed("device", f"is not up to {LONGEST_COMMAND_ID} characters that can be shown")


def _viewer(table: Live | Standing, *, spectate: bool, shut: bool) -> int | None:
    """Say as whom the caller looks on: from its seat, as a director, or from outside.

    Raises `ServiceError`: `not_seated` for a player without a seat where nobody may look on from outside, `board_shut`
    for whoever does not look on from its own seat at a board that is ``shut``.
    """
    seat = seat_of(seats_of(table))
    own = table.viewer_of(seat) if isinstance(table, Live) else seat
    if shut and (spectate or own is None):
        raise board_shut()
    if seat is None and caller().plays and spec_of(table).no_spectators:
        raise ServiceError("not_seated", "This table has no spectators.")
    if spectate:
        return None
    if caller().role is Role.DIRECTOR:
        return projection.DIRECTOR
    return own
