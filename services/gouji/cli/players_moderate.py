"""`gouji players mute`, `ban`, `remove` and what takes them back: what moderators do, from a shell."""

from datetime import timedelta
from typing import Annotated, Any

import typer
from google.protobuf.timestamp_pb2 import Timestamp

from gouji.cli.operator import Call, Json, ask, print_json, said, this_person
from gouji.cli.options import with_settings
from gouji.serving.clock import SystemClock
from gouji.serving.settings import Settings
from gouji.v1.moderation_pb2 import (
    SANCTION_KIND_BAN,
    BanPlayerRequest,
    ListSanctionsRequest,
    MutePlayerRequest,
    RemovePlayerRequest,
    Sanction,
    UnbanPlayerRequest,
    UnmutePlayerRequest,
)
from gouji.v1.moderation_pb2_grpc import ModerationServiceStub

Player = Annotated[str, typer.Argument(help="The player's id.", metavar="PLAYER")]
Told = Annotated[str, typer.Option("--reason", help="Why: the player is told.")]
Kept = Annotated[str, typer.Option("--reason", help="Why: for the audit log.")]
Hours = Annotated[float, typer.Option(min=0, help="For so many hours.")]
Days = Annotated[float, typer.Option(min=0, help="For so many days.")]
ForGood = Annotated[bool, typer.Option("--for-good", help="Without an end.")]
Address = Annotated[str | None, typer.Option("--address", help="A gateway; what the settings say when unset.")]


def add_to(players: typer.Typer) -> None:
    """Add the commands to a group."""
    for name, command in (
        ("mute", mute),
        ("unmute", unmute),
        ("remove", remove),
        ("ban", ban),
        ("unban", unban),
        ("sanctions", sanctions),
    ):
        players.command(name)(command)


@with_settings
def mute(
    settings: Settings,
    player_id: Player,
    *,
    reason: Told,
    hours: Hours = 0,
    days: Days = 0,
    for_good: ForGood = False,
    address: Address = None,
    json: Json = False,
) -> None:
    """Have a player say nothing at any table until an end."""
    request = MutePlayerRequest(player_id=player_id, reason=reason, until=_until(hours, days, for_good=for_good))
    answer = _ask(settings, address, lambda stub, call: stub.MutePlayer(request, **call))
    said(answer, f"{player_id} says nothing {_end(answer.sanction)}", json=json)


@with_settings
def unmute(settings: Settings, player_id: Player, *, reason: Kept, address: Address = None, json: Json = False) -> None:
    """Let a player speak again."""
    request = UnmutePlayerRequest(player_id=player_id, reason=reason)
    answer = _ask(settings, address, lambda stub, call: stub.UnmutePlayer(request, **call))
    said(answer, f"{player_id} may speak" if answer.lifted else f"{player_id} was not muted", json=json)


@with_settings
def remove(settings: Settings, player_id: Player, *, reason: Told, address: Address = None, json: Json = False) -> None:
    """Have a player leave its table for good, so that a bot plays on, and end its streams."""
    request = RemovePlayerRequest(player_id=player_id, reason=reason)
    answer = _ask(settings, address, lambda stub, call: stub.RemovePlayer(request, **call))
    where = f"has left table {answer.table_id}" if answer.table_id else "sits at no table"
    said(answer, f"{player_id} {where}", json=json)


@with_settings
def ban(
    settings: Settings,
    player_id: Player,
    *,
    reason: Told,
    hours: Hours = 0,
    days: Days = 0,
    for_good: ForGood = False,
    address: Address = None,
    json: Json = False,
) -> None:
    """Keep a player out until an end; it leaves its table, and a bot plays on."""
    request = BanPlayerRequest(player_id=player_id, reason=reason, until=_until(hours, days, for_good=for_good))
    answer = _ask(settings, address, lambda stub, call: stub.BanPlayer(request, **call))
    left = f", and has left table {answer.table_id}" if answer.table_id else ""
    said(answer, f"{player_id} is banned {_end(answer.sanction)}{left}", json=json)


@with_settings
def unban(settings: Settings, player_id: Player, *, reason: Kept, address: Address = None, json: Json = False) -> None:
    """Let a player in again."""
    request = UnbanPlayerRequest(player_id=player_id, reason=reason)
    answer = _ask(settings, address, lambda stub, call: stub.UnbanPlayer(request, **call))
    said(answer, f"{player_id} may come in" if answer.lifted else f"{player_id} was not banned", json=json)


@with_settings
def sanctions(
    settings: Settings,
    *,
    player: Annotated[str, typer.Option(help="Of one player alone.")] = "",
    limit: Annotated[int, typer.Option(min=1, max=1000, help="At most so many.")] = 100,
    address: Address = None,
    json: Json = False,
) -> None:
    """List who is muted or banned now, the newest first."""
    request = ListSanctionsRequest(player_id=player, limit=limit)
    answer = _ask(settings, address, lambda stub, call: stub.ListSanctions(request, **call))
    if json:
        print_json(answer)
        return
    for row in answer.sanctions:
        kind = "banned" if row.kind == SANCTION_KIND_BAN else "muted"
        typer.echo(f"{row.player_id}  {kind} {_end(row)}  since {row.since.ToJsonString()}  {row.reason}")
    if answer.more:
        typer.echo("… and more: raise --limit, or ask for fewer.")


def _ask(settings: Settings, address: str | None, call: Call) -> Any:
    """Make one call at a gateway."""
    return ask(settings, this_person(), address or settings.gateway_address, ModerationServiceStub, call)


def _until(hours: float, days: float, *, for_good: bool) -> Timestamp | None:
    """Say when something ends; `typer.BadParameter` unless it is said how long it is, or that it has no end."""
    if bool(days or hours) == for_good:
        raise typer.BadParameter("Say how long, by --hours or --days, or --for-good.")
    if for_good:
        return None
    until = Timestamp()
    try:
        until.FromDatetime(SystemClock().now() + timedelta(days=days, hours=hours))
    except OverflowError:
        raise typer.BadParameter("That is after the year 9999; --for-good has no end.") from None
    return until


def _end(sanction: Sanction) -> str:
    return f"until {sanction.until.ToJsonString()}" if sanction.HasField("until") else "for good"
