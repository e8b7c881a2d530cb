"""`gouji tables`: what operators do with tables and their servers."""

from typing import Annotated, Any

import typer

from gouji.cli.drain import drain
from gouji.cli.operator import Call, Json, ask, print_json, said, this_person
from gouji.cli.options import with_settings
from gouji.serving.settings import Settings
from gouji.v1 import admin_pb2_grpc
from gouji.v1.admin_pb2 import (
    EXPORT_FORM_LOG,
    EXPORT_FORM_RECORD,
    AbandonTableRequest,
    ExportTableRequest,
    FreezeTableRequest,
    ListServersRequest,
    ListTablesRequest,
    ResumeTableRequest,
    ShowTableRequest,
    ShowTableResponse,
    TableRow,
)

Id = Annotated[str, typer.Argument(help="The table's id.", metavar="ID")]
Address = Annotated[str | None, typer.Option("--address", help="A table server; what the settings say when unset.")]
Reason = Annotated[str, typer.Option("--reason", help="What the players are told.")]

tables = typer.Typer(no_args_is_help=True)
tables.command("drain")(drain)


@tables.callback()
def group() -> None:
    """Look after tables and their servers."""


@tables.command("servers")
@with_settings
def servers(settings: Settings, address: Address = None, json: Json = False) -> None:
    """List the table servers that live, and how full they are."""
    request = ListServersRequest()
    answer = _ask(settings, address, lambda stub, call: stub.ListServers(request, **call))
    if json:
        print_json(answer)
        return
    for row in answer.servers:
        drains = "  drains" if row.draining else ""
        typer.echo(f"{row.server_id}  {row.address}  {row.tables} of {row.capacity} tables{drains}")


@tables.command("list")
@with_settings
def list_tables(
    settings: Settings,
    *,
    state: Annotated[str, typer.Option(help="placed, live, frozen or over.")] = "",
    server: Annotated[str, typer.Option(help="A server's id or address.")] = "",
    player: Annotated[str, typer.Option(help="The id of a player who sits there.")] = "",
    limit: Annotated[int, typer.Option(min=1, max=1000, help="At most so many.")] = 100,
    address: Address = None,
    json: Json = False,
) -> None:
    """List tables, the newest first."""
    request = ListTablesRequest(state=state, server=server, player_id=player, limit=limit)
    answer = _ask(settings, address, lambda stub, call: stub.ListTables(request, **call))
    if json:
        print_json(answer)
        return
    for row in answer.tables:
        typer.echo(_line(row))
    if answer.more:
        typer.echo("... and more: raise --limit, or ask for fewer.")


@tables.command("show")
@with_settings
def show(
    settings: Settings,
    table_id: Id,
    events: Annotated[int, typer.Option(min=1, max=1000, help="Its last events, so many.")] = 20,
    address: Address = None,
    json: Json = False,
) -> None:
    """Show how one table stands, and its last events by number and kind."""
    request = ShowTableRequest(table_id=table_id, events=events)
    answer = _ask(settings, address, lambda stub, call: stub.ShowTable(request, **call))
    if json:
        print_json(answer)
    else:
        _print_table(answer)


@tables.command("freeze")
@with_settings
def freeze(settings: Settings, table_id: Id, reason: Reason, address: Address = None, json: Json = False) -> None:
    """Stop a table; its players are told why, and leave their seats."""
    request = FreezeTableRequest(table_id=table_id, reason=reason)
    answer = _ask(settings, address, lambda stub, call: stub.FreezeTable(request, **call))
    said(answer, f"{table_id} stands still; the reference is {answer.reference}", json=json)


@tables.command("resume")
@with_settings
def resume(settings: Settings, table_id: Id, address: Address = None, json: Json = False) -> None:
    """Have a table that has stopped go on: it is folded anew from its log."""
    request = ResumeTableRequest(table_id=table_id)
    answer = _ask(settings, address, lambda stub, call: stub.ResumeTable(request, **call))
    absent = f"; at other tables by now: {', '.join(answer.elsewhere)}" if answer.elsewhere else ""
    said(answer, f"{table_id} goes on{absent}", json=json)


@tables.command("abandon")
@with_settings
def abandon(settings: Settings, table_id: Id, reason: Reason, address: Address = None, json: Json = False) -> None:
    """Give up a table that has stopped, for good: the hand's secret is shown, and it does not count."""
    request = AbandonTableRequest(table_id=table_id, reason=reason)
    answer = _ask(settings, address, lambda stub, call: stub.AbandonTable(request, **call))
    said(answer, f"{table_id} is given up", json=json)


@tables.command("export")
@with_settings
def export(
    settings: Settings,
    table_id: Id,
    log: Annotated[bool, typer.Option("--log", help="Its log, a line of JSON each event, not its record.")] = False,
    address: Address = None,
) -> None:
    """Print a table's record, or its log; of a hand that is not over what everybody may see."""
    request = ExportTableRequest(table_id=table_id, form=EXPORT_FORM_LOG if log else EXPORT_FORM_RECORD)

    async def read(stub: Any, call: Any) -> str:
        return "".join([piece.text async for piece in stub.ExportTable(request, **call)])

    typer.echo(_ask(settings, address, read), nl=False)


def _ask(settings: Settings, address: str | None, call: Call) -> Any:
    """Make one call as an operator, at the server that has the table."""
    return ask(settings, this_person(), address or settings.table_address, admin_pb2_grpc.TableAdminServiceStub, call)


def _line(row: TableRow) -> str:
    people = ", ".join(seat.name or seat.player_id for seat in row.seats if not seat.bot_level) or "bots"
    return f"{row.table_id}  {row.state:<6}  {row.address or '-'}  {row.created.ToJsonString()}  {people}"


def _print_table(answer: ShowTableResponse) -> None:
    row = answer.table
    typer.echo(_line(row))
    typer.echo(f"server {row.server_id or '-'}, fence {row.fence}, queue {row.queue or '-'}")
    typer.echo(f"hand {answer.hand}, event {answer.last_sequence}")
    if answer.reference:
        typer.echo(f"stopped: {answer.reason or 'a fault'}, reference {answer.reference}")
    for event in answer.events:
        typer.echo(f"  {event.sequence}  {event.at.ToJsonString()}  hand {event.hand}  {event.kind}")
