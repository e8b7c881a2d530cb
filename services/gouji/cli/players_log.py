"""`gouji players log`: what moderators, operators and directors did."""

from typing import Annotated

import typer

from gouji.cli.operator import Json, ask, print_json, this_person
from gouji.cli.options import with_settings
from gouji.serving.settings import Settings
from gouji.v1.moderation_pb2 import Act, ListActsRequest
from gouji.v1.moderation_pb2_grpc import ModerationServiceStub


@with_settings
def log(
    settings: Settings,
    *,
    by: Annotated[str, typer.Option(help="Who did it.")] = "",
    player: Annotated[str, typer.Option(help="To whom: a player's id.")] = "",
    table: Annotated[str, typer.Option(help="At which table.")] = "",
    method: Annotated[str, typer.Option(help="What: FreezeTable, BanPlayer, ...")] = "",
    limit: Annotated[int, typer.Option(min=1, max=1000, help="At most so many.")] = 100,
    address: Annotated[str | None, typer.Option(help="A gateway; what the settings say when unset.")] = None,
    json: Json = False,
) -> None:
    """List what moderators, operators and directors did, the newest first."""
    request = ListActsRequest(actor=by, player_id=player, table_id=table, method=method, limit=limit)
    where = address or settings.gateway_address
    answer = ask(
        settings, this_person(), where, ModerationServiceStub, lambda stub, call: stub.ListActs(request, **call)
    )
    if json:
        print_json(answer)
        return
    for act in answer.acts:
        typer.echo(_line(act))
    if answer.more:
        typer.echo("… and more: raise --limit, or ask for fewer.")


def _line(act: Act) -> str:
    about = "  ".join(part for part in (act.player_id, act.table_id, act.details, act.reason) if part)
    outcome = act.outcome or "unknown"
    return f"{act.at.ToJsonString()}  {act.role} {act.actor}  {act.method}  {outcome}  {about}".rstrip()
