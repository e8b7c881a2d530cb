"""Many matches of bots at once, then a check of their logs: no card lost, none doubled.

    .venv/bin/python loadtest/many_matches.py --tables 200

Runs against a server that is up, and reads its database: give both the same environment (`GOUJI_...`). Exits
with 1 if a match does not end in time or a log is wrong.
"""

import argparse
import asyncio
import sys
import time
import uuid
from collections.abc import Iterable
from contextlib import aclosing

from audit import audit
from rich.progress import Progress

from gouji.client import ClientError, Credentials, Session, TableClient
from gouji.serving.auth import tokens_for
from gouji.serving.clock import SystemClock
from gouji.serving.database import Database
from gouji.serving.settings import Settings
from gouji.serving.vault import vault_for
from gouji.table.store import Store
from gouji.v1 import matchmaking_pb2_grpc
from gouji.v1.events_pb2 import Seat
from gouji.v1.matchmaking_pb2 import PlaceTableRequest
from gouji.v1.rules_pb2 import Clock, MatchLength, RuleSet


async def place(session: Session, number: int, options: argparse.Namespace) -> str:
    """Place one table of six bots; returns its id."""
    request = PlaceTableRequest(
        request_id=f"{options.run}-{number}",
        rules=RuleSet(preset=options.preset),
        length=MatchLength(hands=options.hands),
        clock=Clock(answers_least_ms=options.answers_ms, answers_most_ms=options.answers_ms),
        seats=[Seat(bot_level=options.level)] * 6,
        bot_pace_ms=options.pace_ms,
    )
    stub = matchmaking_pb2_grpc.MatchmakingServiceStub(session.channel())
    return (await session.call(stub.PlaceTable, request)).table_id


async def follow(session: Session, table_id: str) -> None:
    """Watch a match to its end, or until its table stops for good."""
    table = TableClient(session, table_id, spectate=True)
    async with aclosing(table.watch()) as events:
        async for _ in events:
            if table.view.frozen:
                return


async def play(session: Session, options: argparse.Namespace) -> list[str]:
    """Place all tables and watch them to their ends; returns their ids.

    Raises `TimeoutError` if they take too long.
    """
    with Progress(transient=True, disable=not sys.stdout.isatty()) as progress:
        done = progress.add_task("matches", total=options.tables)

        async def one(number: int) -> str:
            table_id = await place(session, number, options)
            await follow(session, table_id)
            progress.advance(done)
            return table_id

        async with asyncio.timeout(options.timeout_seconds):
            return list(await asyncio.gather(*map(one, range(options.tables))))


async def check(store: Store, tables: Iterable[str], seconds: float) -> bool:
    """Audit every log and print what came of it; returns whether all is well."""
    hands = moves = problems = 0
    for table_id in tables:
        log, wrong = audit(table_id, await store.events(table_id))
        hands, moves, problems = hands + log.hands, moves + log.moves, problems + len(wrong)
        for problem in wrong:
            print(f"{table_id}: {problem}")
    print(f"{hands} hands, {moves} moves in {seconds:.1f} s: {moves / seconds:.0f} moves a second")
    print(f"{problems} problems" if problems else "no card lost, none doubled")
    return problems == 0


async def run(options: argparse.Namespace) -> bool:
    """Do all of it."""
    settings = Settings()
    token = tokens_for(settings, SystemClock()).mint_operator("loadtest")
    address = options.address or f"{settings.host}:{settings.port}"
    database = Database(settings.database_url)
    try:
        async with Session(address, Credentials(token)) as session:
            began = time.monotonic()
            tables = await play(session, options)
            print(f"{len(tables)} matches of {options.hands} hands at once")
            return await check(Store(database, vault_for(settings)), tables, time.monotonic() - began)
    finally:
        await database.close()


def main() -> int:
    """Read the options and run; returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--address", help="server to dial; by default what the settings say")
    parser.add_argument("--tables", type=int, default=200, help="matches at once (200)")
    parser.add_argument("--hands", type=int, default=1, help="hands a match (1)")
    parser.add_argument("--level", default="greedy", help="level of the bots (greedy)")
    parser.add_argument("--preset", default="standard", help="rules (standard)")
    parser.add_argument("--pace-ms", type=int, default=0, help="how long a bot seems to think (0)")
    parser.add_argument("--answers-ms", type=int, default=20, help="time for private questions (20)")
    parser.add_argument("--timeout-seconds", type=float, default=900, help="longest time for all (900)")
    options = parser.parse_args()
    options.run = uuid.uuid4().hex[:8]
    try:
        return 0 if asyncio.run(run(options)) else 1
    except TimeoutError:
        print(f"not all matches ended within {options.timeout_seconds:g} s", file=sys.stderr)
    except ClientError as error:
        print(error, file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
