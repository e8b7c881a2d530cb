"""`gouji play`: a person in the terminal with five bots, or with friends in a room."""

import asyncio
import getpass
import shlex
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import Annotated

import grpc
import typer
from grpc_health.v1 import health_pb2, health_pb2_grpc
from rich.console import Console

from gouji.cli.keyboard import Keyboard
from gouji.cli.local import AT_LEISURE, everything, record_command
from gouji.cli.options import run_process, with_settings
from gouji.cli.rematch import rematch
from gouji.cli.room import ROOM_BOTS, table_of_own_room, table_of_room
from gouji.cli.rule_options import Rules, read_rules
from gouji.cli.sentences import sentence
from gouji.cli.sitting import Ending, Sitting
from gouji.client import ClientError, CredentialsFile, Queue, Session, TableClient
from gouji.client.addresses import open_channel
from gouji.engine import RuleSet
from gouji.serving.app import StartError
from gouji.serving.errors import reason_of
from gouji.serving.settings import Settings
from gouji.v1.matchmaking_pb2 import TICKET_STATE_MATCHED
from gouji.v1.room_pb2 import RoomSettings
from gouji.v1.rules_pb2 import MatchLength
from gouji.wire import rules_to_proto

QUEUE = "local/quick"

_ANSWERS_WITHIN_SECONDS = 0.5
_LONGEST_NAME = 24


@dataclass(frozen=True, slots=True)
class Wanted:
    """What the person asked for; without an ``address`` it is this machine's server, or one of our own.

    ``room`` is the invite code of one to come into, ``people`` for how many to open one.
    """

    address: str | None
    name: str
    rules: RuleSet
    hands: int
    room: str | None = None
    people: int | None = None


@dataclass(frozen=True, slots=True)
class Server:
    """A server that answers; ``own`` ends with the command."""

    address: str
    own: bool


@with_settings
def play(
    settings: Settings,
    rules: Rules,
    *,
    address: Annotated[str | None, typer.Option(help="Such as https://play.example; this machine when unset.")] = None,
    name: Annotated[str | None, typer.Option(help="Your name at the table.")] = None,
    hands: Annotated[int, typer.Option(min=1, max=32, help="Hands of a new match.")] = 1,
    room: Annotated[str | None, typer.Option(help="Invite code of a room to play in.")] = None,
    open_room: Annotated[
        int | None, typer.Option(min=1, max=6, help="Open a room that starts when so many people are there.")
    ] = None,
) -> None:
    """Sit down with five bots or in a room with friends, or come back to the table that you left.

    Plays at the server that runs on this machine, or else runs everything for as long as you play.
    """
    wanted = Wanted(address, (name or _login())[:_LONGEST_NAME], read_rules(rules), hands, room, open_room)
    if room and open_room:
        raise typer.BadParameter("--room and --open-room do not go together.")
    try:
        run_process(_play(settings, wanted))
    except KeyboardInterrupt:
        typer.echo("")


def _login() -> str:
    """Return the name that the person logged in by."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return "player"


async def _play(settings: Settings, wanted: Wanted) -> None:
    console, keyboard = Console(highlight=False), Keyboard()
    try:
        async with _server(settings, wanted) as server, await _session(settings, server, wanted) as session:
            table_id = await _seat(session, wanted, console)
            while table_id:
                table = TableClient(session, table_id)
                ending = await _sit(session, table, console, keyboard)
                if ending is Ending.AWAY:
                    console.print(_goodbye(server, wanted, settings), soft_wrap=True)
                elif ending is Ending.LEFT:
                    console.print("You have left this match for good; a bot plays on for you.")
                elif server.own:
                    console.print(f"The record: {record_command(settings, table_id)}", soft_wrap=True)
                table_id = await _again(table, console, keyboard) if ending is Ending.OVER else ""
    except ClientError as error:
        raise StartError(sentence(error)) from error


async def _sit(session: Session, table: TableClient, console: Console, keyboard: Keyboard) -> Ending:
    """Play until the match is over or the person goes, by Ctrl-C too."""
    player_id = session.credentials.player_id if session.credentials else ""
    try:
        return await Sitting(table, player_id, console, keyboard).run()
    except asyncio.CancelledError:
        console.print()
        return Ending.AWAY


async def _again(table: TableClient, console: Console, keyboard: Keyboard) -> str:
    """Give the table of another match, if there is one; there is none of a match that was given up."""
    if table.view.ended is None:
        return ""
    try:
        return await rematch(table, console, keyboard)
    except asyncio.CancelledError:
        console.print()
        return ""


def _goodbye(server: Server, wanted: Wanted, settings: Settings) -> str:
    command = ["gouji", "play", *(("--address", wanted.address) if wanted.address else ())]
    for name in ("data_directory", "database_url", "port"):
        if name in settings.model_fields_set:
            command += [f"--{name.replace('_', '-')}", str(getattr(settings, name))]
    meanwhile = "the table waits" if server.own else "the table plays on for you"
    return f"You left, and {meanwhile}: `{shlex.join(command)}` brings you back to your seat."


@asynccontextmanager
async def _server(settings: Settings, wanted: Wanted) -> AsyncIterator[Server]:
    """Find a server that answers: the one asked for, this machine's, or one of our own."""
    running = wanted.address or f"{settings.host}:{settings.port}"
    if await _answers(running):
        yield Server(running, own=False)
    elif wanted.address:
        raise StartError(f"Nothing answers at {wanted.address}.")
    else:
        async with everything(settings, "play", **AT_LEISURE) as app:
            yield Server(app.address, own=True)


async def _answers(address: str) -> bool:
    """Whether a server at this address says within half a second that it serves; a door says nothing of health."""
    try:
        opened = open_channel(address)
    except ValueError as error:
        raise StartError(str(error)) from error
    async with opened as channel:
        check = health_pb2_grpc.HealthStub(channel).Check
        try:
            answer = await check(health_pb2.HealthCheckRequest(), timeout=_ANSWERS_WITHIN_SECONDS)
        except grpc.aio.AioRpcError as error:
            return reason_of(error) == "unknown_method"
    return bool(answer.status == health_pb2.HealthCheckResponse.SERVING)


async def _session(settings: Settings, server: Server, wanted: Wanted) -> Session:
    """Come back as the player that this machine remembers for the server, or as a new guest."""
    file = CredentialsFile.named(wanted.address or "here", settings.data_directory)
    return await Session.open(server.address, wanted.name, file=file)


async def _seat(session: Session, wanted: Wanted, console: Console) -> str:
    """Return the table at which the player sits; where there is none, of a room's match or a new one with bots."""
    seated = (await session.who()).table_id
    if seated:
        return seated
    if wanted.room:
        return await table_of_room(session, wanted.room, console)
    if wanted.people:
        settings = RoomSettings(
            rules=rules_to_proto(wanted.rules), length=MatchLength(hands=wanted.hands), bot_level=ROOM_BOTS
        )
        return await table_of_own_room(session, settings, wanted.people, console)
    queue = Queue(session)
    made = await queue.create_ticket(
        QUEUE,
        rules=[rules_to_proto(wanted.rules)],
        length=MatchLength(hands=wanted.hands),
        bots_after=timedelta(0),
    )
    ticket = await queue.settled(made.ticket.ticket_id)
    if ticket.state != TICKET_STATE_MATCHED:
        raise StartError("The queue was left before a table was found; try again.")
    return ticket.table_id
