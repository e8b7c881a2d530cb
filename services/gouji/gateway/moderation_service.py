"""Moderation over gRPC: unpacks, asks, packs."""

from collections.abc import Mapping
from typing import Any, Final

from gouji.gateway.acts import WantedActs, find_acts
from gouji.gateway.reports import Report, Reports
from gouji.gateway.sanction_store import SanctionStore
from gouji.gateway.store import Store
from gouji.gateway.table_servers import TableServers
from gouji.gateway.unseating import Unseating
from gouji.serving.app import App
from gouji.serving.auth import Role, Roles, caller
from gouji.serving.clock import microseconds, timestamp
from gouji.serving.errors import malformed
from gouji.serving.requests import LONGEST_ID, check_id, check_text, check_time, read_limit
from gouji.serving.sanctions import BAN, MUTE, REMOVAL, Sanction
from gouji.v1 import moderation_pb2, moderation_pb2_grpc

_MODERATORS: Final = frozenset({Role.MODERATOR, Role.OPERATOR})

ROLES: Final[Roles] = dict.fromkeys(
    (
        "MutePlayer",
        "UnmutePlayer",
        "RemovePlayer",
        "BanPlayer",
        "UnbanPlayer",
        "ListSanctions",
        "ListReports",
        "CloseReport",
        "ListActs",
    ),
    _MODERATORS,
)
"""Who may call what."""

REPORT_ROLES: Final[Roles] = {"ReportPlayer": {Role.PLAYER}}
"""The same of the players' side."""

DEFAULT_LIMIT, MOST_LIMIT = 100, 1000
"""Rows in one answer."""

LONGEST_REASON: Final = 200
"""Characters of what is said to the player, or to the log."""

KINDS: Final[Mapping[moderation_pb2.SanctionKind.ValueType, str]] = {
    moderation_pb2.SANCTION_KIND_UNSPECIFIED: "",
    moderation_pb2.SANCTION_KIND_MUTE: MUTE,
    moderation_pb2.SANCTION_KIND_BAN: BAN,
}
"""What sanctions are called in the database."""

_NAMED: Final = {name: kind for kind, name in KINDS.items()}
_REPORT_KINDS: Final = frozenset(moderation_pb2.ReportKind.values()) - {moderation_pb2.REPORT_KIND_UNSPECIFIED}
_LARGEST: Final = 2**63 - 1


def bind_moderation(app: App, store: Store) -> None:
    """Add moderation to a process."""
    sanctions, reports = SanctionStore(app.database), Reports(app.database)
    unseating = Unseating(app, TableServers(store, app.channels), sanctions)
    app.add_servicer(
        moderation_pb2_grpc.add_ModerationServiceServicer_to_server,
        ModerationServicer(app, sanctions, unseating, reports),
        "gouji.v1.ModerationService",
        roles=ROLES,
    )
    app.add_servicer(
        moderation_pb2_grpc.add_ReportServiceServicer_to_server,
        ReportServicer(reports),
        "gouji.v1.ReportService",
        roles=REPORT_ROLES,
    )
    app.background("banned players at tables", unseating.run)


class ReportServicer(moderation_pb2_grpc.ReportServiceServicer):
    """What players tell moderators."""

    def __init__(self, reports: Reports) -> None:
        self._reports = reports

    async def ReportPlayer(  # noqa: N802 (gRPC's name)
        self, request: moderation_pb2.ReportPlayerRequest, _context: Any
    ) -> moderation_pb2.ReportPlayerResponse:
        """Keep a report of one whom the caller sat with.

        Refused with `unknown_table`, `not_seated`, `unknown_player`, `too_often`, `malformed`.
        """
        check_id("player_id", request.player_id)
        check_id("table_id", request.table_id)
        own = caller().player_id
        if request.player_id == own:
            raise malformed("player_id", "is the caller")
        if request.kind not in _REPORT_KINDS:
            raise malformed("kind", "is none that there is")
        report_id, stood = await self._reports.add(own, request.player_id, request.table_id, request.kind)
        return moderation_pb2.ReportPlayerResponse(report_id=report_id, already_reported=stood)


