"""What is taken and what is refused, and what becomes of it when processes die or do the same at once."""

import asyncio
import random
import sys
from pathlib import Path
from typing import Any

import grpc
import pytest
import sqlalchemy as sa

from gouji.scoring.intake import Intake
from gouji.scoring.recompute import Compared, differences
from gouji.scoring.seasons import Schedule
from gouji.serving.app import App
from gouji.serving.database import Database
from gouji.serving.schema import (
    hand_results,
    match_results,
    outbox,
    player_points,
    rated_matches,
    rating_changes,
    tables,
)
from gouji.serving.vault import vault_for
from gouji.table.store import Step, Store
from gouji.v1.scoring_pb2 import HandResult

from .desk import SIX, Desk, hand, last, refusal

SENDERS = Path(__file__).with_name("senders.py")
STATEMENTS = 80
"""More than recording the hands of a match takes."""

UNKNOWN = grpc.StatusCode.NOT_FOUND


async def test_a_forged_call_is_refused_though_it_comes_from_a_service(desk: Desk) -> None:
    await desk.write(hand("t2"))
    for forged in (hand("t1"), hand("t2", number=2), hand("t2", scores=(40, 2, 0, 0, -2, -4))):
        async with refusal("unknown_result", UNKNOWN):
            await desk.send(forged)
    assert await desk.count(hand_results, match_results, player_points) == [0, 0, 0]
    assert await desk.send(hand("t2")) is False


def step(fence: int, result: HandResult) -> Step:
    return Step(table_id=result.table_id, fence=fence, at=0, results=[result])


async def test_a_server_that_lost_its_table_gets_no_hand_recorded(app: App, desk: Desk) -> None:
    async with app.database.begin() as connection:
        row = {"table_id": "t1", "spec": b"", "state": "live", "owner": "new", "fence": 2, "created_at": 0}
        await connection.execute(sa.insert(tables).values(**row))
    ghosts, owners = last(scores=(9, 9, 0, 0, -9, -9)), last()
    log = Store(app.database, vault_for(app.settings))
    assert await log.commit([step(1, ghosts)]) == {"t1": 2}
    assert await desk.count(outbox) == [0]
    async with refusal("unknown_result", UNKNOWN):
        await desk.send(ghosts)
    await log.commit([step(2, owners)])
    assert await desk.send(owners) is False
    async with refusal("result_conflict", grpc.StatusCode.FAILED_PRECONDITION):
        await desk.send(ghosts)
    assert await desk.send(owners) is True
    assert await desk.count(hand_results, rated_matches) == [1, 1]


async def is_whole(database: Database) -> bool:
    """Whether all that follows from the results stands."""
    async with database.snapshot() as connection:
        return not [str(found) async for found in differences(connection, Compared())]


async def _run(*arguments: str) -> str:
    process = await asyncio.create_subprocess_exec(
        sys.executable, str(SENDERS), *arguments, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
    )
    out, errors = await process.communicate()
    assert process.returncode == 0, errors.decode()
    return out.decode()


async def test_a_hand_sent_100_times_from_5_processes_in_random_order_is_scored_once(postgres_url: str) -> None:
    database = Database(postgres_url)
    chance = random.Random(5)
    matches = [chance.sample(SIX, 6) for _ in range(2)]
    hands = [hand(f"t{n}", 1, players=who) for n, who in enumerate(matches)]
    hands += [last(f"t{n}", 2, players=who) for n, who in enumerate(matches)]
    async with database.begin() as connection:
        rows = [{"table_id": one.table_id, "hand": one.hand, "payload": one.SerializeToString()} for one in hands]
        await connection.execute(sa.insert(outbox).values(created_at=0), rows)
    new = await asyncio.gather(*(_run("send", postgres_url, str(seed)) for seed in range(5)))
    assert sum(map(int, new)) == len(hands)
    async with database.connect() as connection:
        counts = [
            await connection.scalar(sa.select(sa.func.count()).select_from(table))
            for table in (hand_results, player_points, rated_matches, rating_changes)
        ]
    assert counts == [4, 24, 2, 12]
    assert await is_whole(database)
    await database.close()


async def test_a_process_killed_between_any_two_statements_leaves_all_or_nothing(postgres_url: str) -> None:
    database = Database(postgres_url)
    hands = [
        made for n in range(1, STATEMENTS) for made in (hand(f"t{n}", 1, players=SIX), last(f"t{n}", 2, players=SIX))
    ]
    async with database.begin() as connection:
        rows = [{"table_id": one.table_id, "hand": one.hand, "payload": one.SerializeToString()} for one in hands]
        await connection.execute(sa.insert(outbox).values(created_at=0), rows)
    killed = int(await _run("die", postgres_url))
    assert 20 < killed < STATEMENTS - 1
    assert await is_whole(database)
    intake = Intake(database, Schedule.parse("monthly"))
    for made in hands[: 2 * killed + 2]:
        await intake.record(made)
    async with database.connect() as connection:
        rated: Any = await connection.execute(sa.select(rated_matches.c.table_id))
        assert sorted(rated.scalars()) == sorted(f"t{n}" for n in range(1, killed + 2))
    assert await is_whole(database)
    await database.close()


@pytest.mark.parametrize("seed", range(2))
async def test_matches_that_share_players_and_are_corrected_at_once_stay_whole(app: App, desk: Desk, seed: int) -> None:
    chance = random.Random(seed)
    made = [last(f"t{n}", players=chance.sample([*SIX, "g", "h", ""], 6)) for n in range(12)]
    await desk.record(*made[:6])
    rulings = [desk.correct(f"t{n}", order=chance.sample(range(6), 6), scores=[0] * 6) for n in range(6)]
    await asyncio.gather(*rulings, *(desk.record(each) for each in made[6:]))
    assert await is_whole(app.database)
