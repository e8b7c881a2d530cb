"""Processes that record results for tests: run as a script with a task, a database's URL, and a seed.

send     record every hand in the outbox many times over, in random order; says how often one was new
die      fork for each statement that recording takes, and kill each fork before another one; says how many died
"""

import asyncio
import os
import random
import signal
import sys
from typing import Any

import sqlalchemy as sa

from gouji.scoring.intake import Intake
from gouji.scoring.seasons import Schedule
from gouji.serving.database import Database
from gouji.serving.schema import outbox
from gouji.v1.scoring_pb2 import HandResult

TIMES = 20
SIDE_BY_SIDE = 5
MONTHLY = Schedule.parse("monthly")


async def _written(database: Database) -> list[HandResult]:
    async with database.connect() as connection:
        payloads = await connection.scalars(sa.select(outbox.c.payload).order_by(outbox.c.id))
        return [HandResult.FromString(payload) for payload in payloads]


async def send(url: str, seed: int) -> None:
    """Record all hands."""
    database = Database(url)
    intake, chance = Intake(database, MONTHLY), random.Random(seed)
    sent = await _written(database) * TIMES
    chance.shuffle(sent)
    slots = asyncio.Semaphore(SIDE_BY_SIDE)

    async def one(result: HandResult) -> bool:
        async with slots:
            return await intake.record(result)

    repeated = await asyncio.gather(*map(one, sent))
    sys.stdout.write(f"{repeated.count(False)}\n")
    await database.close()


async def die(url: str, table_id: str, statement: int) -> None:
    """Record a table's hands, and be gone in the middle."""
    database, left = Database(url), [statement]
    hands = [result for result in await _written(database) if result.table_id == table_id]

    def count(*_: Any) -> None:
        left[0] -= 1
        if not left[0]:
            os.kill(os.getpid(), signal.SIGKILL)

    for moment in ("before_cursor_execute", "commit"):
        sa.event.listen(database._engine.sync_engine, moment, count)
    for result in hands:
        await Intake(database, MONTHLY).record(result)


def die_everywhere(url: str) -> None:
    """Fork until a fork comes through; the n-th records the hands of table ``t<n>``."""
    killed = 0
    while True:
        if not (child := os.fork()):
            asyncio.run(die(url, f"t{killed + 1}", killed + 1))
            os._exit(0)
        _, status = os.waitpid(child, 0)
        if not os.WIFSIGNALED(status):
            break
        killed += 1
    sys.stdout.write(f"{killed}\n")


if __name__ == "__main__":
    task, address, *more = sys.argv[1:]
    if task == "send":
        asyncio.run(send(address, int(more[0])))
    else:
        die_everywhere(address)
