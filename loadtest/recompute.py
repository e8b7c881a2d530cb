"""Whether points and ratings are what the results make them, after many simulated matches and some corrections.

    .venv/bin/python loadtest/recompute.py --database-url postgresql://postgres@127.0.0.1/postgres   # 10,000 matches
    .venv/bin/python loadtest/recompute.py --matches 500                                             # on a file

Makes a database of its own, records the matches by several hands at a time, corrects some, proves all of it anew as
`gouji ratings recompute` does, writes a new revision, and proves that too. Exits with 1 at the first difference.
"""

import argparse
import asyncio
import random
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from itertools import islice
from pathlib import Path

import sqlalchemy as sa
from simulated import SEATS, points, population, results

from gouji.scoring.intake import Intake, Ruling
from gouji.scoring.recompute import Compared, differences
from gouji.scoring.rewrite import rewrite
from gouji.scoring.seasons import Schedule
from gouji.serving.database import Database
from gouji.serving.schema import outbox
from gouji.v1.scoring_pb2 import HandResult

BEGAN_US = 1_750_000_000_000_000
SIDE_BY_SIDE = 8
"""Matches that end at the same time."""


async def play(database: Database, matches: int, people: int, chance: random.Random, corrected: float = 0.02) -> int:
    """Record simulated matches and correct a share of them; say how many hands that were."""
    intake, hands = Intake(database, Schedule.parse("monthly")), 0
    coming = results(population(people, 6.0, chance), matches, BEGAN_US, chance)
    finished: list[list[HandResult]] = []
    while some := list(islice(coming, SIDE_BY_SIDE)):
        await _write(database, (hand for match in some for hand in match))
        await asyncio.gather(*(_record(intake, chance.sample(match, len(match))) for match in some))
        hands += sum(map(len, some))
        finished = (finished + some)[-1000:]
        if chance.random() < SIDE_BY_SIDE * corrected:
            await _correct(intake, chance.choice(finished)[0], chance)
    return hands


async def _write(database: Database, hands: Iterable[HandResult]) -> None:
    rows = [
        {"table_id": hand.table_id, "hand": hand.hand, "payload": hand.SerializeToString(), "created_at": 0}
        for hand in hands
    ]
    async with database.begin() as connection:
        await connection.execute(sa.insert(outbox), rows)


async def _record(intake: Intake, hands: Iterable[HandResult]) -> None:
    for hand in hands:
        await intake.record(hand)


async def _correct(intake: Intake, hand: HandResult, chance: random.Random) -> None:
    """Rule a hand void, or that it ended otherwise; one that was corrected before, or did not end, stays."""
    order = chance.sample(range(SEATS), SEATS)
    scores = points(order)
    teams = [sum(scores[0::2]), sum(scores[1::2])] if hand.team_scores else []
    new = HandResult(order=order, scores=scores, team_scores=teams)
    if chance.random() < 0.5:
        new = HandResult(voided=True)
    if not hand.abandoned:
        await intake.correct(Ruling(hand.table_id, hand.hand, 1, new, "simulated", "director"))
        hand.abandoned = True


async def prove(database: Database) -> Compared:
    """Compare all; end the process at the first difference."""
    compared, began = Compared(), time.monotonic()
    async with database.snapshot() as connection:
        async for difference in differences(connection, compared):
            sys.exit(str(difference))
    print(f"{compared}: the same, in {time.monotonic() - began:.1f} s")
    return compared


@asynccontextmanager
async def own_database(url: str | None) -> AsyncIterator[Database]:
    """Make a database with all tables, beside that of a URL or in a file, and drop it afterwards."""
    with tempfile.TemporaryDirectory() as folder:
        database = Database(url or f"sqlite:///{Path(folder) / 'recompute.sqlite'}")
        name = f"gouji_recompute_{random.SystemRandom().randrange(2**32):08x}"
        if url is not None:
            async with database.single() as connection:
                await connection.execute(sa.text(f"CREATE DATABASE {name}"))
            own = Database(sa.make_url(url).set(database=name).render_as_string(hide_password=False))
        else:
            own = database
        await own.upgrade()
        try:
            yield own
        finally:
            await own.close()
            if url is not None:
                async with database.single() as connection:
                    await connection.execute(sa.text(f"DROP DATABASE {name}"))
            await database.close()


async def main() -> None:
    """Play, prove, write, prove."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--database-url", help="of a PostgreSQL in which a database may be made; a file by default")
    parser.add_argument("--matches", type=int, default=10_000)
    parser.add_argument("--people", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    async with own_database(asked.database_url) as database:
        began = time.monotonic()
        hands = await play(database, asked.matches, asked.people, random.Random(asked.seed))
        print(f"{asked.matches} matches with {hands} hands recorded in {time.monotonic() - began:.1f} s")
        await prove(database)
        began = time.monotonic()
        print(f"revision {await rewrite(database, 'recompute.py')} written in {time.monotonic() - began:.1f} s")
        await prove(database)


if __name__ == "__main__":
    asyncio.run(main())
