"""Load on the bot service: decisions at a steady rate, each due at its time whatever became of the one before.

    .venv/bin/python loadtest/decisions.py --level planner --rate 500
    .venv/bin/python loadtest/decisions.py --level search --rate 100

Starts a bot service by itself. The decisions are those of hands that planners play. Exits with 1 when one failed.
"""

import asyncio
import math
import random
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Annotated

import grpc
import typer
from usage import cpu_seconds

from gouji.engine import PRESETS, Hand, RuleSet
from gouji.fleet.process import Process, environment_of, free_port
from gouji.players.planner import PlannerPlayer
from gouji.serving.auth import tokens_for
from gouji.serving.clock import SystemClock
from gouji.serving.database import Database
from gouji.serving.settings import Settings
from gouji.v1 import bot_pb2, bot_pb2_grpc
from gouji.wire import observation_to_proto

HANDS = 14
"""Hands whose decisions are asked for again and again: two of each preset."""

WARM_UP_SECONDS = 2.0


def decisions(level: str) -> list[bot_pb2.DecideRequest]:
    """Give all decisions of some hands in play, one a call."""
    planner, chance = PlannerPlayer(), random.Random(1)
    made = []
    for number in range(HANDS):
        hand = Hand.deal(RuleSet.parse(list(PRESETS)[number % len(PRESETS)]), chance.randbytes(32), history=True)
        while hand.turn is not None:
            seen = hand.observe(hand.turn)
            asked = bot_pb2.Decision(level=level, observation=observation_to_proto(seen), seed=chance.getrandbits(64))
            made.append(bot_pb2.DecideRequest(decisions=[asked]))
            hand.apply(planner.decide(seen, 1, math.inf))
    chance.shuffle(made)
    return made


class Run:
    """Sends calls when they are due, and notes what became of them."""

    def __init__(self, stub: "bot_pb2_grpc.BotServiceAsyncStub", headers: tuple[tuple[str, str], ...]) -> None:
        self._stub = stub
        self._headers = headers
        self.times: list[float] = []
        self.outcomes = Counter[str]()
        self.server_seconds = 0.0
        """Time that the server computed meanwhile."""

    async def send(self, calls: list[bot_pb2.DecideRequest], rate: float, seconds: float, deadline: float) -> None:
        """Send so many calls a second for so long."""
        began = time.monotonic()
        async with asyncio.TaskGroup() as group:
            for number in range(int(rate * seconds)):
                due = began + number / rate
                await asyncio.sleep(max(0.0, due - time.monotonic()))
                group.create_task(self._call(calls[number % len(calls)], due, deadline))

    async def _call(self, request: bot_pb2.DecideRequest, due: float, deadline: float) -> None:
        try:
            answer = await self._stub.Decide(request, metadata=self._headers, timeout=deadline)
            outcome = answer.choices[0].error or answer.choices[0].level
        except grpc.aio.AioRpcError as error:
            outcome = error.code().name.lower()
        self.times.append(time.monotonic() - due)
        self.outcomes[outcome] += 1

    def report(self) -> str:
        """Say how long calls took, from when they were due, and who decided."""
        times = sorted(self.times)
        shares = [1000 * times[min(len(times) - 1, int(len(times) * part))] for part in (0.5, 0.95, 0.99, 1.0)]
        took = "p50 {:.1f} ms, p95 {:.1f} ms, p99 {:.1f} ms, longest {:.1f} ms".format(*shares)
        each = 1000 * self.server_seconds / len(times)
        return f"{len(times):,} decisions: {took}; {each:.2f} ms of a core each; {dict(self.outcomes)}"


async def run(level: str, rate: float, seconds: float, deadline: float) -> Run:
    """Start a bot service, and measure it once it is warm."""
    with tempfile.TemporaryDirectory(prefix="gouji-load-") as name:
        folder, url = Path(name), f"sqlite:///{name}/gouji.sqlite"
        database = Database(url)
        server = Process("bot", ("bot",), free_port(), environment_of(url, folder, free_port()), folder / "bot.log")
        try:
            await database.upgrade()
            server.start()
            await server.ready()
            token = tokens_for(Settings(database_url=url, data_directory=folder), SystemClock()).mint_service("load")
            async with grpc.aio.insecure_channel(server.address) as channel:
                stub: bot_pb2_grpc.BotServiceAsyncStub = bot_pb2_grpc.BotServiceStub(channel)
                headers, calls = (("authorization", f"Bearer {token}"),), decisions(level)
                await Run(stub, headers).send(calls, rate / 5, WARM_UP_SECONDS, deadline)
                measured, before = Run(stub, headers), cpu_seconds(server.pid)
                await measured.send(calls, rate, seconds, deadline)
                measured.server_seconds = cpu_seconds(server.pid) - before
                return measured
        finally:
            server.kill()
            await database.close()


def main(
    level: Annotated[str, typer.Option(help="Level of the bots.")] = "planner",
    rate: Annotated[float, typer.Option(min=1, help="Decisions a second.")] = 500,
    seconds: Annotated[float, typer.Option(min=1, help="For how long.")] = 20,
    deadline: Annotated[float, typer.Option(min=0.01, help="Deadline of a call, in seconds.")] = 1.0,
) -> None:
    """Measure the bot service."""
    measured = asyncio.run(run(level, rate, seconds, deadline))
    print(measured.report())
    sys.exit(0 if set(measured.outcomes) <= {level, "planner"} else 1)


if __name__ == "__main__":
    typer.run(main)
