"""`gouji tournament demo`: a whole event of bots, from registration to the final standings."""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Final
from uuid import uuid4

import grpc
import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from gouji.cli import tournament_calls as calls
from gouji.cli.local import everything
from gouji.cli.options import run_process, with_settings
from gouji.cli.rule_options import Rules, read_rules
from gouji.cli.tournament_ask import NAME
from gouji.cli.tournament_export import write
from gouji.cli.tournament_records import check_export
from gouji.client import ClientError, Patience
from gouji.engine.cards import SEATS
from gouji.serving.app import StartError
from gouji.serving.auth import tokens_for
from gouji.serving.channels import channel_options
from gouji.serving.clock import SystemClock
from gouji.serving.settings import Settings
from gouji.v1 import tournament_log_pb2, tournament_pb2, tournament_pb2_grpc
from gouji.v1.events_pb2 import Seat
from gouji.v1.tournament_log_pb2 import TournamentTerms
from gouji.v1.tournament_pb2 import Tournament, TournamentExport
from gouji.wire import rules_to_proto

_LEVELS: Final = ("greedy", "random")
_SIDE_BY_SIDE: Final = 16
_POLL_SECONDS: Final = 0.5
_SHOWN: Final = 10
PATIENCE: Final = Patience(total=300.0, attempt=60.0)
"""How long a busy machine may take for a call."""

_ENDS: Final = (tournament_log_pb2.TOURNAMENT_STAGE_OVER, tournament_log_pb2.TOURNAMENT_STAGE_CANCELLED)


@dataclass(frozen=True, slots=True)
class Wanted:
    """What kind of event."""

    players: int
    teams: bool
    terms: TournamentTerms


@with_settings
def demo(
    settings: Settings,
    rules: Rules,
    *,
    players: Annotated[int, typer.Option(min=12, max=3000, help="Bots that play.")] = 48,
    teams: Annotated[bool, typer.Option("--teams", help="In teams of three rather than singly.")] = False,
    round_robin: Annotated[bool, typer.Option("--round-robin", help="All meet all, rather than Swiss.")] = False,
    rounds: Annotated[int, typer.Option(min=1, max=32, help="Rounds.")] = 5,
    boards: Annotated[int, typer.Option(min=1, max=16, help="Boards of each round.")] = 2,
    directory: Annotated[Path | None, typer.Option(help="Where results and standings are written.")] = None,
    address: Annotated[
        str | None, typer.Option("--address", help="A server that runs; unset: everything in this process.")
    ] = None,
) -> None:
    """Let bots play a tournament in duplicate boards, from registration to the final standings.

    At its end all is added up again from the records of the tables. Exits with 1 if something does not fit.
    """
    terms = TournamentTerms(
        name=f"Demo of {players} bots",
        format=tournament_log_pb2.TOURNAMENT_FORMAT_ROUND_ROBIN
        if round_robin
        else tournament_log_pb2.TOURNAMENT_FORMAT_SWISS,
        entrants=tournament_log_pb2.ENTRANT_KIND_TEAMS if teams else tournament_log_pb2.ENTRANT_KIND_SINGLES,
        rounds=rounds,
        boards=boards,
        rules=rules_to_proto(read_rules(rules)),
        most_entrants=players // (3 if teams else 1),
    )
    run_process(_demo(settings, Wanted(players, teams, terms), directory, address))


async def _demo(settings: Settings, wanted: Wanted, directory: Path | None, address: str | None) -> None:
    console, began = Console(), time.monotonic()
    async with _server(settings, address) as where, _director(settings, where) as director:
        event = f"demo-{uuid4().hex[:12]}"
        try:
            await director.prepare(event, wanted, console)
            await director.follow(event, wanted, console)
            found = await director.export(event)
        except ClientError as error:
            raise StartError(f"{where}: {error}") from error
        _show(console, found)
        if directory is not None:
            for path in write(found, directory, as_csv=True, as_json=True):
                console.print(f"wrote {path}", highlight=False)
        console.print(f"From registration to final standings in {time.monotonic() - began:.0f} s.", highlight=False)
        await _check(settings, found, console)


@asynccontextmanager
async def _server(settings: Settings, address: str | None) -> AsyncIterator[str]:
    """Give the address of a server that runs, or run everything here."""
    if address is not None:
        yield address
        return
    # Tables of bots alone need no time for answers. With all tables at once in this process a bot's answer may be late,
    # and what the table does in its place is no play.
    patient = {"request_timeout_seconds": 300, "bot_deadline_ms": 240_000}
    async with everything(settings, "tournament", answers_least_ms=0, answers_most_ms=0, **patient) as app:
        yield app.address


