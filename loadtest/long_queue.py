"""How long one whole look at a long queue takes, with all that it reads and writes: matchmaking's own cycle.

    .venv/bin/python loadtest/long_queue.py --tickets 50000

Makes a database of its own on a PostgreSQL, fills a queue with tickets that want people alone, and takes one look after
another in this process: first at pairs, of whom none can play, while some come and some go; then at a crowd of whom all
can play, until it is seated. Exits with 1 when the median look at the pairs takes longer than `--target` milliseconds.
"""

import argparse
import asyncio
import random
import statistics
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import sqlalchemy as sa
from arrivals import Arrival, Crowd
from prometheus_client import CollectorRegistry

from gouji.fleet.postgres import fresh_database
from gouji.matchmaking.cycle import Cycle
from gouji.matchmaking.matches import Matches
from gouji.matchmaking.metrics import MatchmakingMetrics
from gouji.matchmaking.store import Store
from gouji.matchmaking.tickets import State
from gouji.matchmaking.wakeups import Wakeups
from gouji.matchmaking.watches import Teller, Watches
from gouji.serving.clock import SystemClock, microseconds
from gouji.serving.database import Database
from gouji.serving.logs import make_log
from gouji.serving.schema import active_seats, ticket_members, tickets
from gouji.serving.settings import Settings

HOUR_US = 3_600_000_000
Skill = tuple[int, float, float]
"""Somebody, its rating and deviation."""

SOME = 500
"""Tickets that are written at a time."""


@dataclass(frozen=True)
class Look:
    """One look: how long it took, how much processor time of this process, and how many tables it made."""

    wall: float
    cpu: float
    tables: int


class Desk:
    """A cycle on a database, and what fills its queues."""

    def __init__(self, url: str) -> None:
        clock, settings = SystemClock(), Settings(database_url=url, ready_seconds=0)
        self.database = Database(url)
        self._clock = clock
        self._store = Store(self.database)
        wakeups = Wakeups(None, None, Matches(self.database).addresses)  # type: ignore[arg-type] # nobody is told
        teller = Teller(self._store, Watches(), clock=clock, settings=settings)
        metrics = MatchmakingMetrics(CollectorRegistry())
        self._cycle = Cycle(
            self.database, teller, wakeups, metrics, {}, clock=clock, settings=settings, log=make_log(settings)
        )
        self._numbers = iter(range(10**9))

    async def enter(self, arrivals: Sequence[Arrival], queue: str, size: int = 0) -> list[str]:
        """Queue tickets, of so many people each if that is given; returns their ids."""
        numbers = [next(self._numbers) for _ in arrivals]
        now = microseconds(self._clock.now())
        for start in range(0, len(arrivals), SOME):
            some = list(zip(numbers, arrivals, strict=True))[start : start + SOME]
            skills = {number: (list(one.people) * size)[:size] if size else list(one.people) for number, one in some}
            async with self.database.begin() as connection:
                await connection.execute(
                    sa.insert(tickets), [_row(number, queue, now, skills[number]) for number in skills]
                )
                members = [row for number in skills for row in _member_rows(number, queue, skills[number])]
                await connection.execute(sa.insert(ticket_members), members)
        return [f"t{number:08}" for number in numbers]

    async def leave(self, ticket_ids: Sequence[str]) -> None:
        """Cancel tickets."""
        for ticket_id in ticket_ids:
            await self._store.cancel(ticket_id)

    async def look(self) -> Look:
        """Take one look at all queues."""
        wall, cpu = time.perf_counter(), time.process_time()
        made = await self._cycle.turn()
        return Look(time.perf_counter() - wall, time.process_time() - cpu, len(made))

    async def empty(self) -> None:
        """End all tickets, and have everybody go home."""
        async with self.database.begin() as connection:
            await connection.execute(sa.update(tickets).values(state=State.CANCELLED))
            await connection.execute(sa.delete(active_seats))


