"""`gouji tournament`: what directors do with events as a whole."""

from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Final

import typer
from rich.console import Console
from rich.table import Table

from gouji.cli import tournament_calls as calls
from gouji.cli.operator import Json, print_json, said
from gouji.cli.options import run_process, with_settings
from gouji.cli.rule_options import Rules, read_rules
from gouji.cli.tournament_ask import Address, Event, as_director
from gouji.cli.tournament_demo import demo
from gouji.cli.tournament_desk import DESK
from gouji.cli.tournament_export import from_json, write
from gouji.cli.tournament_records import check_export
from gouji.serving.app import StartError
from gouji.serving.settings import Settings
from gouji.v1 import tournament_log_pb2, tournament_pb2
from gouji.v1.tournament_log_pb2 import TournamentStage, TournamentTerms
from gouji.v1.tournament_pb2 import ChangeStageRequest, CreateTournamentRequest, Standing, Tournament
from gouji.wire import rules_to_proto


class Format(StrEnum):
    """How entrants meet."""

    SWISS = "swiss"
    ROUND_ROBIN = "round-robin"


class Kind(StrEnum):
    """Who enters."""

    TEAMS = "teams"
    SINGLES = "singles"


FORMATS: Final = {
    Format.SWISS: tournament_log_pb2.TOURNAMENT_FORMAT_SWISS,
    Format.ROUND_ROBIN: tournament_log_pb2.TOURNAMENT_FORMAT_ROUND_ROBIN,
}
KINDS: Final = {
    Kind.TEAMS: tournament_log_pb2.ENTRANT_KIND_TEAMS,
    Kind.SINGLES: tournament_log_pb2.ENTRANT_KIND_SINGLES,
}

Moment = Annotated[datetime | None, typer.Option(help="When that comes by itself, in UTC.")]

tournament = typer.Typer(no_args_is_help=True)
tournament.command("demo")(demo)


@tournament.callback()
def group() -> None:
    """Make and run tournaments in duplicate boards."""


@tournament.command("create")
@with_settings
def create(
    settings: Settings,
    event: Event,
    rules: Rules,
    *,
    name: Annotated[str, typer.Option(help="What it is called; its id when unset.")] = "",
    form: Annotated[Format, typer.Option("--format", help="How entrants meet.")] = Format.SWISS,
    entrants: Annotated[Kind, typer.Option(help="Who enters.")] = Kind.TEAMS,
    rounds: Annotated[int, typer.Option(min=0, max=32, help="0: as many as the format asks for.")] = 0,
    boards: Annotated[int, typer.Option(min=1, max=16, help="Boards of each round.")] = 2,
    most: Annotated[int, typer.Option(min=1, help="So many entrants play; others wait for a place.")] = 1000,
    opens: Moment = None,
    check_in: Moment = None,
    starts: Moment = None,
    break_seconds: Annotated[int, typer.Option(min=0, help="From a round's pairing until it begins.")] = 60,
    stand_in_seconds: Annotated[int, typer.Option(min=0, help="How long a table waits for who sits elsewhere.")] = 60,
    address: Address = None,
    json: Json = False,
) -> None:
    """Announce an event; what has no time comes when a director says so."""
    terms = TournamentTerms(
        name=name or event,
        format=FORMATS[form],
        entrants=KINDS[entrants],
        rounds=rounds,
        boards=boards,
        rules=rules_to_proto(read_rules(rules)),
        most_entrants=most,
        break_seconds=break_seconds,
        stand_in_seconds=stand_in_seconds,
        bot_pace_ms=settings.bot_pace_ms,
    )
    for field, at in (("registration_opens", opens), ("check_in_opens", check_in), ("starts", starts)):
        if at is not None:
            getattr(terms, field).FromDatetime(at.replace(tzinfo=at.tzinfo or UTC))
    request = CreateTournamentRequest(tournament_id=event, terms=terms)
    answer = as_director(settings, address, lambda stub, how: stub.CreateTournament(request, **how))
    said(answer, f"{event} is announced", json=json)


@tournament.command("list")
@with_settings
def list_events(
    settings: Settings,
    *,
    limit: Annotated[int, typer.Option(min=1, max=100, help="At most so many.")] = 20,
    under_way: Annotated[bool, typer.Option("--open", help="Neither over nor cancelled.")] = False,
    address: Address = None,
    json: Json = False,
) -> None:
    """List events, the newest first."""
    request = tournament_pb2.ListTournamentsRequest(limit=limit, open=under_way)
    answer = as_director(settings, address, lambda stub, how: stub.ListTournaments(request, **how))
    if json:
        print_json(answer)
        return
    for one in answer.tournaments:
        typer.echo(_line(one))


