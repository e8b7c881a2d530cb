"""`gouji tables drain SERVER`: have a table server hand its tables to the others and stop."""

import asyncio
from typing import Annotated, Final

import grpc
import typer

from gouji.cli.operator import this_person
from gouji.cli.options import run_process, with_settings
from gouji.serving.app import StartError, must_be_reached
from gouji.serving.auth import tokens_for
from gouji.serving.clock import SystemClock
from gouji.serving.database import Database
from gouji.serving.settings import Settings
from gouji.serving.tls import dial
from gouji.table.balance import Server
from gouji.table.ownership import Ownership
from gouji.v1 import table_pb2_grpc
from gouji.v1.table_pb2 import DrainRequest

LOOK_SECONDS: Final = 0.2
"""How often the server's row is looked at."""


@with_settings
def drain(
    settings: Settings,
    server: Annotated[str, typer.Argument(help="The server's id or address, as `gouji tables` lists it.")],
) -> None:
    """Have a table server hand its tables to the others and stop, as on SIGTERM; ends when it is gone.

    Exits with 1 for a server that there is not, or that cannot be reached. Tables that no other server takes wait in
    the database for the next one.
    """
    run_process(_drain(settings, server))


async def _drain(settings: Settings, wanted: str) -> None:
    database = Database(settings.database_url)
    try:
        with must_be_reached(database):
            ownership = Ownership(database)
            server = await _find(ownership, wanted)
            tables = await _ask(settings, server)
            typer.echo(f"{server.server_id} at {server.address} hands over {tables} tables and stops")
            await _gone(ownership, server)
            typer.echo(f"{server.server_id} is gone")
    finally:
        await database.close()


async def _gone(ownership: Ownership, server: Server) -> None:
    """Wait until the server has given up its lease."""
    while server.server_id in {one.server_id for one in await ownership.servers()}:  # noqa: ASYNC110 - a row has no event
        await asyncio.sleep(LOOK_SECONDS)


async def _find(ownership: Ownership, wanted: str) -> Server:
    servers = await ownership.servers()
    for server in servers:
        if wanted in (server.server_id, server.address):
            return server
    known = ", ".join(f"{server.server_id} at {server.address}" for server in servers) or "none at all"
    raise StartError(f"There is no table server {wanted}; there are {known}.")


async def _ask(settings: Settings, server: Server) -> int:
    """Ask the server to stop; returns how many tables it has."""
    token = tokens_for(settings, SystemClock()).mint_operator(this_person())
    async with dial(settings, server.address) as channel:
        stub: table_pb2_grpc.TableServiceAsyncStub = table_pb2_grpc.TableServiceStub(channel)
        try:
            answer = await stub.Drain(DrainRequest(), metadata=(("authorization", f"Bearer {token}"),), timeout=10)
        except grpc.aio.AioRpcError as error:
            raise StartError(f"{server.address} does not stop: {error.details()}") from error
    return answer.tables
