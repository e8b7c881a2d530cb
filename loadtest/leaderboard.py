"""How long a rank with its neighbours, and a page of a leaderboard, take among a million players on PostgreSQL.

    .venv/bin/python loadtest/leaderboard.py

Makes a database of its own with a season's boards of points and of ratings, starts a scoring server there, and asks it
over gRPC, one question after the other: with nothing else going on, while another process records matches, and when
the season is in the archive. It compares ranks with counts of the table itself on the way. Exits with 1 when one was
wrong, or when the 99th percentile of a rank with its neighbours was above `--target`.
"""

import argparse
import asyncio
import hashlib
import random
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import grpc
import sqlalchemy as sa
from report import Times

from gouji.fleet.postgres import fresh_database
from gouji.fleet.process import Process, environment_of, free_port
from gouji.scoring.board_store import Boards
from gouji.scoring.boards import ALL, WIDTHS, Board, Counted, Kind
from gouji.scoring.season_store import Seasons
from gouji.scoring.seasons import Schedule
from gouji.scoring.standing_store import Standings
from gouji.serving.auth import tokens_for
from gouji.serving.clock import SystemClock, microseconds
from gouji.serving.database import Database
from gouji.serving.pages import Place
from gouji.serving.schema import board_entries, boards, seasons
from gouji.serving.settings import Settings
from gouji.v1.leaderboard_pb2 import (
    LEADERBOARD_KIND_POINTS,
    LEADERBOARD_KIND_RATING,
    GetLeaderboardRequest,
    GetRankRequest,
    Leaderboard,
)
from gouji.v1.leaderboard_pb2_grpc import LeaderboardServiceStub

NEIGHBOURS, PAGE, CHECKED = 5, 100, 50
MONTHLY = Schedule.parse("monthly")

FILL = (
    """INSERT INTO players (player_id, name, created_at)
       SELECT md5(n::text), 'Player ' || n, 0 FROM generate_series(1, {players}) n""",
    """INSERT INTO boards (kind, season_id, preset, region)
       VALUES ('points', '{season}', '', ''), ('rating', '{season}', 'standard', '')""",
    """INSERT INTO board_entries (board_id, player_id, score, matches, listed)
       SELECT board_id, player_id, CASE kind WHEN 'points' THEN 400 * drawn ELSE 1500 + 600 * drawn END, 10, TRUE
       FROM (SELECT boards.*, players.player_id, sqrt(-2 * ln(1 - random())) * cos(2 * pi() * random()) AS drawn
             FROM boards, players) AS all_of_them""",
    *(
        f"""INSERT INTO board_counts (board_id, width, low, players)
            SELECT board_id, {width}, score & -{width}, count(*) FROM board_entries GROUP BY 1, 3"""
        for width in WIDTHS
    ),
    "ANALYZE",
)
"""Scores as hundreds of matches of a few points spread them, and as ratings are spread."""

Ask = Callable[[], Awaitable[float]]
"""Asks something; returns how many seconds the answer took."""


def player(number: int) -> str:
    """Name a player as `FILL` does."""
    return hashlib.md5(str(number).encode(), usedforsecurity=False).hexdigest()


async def fill(database: Database, players: int) -> str:
    """Make this month's season, boards, players and counts; returns the season's id."""
    await database.upgrade()
    now = microseconds(SystemClock().now())
    await Seasons(database, MONTHLY).begin(now)
    async with database.begin() as connection:
        season = str(await connection.scalar(sa.select(seasons.c.season_id)))
        for statement in FILL:
            await connection.execute(sa.text(statement.format(players=players, season=season)))
    return season


async def record(url: str, players: int, rate: float) -> None:
    """Put matches on the boards for ever, so many a second."""
    database, chance = Database(url), random.Random()
    to = Boards(database, MONTHLY)
    while True:
        began = time.monotonic()
        six = [player(number) for number in chance.sample(range(1, players + 1), 6)]
        match = Counted(microseconds(SystemClock().now()), "standard", "eu")
        async with database.begin() as connection:
            points = {one: chance.randint(-6, 6) for one in six}
            await to.count(connection, match, points, {one: chance.randint(0, 3000) for one in six})
        await asyncio.sleep(max(1 / rate - (time.monotonic() - began), 0))


@asynccontextmanager
async def recording(url: str, options: argparse.Namespace) -> AsyncIterator[None]:
    """Have another process record matches."""
    command = [__file__, "--record", url, "--players", str(options.players), "--rate", str(options.rate)]
    process = await asyncio.create_subprocess_exec(sys.executable, *command)
    try:
        yield
        if process.returncode is not None:
            raise SystemExit("the process that records matches has ended")
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


class Questions:
    """What a scoring server is asked about one board."""

    def __init__(self, stub: Any, how: Any, board: Leaderboard, players: int) -> None:
        self._stub = stub
        self._how = how
        self._board = board
        self._players = players
        self._chance = random.Random(7)

    async def rank(self) -> float:
        """Ask for somebody's rank, and its neighbours."""
        somebody = player(self._chance.randint(1, self._players))
        request = GetRankRequest(board=self._board, player_id=somebody, neighbours=NEIGHBOURS)
        began = time.perf_counter()
        answer = await self._stub.GetRank(request, **self._how)
        taken = time.perf_counter() - began
        if not answer.row.rank:
            raise SystemExit(f"{somebody} has no rank")
        return taken

    async def first_page(self) -> float:
        """Ask for the best."""
        return await self._page("")

    async def page_from_anywhere(self) -> float:
        """Ask for those after somebody."""
        somebody = player(self._chance.randint(1, self._players))
        answer = await self._stub.GetRank(GetRankRequest(board=self._board, player_id=somebody), **self._how)
        return await self._page(Place(answer.row.score, somebody).token())

    async def _page(self, token: str) -> float:
        request = GetLeaderboardRequest(board=self._board, page_size=PAGE, page_token=token)
        began = time.perf_counter()
        await self._stub.GetLeaderboard(request, **self._how)
        return time.perf_counter() - began

    async def measure(self, number: int) -> dict[str, Times]:
        """Ask each question so many times."""
        asks: dict[str, Ask] = {
            f"rank and {NEIGHBOURS} neighbours on each side": self.rank,
            f"first page of {PAGE}": self.first_page,
            f"page of {PAGE} from anywhere": self.page_from_anywhere,
        }
        return {name: Times.of([await ask() for _ in range(number)]) for name, ask in asks.items()}


