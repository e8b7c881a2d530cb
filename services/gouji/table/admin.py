"""Tables as those who look after them handle them. No card of a hand that is not over leaves by here."""

from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict
from typing import Any, Final

import grpc
from google.protobuf import json_format

from gouji.engine import EngineError
from gouji.engine.record_text import format_record
from gouji.serving.app import App
from gouji.serving.auth import STAFF, Role
from gouji.serving.clock import microseconds, timestamp
from gouji.serving.database import Database
from gouji.serving.duplicate import board_shut, is_shut
from gouji.serving.errors import ServiceError, StorageUnavailable, malformed
from gouji.serving.requests import read_filter
from gouji.table.catalogue import Catalogue, Row, Wanted
from gouji.table.host import Host, check_id
from gouji.table.live import Live
from gouji.table.ownership import Ownership
from gouji.table.projection import project
from gouji.table.records import record_of, unfinished
from gouji.table.refusals import unknown
from gouji.table.results import given_up
from gouji.table.store import Step, Store
from gouji.table.table import Table
from gouji.v1 import admin_pb2, admin_pb2_grpc
from gouji.v1.events_pb2 import Event

Context = grpc.aio.ServicerContext[Any, Any]

ROLES: Final = {
    "ListServers": STAFF,
    "ListTables": STAFF,
    "ShowTable": STAFF,
    "FreezeTable": {Role.OPERATOR},
    "ResumeTable": {Role.OPERATOR},
    "AbandonTable": {Role.OPERATOR},
    "ExportTable": {*STAFF, Role.SERVICE},
}
"""Who may call what."""

LISTED: Final = 100
"""Tables that are listed unless a limit is given."""

MOST_LISTED: Final = 1000
"""Tables in one answer, at most."""

SHOWN: Final = 20
"""Events that are shown of a table unless a number is given."""

LONGEST_REASON: Final = 200
"""Characters of what an operator says to the players."""

PIECE: Final = 32 * 1024
"""Characters in one message of an export."""

LOOK_SECONDS: Final = 60.0
"""How often tables that nobody resumes are looked for."""

GIVEN_UP_AT_ONCE: Final = 100
"""Tables given up in one look."""


def bind_admin(app: App, host: Host, store: Store) -> None:
    """Add the operators' side of the tables to a process."""
    keeper = Keeper(app, store)
    app.add_servicer(
        admin_pb2_grpc.add_TableAdminServiceServicer_to_server,
        AdminServicer(app.database, host, store, keeper),
        admin_pb2.DESCRIPTOR.services_by_name["TableAdminService"].full_name,
        roles=ROLES,
    )
    app.background("forgotten tables", keeper.run)


class Keeper:
    """Gives up tables that stand still: when an operator says so, and those that nobody resumes in time."""

    def __init__(self, app: App, store: Store) -> None:
        self.catalogue = Catalogue(app.database)
        self._store = store
        self._clock = app.clock
        self._log = app.log
        self._frozen_seconds = app.settings.frozen_seconds

    async def run(self) -> None:
        """Look for tables to give up for ever."""
        while True:
            try:
                for table_id in await self.catalogue.forgotten(self._frozen_seconds, GIVEN_UP_AT_ONCE):
                    await self.abandon(table_id, "")
            except StorageUnavailable:
                pass  # the next look finds them
            await self._clock.sleep(LOOK_SECONDS)

    async def abandon(self, table_id: str, reason: str) -> bool:
        """End a stopped table and show the secret of its hand; False when it does not stand still."""
        fence = await self.catalogue.claim(table_id)
        if fence is None:
            return False
        log = await self._store.events(table_id)
        table, now = Table(table_id), microseconds(self._clock.now())
        if log:
            table.sequence, table.hand_number, table.at = log[-1].sequence, log[-1].hand, log[-1].at.ToMicroseconds()
        event = table.abandon(reason, now, *unfinished(log))
        results = [given_up(log, now)] if log else []
        step = Step(table_id=table_id, fence=fence, at=now, events=[event], results=results, state="over")
        written = (await self._store.commit([step])).get(table_id) == fence
        self._log.info("table_abandoned", table=table_id, hand=table.hand_number, written=written)
        return written


