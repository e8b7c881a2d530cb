"""What the door costs: time that it adds to calls and to events, streams that it bears, memory a stream, and a storm.

    .venv/bin/python loadtest/door.py --streams 5000

Starts all services in one process with their door, on SQLite, and calls them by the door and past it in turn. Then it
opens watches by the door, as many as asked for, and waits until each has had heart-beats. At last it kills Envoy, so
that all of them come back at once, while new guests come in. Exits with 1 when a stream broke before, or when the
others were not back in time.
"""

import argparse
import asyncio
import os
import signal
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from doorway import Crowd, Way, deliveries, envoy_of, place, server
from usage import resident

from gouji.client import Patience
from gouji.fleet.process import Process
from gouji.serving.auth import tokens_for
from gouji.serving.clock import SystemClock
from gouji.v1 import gateway_pb2, gateway_pb2_grpc

ROUNDS = 20
HEARTBEATS = 2
NEWCOMERS_SECONDS = 0.1
BACK_SECONDS = 8.0
"""In which 99 of 100 must be back."""


async def calls(ways: Sequence[Way], table_id: str, number: int) -> list[list[float]]:
    """Call each way in turn, one call at a time; gives the seconds of each."""
    found: list[list[float]] = [[] for _ in ways]
    for _ in range(ROUNDS):
        for way, times in zip(ways, found, strict=True):
            for _ in range(number // ROUNDS):
                began = time.perf_counter()
                await way.locate(table_id)
                times.append(time.perf_counter() - began)
    return found


def told(name: str, times: Sequence[Sequence[float]]) -> None:
    """Print p50 and p99 of both ways, and their differences."""
    past, door = (sorted(one) for one in times)
    for share in (50, 99):
        direct, by = (one[len(one) * share // 100] * 1000 for one in (past, door))
        print(f"{name}, p{share}: {direct:.2f} ms past the door, {by:.2f} ms by it, {by - direct:+.2f} ms")


async def measure(folder: Path, options: argparse.Namespace) -> bool:
    """Do all of it; returns whether no stream broke."""
    async with server(folder) as (process, port, settings):
        token = tokens_for(settings, SystemClock()).mint_operator("loadtest")
        past, door = ways = Way(process.address, token), Way(f"127.0.0.1:{port}", token)
        quick = await place(past, "quick", 20)
        still = [await place(past, f"still{n}", 3_600_000) for n in range(20)]
        past.server_id = door.server_id = (await door.locate(quick)).server_id
        await calls(ways, quick, ROUNDS * 10)
        told("call", await calls(ways, quick, options.calls))
        told("event", await deliveries(ways, quick, options.events))
        crowd = Crowd(door, still)
        try:
            held = await streams(process, crowd, options.streams)
            return await storm(process, crowd, door) <= BACK_SECONDS and held
        finally:
            await crowd.leave()
            for way in ways:
                await way.close()


async def streams(process: Process, crowd: Crowd, number: int) -> bool:
    """Open streams, and print what they take; returns whether none broke."""
    envoy, warm = envoy_of(process.pid), min(1000, number // 2)
    await crowd.grow(warm)
    pids = (envoy, process.pid)
    before = [resident(pid) for pid in pids]
    began = time.monotonic()
    await crowd.grow(number)
    seconds = time.monotonic() - began
    await crowd.hear(HEARTBEATS)
    more = number - warm
    grown = [(resident(pid) - then) / more / 1024 for pid, then in zip(pids, before, strict=True)]
    print(f"{number} streams, {more / seconds:.0f} opened a second")
    print(f"memory a stream: {grown[0]:.1f} KiB in Envoy, {grown[1]:.1f} KiB in the server")
    print(f"Envoy has {resident(envoy) >> 20} MiB; broken: {dict(crowd.broken)}")
    return not +crowd.broken


async def storm(process: Process, crowd: Crowd, way: Way) -> float:
    """Break all streams at once, and print how long they, and those who come anew, take to get in.

    Returns in how many seconds 99 of 100 were back.
    """
    came: list[float] = []
    newcomers = asyncio.create_task(keep_coming(way, came))
    cut = time.monotonic()
    os.kill(envoy_of(process.pid), signal.SIGKILL)
    back = sorted(await crowd.began(since=cut))
    newcomers.cancel()
    await asyncio.gather(newcomers, return_exceptions=True)
    print(f"{len(back)} came back at once: {shares(back)}")
    print(f"{len(came)} guests were made meanwhile: {shares(sorted(came))}")
    return back[len(back) * 99 // 100]


async def keep_coming(way: Way, came: list[float]) -> None:
    """Have somebody come anew ten times a second, until cancelled; ``came`` gets how long each took, with its tries."""
    stub: Any = gateway_pb2_grpc.SessionServiceStub(way.another())

    async def one() -> None:
        began = time.monotonic()
        await Patience().call(lambda: stub.CreateGuest(gateway_pb2.CreateGuestRequest(name="Lin")))
        came.append(time.monotonic() - began)

    async with asyncio.TaskGroup() as group:
        while True:
            group.create_task(one())
            await asyncio.sleep(NEWCOMERS_SECONDS)


def shares(times: Sequence[float]) -> str:
    """Print p50, p99 and the longest of sorted times."""
    return ", ".join(f"{times[len(times) * share // 100]:.2f} s" for share in (50, 99)) + f", {times[-1]:.2f} s at most"


def main(arguments: Sequence[str] | None = None) -> int:
    """Read the options and run; returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--calls", type=int, default=4000, help="calls each way (4000)")
    parser.add_argument("--events", type=int, default=2000, help="events each way (2000)")
    parser.add_argument("--streams", type=int, default=5000, help="streams to hold at a time (5000)")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        return 0 if asyncio.run(measure(Path(folder), options)) else 1


if __name__ == "__main__":
    sys.exit(main())