async def wrong_ranks(database: Database, season: str, players: int) -> int:
    """Count how many of some players' ranks are not what a count of the whole table says; nothing may be recorded."""
    board, chance, wrong = Board(Kind.POINTS, season, ALL, ALL), random.Random(3), 0
    mine, named = board_entries.c, boards.c
    which = sa.select(named.board_id).where(named.kind == board.kind, named.season_id == season)
    board_id = which.where(named.preset == ALL, named.region == ALL).scalar_subquery()
    for _ in range(CHECKED):
        found = await Standings(database).around(board, player(chance.randint(1, players)), 0)
        [one] = found.standings
        ahead = sa.select(sa.func.count()).where(mine.board_id == board_id, mine.listed, mine.score > one.score)
        async with database.connect() as connection:
            wrong += one.rank != 1 + int(await connection.scalar(ahead) or 0)
    return wrong


async def archive(database: Database, season: str) -> list[float]:
    """Make the season final and archive its boards; returns how many seconds each took."""
    to = Boards(database, MONTHLY)
    async with database.begin() as connection:
        await connection.execute(sa.update(seasons).where(seasons.c.season_id == season).values(final_at=1))
    taken = []
    for board_id in await to.due():
        began = time.monotonic()
        await to.archive(board_id)
        taken.append(time.monotonic() - began)
    return taken


@asynccontextmanager
async def scoring(url: str) -> AsyncIterator[tuple[Any, Any]]:
    """Run a scoring server; gives a stub, and how to call it."""
    with tempfile.TemporaryDirectory() as folder:
        port, kept = free_port(), Path(folder)
        process = Process("scoring", ("scoring",), port, environment_of(url, kept, port), kept / "scoring.log")
        process.start()
        try:
            await process.ready()
            token = tokens_for(Settings(database_url=url, data_directory=kept), SystemClock()).mint_operator("load")
            async with grpc.aio.insecure_channel(process.address) as channel:
                how = {"metadata": (("authorization", f"Bearer {token}"),), "timeout": 60}
                yield LeaderboardServiceStub(channel), how
        finally:
            process.kill()


async def ask(state: str, about: Sequence[Questions], number: int) -> float:
    """Ask about both boards, and print what it took; returns the 99th percentile of ranks in ms, the worse one."""
    slowest = 0.0
    for one, name in zip(about, ("points", "ratings"), strict=True):
        await one.measure(20)  # warms up
        found = await one.measure(number)
        for what, times in found.items():
            print(f"{state}, {name}, {what}: {times}")
        slowest = max(slowest, next(iter(found.values())).p99)
    return slowest


async def measure(database: Database, url: str, options: argparse.Namespace) -> bool:
    """Ask in all states; returns whether all is well."""
    season = await fill(database, options.players)
    print(f"{options.players} players on each of two boards")
    named = (
        Leaderboard(kind=LEADERBOARD_KIND_POINTS, season=season),
        Leaderboard(kind=LEADERBOARD_KIND_RATING, season=season, preset="standard"),
    )
    async with scoring(url) as (stub, how):
        about = [Questions(stub, how, board, options.players) for board in named]
        slowest = [await ask("idle", about, options.number)]
        async with recording(url, options):
            slowest.append(await ask(f"{options.rate:g} matches a second", about, options.number))
        wrong = await wrong_ranks(database, season, options.players)
        print(f"{wrong} of {CHECKED} ranks are not what a count of the table says")
        print(f"a board is archived within {max(await archive(database, season)):.1f} s")
        slowest.append(await ask("archived", about, options.number))
    return wrong == 0 and max(slowest) <= options.target


async def run(options: argparse.Namespace) -> bool:
    """Do all of it."""
    async with fresh_database(options.postgres) as url:
        database = Database(url)
        try:
            return await measure(database, url, options)
        finally:
            await database.close()


def main(arguments: Sequence[str] | None = None) -> int:
    """Read the options and run; returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--postgres", default="postgresql://postgres@127.0.0.1:5432/postgres", help="a superuser's URL")
    parser.add_argument("--players", type=int, default=1_000_000, help="players on each board (1000000)")
    parser.add_argument("--number", type=int, default=1000, help="times that each question is asked (1000)")
    parser.add_argument("--rate", type=float, default=20, help="matches a second that are recorded meanwhile (20)")
    parser.add_argument("--target", type=float, default=10, help="ms for a rank with its neighbours, at p99 (10)")
    parser.add_argument("--record", metavar="URL", help="record matches in this database, and do nothing else")
    options = parser.parse_args(arguments)
    if options.record:
        asyncio.run(record(options.record, options.players, options.rate))
    return 0 if asyncio.run(run(options)) else 1


if __name__ == "__main__":
    sys.exit(main())
