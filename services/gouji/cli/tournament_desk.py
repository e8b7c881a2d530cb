"""`gouji tournament`: what directors do with entrants, rounds and tables."""

from collections.abc import Callable
from typing import Annotated, Any, Final
from uuid import uuid4

import typer
from google.protobuf import json_format

from gouji.cli import tournament_calls as calls
from gouji.cli.options import with_settings
from gouji.cli.tournament_ask import Address, Entrant, Event, Reason, Round, as_director
from gouji.serving.settings import Settings
from gouji.v1 import tournament_pb2
from gouji.v1.events_pb2 import Seat
from gouji.v1.tournament_pb2 import EntrantSwap, PlayedBoard

Command = Annotated[str, typer.Option("--command-id", help="Done once under this id; a fresh one when unset.")]
Score = Annotated[int, typer.Option(min=0, max=10_000, help="Hundredths of a percent of a board.")]
Player = Annotated[str, typer.Option("--player", help="A player's id.")]
Bot = Annotated[str, typer.Option("--bot", help="Or a bot's level.")]


@with_settings
def entrants(settings: Settings, event: Event, address: Address = None) -> None:
    """List entrants by number."""
    for one in as_director(settings, address, lambda stub, how: calls.entrants(stub, how, event)):
        state = "withdrawn" if one.withdrawn else "waits" if one.waiting else "there" if one.checked_in else "in"
        players = ", ".join(player.player_id or f"{player.name} ({player.bot_level})" for player in one.players)
        typer.echo(f"{one.number}  {one.name}  {state}  {players}")


@with_settings
def enter(
    settings: Settings,
    event: Event,
    *,
    players: Annotated[list[str], typer.Option("--player", help="A player's id; a team has three.")] = [],  # noqa: B006
    name: Annotated[str, typer.Option(help="The team's name.")] = "",
    bots: Annotated[int, typer.Option(min=0, max=3000, help="Enter so many single bots instead.")] = 0,
    level: Annotated[str, typer.Option(help="Their level.")] = "greedy",
    address: Address = None,
) -> None:
    """Enter a player, a team, the captain first, or single bots."""
    seats = [[Seat(bot_level=level, name=f"{level} {number + 1}")] for number in range(bots)]
    seats = seats or [[Seat(player_id=player) for player in players]]
    requests = [tournament_pb2.EnterTournamentRequest(tournament_id=event, name=name, players=some) for some in seats]

    async def call(stub: Any, how: Any) -> list[Any]:
        return [await stub.EnterTournament(request, **how) for request in requests]

    for answer in as_director(settings, address, call):
        typer.echo(f"{answer.entrant.number}  {answer.entrant.name}")


@with_settings
def withdraw(settings: Settings, event: Event, entrant: Entrant, reason: Reason = "", address: Address = None) -> None:
    """Take an entrant out."""
    request = tournament_pb2.WithdrawRequest(tournament_id=event, entrant=entrant, reason=reason)
    as_director(settings, address, lambda stub, how: stub.Withdraw(request, **how))
    typer.echo(f"{entrant} is out")


@with_settings
def substitute(
    settings: Settings,
    event: Event,
    entrant: Entrant,
    *,
    reason: Reason,
    place: Annotated[int, typer.Option(min=0, max=2, help="Which of a team's players, from 0.")] = 0,
    player: Player = "",
    bot: Bot = "",
    command: Command = "",
    address: Address = None,
) -> None:
    """Put another player in the place of one."""
    request = tournament_pb2.SubstituteRequest(
        tournament_id=event,
        command_id=command or uuid4().hex,
        reason=reason,
        entrant=entrant,
        place=place,
        player=Seat(player_id=player, bot_level=bot),
    )
    answer = as_director(settings, address, lambda stub, how: stub.Substitute(request, **how))
    typer.echo(f"{answer.entrant.players[place].name} plays for {answer.entrant.name}")


@with_settings
def pair_again(
    settings: Settings,
    event: Event,
    *,
    number: Round,
    reason: Reason,
    swaps: Annotated[list[str], typer.Option("--swap", help="Two entrants that change places: 3,17.")] = [],  # noqa: B006
    command: Command = "",
    address: Address = None,
) -> None:
    """Pair the last round anew while it has not begun."""
    request = tournament_pb2.PairAgainRequest(
        tournament_id=event,
        command_id=command or uuid4().hex,
        reason=reason,
        round=number,
        swaps=[_swap(given) for given in swaps],
    )
    answer = as_director(settings, address, lambda stub, how: stub.PairAgain(request, **how))
    typer.echo(f"round {number}: {answer.round.pairings} pairings")


