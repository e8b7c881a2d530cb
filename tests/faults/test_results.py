"""A real process is killed between the steps of what it may do once: to record and rate results, to delete a player."""

import asyncio
import random
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import asyncpg
import grpc
import pytest
import sqlalchemy as sa
from simulated import population, results

from gouji.fleet.postgres import Postgres, fresh_database
from gouji.fleet.process import Process, environment_of, free_port
from gouji.scoring.recompute import Compared, differences
from gouji.serving.auth import Tokens, tokens_for
from gouji.serving.clock import SystemClock
from gouji.serving.database import Database
from gouji.serving.schema import (
    deletions,
    feed_events,
    friends,
    hand_results,
    mutes,
    outbox,
    players,
    rated_matches,
    tournament_entries,
)
from gouji.serving.settings import Settings
from gouji.v1 import (
    account_pb2,
    account_pb2_grpc,
    scoring_pb2,
    scoring_pb2_grpc,
    tournament_log_pb2,
    tournament_pb2,
    tournament_pb2_grpc,
)
from gouji.v1.scoring_pb2 import HandResult

pytestmark = [pytest.mark.faults, pytest.mark.timeout(300)]

BEGAN_US = 1_790_000_000_000_000


@dataclass
class House:
    """One process of all services, its database, and tokens for it."""

    process: Process
    database: Database
    url: str
    tokens: Tokens

    async def start(self) -> None:
        """Start it, for the first time or again."""
        self.process.start()
        await self.process.ready()

    def channel(self) -> grpc.aio.Channel:
        return grpc.aio.insecure_channel(self.process.address)

    async def count(self, table: sa.Table, *which: sa.ColumnElement[bool]) -> int:
        async with self.database.connect() as connection:
            return int(await connection.scalar(sa.select(sa.func.count()).select_from(table).where(*which)) or 0)

    @asynccontextmanager
    async def stuck_at(self, table: sa.Table) -> AsyncIterator[Callable[[], Awaitable[bool]]]:
        """Have whoever comes to a table wait there; gives whether somebody does."""
        lock, look = await asyncpg.connect(self.url), await asyncpg.connect(self.url)
        waits = "SELECT count(*) FROM pg_locks WHERE NOT granted AND relation = $1::regclass"
        try:
            await lock.execute(f"BEGIN; LOCK TABLE {table.name} IN ACCESS EXCLUSIVE MODE")
            yield lambda: look.fetchval(waits, table.name)
        finally:
            await lock.close()
            await look.close()


@pytest.fixture
async def house(cluster: Postgres, tmp_path: Path) -> AsyncIterator[House]:
    async with fresh_database(cluster.url) as url:
        port = free_port()
        environment = environment_of(url, tmp_path, port) | {"GOUJI_LOG_LEVEL": "info"}
        services = ("gateway", "matchmaking", "scoring", "table", "bot")
        process = Process("house", services, port, environment, tmp_path / "house.log")
        settings = Settings(database_url=url, data_directory=tmp_path)
        made = House(process, Database(url), url, tokens_for(settings, SystemClock()))
        await made.database.upgrade()
        try:
            await made.start()
            yield made
        finally:
            process.kill()
            await made.database.close()


async def come(question: Callable[[], Awaitable[Any]]) -> None:
    """Wait until a question has the answer yes."""
    async with asyncio.timeout(60):
        while not await question():  # noqa: ASYNC110 - a database has no event
            await asyncio.sleep(0.02)


async def send(house: House, hands: Sequence[HandResult]) -> None:
    """Bring results as a table's outbox does: each again and again until there is an answer."""
    metadata = (("authorization", f"Bearer {house.tokens.mint_service()}"),)
    async with house.channel() as channel:
        stub: Any = scoring_pb2_grpc.ScoringServiceStub(channel)
        for hand in hands:
            request, answered = scoring_pb2.RecordHandRequest(result=hand), False
            while not answered:
                with suppress(grpc.aio.AioRpcError):
                    await stub.RecordHand(request, metadata=metadata, timeout=5)
                    answered = True
                await asyncio.sleep(0 if answered else 0.05)


