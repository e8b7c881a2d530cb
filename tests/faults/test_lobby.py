"""Three matchmaking processes on PostgreSQL, of which some are killed: everybody is seated, once."""

import asyncio
import random
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import grpc
import pytest
import sqlalchemy as sa
from google.protobuf.duration_pb2 import Duration
from halls import Lobby, Player
from lobby_books import STANDING, wrongs

from gouji.serving.auth import tokens_for
from gouji.serving.clock import SystemClock
from gouji.serving.database import Database
from gouji.serving.errors import reason_of
from gouji.serving.schema import active_seats, tables, tickets
from gouji.serving.settings import Settings
from gouji.v1.matchmaking_pb2 import TICKET_STATE_GATHERING, TICKET_STATE_MATCHED, TICKET_STATE_MISSED
from gouji.v1.rules_pb2 import MatchLength

pytestmark = [pytest.mark.faults, pytest.mark.timeout(600)]

QUEUE = "local/quick"
LEASE, READY = 2, 4


@dataclass
class Hall:
    """A lobby at work on an empty database."""

    lobby: Lobby
    database: Database
    settings: Settings
    chance: random.Random

    def __post_init__(self) -> None:
        self._tokens = tokens_for(self.settings, SystemClock())

    def players(self, many: int, name: str = "p") -> list[Player]:
        return [Player(self.lobby, self._tokens, f"{name}{n}", self.chance) for n in range(many)]

    async def ticket_states(self) -> list[str]:
        async with self.database.connect() as connection:
            return list(await connection.scalars(sa.select(tickets.c.state)))


@pytest.fixture
async def hall(postgres_url: str, tmp_path: Path) -> AsyncIterator[Hall]:
    """Three processes and a database of their own."""
    settings = Settings(database_url=postgres_url, data_directory=tmp_path)
    database = Database(postgres_url)
    await database.upgrade()
    environment = {
        "GOUJI_QUEUE_LEASE_SECONDS": str(LEASE),
        "GOUJI_READY_SECONDS": str(READY),
        "GOUJI_HEARTBEAT_SECONDS": "1",
        "GOUJI_REQUEST_TIMEOUT_SECONDS": "120",
    }
    lobby = Lobby(postgres_url, tmp_path, environment)
    try:
        await lobby.start()
        yield Hall(lobby, database, settings, random.Random(3))
    finally:
        await lobby.close()
        await database.close()


async def test_a_thousand_calls_at_once_by_players_who_queue_twice_make_one_ticket_each(hall: Hall) -> None:
    players = hall.players(500)
    alone = [MatchLength(target=n + 1) for n in range(500)]  # so that nobody is matched meanwhile
    twice = [(player, length) for player, length in zip(players, alone, strict=True) for _ in range(2)]
    answers = await asyncio.gather(
        *(player.create(queue=QUEUE, no_bots=True, length=length) for player, length in twice)
    )
    for first, second in zip(answers[::2], answers[1::2], strict=True):
        assert first.ticket.ticket_id == second.ticket.ticket_id
        assert first.already_queued != second.already_queued
    assert len(await hall.ticket_states()) == 500


@pytest.mark.parametrize("there", [6, 5])
async def test_a_process_killed_after_the_claim_leaves_everybody_to_another(hall: Hall, there: int) -> None:
    players = hall.players(6)
    made = [(await player.create(no_bots=True, queue=QUEUE)).ticket.ticket_id for player in players]
    gathering = frozenset({TICKET_STATE_GATHERING})
    watching = [player.until(one, gathering, confirm=False) for player, one in zip(players, made, strict=True)]
    assert {ticket.state for ticket in await asyncio.gather(*watching)} == {TICKET_STATE_GATHERING}
    (await hall.lobby.holder(hall.database, QUEUE)).kill()
    began = time.monotonic()
    late = hall.players(6 - there, "late")  # nobody here wants bots
    made += [(await player.create(no_bots=True, queue=QUEUE)).ticket.ticket_id for player in late]
    settled = await asyncio.gather(
        *(
            player.until(one, frozenset(), confirm=n < there or n >= 6)
            for n, (player, one) in enumerate(zip(players + late, made, strict=True))
        )
    )
    print(f"{time.monotonic() - began:.1f} s from the kill to the table with {there} who confirmed")
    expected = [TICKET_STATE_MATCHED] * there + [TICKET_STATE_MISSED, TICKET_STATE_MATCHED] * (6 - there)
    assert [ticket.state for ticket in settled] == expected
    assert await wrongs(hall.database) == []


async def test_whoever_comes_goes_and_dies_nobody_is_seated_twice_stuck_or_lost(hall: Hall) -> None:
    chance = hall.chance
    players = hall.players(60)
    enough = asyncio.Event()

    async def kill_and_start() -> None:
        while not enough.is_set():
            await asyncio.sleep(chance.uniform(0.5, 2.5))
            server = chance.choice(hall.lobby.servers)
            server.kill()
            server.start()
            await server.ready()

    async def come_and_go(player: Player) -> None:
        """Queue until seated; leave and come back now and then, and miss a match now and then."""
        for _ in range(20):
            await asyncio.sleep(chance.uniform(0, 2))
            try:
                answer = await player.create(queue=QUEUE, bots_after=Duration(seconds=chance.randrange(8)))
            except grpc.aio.AioRpcError as error:
                if reason_of(error) in {"player_paused", "already_seated"}:
                    return
                raise
            ticket_id = answer.ticket.ticket_id
            if chance.random() < 0.3 and await player.cancel(ticket_id):
                continue
            ticket = await player.until(ticket_id, frozenset(), confirm=chance.random() < 0.9)
            if ticket.state in {TICKET_STATE_MATCHED, TICKET_STATE_MISSED}:
                return

    killing = asyncio.create_task(kill_and_start())
    try:
        await asyncio.gather(*map(come_and_go, players))
    finally:
        enough.set()
        await killing
    assert await wrongs(hall.database) == []
    states = await hall.ticket_states()
    print({state: states.count(state) for state in set(states)})
    assert not set(states) & set(STANDING)
    async with hall.database.connect() as connection:
        seated = await connection.scalar(sa.select(sa.func.count()).select_from(active_seats))
        placed = await connection.scalar(sa.select(sa.func.count()).select_from(tables))
    assert states.count("matched") == seated
    assert placed
