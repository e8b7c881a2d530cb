"""A PostgreSQL of our own as real processes, to be stopped, started and slowed at will."""

import os
import secrets
import shutil
import subprocess
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

import asyncpg

from gouji.fleet.process import free_port

AS_OWNER: Final = ("runuser", "-u", "postgres", "--") if os.getuid() == 0 else ()
"""PostgreSQL does not run as root. A child that changes its user forks, which gRPC's threads do not bear."""

MOST_SLOW_MS: Final = 100
"""By how much a commit can be held up at most: PostgreSQL's own limit."""


def find_postgres() -> bool:
    """Say whether this machine has what it takes to make one."""
    return _program("initdb") is not None and _program("pg_ctl") is not None


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


class Postgres:
    """One PostgreSQL in a folder of its own, with its own settings: a commit is on the disk."""

    def __init__(self, connections: int = 200) -> None:
        self._connections = connections
        self.port = free_port()
        self.folder = Path(tempfile.mkdtemp(prefix="gouji-postgres-"))
        if AS_OWNER:
            shutil.chown(self.folder, "postgres", "postgres")
        self._data = self.folder / "data"
        self._run("initdb", "-U", "postgres", "-A", "trust", "-E", "UTF8")

    @property
    def url(self) -> str:
        """Where servers find their database."""
        return f"postgresql://postgres@127.0.0.1:{self.port}/postgres"

    @property
    def log(self) -> Path:
        """What it says; gone with `close`."""
        return self.folder / "log"

    @property
    def pid(self) -> int:
        """The number of its first process; 0 when it does not run."""
        file = self._data / "postmaster.pid"
        return int(file.read_text().split()[0]) if file.exists() else 0

    def start(self) -> None:
        """Start it; returns when it takes connections."""
        own = f"-k {self.folder} -c listen_addresses=127.0.0.1 -c max_connections={self._connections}"
        self._run("pg_ctl", "start", "-w", "-t", "60", "-l", str(self.log), "-o", f"-p {self.port} {own}")

    def crash(self) -> None:
        """Stop it at once, without tidying up: the next start recovers from the write-ahead log."""
        self._run("pg_ctl", "stop", "-w", "-m", "immediate")

    async def slow(self, milliseconds: int) -> None:
        """Hold up each commit for so long before it is flushed, as a slow disk does; 0 for no longer."""
        admin = await asyncpg.connect(self.url)
        try:
            await admin.execute(f"ALTER SYSTEM SET commit_delay = {int(milliseconds) * 1000}")
            await admin.execute("ALTER SYSTEM SET commit_siblings = 0")  # also when no other is about to commit
            await admin.execute("SELECT pg_reload_conf()")
        finally:
            await admin.close()

    def close(self) -> None:
        """Stop it and remove all that it wrote."""
        if self.pid:
            self.crash()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _run(self, program: str, *arguments: str) -> None:
        command = [*AS_OWNER, _program(program) or program, "-D", self._data, *arguments]
        # pg_ctl's child keeps what it inherits open, so nothing is piped; Ctrl-C is not for it.
        with (self.folder / f"{program}.out").open("ab") as out:
            subprocess.run(  # noqa: S603 - our own command
                command,
                check=True,
                cwd=self.folder,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=out,
                start_new_session=True,
            )


def _program(name: str) -> Path | None:
    """Find a program of PostgreSQL, which Debian keeps off the path."""
    found = shutil.which(name)
    return max(Path("/usr/lib/postgresql").glob(f"*/bin/{name}"), default=Path(found) if found else None)
