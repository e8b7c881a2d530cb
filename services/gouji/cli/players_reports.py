"""`gouji players reports` and `close`: what players told of one another, and what came of it."""

from typing import Annotated, Any

import typer

from gouji.cli.operator import Call, Json, ask, print_json, said, this_person
from gouji.cli.options import with_settings
from gouji.serving.settings import Settings
from gouji.v1.moderation_pb2 import CloseReportRequest, ListReportsRequest, Report, ReportKind
from gouji.v1.moderation_pb2_grpc import ModerationServiceStub

Address = Annotated[str | None, typer.Option("--address", help="A gateway; what the settings say when unset.")]


@with_settings
def reports(
    settings: Settings,
    *,
    player: Annotated[str, typer.Option(help="Of one player alone.")] = "",
    closed: Annotated[bool, typer.Option("--closed", help="Those that are closed.")] = False,
    limit: Annotated[int, typer.Option(min=1, max=1000, help="At most so many.")] = 100,
    address: Address = None,
    json: Json = False,
) -> None:
    """List what players reported: what is open, the oldest first, or what is closed."""
    request = ListReportsRequest(player_id=player, closed=closed, limit=limit)
    answer = _ask(settings, address, lambda stub, call: stub.ListReports(request, **call))
    if json:
        print_json(answer)
        return
    for row in answer.reports:
        typer.echo(_line(row))
    if answer.more:
        typer.echo("… and more: raise --limit, or ask for fewer.")


@with_settings
def close(
    settings: Settings,
    report_id: Annotated[str, typer.Argument(help="The report's id.", metavar="REPORT")],
    *,
    reason: Annotated[str, typer.Option("--reason", help="What came of it; players are not told.")],
    address: Address = None,
    json: Json = False,
) -> None:
    """Close a report."""
    request = CloseReportRequest(report_id=report_id, reason=reason)
    answer = _ask(settings, address, lambda stub, call: stub.CloseReport(request, **call))
    said(answer, _line(answer.report), json=json)


def _ask(settings: Settings, address: str | None, call: Call) -> Any:
    """Make one call at a gateway."""
    return ask(settings, this_person(), address or settings.gateway_address, ModerationServiceStub, call)


def _line(row: Report) -> str:
    kind = ReportKind.Name(row.kind).removeprefix("REPORT_KIND_").lower()
    end = f"  closed by {row.closed_by}: {row.outcome}" if row.HasField("closed") else ""
    about = f"{row.player_id}  {kind}  table {row.table_id}  by {row.reporter_id}"
    return f"{row.report_id}  {row.created.ToJsonString()}  {about}{end}"
