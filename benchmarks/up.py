"""Measure `gouji up` on SQLite: seconds until it is ready (median of five), and memory a live table.

    .venv/bin/python benchmarks/up.py

Tables are of six people who do not act, so that all stay alive; nobody watches them.
"""

import asyncio
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from gouji.client import Credentials, Session
from gouji.serving.auth import tokens_for
from gouji.serving.clock import SystemClock
from gouji.serving.settings import Settings
from gouji.v1 import matchmaking_pb2_grpc
from gouji.v1.events_pb2 import Seat
from gouji.v1.matchmaking_pb2 import PlaceTableRequest
from gouji.v1.rules_pb2 import Clock, MatchLength

STARTS = 5
TABLES = 500
HOUR_MS = 3_600_000


def start(folder: str) -> tuple[subprocess.Popen[str], str, float]:
    """Start `gouji up` on any free port; return it, its address, and the seconds until its ready line."""
    environment = os.environ | {"GOUJI_DATA_DIRECTORY": folder, "GOUJI_DATABASE_URL": f"sqlite:///{folder}/g.sqlite"}
    command = [
        str(Path(sys.executable).with_name("gouji")),
        "up",
        "--port",
        "0",
        "--metrics-port",
        "-1",
        "--door-port",
        "0",
    ]
    began = time.monotonic()
    server = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)  # noqa: S603
    for line in server.stdout or ():
        if "ready at" in line:
            address = line.split("ready at ")[1].split()[0].rstrip(".,")
            return server, address, time.monotonic() - began
    raise SystemExit("the server did not start")


def stop(server: subprocess.Popen[str]) -> None:
    """End a server in order."""
    server.send_signal(signal.SIGTERM)
    server.wait(30)


def memory_kib(server: subprocess.Popen[str]) -> int:
    """Read a process's resident memory."""
    status = Path(f"/proc/{server.pid}/status").read_text()
    return int(next(line for line in status.splitlines() if line.startswith("VmRSS")).split()[1])


async def place(settings: Settings, address: str) -> None:
    """Place tables, each of six people of its own."""
    token = tokens_for(settings, SystemClock()).mint_operator("benchmark")
    async with Session(address, Credentials(access_token=token)) as session:
        stub = matchmaking_pb2_grpc.MatchmakingServiceStub(session.channel())
        for table in range(TABLES):
            seats = [Seat(player_id=f"p{table}-{seat}", name="p") for seat in range(6)]
            await session.call(
                stub.PlaceTable,
                PlaceTableRequest(
                    request_id=f"t{table}", length=MatchLength(hands=1), clock=Clock(turn_ms=HOUR_MS), seats=seats
                ),
            )
    await asyncio.sleep(3)


def main() -> None:
    """Print both figures."""
    seconds = []
    for _ in range(STARTS):
        with tempfile.TemporaryDirectory() as folder:
            server, _, took = start(folder)
            seconds.append(took)
            stop(server)
    print(
        f"ready after {statistics.median(seconds):.2f} s (median of {STARTS}: {', '.join(f'{s:.2f}' for s in seconds)})"
    )
    with tempfile.TemporaryDirectory() as folder:
        server, address, _ = start(folder)
        before = memory_kib(server)
        settings = Settings(data_directory=Path(folder), database_url=f"sqlite:///{folder}/g.sqlite")
        asyncio.run(place(settings, address))
        after = memory_kib(server)
        stop(server)
    print(f"memory: {before / 1024:.0f} MiB idle, {(after - before) / TABLES:.1f} KiB a live table ({TABLES} tables)")


if __name__ == "__main__":
    main()