class AdminServicer(admin_pb2_grpc.TableAdminServiceServicer):
    """Unpacks, asks, packs."""

    def __init__(self, database: Database, host: Host, store: Store, keeper: Keeper) -> None:
        self._database = database
        self._host = host
        self._store = store
        self._keeper = keeper
        self._catalogue = keeper.catalogue
        self._ownership = Ownership(database)

    async def ListServers(  # noqa: N802 (gRPC's name)
        self, _request: admin_pb2.ListServersRequest, _context: Context
    ) -> admin_pb2.ListServersResponse:
        """List the servers that live, by id."""
        servers = sorted(await self._ownership.servers(), key=lambda server: server.server_id)
        return admin_pb2.ListServersResponse(servers=[admin_pb2.ServerRow(**asdict(server)) for server in servers])

    async def ListTables(  # noqa: N802 (gRPC's name)
        self, request: admin_pb2.ListTablesRequest, _context: Context
    ) -> admin_pb2.ListTablesResponse:
        """Find tables, the newest first. Refused with `malformed`."""
        most = min(request.limit or LISTED, MOST_LISTED)
        wanted = Wanted(*(read_filter(name, getattr(request, name)) for name in ("state", "server", "player_id")))
        rows = await self._catalogue.find(wanted, most + 1)
        return admin_pb2.ListTablesResponse(tables=map(_row, rows[:most]), more=len(rows) > most)

    async def ShowTable(  # noqa: N802 (gRPC's name)
        self, request: admin_pb2.ShowTableRequest, _context: Context
    ) -> admin_pb2.ShowTableResponse:
        """Say how one table stands, with its last events by number and kind."""
        row, last = await self._one(request.table_id), await self._store.last_event(request.table_id)
        if last is None:
            return admin_pb2.ShowTableResponse(table=_row(row))
        first = max(last.sequence - (request.events or SHOWN) + 1, 1)
        events = await self._store.events(request.table_id, first)
        return admin_pb2.ShowTableResponse(
            table=_row(row),
            hand=last.hand,
            last_sequence=last.sequence,
            reference=last.table_frozen.reference,
            reason=last.table_frozen.reason or last.table_abandoned.reason,
            events=map(_event, events),
        )

    async def FreezeTable(  # noqa: N802 (gRPC's name)
        self, request: admin_pb2.FreezeTableRequest, _context: Context
    ) -> admin_pb2.FreezeTableResponse:
        """Stop a table that this server has, or that none has."""
        _check_reason(request.reason)
        live = await self._host.find(request.table_id)
        if isinstance(live, Live):
            return admin_pb2.FreezeTableResponse(reference=await self._host.freeze(live, request.reason))
        if live.state == "frozen":
            raise ServiceError("table_frozen", "The table stands still already.")
        raise ServiceError("table_over", "The match is over.")

    async def ResumeTable(  # noqa: N802 (gRPC's name)
        self, request: admin_pb2.ResumeTableRequest, _context: Context
    ) -> admin_pb2.ResumeTableResponse:
        """Have a stopped table go on, under a new fence, here if there is room."""
        await self._one(request.table_id)
        elsewhere = await self._catalogue.thaw(request.table_id)
        if elsewhere is None:
            raise _not_frozen()
        with suppress(ServiceError):  # another server takes it
            await self._host.open(request.table_id)
        return admin_pb2.ResumeTableResponse(elsewhere=elsewhere)

    async def AbandonTable(  # noqa: N802 (gRPC's name)
        self, request: admin_pb2.AbandonTableRequest, _context: Context
    ) -> admin_pb2.AbandonTableResponse:
        """Give up a stopped table for good."""
        _check_reason(request.reason)
        await self._one(request.table_id)
        if not await self._keeper.abandon(request.table_id, request.reason):
            raise _not_frozen()
        return admin_pb2.AbandonTableResponse()

    async def ExportTable(  # noqa: N802 (gRPC's name)
        self, request: admin_pb2.ExportTableRequest, _context: Context
    ) -> AsyncIterator[admin_pb2.ExportTableResponse]:
        """Write a table down, in pieces. Refused with `board_shut` for a board that is not open yet."""
        row = await self._one(request.table_id)
        if await is_shut(self._database, row.table_id):
            raise board_shut()
        log = await self._store.events(request.table_id)
        if request.form == admin_pb2.EXPORT_FORM_LOG:
            text = "".join(log_lines(log))
        elif request.form == admin_pb2.EXPORT_FORM_RECORD:
            text = _record(log)
        else:
            raise malformed("form", "neither a record nor a log")
        for start in range(0, len(text), PIECE):
            yield admin_pb2.ExportTableResponse(text=text[start : start + PIECE])

    async def _one(self, table_id: str) -> Row:
        check_id(table_id)
        row = await self._catalogue.one(table_id)
        if row is None:
            raise unknown()
        return row


def log_lines(log: Sequence[Event]) -> Iterator[str]:
    """Write a log, a line of JSON each event; of a hand that is not over what everybody may see."""
    over = {event.hand for event in log if event.HasField("hand_ended") or event.HasField("table_abandoned")}
    for event in log:
        shown = event if event.hand in over else project(event, None, None)
        yield json_format.MessageToJson(shown, indent=None, preserving_proto_field_name=True) + "\n"


def _record(log: Sequence[Event]) -> str:
    try:
        return format_record(record_of(log))
    except (ValueError, EngineError) as error:
        raise ServiceError("table_frozen", "The log cannot be played out; export it as a log.") from error


def _check_reason(reason: str) -> None:
    if len(reason) > LONGEST_REASON or not reason.isprintable() or not reason.strip():
        raise malformed("reason", f"not 1 to {LONGEST_REASON} characters that can be shown")


def _not_frozen() -> ServiceError:
    return ServiceError("not_frozen", "The table does not stand still.")


def _row(row: Row) -> admin_pb2.TableRow:
    return admin_pb2.TableRow(
        table_id=row.table_id,
        state=row.state,
        server_id=row.server_id,
        address=row.address,
        fence=row.fence,
        created=timestamp(row.created_at),
        ended=None if row.ended_at is None else timestamp(row.ended_at),
        queue=row.spec.queue,
        seats=row.spec.seats,
    )


def _event(event: Event) -> admin_pb2.EventRow:
    kind = event.WhichOneof("body") or ""
    return admin_pb2.EventRow(sequence=event.sequence, at=event.at, hand=event.hand, kind=kind)
