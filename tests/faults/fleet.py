"""The services as real processes: three table servers, each with bots, and one process of all the rest.

Nobody is woken for a new table: the servers find their shares by themselves.
"""

from pathlib import Path

from cluster import free_port
from servers import Process, environment_of


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

    def close(self) -> None:
        """End all."""
        for process in (self.hub, *self.servers):
            process.kill()