@tournament.command("show")
@with_settings
def show(settings: Settings, event: Event, address: Address = None, json: Json = False) -> None:
    """Say how an event is, and its rounds."""
    request = tournament_pb2.GetTournamentRequest(tournament_id=event)
    answer = as_director(settings, address, lambda stub, how: stub.GetTournament(request, **how))
    if json:
        print_json(answer)
        return
    typer.echo(_line(answer.tournament))
    for one in answer.tournament.played:
        shut = sum(not board.secret for board in one.boards)
        state = "over" if one.over else f"{one.ended} of {one.placed} tables ended" if one.begun else "paired"
        typer.echo(f"round {one.round}: {one.pairings} pairings, {state}, {shut} of {len(one.boards)} boards shut")


@tournament.command("standings")
@with_settings
def standings(
    settings: Settings,
    event: Event,
    *,
    number: Annotated[int, typer.Option("--round", min=0, help="After this round; 0 for all that are over.")] = 0,
    address: Address = None,
) -> None:
    """Print the standings."""
    rows = as_director(settings, address, lambda stub, how: calls.standings(stub, how, event, number))
    Console().print(standings_table(rows))


@tournament.command("export")
@with_settings
def export(
    settings: Settings,
    event: Event,
    directory: Annotated[Path, typer.Option(help="Where the files are written.")] = Path(),
    *,
    csv: Annotated[bool, typer.Option(help="Write results.csv and standings.csv.")] = True,
    whole: Annotated[bool, typer.Option("--json/--no-json", help="Write tournament.json.")] = True,
    address: Address = None,
) -> None:
    """Write an event's results and standings to files; boards that are shut are not in them."""
    found = as_director(settings, address, lambda stub, how: calls.export(stub, how, event))
    try:
        paths = write(found, directory, as_csv=csv, as_json=whole)
    except OSError as error:
        typer.echo(f"{directory}: {error.strerror}", err=True)
        raise typer.Exit(1) from None
    for path in paths:
        typer.echo(str(path))


@tournament.command("check")
@with_settings
def check(
    settings: Settings,
    file: Annotated[Path, typer.Argument(help="What `gouji tournament export` wrote as JSON.", metavar="FILE")],
) -> None:
    """Add an export up again from the records of its tables in the database; no server need run.

    Exits with 1 if something does not fit, with 2 for a file that cannot be read.
    """
    try:
        found = from_json(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        typer.echo(f"{file}: {error}", err=True)
        raise typer.Exit(2) from None

    async def run() -> None:
        wrong = await check_export(settings, found)
        if wrong:
            raise StartError("\n".join([*wrong, f"{len(wrong)} problems"]))

    run_process(run())
    typer.echo("ok")


def standings_table(rows: list[Standing]) -> Table:
    """Lay standings out for people; scores are whole boards."""
    table = Table("rank", "entrant", "name", "score", "Buchholz", "median", "wins")
    for row in rows:
        name = f"{row.name} (withdrawn)" if row.withdrawn else row.name
        shown = (row.score, row.buchholz, row.median_buchholz)
        table.add_row(str(row.rank), str(row.entrant), name, *(f"{one / 10_000:.2f}" for one in shown), str(row.wins))
    return table


def _line(event: Tournament) -> str:
    stage = TournamentStage.Name(event.stage).removeprefix("TOURNAMENT_STAGE_").lower()
    waiting = f" and {event.waiting} waiting" if event.waiting else ""
    paused = ", paused" if event.paused else ""
    return f"{event.tournament_id}  {stage}{paused}  {event.entrants} entrants{waiting}  {event.terms.name}"


def _stage(name: str, change: tournament_pb2.StageChange.ValueType, told: str, about: str) -> None:
    """Add a command that changes the stage of an event."""

    @with_settings
    def command(
        settings: Settings,
        event: Event,
        reason: Annotated[str, typer.Option("--reason", help="Why; it stands in the event's record.")] = "",
        address: Address = None,
        json: Json = False,
    ) -> None:
        request = ChangeStageRequest(tournament_id=event, change=change, reason=reason)
        answer = as_director(settings, address, lambda stub, how: stub.ChangeStage(request, **how))
        said(answer, f"{event} {told}", json=json)

    command.__doc__ = about
    tournament.command(name)(command)


_stage("open", tournament_pb2.STAGE_CHANGE_OPEN_REGISTRATION, "takes entrants", "Open registration.")
_stage("check-in", tournament_pb2.STAGE_CHANGE_OPEN_CHECK_IN, "is at its check-in", "End registration, open check-in.")
_stage("start", tournament_pb2.STAGE_CHANGE_START, "runs", "Start, with those who are there.")
_stage("pause", tournament_pb2.STAGE_CHANGE_PAUSE, "is paused", "Pair and place no more; tables go on.")
_stage("resume", tournament_pb2.STAGE_CHANGE_RESUME, "goes on", "Have a paused event go on.")
_stage("cancel", tournament_pb2.STAGE_CHANGE_CANCEL, "is cancelled", "Give an event up; its tables are played out.")

for _name, _command in DESK.items():
    tournament.command(_name)(_command)
