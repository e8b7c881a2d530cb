"""Load on one table server: commands at people's pace, or bots that take no time.

    .venv/bin/python loadtest/tables.py pace --tables 1000 --database-url postgresql
    .venv/bin/python loadtest/tables.py bots --tables 100

Starts its servers by itself: one with tables and bots on the first core, one with gateway, matchmaking and scoring on
the second core, beside the load generator and, for `postgresql`, a PostgreSQL of its own. Exits with 1 when a run is
void, and when commands failed or were not shown.
"""

import asyncio
import math
import os
import random
import sys
import tempfile
import time
import uuid
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer
from plan import Game, ahead, mix, write_plan
from report import Memory, Outcome, read_records
from usage import Usage, counted, resident

from gouji.client import Credentials, Session
from gouji.fleet.postgres import Postgres
from gouji.fleet.process import Process, environment_of, free_port
from gouji.serving.auth import Tokens, tokens_for
from gouji.serving.clock import SystemClock
from gouji.serving.database import Database
from gouji.serving.settings import Settings
from gouji.serving.vault import vault_for
from gouji.table.capacity import Room
from gouji.table.ownership import Ownership
from gouji.table.store import Store
from gouji.v1 import matchmaking_pb2_grpc
from gouji.v1.events_pb2 import Seat
from gouji.v1.matchmaking_pb2 import PlaceTableRequest
from gouji.v1.rules_pb2 import Clock, MatchLength, RuleSet

WATCHERS = Path(__file__).with_name("watchers")
HOUR_MS = 3_600_000
SERVER_CORE, OTHER_CORE = 0, min(1, (os.cpu_count() or 1) - 1)
AT_ONCE = 32
"""Tables placed at a time."""
TAKEN_AT_ONCE = 200
"""Tables played ahead and written at a time."""
HANDS = 32
"""Hands a match: more than are played."""
OURSELVES = "load"
"""Who has the tables before the server may take them."""

app = typer.Typer(no_args_is_help=True, add_completion=False)

DatabaseOption = Annotated[
    str,
    typer.Option("--database-url", help="`sqlite`, `postgresql`, each made for the run, or the URL of an empty one."),
]
TablesOption = Annotated[int, typer.Option(min=1, help="Tables at once.")]
SecondsOption = Annotated[float, typer.Option(min=1, help="For how long it is measured.")]
SettingOption = Annotated[
    list[str],
    typer.Option(
        "--setting", default_factory=list, help="Of the table server, as `commit_interval_ms=10`; may be repeated."
    ),
]
WarmupOption = Annotated[float, typer.Option(min=0, help="For how long it runs before that, in seconds.")]


@dataclass(frozen=True)
class Stage:
    """The servers, and the keys to them."""

    database_kind: str
    folder: Path
    hub: Process
    tables: Process
    tokens: Tokens
    store: Store
    ownership: Ownership

    async def begin(self) -> int:
        """Start the table server; return the memory that it takes without tables, in bytes."""
        self.tables.start()
        await self.tables.ready()
        return resident(self.tables.pid)

    def usage(self, generator: int | None = None) -> Usage:
        """Read what has been used so far."""
        return Usage.now(self.tables.pid, self._metrics_port, generator, OTHER_CORE)

    async def has(self, tables: int) -> None:
        """Wait until the table server has so many tables."""
        while counted(self._metrics_port)["gouji_tables_live"] < tables:  # noqa: ASYNC110 - a page has no event
            await asyncio.sleep(0.5)

    @property
    def _metrics_port(self) -> int:
        return int(next(line for line in self.tables.lines() if line["event"] == "ready")["metrics_port"])


@asynccontextmanager
async def database_for(asked: str, folder: Path) -> AsyncIterator[str]:
    """Make the database that is asked for; a PostgreSQL of its own ends with the block."""
    if asked == "sqlite":
        yield f"sqlite:///{folder}/load.sqlite"
    elif asked == "postgresql":
        cluster = Postgres()
        try:
            cluster.start()
            yield cluster.url
        finally:
            cluster.close()
    else:
        yield asked