@asynccontextmanager
async def _director(settings: Settings, address: str) -> AsyncIterator["_Director"]:
    options = channel_options(settings.max_message_bytes)
    async with grpc.aio.insecure_channel(address, options=options) as channel:
        yield _Director(tournament_pb2_grpc.TournamentServiceStub(channel), settings)


class _Director:
    """Runs the event, by the calls that any director has. All of them may be repeated."""

    def __init__(self, stub: Any, settings: Settings) -> None:
        self._stub = stub
        self._tokens = tokens_for(settings, SystemClock())

    async def prepare(self, event: str, wanted: Wanted, console: Console) -> None:
        """Announce the event, enter all, and start. Raises `ClientError`."""
        await self._call(
            "CreateTournament", tournament_pb2.CreateTournamentRequest(tournament_id=event, terms=wanted.terms)
        )
        await self._change(event, tournament_pb2.STAGE_CHANGE_OPEN_REGISTRATION)
        entries = _entries(event, wanted)
        with _progress(console) as progress:
            task = progress.add_task("registration", total=len(entries))
            await _side_by_side(entries, self._enter, lambda: progress.advance(task))
        await self._change(event, tournament_pb2.STAGE_CHANGE_START)

    async def follow(self, event: str, wanted: Wanted, console: Console) -> None:
        """Show how far the rounds are until the event is over. Raises `ClientError`."""
        with _progress(console) as progress:
            tasks: dict[int, Any] = {}
            while True:
                now = await self._read(event)
                for one in now.played:
                    if one.round not in tasks:
                        total = one.pairings * wanted.terms.boards
                        tasks[one.round] = progress.add_task(f"round {one.round}", total=total)
                    progress.update(tasks[one.round], completed=one.ended)
                if now.stage in _ENDS:
                    return
                await asyncio.sleep(_POLL_SECONDS)

    async def export(self, event: str) -> TournamentExport:
        """Read all that there is of the event. Raises `ClientError`."""
        return await PATIENCE.call(lambda: calls.export(self._stub, self._how(), event))

    async def _enter(self, request: tournament_pb2.EnterTournamentRequest) -> None:
        await self._call("EnterTournament", request)

    async def _change(self, event: str, change: tournament_pb2.StageChange.ValueType) -> None:
        await self._call("ChangeStage", tournament_pb2.ChangeStageRequest(tournament_id=event, change=change))

    async def _read(self, event: str) -> Tournament:
        request = tournament_pb2.GetTournamentRequest(tournament_id=event)
        found: Tournament = (await self._call("GetTournament", request)).tournament
        return found

    async def _call(self, method: str, request: Any) -> Any:
        return await PATIENCE.call(lambda: getattr(self._stub, method)(request, **self._how()))

    def _how(self) -> dict[str, Any]:
        """Give the keywords of a call; tokens run out in a long event."""
        token = self._tokens.mint_director(NAME)
        return {"metadata": (("authorization", f"Bearer {token}"),), "timeout": PATIENCE.attempt}


def _entries(event: str, wanted: Wanted) -> list[tournament_pb2.EnterTournamentRequest]:
    """Enter bots of the levels in turn; a team's are of one level."""
    size = SEATS // 2 if wanted.teams else 1
    return [
        tournament_pb2.EnterTournamentRequest(
            tournament_id=event,
            name=f"Team {number + 1}" if wanted.teams else "",
            players=[
                Seat(bot_level=_LEVELS[number % len(_LEVELS)], name=f"Bot {number * size + place + 1}")
                for place in range(size)
            ],
        )
        for number in range(wanted.players // size)
    ]


async def _side_by_side(
    requests: list[Any], call: Callable[[Any], Awaitable[None]], done: Callable[[], object]
) -> None:
    """Make many calls, some at a time."""
    some = asyncio.Semaphore(_SIDE_BY_SIDE)

    async def one(request: Any) -> None:
        async with some:
            await call(request)
        done()

    await asyncio.gather(*map(one, requests))


def _progress(console: Console) -> Progress:
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    return Progress(*columns, console=console)


def _show(console: Console, found: TournamentExport) -> None:
    """Print the first of the standings."""
    levels = {one.number: one.players[0].bot_level for one in found.entrants}
    for row in found.standings[:_SHOWN]:
        score, strength = row.score / 10_000, row.buchholz / 10_000
        told = f"{row.rank:4}  {row.name} ({levels[row.entrant]})  {score:.2f} boards, Buchholz {strength:.2f}"
        console.print(told, highlight=False)


async def _check(settings: Settings, found: TournamentExport, console: Console) -> None:
    """Add everything up again from the records."""
    wrong = await check_export(settings, found)
    if wrong:
        raise StartError("\n".join(wrong))
    played = sum(len(pairing.boards) for one in found.rounds for pairing in one.pairings)
    console.print(f"All of it is as the records of the {played} tables have it.", highlight=False)