async def test_a_result_is_recorded_and_rated_or_neither_wherever_the_process_is_killed(house: House) -> None:
    chance = random.Random(6)
    matches = list(results(population(12, 6.0, chance), 12, BEGAN_US, chance))
    hands = [hand for match in matches for hand in match]
    rows = [
        {"table_id": one.table_id, "hand": one.hand, "payload": one.SerializeToString(), "created_at": 0}
        for one in hands
    ]
    async with house.database.begin() as connection:
        # As if delivered: the process relays the rest of the outbox by itself.
        await connection.execute(sa.insert(outbox), [row | {"delivered_at": 1} for row in rows])
    first = next(match for match in matches if match[0].queue and not match[-1].abandoned)
    await send(house, first[:-1])
    async with house.stuck_at(rated_matches) as reached:
        sending = asyncio.create_task(send(house, first[-1:]))
        await come(reached)  # the result is written, and is to be rated
        house.process.kill()
    await come(lambda: _nobody_else(house))
    assert await house.count(hand_results) == len(first) - 1
    assert await house.count(rated_matches) == 0
    await house.start()
    senders = [asyncio.create_task(send(house, chance.sample(hands, len(hands)))) for _ in range(2)]
    await come(lambda: _more_than(house, len(hands) // 3))
    house.process.kill()
    await house.start()
    await asyncio.gather(sending, *senders)
    assert await house.count(hand_results) == len(hands)
    compared = Compared()
    async with house.database.snapshot() as connection:
        assert [each async for each in differences(connection, compared)] == []
    assert (compared.matches, compared.hands) == (len(matches), len(hands))
    assert compared.changes == await house.count(rated_matches) > 0


async def _nobody_else(house: House) -> bool:
    """Whether PostgreSQL has seen that the killed process is gone."""
    others = "SELECT count(*) = 0 FROM pg_locks WHERE locktype = 'advisory' AND database = (SELECT oid FROM pg_database"
    async with house.database.connect() as connection:
        return bool(await connection.scalar(sa.text(f"{others} WHERE datname = current_database())")))


async def _more_than(house: House, number: int) -> bool:
    return await house.count(hand_results) > number


async def test_a_deletion_is_done_to_its_end_wherever_the_process_is_killed(house: House) -> None:
    await _known(house, "ann", "bob")
    async with house.stuck_at(mutes) as reached:
        await _delete(house, "ann")
        await come(reached)
        house.process.kill()
    assert await _left(house) == {"mutes", "name in a tournament"}
    await _later(house)
    async with house.stuck_at(feed_events):
        await house.start()
        await come(lambda: _nothing_left(house))
        house.process.kill()
    assert await house.count(feed_events) == 0
    assert await house.count(deletions, deletions.c.done_at.is_not(None)) == 0
    await _later(house)
    await house.start()
    await come(lambda: house.count(deletions, deletions.c.done_at.is_not(None)))
    assert await _left(house) == set()
    assert await house.count(feed_events) == 1
    assert await house.count(players) == 1


async def _known(house: House, *names: str) -> None:
    """Note two players who are friends, of whom the first mutes the other and has entered an event."""
    ann, bob = names
    async with house.database.begin() as connection:
        rows = [{"player_id": one, "name": f"Name of {one}", "created_at": 0} for one in names]
        await connection.execute(sa.insert(players), rows)
        await connection.execute(sa.insert(friends).values(player_id=ann, friend_id=bob, created_at=0))
        await connection.execute(sa.insert(mutes).values(player_id=ann, muted_id=bob))
    terms = tournament_log_pb2.TournamentTerms(
        name="Spring",
        format=tournament_log_pb2.TOURNAMENT_FORMAT_SWISS,
        entrants=tournament_log_pb2.ENTRANT_KIND_SINGLES,
        rounds=1,
        boards=1,
        most_entrants=18,
    )
    opens = tournament_pb2.STAGE_CHANGE_OPEN_REGISTRATION
    director = (("authorization", f"Bearer {house.tokens.mint_director('dora')}"),)
    player = (("authorization", f"Bearer {house.tokens.mint_player(ann, f'Name of {ann}').access_token}"),)
    async with house.channel() as channel:
        stub: Any = tournament_pb2_grpc.TournamentServiceStub(channel)
        announced = tournament_pb2.CreateTournamentRequest(tournament_id="spring", terms=terms)
        await stub.CreateTournament(announced, metadata=director)
        change = tournament_pb2.ChangeStageRequest(tournament_id="spring", change=opens)
        await stub.ChangeStage(change, metadata=director)
        await stub.EnterTournament(tournament_pb2.EnterTournamentRequest(tournament_id="spring"), metadata=player)


async def _delete(house: House, player_id: str) -> None:
    token = (("authorization", f"Bearer {house.tokens.mint_player(player_id, player_id).access_token}"),)
    async with house.channel() as channel:
        stub: Any = account_pb2_grpc.AccountServiceStub(channel)
        await stub.DeleteAccount(account_pb2.DeleteAccountRequest(), metadata=token)


async def _left(house: House) -> set[str]:
    """Say what there still is of the player, in the order in which it is taken out."""
    async with house.database.connect() as connection:
        entries = list(await connection.scalars(sa.select(tournament_entries.c.entry)))
    found = {
        "friends": await house.count(friends),
        "mutes": await house.count(mutes),
        "name in a tournament": any(b"Name of ann" in entry for entry in entries),
    }
    return {what for what, there in found.items() if there}


async def _nothing_left(house: House) -> bool:
    return not await _left(house)


async def _later(house: House) -> None:
    """Have an hour pass for deletions: leases are over, and tokens of before."""
    hour = 3_600_000_000
    row = deletions.c
    async with house.database.begin() as connection:
        change = sa.update(deletions).values(due_at=row.due_at - hour, requested_at=row.requested_at - hour)
        await connection.execute(change)