def _row(number: int, queue: str, now: int, skills: list[Skill]) -> dict[str, Any]:
    return {
        "ticket_id": f"t{number:08}",
        "queue": queue,
        "leader": f"{number}.0",
        "rules": '{"preset": "standard"}',
        "length": '{"hands": 3}',
        "both_teams": len(skills) > 3,
        "latency_ms": 0,
        "state": State.WAITING,
        "created_at": now,
        "expires_at": now + HOUR_US,
    }


def _member_rows(number: int, queue: str, skills: list[Skill]) -> Iterator[dict[str, Any]]:
    """Write a ticket's people, who have met those of the next tickets of late."""
    for place, (_, rating, deviation) in enumerate(skills):
        yield {
            "ticket_id": f"t{number:08}",
            "player_id": f"{number}.{place}",
            "queue": queue,
            "name": f"P{number}",
            "rating": rating,
            "deviation": deviation,
            "recent": "\n".join(f"{number + step}.0" for step in range(1, 10)),
            "state": State.WAITING,
        }


async def measure(options: argparse.Namespace) -> float:
    """Take all looks, and print them; returns the median of those at pairs, in seconds."""
    chance = random.Random(options.seed)
    coming = Crowd(people=8 * options.tickets, rate=float(options.tickets), hours=10.0).arrivals(chance)
    async with fresh_database(options.postgres) as url:
        desk = Desk(url)
        await desk.database.upgrade()
        pairs = await desk.enter(list(islice(coming, options.tickets)), "local/pairs", 2)
        await _analyze(desk.database)
        show("first look at pairs", [await desk.look()])
        looks = []
        for _ in range(options.looks):
            await desk.leave(_some(chance, pairs, options.changes))
            pairs += await desk.enter(list(islice(coming, options.changes)), "local/pairs", 2)
            looks.append(await desk.look())
        show(f"looks at pairs, {options.changes} of which came and {options.changes} went before each", looks)
        await desk.empty()
        await desk.enter(list(islice(coming, options.tickets)), "local/quick")
        await _analyze(desk.database)
        show("first look at a crowd", [await desk.look()])
        show("further looks at it", [await desk.look() for _ in range(options.looks)])
        await desk.database.close()
    return statistics.median(look.wall for look in looks)


def _some(chance: random.Random, ids: list[str], number: int) -> list[str]:
    """Take some ids out of a list."""
    return [ids.pop(chance.randrange(len(ids))) for _ in range(number)]


async def _analyze(database: Database) -> None:
    """Have the database know how long the tables are, as it does by itself after a minute."""
    async with database.begin() as connection:
        await connection.execute(sa.text("ANALYZE"))


def show(what: str, looks: Sequence[Look]) -> None:
    """Print the looks of one kind."""

    def of(values: Iterator[float]) -> str:
        found = sorted(values)
        return f"{1000 * statistics.median(found):.0f} ms (most {1000 * found[-1]:.0f})"

    wall, cpu = of(look.wall for look in looks), of(look.cpu for look in looks)
    print(f"{what}: {len(looks)} looks, {wall}, of which processor {cpu}; {sum(look.tables for look in looks)} tables")


def main() -> None:
    """Measure; exit with 1 when it takes too long."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--postgres", default="postgresql://postgres@127.0.0.1:5432/postgres", help="a superuser's URL")
    parser.add_argument("--tickets", type=int, default=50_000)
    parser.add_argument("--changes", type=int, default=100, help="tickets that come, and go, before each look")
    parser.add_argument("--looks", type=int, default=15)
    parser.add_argument("--target", type=float, default=250.0, help="milliseconds")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    took = 1000 * asyncio.run(measure(options))
    print(f"target {options.target:.0f} ms: {'met' if took <= options.target else 'missed'} with {took:.0f} ms")
    sys.exit(took > options.target)


if __name__ == "__main__":
    main()
