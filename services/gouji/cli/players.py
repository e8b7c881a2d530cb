"""`gouji players`: what operators do with players."""

from typing import Annotated, Any

import typer

from gouji.cli.operator import Call, Json, ask, print_json, said
from gouji.cli.options import with_settings
from gouji.cli.players_log import log
from gouji.cli.players_moderate import add_to
from gouji.cli.players_reports import close, reports
from gouji.serving.settings import Settings
from gouji.v1 import account_pb2_grpc
from gouji.v1.account_pb2 import DeletePlayerRequest, ListDeletionsRequest, PlayerDeletion

Address = Annotated[str | None, typer.Option("--address", help="A gateway; what the settings say when unset.")]

players = typer.Typer(no_args_is_help=True)


players.command("log")(log)
players.command("reports")(reports)
players.command("close")(close)
add_to(players)


@players.callback()
def group() -> None:
    """Look after players."""


@players.command("delete")
@with_settings
def delete(
    settings: Settings,
    player_id: Annotated[str, typer.Argument(help="The player's id.", metavar="PLAYER")],
    *,
    reason: Annotated[str, typer.Option("--reason", help="Kept with the deletion: nothing of the person.")],
    name: Annotated[str, typer.Option("--name", help="Who you are; kept with the deletion.")],
    address: Address = None,
    json: Json = False,
) -> None:
    """Delete a player for good, at its request. Results stay under its id."""
    request = DeletePlayerRequest(player_id=player_id, reason=reason)
    answer = _ask(settings, name, address, lambda stub, call: stub.DeletePlayer(request, **call))
    said(answer, f"{player_id} is deleted; `gouji players deletions` says when all of it is gone", json=json)


@players.command("deletions")
@with_settings
def deletions(
    settings: Settings,
    *,
    player: Annotated[str, typer.Option(help="Of one player alone.")] = "",
    undone: Annotated[bool, typer.Option("--open", help="Those alone that are not done.")] = False,
    limit: Annotated[int, typer.Option(min=1, max=1000, help="At most so many.")] = 100,
    address: Address = None,
    json: Json = False,
) -> None:
    """List deletions, the newest first."""
    request = ListDeletionsRequest(player_id=player, open=undone, limit=limit)
    answer = _ask(settings, "gouji players", address, lambda stub, call: stub.ListDeletions(request, **call))
    if json:
        print_json(answer)
        return
    for row in answer.deletions:
        typer.echo(_line(row))
    if answer.more:
        typer.echo("… and more: raise --limit, or ask for fewer.")


def _ask(settings: Settings, name: str, address: str | None, call: Call) -> Any:
    """Make one call as an operator, at a gateway."""
    where = address or settings.gateway_address
    return ask(settings, name, where, account_pb2_grpc.AccountAdminServiceStub, call)


def _line(row: PlayerDeletion) -> str:
    done = f"done {row.done.ToJsonString()}" if row.HasField("done") else "not done yet"
    why = f"  {row.reason}" if row.reason else ""
    return f"{row.player_id}  {row.requested.ToJsonString()}  by {row.requested_by}  {done}{why}"
