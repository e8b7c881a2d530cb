"""A PostgreSQL of our own as real processes, to be stopped and started at will."""

import os
import secrets
import shutil
import socket
import subprocess
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import asyncpg  # type: ignore[import-untyped]

AS_OWNER = ["runuser", "-u", "postgres", "--"] if os.getuid() == 0 else []
"""PostgreSQL does not run as root. A child that changes its user forks, which gRPC's threads do not bear."""


def free_port() -> int:
    """Find a port that nobody has just now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@asynccontextmanager
async def fresh_database(server: str) -> AsyncIterator[str]:
    """Make a database without tables at a PostgreSQL that runs, give its URL, and drop it at the end."""
    name = f"gouji_load_{secrets.token_hex(6)}"
    admin = await asyncpg.connect(server)
    try:
        await admin.execute(f'CREATE DATABASE "{name}"')
        yield f"{server.rpartition('/')[0]}/{name}"
    finally:
        await admin.execute(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')
        await admin.close()


class Cluster:
    """One cluster in a folder of its own, with PostgreSQL's own settings: a commit is on the disk."""

    def __init__(self) -> None:
        self.port = free_port()
        self.folder = Path(tempfile.mkdtemp(prefix="gouji-cluster-"))
        if AS_OWNER:
            shutil.chown(self.folder, "postgres", "postgres")
        self._data = self.folder / "data"
        self._run("initdb", "-U", "postgres", "-A", "trust", "-E", "UTF8")

    @property
    def url(self) -> str:
        """Where servers find their database."""
        return f"postgresql://postgres@127.0.0.1:{self.port}/postgres"

    def start(self) -> None:
        """Start it; returns when it takes connections."""
        options = f"-p {self.port} -k {self.folder} -c listen_addresses=127.0.0.1 -c max_connections=200"
        self._run("pg_ctl", "start", "-w", "-t", "60", "-l", str(self.folder / "log"), "-o", options)

    def crash(self) -> None:
        """Stop it at once, without tidying up: the next start recovers from the write-ahead log."""
        self._run("pg_ctl", "stop", "-w", "-m", "immediate")

    def close(self) -> None:
        """Stop it and remove all that it wrote."""
        if (self._data / "postmaster.pid").exists():
            self.crash()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _run(self, program: str, *arguments: str) -> None:
        found = [*Path("/usr/lib/postgresql").glob(f"*/bin/{program}")] or [Path(shutil.which(program) or program)]
        command = [*AS_OWNER, max(found), "-D", self._data, *arguments]
        # pg_ctl's child keeps what it inherits open, so nothing is piped.
        with (self.folder / f"{program}.out").open("ab") as out:
            subprocess.run(command, check=True, cwd=self.folder, stdin=subprocess.DEVNULL, stdout=out, stderr=out)
