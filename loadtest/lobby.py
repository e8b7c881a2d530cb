"""How long six compatible players wait: three matchmaking processes on PostgreSQL, over gRPC.

Makes a database of its own and drops it afterwards. Each player calls one of the processes, watches its ticket and
confirms the match; its time runs from before `CreateTicket` to the message that says it is matched.
"""

import argparse
import asyncio
import os
import random
import statistics
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import grpc

from gouji.fleet.postgres import fresh_database
from gouji.fleet.process import Process, environment_of, free_port
from gouji.serving.auth import Tokens, tokens_for
from gouji.serving.clock import SystemClock
from gouji.serving.database import Database
from gouji.serving.settings import Settings
from gouji.v1.matchmaking_pb2 import (
    TICKET_STATE_GATHERING,
    TICKET_STATE_MATCHED,
    ConfirmMatchRequest,
    CreateTicketRequest,
    WatchTicketRequest,
)
from gouji.v1.matchmaking_pb2_grpc import MatchmakingServiceStub

TARGET_SECONDS = 1.0


@asynccontextmanager
async def server(name: str, url: str, folder: Path) -> AsyncIterator[grpc.aio.Channel]:
    """Run a matchmaking process, and give a channel to it once it serves."""
    port = free_port()
    process = Process(name, ("matchmaking",), port, environment_of(url, folder, port), folder / f"{name}.log")
    process.start()
    try:
        await process.ready()
        async with grpc.aio.insecure_channel(process.address) as channel:
            yield channel
    finally:
        process.kill()


async def seated(channel: grpc.aio.Channel, tokens: Tokens, player_id: str, queue: str) -> float:
    """Queue until seated; returns how long it took, in seconds."""
    token = tokens.mint_player(player_id, player_id).access_token
    how = {"metadata": (("authorization", f"Bearer {token}"),), "timeout": 120}
    stub = MatchmakingServiceStub(channel)
    began = time.perf_counter()
    made = await stub.CreateTicket(CreateTicketRequest(queue=queue, no_bots=True), **how)
    ticket_id = made.ticket.ticket_id
    async for response in stub.WatchTicket(WatchTicketRequest(ticket_id=ticket_id), **how):
        if response.ticket.state == TICKET_STATE_GATHERING:
            await stub.ConfirmMatch(ConfirmMatchRequest(ticket_id=ticket_id), **how)
    if response.ticket.state != TICKET_STATE_MATCHED:
        raise SystemExit(f"a ticket ended as {response.ticket.state}")
    return time.perf_counter() - began


async def measure(options: argparse.Namespace) -> list[float]:
    """Seat groups of six, one round after another; returns the time of each player."""
    chance, times = random.Random(options.seed), []
    async with AsyncExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory()))
        url = await stack.enter_async_context(fresh_database(options.postgres))
        database = Database(url)
        await database.upgrade()
        await database.close()
        tokens = tokens_for(Settings(database_url=url, data_directory=folder), SystemClock())
        starting = [server(f"lobby{n}", url, folder) for n in range(options.processes)]
        channels = [await stack.enter_async_context(one) for one in starting]
        for lap in range(-1, options.rounds):  # the first round warms up
            names = [(f"p{lap}-{group}-{n}", f"local/g{group}") for group in range(options.groups) for n in range(6)]
            waits = [seated(chance.choice(channels), tokens, name, queue) for name, queue in names]
            took = await asyncio.gather(*waits)
            times += took if lap >= 0 else []
            await asyncio.sleep(chance.random() * 0.3)
    return times


def main() -> None:
    """Measure, and print what came of it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--postgres", default="postgresql://postgres@127.0.0.1:5432/postgres", help="a superuser's URL")
    parser.add_argument("--processes", type=int, default=3)
    parser.add_argument("--rounds", type=int, default=50)
    parser.add_argument("--groups", type=int, default=1, help="sixes that queue at the same time, each in its queue")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    times = asyncio.run(measure(options))
    cuts = statistics.quantiles(times, n=100, method="inclusive")
    p50, p95, p99 = cuts[49], cuts[94], cuts[98]
    print(f"{len(times)} players, {options.processes} processes, {options.groups} groups at a time: ", end="")
    print(f"p50 {p50:.3f} s, p95 {p95:.3f} s, p99 {p99:.3f} s, longest {max(times):.3f} s")
    print(f"load of this machine: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    print(f"target p95 {TARGET_SECONDS} s: {'met' if p95 <= TARGET_SECONDS else 'missed'}")


if __name__ == "__main__":
    main()
