"""`gouji leaderboard` and `gouji history` against a server in this process."""

import asyncio
import json
import os
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from gouji.scoring.board_store import Boards
from gouji.scoring.boards import Counted
from gouji.scoring.ledger import SeatSum
from gouji.scoring.seasons import Schedule
from gouji.scoring.service import bind
from gouji.serving.app import App
from gouji.serving.schema import match_results, match_seats, players
from gouji.serving.settings import Settings
from gouji.serving.testing import running_app

NOVEMBER = 1_793_491_200_000_000  # 2026-11-01


@pytest.fixture
async def app(sqlite_settings: Settings) -> AsyncIterator[App]:
    """Scoring, with one match that Ann won against Bob."""
    async with running_app(sqlite_settings, {"scoring": bind}) as running:
        boards = Boards(running.database, Schedule.parse("monthly"))
        counted = Counted(NOVEMBER, "standard", "eu")
        match = {"table_id": "t1", "preset": "standard", "queue": "eu/quick", "region": "eu", "began_at": NOVEMBER}
        counts = {"hands": 1, "recorded": 1, "hands_in_all": 1, "even_points": 4, "odd_points": -4, "voided": False}
        async with running.database.begin() as connection:
            await connection.execute(players.insert().values(player_id="ann", name="Ann", created_at=0))
            await boards.add(connection, counted, {"ann": 4, "bob": -4})
            await boards.rate(connection, counted, {"ann": 1234, "bob": None})
            await connection.execute(match_results.insert().values(**match, **counts, ended_at=NOVEMBER))
            for seat, (who, points) in enumerate((("ann", 4), ("bob", -4))):
                held = {"table_id": "t1", "seat": seat, "player_id": who, "ended_at": NOVEMBER}
                made = SeatSum(points=points, hands=1, p1=1, openings=1, burns_tried=2, burns_won=1)
                await connection.execute(match_seats.insert().values(**held, **made._asdict()))
        yield running


async def gouji(app: App, *arguments: str) -> tuple[int | None, str, str]:
    """Run the command to its end."""
    assert app.settings.service_key
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GOUJI_")}
    own = {
        "GOUJI_DATA_DIRECTORY": str(app.settings.data_directory),
        "GOUJI_SERVICE_KEY": app.settings.service_key.get_secret_value(),
        "GOUJI_SCORING_ADDRESS": app.address,
    }
    program, pipe = Path(sys.executable).with_name("gouji"), asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(program, *arguments, env=kept | own, stdout=pipe, stderr=pipe)
    out, err = await process.communicate()
    return process.returncode, out.decode(), err.decode()


async def test_an_operator_sees_leaderboards_ranks_and_seasons(app: App) -> None:
    answers = await asyncio.gather(
        gouji(app, "leaderboard", "--season", "2026-11"),
        gouji(app, "leaderboard", "--rating", "--preset", "standard", "--around", "ann"),
        gouji(app, "leaderboard", "--list-seasons", "--json"),
        gouji(app, "leaderboard", "--season", "1999-01"),
    )
    best, rated, seasons, unknown = answers
    assert [line.split() for line in best[1].splitlines()] == [
        ["1", "4", "1", "matches", "ann", "Ann"],
        ["2", "-4", "1", "matches", "bob"],
    ]
    assert rated[1].split() == ["1", "12.34", "1", "matches", "ann", "Ann"]
    assert "2026-11" in {one["season_id"] for one in json.loads(seasons[1])["seasons"]}
    assert (unknown[0], "unknown_season" in unknown[2]) == (1, True)


async def test_an_operator_sees_what_somebody_has_played(app: App) -> None:
    answers = await asyncio.gather(
        gouji(app, "history", "bob"),
        gouji(app, "history", "bob", "--statistics"),
        gouji(app, "history", "ann", "--beside", "bob"),
    )
    matches, statistics, both = (out for _, out, _ in answers)
    assert matches == "t1  2026-11-01T00:00:00Z  standard  eu/quick  lost  -4 points\n"
    assert statistics.splitlines() == [
        "standard: 1 matches, 0 won, 0 drawn, 1 lost, -4 points",
        "  places 1 0 0 0 0 0 of 1 hands, 1.00 on average",
        "  opened in 100%, burns 1 of 2, 0 sweeps",
    ]
    assert both.splitlines() == [
        "in one team: 0 matches, 0 won, 0 drawn, 0 lost, +0 points to +0",
        "against each other: 1 matches, 1 won, 0 drawn, 0 lost, +4 points to -4",
    ]