def _swap(given: str) -> EntrantSwap:
    one, comma, other = given.partition(",")
    if not (comma and one.isdecimal() and other.isdecimal()):
        raise typer.BadParameter(f"{given} is not two numbers with a comma between", param_hint="--swap")
    return EntrantSwap(one=int(one), other=int(other))


@with_settings
def adjust(
    settings: Settings,
    event: Event,
    entrant: Entrant,
    *,
    points: Annotated[int, typer.Option(help="Hundredths of a percent of a board, more or less.")],
    reason: Reason,
    command: Command = "",
    address: Address = None,
) -> None:
    """Correct an entrant's score."""
    request = tournament_pb2.AdjustScoreRequest(
        tournament_id=event, command_id=command or uuid4().hex, reason=reason, entrant=entrant, points=points
    )
    as_director(settings, address, lambda stub, how: stub.AdjustScore(request, **how))
    typer.echo(f"{entrant} has {points:+d}")


@with_settings
def rule_table(
    settings: Settings,
    event: Event,
    *,
    number: Round,
    pairing: Annotated[int, typer.Option(min=1, help="The pairing.")],
    board: Annotated[int, typer.Option(min=1, help="The board.")],
    even: Score,
    odd: Score,
    reason: Reason,
    command: Command = "",
    address: Address = None,
) -> None:
    """Give both sides of a table their scores; one that stands still counts as ended then."""
    request = tournament_pb2.RuleTableRequest(
        tournament_id=event,
        command_id=command or uuid4().hex,
        reason=reason,
        round=number,
        pairing=pairing,
        board=board,
        even_score=even,
        odd_score=odd,
    )
    as_director(settings, address, lambda stub, how: stub.RuleTable(request, **how))
    typer.echo(f"round {number}, pairing {pairing}, board {board}: {even} to {odd}")


@with_settings
def no_show(
    settings: Settings,
    event: Event,
    entrant: Entrant,
    *,
    number: Round,
    reason: Reason,
    score: Score = 0,
    out: Annotated[bool, typer.Option("--withdraw", help="Take it out of the event, too.")] = False,
    command: Command = "",
    address: Address = None,
) -> None:
    """Say what each board of a round is worth to an entrant who was not there."""
    request = tournament_pb2.RuleNoShowRequest(
        tournament_id=event,
        command_id=command or uuid4().hex,
        reason=reason,
        round=number,
        entrant=entrant,
        score=score,
        withdraw=out,
    )
    as_director(settings, address, lambda stub, how: stub.RuleNoShow(request, **how))
    typer.echo(f"{entrant} has {score} of each board of round {number}")


@with_settings
def pairings(settings: Settings, event: Event, *, number: Round, address: Address = None) -> None:
    """List who meets in a round, at which tables, and what came of the boards that are open."""
    for one in as_director(settings, address, lambda stub, how: calls.pairings(stub, how, event, number)):
        typer.echo(f"{one.pairing}  {_side(one.first)} against {_side(one.second)}")
        for played in one.boards:
            typer.echo(f"   board {played.board}  {played.table_id or '-'}  {_score(played)}")


def _side(entrants_: Any) -> str:
    return " ".join(map(str, entrants_))


def _score(played: PlayedBoard) -> str:
    if not played.HasField("score"):
        return "shut"
    score = played.score
    made = "no result" if score.no_result else f"{score.even} to {score.odd}"
    ruled = ", corrected" * score.corrected + ", ruled" * score.ruled
    absent = f", not there: {_side(score.absent)}" if score.absent else ""
    return f"{made}: {score.even_score} to {score.odd_score}{ruled}{absent}"


@with_settings
def journal(
    settings: Settings,
    event: Event,
    after: Annotated[int, typer.Option(min=0, help="Entries with greater numbers.")] = 0,
    address: Address = None,
) -> None:
    """Print all that happened in an event, a line of JSON each: who did what, when and why."""
    request = tournament_pb2.ListEntriesRequest(tournament_id=event, after=after)

    async def call(stub: Any, how: Any) -> list[Any]:
        return [answer.entry async for answer in stub.ListEntries(request, **how)]

    for entry in as_director(settings, address, call):
        typer.echo(json_format.MessageToJson(entry, indent=None, preserving_proto_field_name=True))


DESK: Final[dict[str, Callable[..., None]]] = {
    "entrants": entrants,
    "enter": enter,
    "withdraw": withdraw,
    "substitute": substitute,
    "pair-again": pair_again,
    "pairings": pairings,
    "adjust": adjust,
    "rule-table": rule_table,
    "no-show": no_show,
    "journal": journal,
}
"""Command to the function that it is."""
