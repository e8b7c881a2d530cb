"""The services as real processes: three table servers, each with bots, and one process of all the rest.

The tables are spread over the servers by what each has room for.
"""

import asyncio
from pathlib import Path

from gouji.fleet.process import GOUJI, READY_SECONDS, Process, environment_of, free_port


class Fleet:
    """Three table servers and a hub with gateway, matchmaking and scoring, on one database."""

    def __init__(self, database_url: str, folder: Path, environment: dict[str, str]) -> None:
        hub, ports = free_port(), [free_port() for _ in range(3)]
        common = {**environment_of(database_url, folder, hub), "GOUJI_ALLOWANCE_MS": "0", **environment}
        self.hub = Process("hub", ("gateway", "matchmaking", "scoring", "bot"), hub, common, folder / "hub.log")
        self.servers = [
            Process(f"table{n}", ("table", "bot"), port, common, folder / f"table{n}.log")
            for n, port in enumerate(ports)
        ]

    async def start(self) -> None:
        """Start all; the database must have its tables."""
        for process in (self.hub, *self.servers):
            process.start()
        for process in (self.hub, *self.servers):
            await process.ready()

    async def command(self, *arguments: str) -> tuple[int | None, str]:
        """Run a command of `gouji` to its end; returns its exit code and what it wrote."""
        out = asyncio.subprocess.PIPE
        process = await asyncio.create_subprocess_exec(
            GOUJI, *arguments, env=self.hub.environment, stdout=out, stderr=asyncio.subprocess.STDOUT
        )
        written, _ = await asyncio.wait_for(process.communicate(), READY_SECONDS)
        return process.returncode, written.decode()

    def close(self) -> None:
        """End all."""
        for process in (self.hub, *self.servers):
            process.kill()