@asynccontextmanager
async def stage(asked: str, tables: int, changed: Sequence[str]) -> AsyncIterator[Stage]:
    """Set up servers with room for so many tables on the database asked for; all ends with the block.

    The table server is not started yet.
    """
    with tempfile.TemporaryDirectory(prefix="gouji-load-") as name:
        folder = Path(name)
        async with database_for(asked, folder) as url:
            settings = Settings(database_url=url, data_directory=folder)
            database = Database(url)
            hub_port, port = free_port(), free_port()
            common = environment_of(url, folder, hub_port)
            own = {
                **common,
                "GOUJI_METRICS_PORT": "0",
                "GOUJI_TABLE_CAPACITY": str(tables),
                "GOUJI_TABLE_KEPT_PERCENT": "0",
            }
            own |= {f"GOUJI_{name.upper()}": value for name, _, value in (one.partition("=") for one in changed)}
            hub = Process("hub", ("gateway", "matchmaking", "scoring", "bot"), hub_port, common, folder / "hub.log")
            server = Process("table", ("table", "bot"), port, own, folder / "table.log", core=SERVER_CORE)
            try:
                await database.upgrade()
                hub.start()
                await hub.ready()
                tokens = tokens_for(settings, SystemClock())
                store, ownership = Store(database, vault_for(settings)), Ownership(database)
                yield Stage(database.dialect, folder, hub, server, tokens, store, ownership)
            finally:
                hub.kill()
                server.kill()
                await database.close()


async def place(at: Stage, tables: int, clock: Clock, seats: Sequence[Seat] | None = None) -> None:
    """Place tables, of six people of their own each or of these ``seats``."""
    run, room = uuid.uuid4().hex[:8], asyncio.Semaphore(AT_ONCE)
    async with Session(at.hub.address, Credentials(at.tokens.mint_operator("load"))) as session:
        stub = matchmaking_pb2_grpc.MatchmakingServiceStub(session.channel())

        async def one(number: int) -> None:
            request = PlaceTableRequest(
                request_id=f"{run}-{number}",
                rules=RuleSet(preset="standard"),
                length=MatchLength(hands=HANDS),
                clock=clock,
                seats=seats or [Seat(player_id=name, name=name) for name in players(run, number)],
            )
            async with room:
                await session.call(stub.PlaceTable, request)

        await asyncio.gather(*map(one, range(tables)))


def players(run: str, table: int) -> list[str]:
    """Name the six people of a table."""
    return [f"{run}-{table}-{seat}" for seat in range(6)]


async def play_ahead(at: Stage, pace: "Pace") -> list[Game]:
    """Play all tables ahead, each to another point of its hand; return what is played there from now on."""
    chance, games = random.Random(0), []
    while taken := await at.ownership.take_assigned(OURSELVES, TAKEN_AT_ONCE):
        steps = []
        for owned in taken:
            actions, now = chance.randint(0, pace.ahead), time.time_ns() // 1000
            table = ahead(owned, actions, pace.level, now, round(pace.period * 1_000_000))
            steps.append(table.step())
            games.append(table.game(pace.moves))
        await at.store.commit(steps)
    return games


@dataclass(frozen=True)
class Pace:
    """How it is played: a command every ``period`` seconds a table, measured after ``warmup`` for ``seconds``."""

    tables: int
    period: float
    warmup: float
    seconds: float
    ahead: int
    answers_ms: int
    level: str
    streams: int

    @property
    def moves(self) -> int:
        """Commands that a table is sent at most."""
        return math.ceil((self.warmup + self.seconds) / self.period) + 1

    @property
    def clock(self) -> Clock:
        """A clock that decides for nobody, and sends nobody away, before the run is over."""
        settings = Settings()
        return Clock(
            turn_ms=HOUR_MS,
            bank_ms=settings.bank_ms,
            answers_least_ms=self.answers_ms or settings.answers_least_ms,
            answers_most_ms=self.answers_ms or settings.answers_most_ms,
            allowance_ms=settings.allowance_ms,
            expiries=1000,
            absent_ms=HOUR_MS,
            contributions_ms=1,
        )


async def run_pace(database: str, pace: Pace, changed: Sequence[str]) -> Outcome:
    """Do one run at people's pace."""
    async with stage(database, pace.tables, changed) as at:
        await at.ownership.register(OURSELVES, "127.0.0.1:0", Room(pace.tables, pace.tables), HOUR_MS / 1000)
        await place(at, pace.tables, pace.clock)
        played = await play_ahead(at, pace)
        say(f"{pace.tables} tables placed and played ahead")
        before = await at.begin()
        await at.ownership.release(OURSELVES)
        await at.has(pace.tables)
        placed = resident(at.tables.pid)
        plan, records = at.folder / "plan", at.folder / "records"
        with plan.open("w") as out:
            write_plan(played, at.tokens, pace.period, out)
        say(f"the server has them; {6 * pace.tables} watches to open")
        arguments = [at.tables.address, plan, records, pace.period * 1000, pace.warmup + pace.seconds, pace.streams]
        generator = await asyncio.create_subprocess_exec(
            WATCHERS, *map(str, arguments), stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE
        )
        try:
            first, last, watched, told = await _measure(at, generator, pace)
        except BaseException:
            generator.kill()
            raise
        finally:
            await generator.wait()
        messages, _, broken = map(int, told)
        return Outcome(
            database=at.database_kind,
            tables=pace.tables,
            seconds=pace.seconds,
            records=read_records(records, pace.warmup, pace.warmup + pace.seconds),
            load=first.until(last),
            memory=Memory(before, placed, watched),
            actions=mix(played),
            messages=messages,
            broken=broken,
        )


