"""Corrected results reach the standings: of an event that goes on, and of one that is over."""

import asyncio
from typing import Any

import sqlalchemy as sa

from gouji.scoring.intake import Intake, Ruling
from gouji.scoring.seasons import Schedule
from gouji.serving.schema import tournaments
from gouji.v1 import tournament_log_pb2
from gouji.v1.scoring_pb2 import HandResult

OVER = tournament_log_pb2.TOURNAMENT_STAGE_OVER


def first_wins(request: str) -> tuple[int, int]:
    """Have the even side win at the first pairing, and lose at the other."""
    return (2, 0) if request.endswith("/1") else (0, 2)


def outcome(*teams: int) -> HandResult:
    return HandResult(order=[5, 4, 3, 2, 1, 0], scores=[0] * 6, team_scores=teams)


async def correct(running: Any, request: str, revision: int, result: HandResult) -> None:
    """Correct the result of the table that came from a request, as scoring does for a director."""
    table_id = (await running.tables.all())[request].table_id
    intake = Intake(running.app.database, Schedule.parse("monthly"))
    await intake.correct(Ruling(table_id, 1, revision, result, "the order was read wrongly", "dora"))


async def scores(running: Any, number: int = 1) -> list[tuple[int, int]]:
    """What the even and the odd side have at both tables of the first board."""
    pairings = (await running.director.call("ListPairings", tournament_id="spring", round=number)).pairings
    return [(pairing.boards[0].score.even_score, pairing.boards[0].score.odd_score) for pairing in pairings]


async def standings(running: Any) -> dict[int, int]:
    rows = (await running.director.call("GetStandings", tournament_id="spring")).standings
    assert [row.rank for row in rows] == list(range(1, 13))
    assert [row.score for row in rows] == sorted((row.score for row in rows), reverse=True)
    return {row.entrant: row.score for row in rows}


async def come(running: Any, made: list[tuple[int, int]]) -> None:
    """Ask until the first round brought this, and, if the event is over, nothing more comes by itself."""
    over = (await running.event()).stage == OVER
    done = sa.select(tournaments.c.done)
    async with asyncio.timeout(20):
        while await scores(running) != made or (over and not await read(running, done)):  # noqa: ASYNC110 - no event
            await asyncio.sleep(0.01)


async def read(running: Any, query: sa.Select[Any]) -> Any:
    async with running.app.database.connect() as connection:
        return await connection.scalar(query)


async def test_a_corrected_result_changes_the_standings_of_an_event_that_is_over(running: Any) -> None:
    await running.begin(rounds=1, boards=1)
    await running.come(lambda event: event.played and event.played[0].placed == 2)
    await running.tables.end(first_wins)
    await running.come(lambda event: event.stage == OVER)
    before = await standings(running)
    assert await scores(running) == [(10_000, 0), (0, 10_000)]
    await correct(running, "tournament/spring/1/1/2", 1, outcome(4, 0))
    await come(running, [(0, 10_000), (10_000, 0)])
    assert await standings(running) == {entrant: 10_000 - score for entrant, score in before.items()}
    await correct(running, "tournament/spring/1/1/2", 2, HandResult(voided=True))
    await come(running, [(5_000, 5_000), (5_000, 5_000)])
    ended = [entry.tables_ended for entry in await running.director.entries() if entry.HasField("tables_ended")]
    assert [[table.corrected for table in entry.tables] for entry in ended][-2:] == [[True], [True]]


async def test_a_table_that_is_given_up_has_no_result_and_the_others_are_not_compared_with_it(running: Any) -> None:
    await running.begin(bots=18, rounds=1, boards=1)
    await running.come(lambda event: event.played and event.played[0].placed == 3)
    made = {"1": (2, 0), "2": (0, 2), "3": None}
    await running.tables.end(lambda request: made[request[-1]])
    await running.come(lambda event: event.stage == OVER)
    assert await scores(running) == [(10_000, 0), (0, 10_000), (5_000, 5_000)]
    await correct(running, "tournament/spring/1/1/1", 1, HandResult(voided=True))
    await come(running, [(5_000, 5_000)] * 3)


async def test_what_is_corrected_meanwhile_counts_from_then_on_and_a_ruling_stands(running: Any) -> None:
    await running.begin(rounds=2, boards=1)
    await running.come(lambda event: event.played and event.played[0].placed == 2)
    command = {"tournament_id": "spring", "reason": "seen by all", "command_id": "r1", "round": 1, "board": 1}
    await running.tables.end(first_wins)
    await running.come(lambda event: len(event.played) == 2 and event.played[1].placed == 2)
    await correct(running, "tournament/spring/1/1/1", 1, outcome(0, 6))
    await come(running, [(0, 10_000), (10_000, 0)])
    await running.director.call("RuleTable", pairing=1, even_score=7000, odd_score=3000, **command)
    await correct(running, "tournament/spring/1/1/1", 2, outcome(9, 0))
    await running.tables.end(first_wins)
    await running.come(lambda event: event.stage == OVER)
    assert await scores(running) == [(7000, 3000), (5000, 5000)]
