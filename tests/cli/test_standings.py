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
from gouji.scoring.intake import Intake, Ruling
from gouji.scoring.ledger import SeatSum
from gouji.scoring.seasons import Schedule
from gouji.scoring.service import bind
from gouji.serving.app import App
from gouji.serving.schema import match_results, match_seats, outbox, players
from gouji.serving.settings import Settings
from gouji.serving.testing import running_app
from gouji.v1.events_pb2 import Seat
from gouji.v1.scoring_pb2 import HandResult

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
            await boards.count(connection, counted, {"ann": 4, "bob": -4}, {"ann": 1234, "bob": None})
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


async def test_an_operator_sees_the_hands_of_a_match_and_what_was_corrected_in_it(app: App) -> None:
    intake = Intake(app.database, Schedule.parse("monthly"))
    for number in (1, 2):
        await record(app, intake, number)
    ruling = HandResult(order=[5, 4, 3, 2, 1, 0], scores=[-4, -2, 0, 0, 2, 4], team_scores=[-2, 2])
    await intake.correct(Ruling("t2", 1, 1, ruling, "the order was read wrongly", "dora"))
    await intake.correct(Ruling("t2", 2, 1, HandResult(voided=True), "a card was missing", "dora"))
    shown, as_json = await asyncio.gather(
        gouji(app, "history", "ann", "--match", "t2"), gouji(app, "history", "ann", "--match", "t2", "--json")
    )
    *hands, first, second = shown[1].splitlines()
    assert hands == ["hand 1  place 6  -4 points  revision 2", "hand 2  void  revision 2"]
    assert first.endswith("hand 1 corrected, revision 2: the order was read wrongly")
    assert second.endswith("hand 2 corrected, revision 2: a card was missing")
    assert [one["revision"] for one in json.loads(as_json[1])["corrections"]] == [2, 2]


async def record(app: App, intake: Intake, number: int) -> None:
    """Bring a hand that Ann won, as a table does."""
    seats = [Seat(player_id="ann"), *(Seat(bot_level="greedy") for _ in range(5))]
    result = HandResult(table_id="t2", hand=number, seats=seats, order=range(6), results=number)
    result.scores.extend([4, 2, 0, 0, -2, -4])
    result.team_scores.extend([2, -2])
    row = {"table_id": "t2", "hand": number, "payload": result.SerializeToString(), "created_at": 0}
    async with app.database.begin() as connection:
        await connection.execute(outbox.insert().values(**row))
    await intake.record(result)
