"""Tables placed a second over table servers that are processes of their own, and whether one went above its room.

    .venv/bin/python loadtest/placing.py --tables 1800

Makes a database of its own on a PostgreSQL, starts the servers there, has some place tables at once as matchmaking
does, more than there is room for, and removes all again. Exits with 1 when a server had more tables than it has room
for, when one was not taken, or when fewer were placed a second than `--target`.
"""

import argparse
import asyncio
import itertools
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

import sqlalchemy as sa

from gouji.engine import RuleSet
from gouji.fleet.postgres import fresh_database
from gouji.fleet.process import Process, environment_of, free_port
from gouji.matchmaking.matches import Matches
from gouji.matchmaking.placing import Placement
from gouji.matchmaking.queues import Queues
from gouji.serving.database import Database
from gouji.serving.schema import server_loads, table_servers, tables
from gouji.v1.events_pb2 import Seat
from gouji.v1.table_pb2 import TableSpec
from gouji.wire import rules_to_proto

KEPT_PERCENT = 10
LOOK_SECONDS = 0.1
LONGEST_SECONDS = 120
RULES = rules_to_proto(RuleSet.parse("standard"))


@contextmanager
def table_servers_of(url: str, capacity: int, number: int) -> Iterator[None]:
    """Run table servers; nobody sits at their tables, and their clocks stand still."""
    with tempfile.TemporaryDirectory() as folder:
        environment = {
            **environment_of(url, Path(folder), free_port()),
            "GOUJI_TABLE_CAPACITY": str(capacity),
            "GOUJI_TABLE_KEPT_PERCENT": str(KEPT_PERCENT),
            "GOUJI_TURN_MS": "3600000",
            "GOUJI_ABSENT_MS": "0",
        }
        running = [
            Process(f"table{n}", ("table",), free_port(), environment, Path(folder, f"table{n}.log"))
            for n in range(number)
        ]
        try:
            for process in running:
                process.start()
            yield
        finally:
            for process in running:
                process.kill()


def placement(number: int) -> Placement:
    """Make a table of six people whom nobody else has."""
    seats = [Seat(player_id=f"{number}-{seat}", name=f"P{seat}") for seat in range(6)]
    spec = TableSpec(table_id=f"t{number}", rules=RULES, seats=seats)
    spec.length.hands = 1
    return Placement(spec)


class Watch:
    """Looks at the servers while tables are placed."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self.highest: dict[str, int] = {}
        self.live = self.waiting = 0

    async def servers(self) -> dict[str, int]:
        """Read up to how many new tables each server takes."""
        alive = table_servers.c.expires_at > self._database.now()
        query = sa.select(server_loads.c.server_id, server_loads.c.most).where(
            server_loads.c.server_id.in_(sa.select(table_servers.c.server_id).where(alive))
        )
        async with self._database.connect() as connection:
            return {row.server_id: row.most for row in await connection.execute(query)}

    async def look(self) -> None:
        """Count the tables of each server, those that it has yet to take too, in one statement."""
        server = sa.func.coalesce(tables.c.owner, tables.c.assigned)
        query = sa.select(server, tables.c.state, sa.func.count()).group_by(server, tables.c.state)
        async with self._database.connect() as connection:
            rows = (await connection.execute(query)).all()
        self.live = sum(count for _, state, count in rows if state == "live")
        self.waiting = sum(count for name, _, count in rows if name is None)
        for name in {name for name, _, _ in rows if name is not None}:
            count = sum(count for other, _, count in rows if other == name)
            self.highest[name] = max(self.highest.get(name, 0), count)

    async def run(self) -> None:
        """Look for ever."""
        while True:
            await self.look()
            await asyncio.sleep(LOOK_SECONDS)


async def place_all(url: str, options: argparse.Namespace) -> float:
    """Have some place all tables at once, so many in a transaction; returns how long it took."""
    database = Database(url, options.placers)
    store, numbers = Matches(database), iter(range(options.tables))
    [lease] = await Queues(database).hold("placing", ["local/placing"], LONGEST_SECONDS)

    async def placer() -> None:
        while some := list(itertools.islice(numbers, options.batch)):
            await store.claim([placement(number) for number in some], lease, time.time_ns() // 1000, None)

    try:
        began = time.monotonic()
        await asyncio.gather(*(placer() for _ in range(options.placers)))
        return time.monotonic() - began
    finally:
        await database.close()


async def measure(url: str, options: argparse.Namespace) -> bool:
    """Place, watch, and say what came of it; returns whether all is well."""
    database = Database(url)
    await database.upgrade()
    capacity = options.tables // options.servers
    try:
        with table_servers_of(url, capacity, options.servers):
            watch = Watch(database)
            async with asyncio.timeout(LONGEST_SECONDS):
                while len(room := await watch.servers()) < options.servers:  # noqa: ASYNC110 - a row has no event
                    await asyncio.sleep(LOOK_SECONDS)
            watching = asyncio.create_task(watch.run())
            seconds = await place_all(url, options)
            with suppress(TimeoutError):
                async with asyncio.timeout(LONGEST_SECONDS):
                    while watch.live < sum(room.values()):  # noqa: ASYNC110 - a row has no event
                        await asyncio.sleep(LOOK_SECONDS)
            watching.cancel()
            return report(watch, room, seconds, options)
    finally:
        await database.close()


def report(watch: Watch, room: dict[str, int], seconds: float, options: argparse.Namespace) -> bool:
    """Print it; returns whether all is well."""
    rate = options.tables / seconds
    print(f"{options.placers} at once placed {options.tables} tables, {options.batch} in a transaction")
    print(f"{seconds:.2f} s: {rate:.0f} tables a second")
    for server_id, most in sorted(room.items()):
        print(f"{server_id}: at most {watch.highest.get(server_id, 0)} tables, room for {most} new ones")
    print(f"{watch.live} taken, {watch.waiting} wait for room")
    above = any(count > room.get(server_id, 0) for server_id, count in watch.highest.items())
    return not above and watch.live == sum(room.values()) and rate >= options.target


async def run(options: argparse.Namespace) -> bool:
    """Do all of it."""
    async with fresh_database(options.postgres) as url:
        return await measure(url, options)


def main(arguments: Sequence[str] | None = None) -> int:
    """Read the options and run; returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--postgres", default="postgresql://postgres@127.0.0.1:5432/postgres", help="a superuser's URL")
    parser.add_argument("--tables", type=int, default=1800, help="tables to place (1800)")
    parser.add_argument("--servers", type=int, default=3, help="table servers (3)")
    parser.add_argument("--placers", type=int, default=8, help="who place at once (8)")
    parser.add_argument("--batch", type=int, default=50, help="tables in one transaction (50)")
    parser.add_argument("--target", type=float, default=500, help="tables a second to reach (500)")
    return 0 if asyncio.run(run(parser.parse_args(arguments))) else 1


if __name__ == "__main__":
    sys.exit(main())
