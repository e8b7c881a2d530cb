"""`gouji webhooks`: what operators do with events on their way to studios' own systems."""

from typing import Annotated, Any

import typer

from gouji.cli.operator import Call, Json, ask, print_json, said, this_person
from gouji.cli.options import with_settings
from gouji.serving.settings import Settings
from gouji.v1 import feed_pb2_grpc
from gouji.v1.feed_pb2 import Delivery, Endpoint, ListDeliveriesRequest, ListEndpointsRequest, RetryDeliveriesRequest

Address = Annotated[str | None, typer.Option("--address", help="A scoring server; what the settings say when unset.")]

webhooks = typer.Typer(no_args_is_help=True)


@webhooks.callback()
def group() -> None:
    """Look after events on their way to studios' own systems."""


@webhooks.command("list")
@with_settings
def list_deliveries(
    settings: Settings,
    *,
    endpoint: Annotated[str, typer.Option(help="To one endpoint alone.")] = "",
    state: Annotated[str, typer.Option(help="pending, delivered or parked.")] = "parked",
    limit: Annotated[int, typer.Option(min=1, max=999, help="At most so many deliveries.")] = 100,
    address: Address = None,
    json: Json = False,
) -> None:
    """List the endpoints, and deliveries in a state, the newest events first."""
    request = ListDeliveriesRequest(endpoint=endpoint, state=state, limit=limit)
    found = _ask(settings, address, lambda stub, call: stub.ListDeliveries(request, **call))
    if json:
        print_json(found)
        return
    answer = _ask(settings, address, lambda stub, call: stub.ListEndpoints(ListEndpointsRequest(), **call))
    for one in answer.endpoints:
        typer.echo(_endpoint_line(one))
    for row in found.deliveries:
        typer.echo(_delivery_line(row))
    if found.more:
        typer.echo("… and more: raise --limit, or ask for fewer.")


@webhooks.command("retry")
@with_settings
def retry(
    settings: Settings,
    endpoint: Annotated[str, typer.Argument(help="The endpoint's name.", metavar="ENDPOINT")],
    event: Annotated[int, typer.Option(min=0, help="The number of one event; 0 for all.")] = 0,
    address: Address = None,
    json: Json = False,
) -> None:
    """Have parked deliveries tried again from the beginning."""
    request = RetryDeliveriesRequest(endpoint=endpoint, sequence=event)
    answer = _ask(settings, address, lambda stub, call: stub.RetryDeliveries(request, **call))
    said(answer, f"{answer.deliveries} to {endpoint} are tried again", json=json)


def _ask(settings: Settings, address: str | None, call: Call) -> Any:
    """Make one call as an operator, at a scoring server."""
    where = address or settings.scoring_address
    return ask(settings, this_person(), where, feed_pb2_grpc.FeedServiceStub, call)


def _endpoint_line(one: Endpoint) -> str:
    return f"{one.name}  {one.url}  event {one.sequence}, {one.pending} pending, {one.parked} parked"


def _delivery_line(row: Delivery) -> str:
    tries = f"{row.tries} tries, the last: {row.outcome}" if row.outcome else "not tried yet"
    return f"  {row.endpoint}  {row.sequence}  {row.event_id}  {row.state}  {row.at.ToJsonString()}  {tries}"
