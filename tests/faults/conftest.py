"""One PostgreSQL for all of these tests, a fleet for each, and how much is done to it.

The short form runs with all other tests; `make faults` runs the long one (`GOUJI_FAULTS=long`).
"""

import asyncio
import os
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import asyncpg
import pytest
import sqlalchemy as sa
from crowd import Crowd, Match
from fleet import Fleet
from verdict import Logs, judge

from gouji.fleet.postgres import Postgres
from gouji.fleet.process import Process
from gouji.serving.auth import tokens_for
from gouji.serving.clock import SystemClock
from gouji.serving.database import Database
from gouji.serving.errors import StorageUnavailable
from gouji.serving.schema import table_servers, tables
from gouji.serving.settings import Settings
from gouji.serving.vault import Vault, vault_for

LONG = os.environ.get("GOUJI_FAULTS") == "long"


@dataclass(frozen=True)
class Size:
    """How much is done in one form; times are in seconds.

    ``slack`` is how many times over a bound a run may be that shares its machine with others.
    """

    tables: int
    kills: int
    between: tuple[float, float]
    match: Match
    slack: float


@pytest.fixture
def size() -> Size:
    """The short form, or the long one."""
    if LONG:
        return Size(200, 200, (2.0, 6.0), Match(hands=1, pace_ms=800, people=1, turn_ms=30_000), slack=1)
    return Size(9, 10, (2.5, 5.0), Match(hands=1, pace_ms=60, people=2), slack=5)


@pytest.fixture(scope="session")
def cluster() -> Iterator[Postgres]:
    """A PostgreSQL that is nobody else's."""
    made = Postgres()
    made.start()
    yield made
    made.close()


@dataclass
class Scene:
    """A fleet at work on an empty database, and a crowd that plays."""

    fleet: Fleet
    database: Database
    vault: Vault
    crowd: Crowd

    async def playing(self) -> None:
        """Wait until all three servers have tables."""
        async with asyncio.timeout(60):
            while True:
                with suppress(StorageUnavailable):
                    if all([await self.tables_of(server) for server in self.fleet.servers]):
                        return
                await asyncio.sleep(0.1)

    async def tables_of(self, server: Process) -> list[str]:
        """List the live tables of a server, by the database."""
        query = sa.select(tables.c.table_id).join_from(
            tables, table_servers, tables.c.owner == table_servers.c.server_id
        )
        alive = table_servers.c.expires_at > self.database.now()
        query = query.where(table_servers.c.address == server.address, tables.c.state == "live", alive)
        async with self.database.connect() as connection:
            return list(await connection.scalars(query))

    async def judged(self) -> Logs:
        """Have all that was played judged; returns the logs."""
        logs, wrong = await judge(self.database, self.vault, self.crowd)
        assert not wrong, "\n".join(wrong)
        return logs


Stage = Callable[..., Any]


@pytest.fixture
def stage(cluster: Postgres, size: Size, tmp_path: Path) -> Stage:
    """Sets a scene: `async with stage() as scene`; matches go on until `scene.crowd.enough` is set."""

    @asynccontextmanager
    async def set_up(match: Match | None = None, **environment: str) -> AsyncIterator[Scene]:
        await _clear(cluster.url)
        settings = Settings(database_url=cluster.url, data_directory=tmp_path)
        tokens = tokens_for(settings, SystemClock())
        database = Database(cluster.url)
        await database.upgrade()
        # Each server is full with a third of the new tables, so that all have some, and has room for the others'.
        share = -(-size.tables // 3)
        room = {"GOUJI_TABLE_CAPACITY": str(10 * share), "GOUJI_TABLE_KEPT_PERCENT": "90"}
        fleet = Fleet(cluster.url, tmp_path, {"GOUJI_HEARTBEAT_SECONDS": "1", **room, **environment})
        try:
            await fleet.start()
            yield Scene(fleet, database, vault_for(settings), Crowd(fleet.hub.address, tokens, match or size.match))
        finally:
            fleet.close()
            await database.close()

    return set_up


async def _clear(url: str) -> None:
    connection = await asyncpg.connect(url)
    try:
        await connection.execute("DROP SCHEMA public CASCADE; CREATE SCHEMA public")
    finally:
        await connection.close()