class ModerationServicer(moderation_pb2_grpc.ModerationServiceServicer):
    """What moderators do. A player who is none, or was deleted, is refused with `unknown_player`."""

    def __init__(self, app: App, sanctions: SanctionStore, unseating: Unseating, reports: Reports) -> None:
        self._app = app
        self._sanctions = sanctions
        self._unseating = unseating
        self._reports = reports

    async def MutePlayer(  # noqa: N802 (gRPC's name)
        self, request: moderation_pb2.MutePlayerRequest, _context: Any
    ) -> moderation_pb2.MutePlayerResponse:
        """Have a player say nothing until an end."""
        sanction = await self._impose(request, MUTE)
        return moderation_pb2.MutePlayerResponse(sanction=_sanction(sanction))

    async def UnmutePlayer(  # noqa: N802 (gRPC's name)
        self, request: moderation_pb2.UnmutePlayerRequest, _context: Any
    ) -> moderation_pb2.UnmutePlayerResponse:
        """Let a player speak again."""
        return moderation_pb2.UnmutePlayerResponse(lifted=await self._lift(request, MUTE))

    async def RemovePlayer(  # noqa: N802 (gRPC's name)
        self, request: moderation_pb2.RemovePlayerRequest, _context: Any
    ) -> moderation_pb2.RemovePlayerResponse:
        """Have a player leave its table, and end its streams. Refused with `table_moving`, `unreachable`: repeat."""
        _check(request)
        await self._sanctions.impose(request.player_id, REMOVAL, None, request.reason)
        await self._app.barred.look()
        return moderation_pb2.RemovePlayerResponse(table_id=await self._unseating.unseat(request.player_id))

    async def BanPlayer(  # noqa: N802 (gRPC's name)
        self, request: moderation_pb2.BanPlayerRequest, _context: Any
    ) -> moderation_pb2.BanPlayerResponse:
        """Keep a player out until an end."""
        sanction = await self._impose(request, BAN)
        await self._app.barred.look()
        table_id = await self._unseating.try_unseat(request.player_id)
        return moderation_pb2.BanPlayerResponse(sanction=_sanction(sanction), table_id=table_id)

    async def UnbanPlayer(  # noqa: N802 (gRPC's name)
        self, request: moderation_pb2.UnbanPlayerRequest, _context: Any
    ) -> moderation_pb2.UnbanPlayerResponse:
        """Let a player in again."""
        lifted = await self._lift(request, BAN)
        await self._app.barred.look()
        return moderation_pb2.UnbanPlayerResponse(lifted=lifted)

    async def ListSanctions(  # noqa: N802 (gRPC's name)
        self, request: moderation_pb2.ListSanctionsRequest, _context: Any
    ) -> moderation_pb2.ListSanctionsResponse:
        """List who is muted or banned, the newest first."""
        _check_wish("player_id", request.player_id)
        if request.kind not in KINDS:
            raise malformed("kind", "is none that there is")
        most = read_limit(request.limit, DEFAULT_LIMIT, MOST_LIMIT)
        found = await self._sanctions.find(request.player_id, KINDS[request.kind], most + 1)
        return moderation_pb2.ListSanctionsResponse(sanctions=map(_sanction, found[:most]), more=len(found) > most)

    async def ListReports(  # noqa: N802 (gRPC's name)
        self, request: moderation_pb2.ListReportsRequest, _context: Any
    ) -> moderation_pb2.ListReportsResponse:
        """List what players reported, the oldest first."""
        _check_wish("player_id", request.player_id)
        most = read_limit(request.limit, DEFAULT_LIMIT, MOST_LIMIT)
        found = await self._reports.find(request.player_id, most + 1, closed=request.closed)
        return moderation_pb2.ListReportsResponse(reports=map(_report, found[:most]), more=len(found) > most)

    async def CloseReport(  # noqa: N802 (gRPC's name)
        self, request: moderation_pb2.CloseReportRequest, _context: Any
    ) -> moderation_pb2.CloseReportResponse:
        """Say what came of a report; the first word stands. Refused with `unknown_report`."""
        check_id("report_id", request.report_id)
        check_text("reason", request.reason, LONGEST_REASON)
        report = await self._reports.close(request.report_id, caller().name, request.reason)
        return moderation_pb2.CloseReportResponse(report=_report(report))

    async def ListActs(  # noqa: N802 (gRPC's name)
        self, request: moderation_pb2.ListActsRequest, _context: Any
    ) -> moderation_pb2.ListActsResponse:
        """List what was done, the newest first."""
        for name in ("actor", "player_id", "table_id", "method"):
            _check_wish(name, getattr(request, name))
        wanted = WantedActs(
            request.actor, request.player_id, request.table_id, request.method, min(request.before, _LARGEST)
        )
        most = read_limit(request.limit, DEFAULT_LIMIT, MOST_LIMIT)
        found = await find_acts(self._app.database, wanted, most + 1)
        return moderation_pb2.ListActsResponse(acts=map(_act, found[:most]), more=len(found) > most)

    async def _impose(
        self, request: moderation_pb2.MutePlayerRequest | moderation_pb2.BanPlayerRequest, kind: str
    ) -> Sanction:
        _check(request)
        check_time("until", request.until)
        until = request.until.ToMicroseconds() if request.HasField("until") else None
        if until is not None and until <= microseconds(self._app.clock.now()):
            raise malformed("until", "has passed")
        return await self._sanctions.impose(request.player_id, kind, until, request.reason)

    async def _lift(
        self, request: moderation_pb2.UnmutePlayerRequest | moderation_pb2.UnbanPlayerRequest, kind: str
    ) -> bool:
        _check(request)
        return await self._sanctions.lift(request.player_id, kind)


def _check(request: Any) -> None:
    check_id("player_id", request.player_id)
    check_text("reason", request.reason, LONGEST_REASON)


def _check_wish(field: str, given: str) -> None:
    """Take a text by which rows are found, also an empty one. PostgreSQL refuses NUL."""
    if len(given) > LONGEST_ID or not given.isprintable():
        raise malformed(field, f"is not up to {LONGEST_ID} characters that can be shown")


def _sanction(sanction: Sanction) -> moderation_pb2.Sanction:
    return moderation_pb2.Sanction(
        player_id=sanction.player_id,
        kind=_NAMED[sanction.kind],
        since=timestamp(sanction.since_at),
        until=None if sanction.until_at is None else timestamp(sanction.until_at),
        reason=sanction.reason,
    )


def _report(report: Report) -> moderation_pb2.Report:
    return moderation_pb2.Report(
        report_id=report.report_id,
        player_id=report.player_id,
        reporter_id=report.reporter_id,
        table_id=report.table_id,
        kind=report.kind,
        created=timestamp(report.created_at),
        closed=None if report.closed_at is None else timestamp(report.closed_at),
        closed_by=report.closed_by,
        outcome=report.outcome,
    )


def _act(row: Any) -> moderation_pb2.Act:
    return moderation_pb2.Act(**{name: value for name, value in row.items() if name != "at"}, at=timestamp(row["at"]))
