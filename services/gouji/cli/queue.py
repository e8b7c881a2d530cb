"""`gouji queue`: what operators do with queues, tickets and matches."""

from typing import Annotated, Any

import typer

from gouji.cli.operator import Call, Json, ask, print_json, said, this_person
from gouji.cli.options import with_settings
from gouji.serving.settings import Settings
from gouji.v1 import admin_pb2_grpc
from gouji.v1.admin_pb2 import (
    EndTicketRequest,
    FindTicketsRequest,
    ListMatchesRequest,
    ListQueuesRequest,
    MatchRow,
    PauseQueueRequest,
    QueueRow,
    ResumeQueueRequest,
    TicketRow,
)

Address = Annotated[
    str | None, typer.Option("--address", help="A matchmaking server; what the settings say when unset.")
]
Queue = Annotated[str, typer.Argument(help="The queue: region and format.", metavar="QUEUE")]
OneQueue = Annotated[str, typer.Option("--queue", help="Of one queue alone.")]
Limit = Annotated[int, typer.Option(min=1, max=1000, help="At most so many.")]

queue = typer.Typer(no_args_is_help=True)


@queue.callback()
def group() -> None:
    """Look after queues, tickets and matches."""


@queue.command("list")
@with_settings
def list_queues(settings: Settings, address: Address = None, json: Json = False) -> None:
    """List the queues: who waits, for how long, and the matches of the last hour."""
    answer = _ask(settings, address, lambda stub, call: stub.ListQueues(ListQueuesRequest(), **call))
    if json:
        print_json(answer)
        return
    for row in answer.queues:
        typer.echo(_queue_line(row))


@queue.command("tickets")
@with_settings
def tickets(
    settings: Settings,
    *,
    queue: OneQueue = "",
    state: Annotated[str, typer.Option(help="waiting, gathering, matched, cancelled, lapsed or missed.")] = "waiting",
    player: Annotated[str, typer.Option(help="A player's id.")] = "",
    limit: Limit = 100,
    address: Address = None,
    json: Json = False,
) -> None:
    """Find tickets, the oldest first."""
    request = FindTicketsRequest(queue=queue, state=state, player_id=player, limit=limit)
    answer = _ask(settings, address, lambda stub, call: stub.FindTickets(request, **call))
    if json:
        print_json(answer)
        return
    for row in answer.tickets:
        typer.echo(_ticket_line(row))
    _more(answer)


@queue.command("matches")
@with_settings
def matches(
    settings: Settings, queue: OneQueue = "", limit: Limit = 100, address: Address = None, json: Json = False
) -> None:
    """List matches, the newest first, with how even they are and how long their people waited."""
    request = ListMatchesRequest(queue=queue, limit=limit)
    answer = _ask(settings, address, lambda stub, call: stub.ListMatches(request, **call))
    if json:
        print_json(answer)
        return
    for row in answer.matches:
        typer.echo(_match_line(row))
    _more(answer)


@queue.command("cancel")
@with_settings
def cancel(
    settings: Settings,
    ticket_id: Annotated[str, typer.Argument(help="The ticket's id.", metavar="TICKET")],
    address: Address = None,
    json: Json = False,
) -> None:
    """Take a ticket out of its queue."""
    request = EndTicketRequest(ticket_id=ticket_id)
    answer = _ask(settings, address, lambda stub, call: stub.EndTicket(request, **call))
    said(answer, f"{ticket_id} is {answer.ticket.state}", json=json)


@queue.command("pause")
@with_settings
def pause(
    settings: Settings,
    queue: Queue,
    reason: Annotated[str, typer.Option("--reason", help="What players are told.")],
    address: Address = None,
    json: Json = False,
) -> None:
    """Have a queue take no tickets and make no matches; those who wait go on waiting."""
    request = PauseQueueRequest(queue=queue, reason=reason)
    answer = _ask(settings, address, lambda stub, call: stub.PauseQueue(request, **call))
    said(answer, f"{queue} is paused", json=json)


@queue.command("resume")
@with_settings
def resume(settings: Settings, queue: Queue, address: Address = None, json: Json = False) -> None:
    """Have a paused queue go on."""
    request = ResumeQueueRequest(queue=queue)
    answer = _ask(settings, address, lambda stub, call: stub.ResumeQueue(request, **call))
    said(answer, f"{queue} goes on", json=json)


def _ask(settings: Settings, address: str | None, call: Call) -> Any:
    """Make one call as an operator, at a matchmaking server."""
    where = address or settings.matchmaking_address
    return ask(settings, this_person(), where, admin_pb2_grpc.QueueAdminServiceStub, call)


def _more(answer: Any) -> None:
    if answer.more:
        typer.echo("… and more: raise --limit, or ask for fewer.")


def _queue_line(row: QueueRow) -> str:
    waits = f"{row.tickets} tickets, {row.players} players"
    if row.tickets:
        waits += f", {_seconds(row.mean_wait)} on the average, {_seconds(row.longest_wait)} at most"
    made = f"{row.matches} matches in an hour"
    if row.matches:
        made += f" after {_seconds(row.matched_after)}"
    gathering = f", {row.gathering} to be confirmed" if row.gathering else ""
    paused = f"; paused: {row.reason}" if row.paused else ""
    return f"{row.queue}  {waits}; {made}{gathering}{paused}"


def _ticket_line(row: TicketRow) -> str:
    where = f"  table {row.table_id}" if row.table_id else ""
    return f"{row.ticket_id}  {row.queue}  {row.state}  {row.created.ToJsonString()}  {', '.join(row.players)}{where}"


def _match_line(row: MatchRow) -> str:
    quality = f"{row.win_chance:.0%} for even seats, spread {row.spread:.1f}, waited {_seconds(row.mean_wait)}"
    return f"{row.table_id}  {row.queue}  {row.state}  {row.created.ToJsonString()}  {quality}"


def _seconds(duration: Any) -> str:
    return f"{duration.ToMilliseconds() / 1000:.1f} s"