async def _measure(
    at: Stage, generator: asyncio.subprocess.Process, pace: Pace
) -> tuple[Usage, Usage, int, Sequence[str]]:
    """Have the generator play; return the usage at both ends, the memory in between, and its last words."""
    if generator.stdin is None or generator.stdout is None:
        raise TypeError("the load generator has no pipes")
    if await generator.stdout.readline() != b"ready\n":
        raise SystemExit("the watches could not be opened")
    say("all watches are open")
    generator.stdin.write(b"go\n")
    began = time.monotonic()
    await asyncio.sleep(pace.warmup)
    first, watched = at.usage(generator.pid), resident(at.tables.pid)
    await asyncio.sleep(began + pace.warmup + pace.seconds - time.monotonic())
    last = at.usage(generator.pid)
    name, *told = (await generator.stdout.readline()).decode().split()
    if name != "done":
        raise SystemExit("the load generator failed")
    return first, last, watched, told


@app.command("pace")
def pace_command(
    *,
    tables: TablesOption = 100,
    database_url: DatabaseOption = "sqlite",
    seconds: SecondsOption = 60,
    warmup: WarmupOption = 20,
    period: Annotated[float, typer.Option(min=0.1, help="Seconds from a table's command to its next.")] = 4,
    ahead: Annotated[int, typer.Option(min=0, help="Most actions that a table has behind it; evenly from 0.")] = 140,
    answers_ms: Annotated[int, typer.Option(min=0, help="Time for private questions; 0 for the usual one.")] = 0,
    level: Annotated[str, typer.Option(help="Bots by whose choice the people play.")] = "greedy",
    streams: Annotated[int, typer.Option(min=1, help="Most watches that share a connection.")] = 1000,
    setting: SettingOption,
) -> None:
    """Play at people's pace, six watches a table, and print how soon all six see each move."""
    if not WATCHERS.exists():
        raise SystemExit("there is no load generator: `make watchers` builds it (it needs libgrpc++-dev)")
    pace = Pace(tables, period, warmup, seconds, ahead, answers_ms, level, streams)
    outcome = asyncio.run(run_pace(database_url, pace, setting))
    print(outcome.text())
    print(outcome.json(), flush=True)
    raise typer.Exit(1 if outcome.void or outcome.failures or outcome.unseen else 0)


async def run_bots(
    database: str, tables: int, warmup: float, seconds: float, *, level: str, changed: Sequence[str]
) -> str:
    """Let bots play as fast as they can; tell what was written."""
    async with stage(database, tables, changed) as at:
        clock = Clock(answers_least_ms=1, answers_most_ms=1)
        await place(at, tables, clock, [Seat(bot_level=level)] * 6)
        await at.begin()
        await at.has(tables)
        await asyncio.sleep(warmup)
        first = at.usage()
        await asyncio.sleep(seconds)
        load = first.until(at.usage())
    each = load.events / load.commits if load.commits else 0.0
    return (
        f"{tables} tables of {level} bots without pace on {at.database_kind}: {load.events:.0f} events a second in "
        f"{load.commits:.0f} commits of {each:.1f}, {load.commit_seconds * 1000:.1f} ms each; server's core "
        f"{load.server_cpu:.0%}, the other {load.other_core:.0%}"
    )


@app.command("bots")
def bots_command(
    *,
    tables: TablesOption = 100,
    database_url: DatabaseOption = "sqlite",
    seconds: SecondsOption = 30,
    warmup: WarmupOption = 10,
    level: Annotated[str, typer.Option(help="Level of the bots.")] = "random",
    setting: SettingOption,
) -> None:
    """Let bots play without pace, and print how many events a second are committed."""
    print(asyncio.run(run_bots(database_url, tables, warmup, seconds, level=level, changed=setting)))


def say(progress: str) -> None:
    """Tell how far it is, beside the figures."""
    print(progress, file=sys.stderr, flush=True)


def main() -> None:
    """Leave the first core to the server, where there are two, and run."""
    os.sched_setaffinity(0, {OTHER_CORE})  # all that is started from here stays there, too
    app()


if __name__ == "__main__":
    main()
