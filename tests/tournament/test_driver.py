"""What drives events: in two processes at once, stopped at every step, and with players who sit elsewhere."""

import asyncio
import hashlib
from collections import Counter
from typing import Any

import pytest
import sqlalchemy as sa
from prometheus_client import CollectorRegistry

from gouji.serving.schema import tables
from gouji.serving.testing import captured_log
from gouji.serving.vault import vault_for
from gouji.tournament.books import Books
from gouji.tournament.driver import Driver
from gouji.tournament.metrics import TournamentMetrics
from gouji.tournament.placing import Placing
from gouji.tournament.store import Store
from gouji.v1 import tournament_log_pb2
from gouji.v1.events_pb2 import Seat
from gouji.v1.tournament_log_pb2 import TournamentEntry

OVER = tournament_log_pb2.TOURNAMENT_STAGE_OVER


def made(request: str) -> tuple[int, int] | None:
    drawn = hashlib.sha256(request.encode()).digest()[0]
    return None if drawn < 16 else (drawn % 5, drawn % 3)


def assert_once(entries: list[TournamentEntry], tables: set[str], rounds: int, boards: int, pairings: int) -> None:
    """Each step stands in the record once, and each table is there once."""
    kinds = Counter(str(entry.WhichOneof("body")) for entry in entries)
    assert (kinds["round_paired"], kinds["round_begun"]) == (rounds, rounds)
    placed = [
        (entry.tables_placed.round, table.pairing, table.board)
        for entry in entries
        for table in entry.tables_placed.tables
    ]
    ended = [
        (entry.tables_ended.round, table.pairing, table.board)
        for entry in entries
        for table in entry.tables_ended.tables
    ]
    every = {(n, pairing, board) for n in range(1, rounds + 1) for pairing in range(1, pairings + 1)
             for board in range(1, boards + 1)}  # fmt: skip
    assert len(placed) == len(ended) == len(tables) == len(every)
    assert set(placed) == set(ended) == every
    assert kinds["board_opened"] == rounds * boards
    assert [entry.sequence for entry in entries] == list(range(1, len(entries) + 1))


async def test_two_processes_at_once_do_everything_once(serve: Any) -> None:
    async with serve() as one, serve() as other:
        await one.begin(rounds=3)

        async def play() -> None:
            while (await other.event()).stage != OVER:
                await one.tables.end(made)
                await asyncio.sleep(0.005)

        async with asyncio.timeout(60):
            await play()
        entries = await one.director.entries()
        assert_once(entries, set(await one.tables.all()), rounds=3, boards=2, pairings=2)
        rows = [
            (await running.director.call("GetStandings", tournament_id="spring")).standings for running in (one, other)
        ]
        assert rows[0] == rows[1]


class Stops(Exception):
    """The process dies here."""


class Faulty:
    """Lets an object do its work, and dies before or after the calls that are counted out."""

    def __init__(self, inner: Any, at: list[int], counter: list[int]) -> None:
        self._inner, self._at, self._counter = inner, at, counter

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._inner, name)
        if name.startswith("_") or not asyncio.iscoroutinefunction(found):
            return found

        async def call(*arguments: Any, **names: Any) -> Any:
            self._count()
            answer = await found(*arguments, **names)
            self._count()
            return answer

        return call

    def _count(self) -> None:
        self._counter[0] += 1
        if self._counter[0] in self._at:
            raise Stops


def process(running: Any, stops_at: int) -> Driver:
    """Make a driver as a process that has just started does; it dies at its so-manieth step."""
    app, counter = running.app, [0]
    store, vault = Store(app.database), vault_for(app.settings)
    metrics, (log, _) = TournamentMetrics(CollectorRegistry()), captured_log()
    placing = Placing(app.channels, vault, app.clock, metrics, log)
    books: Any = Faulty(Books(store, vault, app.clock), [stops_at], counter)
    faulty: Any = Faulty(store, [stops_at], counter)
    asks: Any = Faulty(placing, [stops_at], counter)
    return Driver(faulty, books, asks, clock=app.clock, metrics=metrics, log=log)


async def test_a_driver_may_die_at_any_step_and_the_next_one_goes_on(serve: Any) -> None:
    async with serve(tournament_poll_ms=2_000_000_000) as running:
        await running.begin(rounds=2, boards=1)
        for stops_at in range(1, 400):
            try:
                await process(running, 1 + stops_at % 23).drive("spring")
            except Stops:
                continue
            finally:
                if stops_at % 7 == 0:
                    await running.tables.end(made)
            if (await running.event()).stage == OVER:
                break
        assert (await running.event()).stage == OVER
        assert_once(await running.director.entries(), set(await running.tables.all()), rounds=2, boards=1, pairings=2)


async def test_a_fault_in_one_event_stops_no_other(running: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    drive = Driver.drive

    async def fails(driver: Driver, tournament_id: str) -> None:
        if tournament_id == "autumn":
            raise RuntimeError("planted")
        await drive(driver, tournament_id)

    monkeypatch.setattr(Driver, "drive", fails)
    await running.create("autumn")
    await running.begin(rounds=1, boards=1)
    await running.come(lambda event: event.played and event.played[0].placed == 2)
    failures = running.app.metrics.registry.get_sample_value("gouji_tournament_failures_total")
    assert failures


async def test_a_bot_sits_down_for_who_sits_elsewhere_and_that_shows(running: Any) -> None:
    await running.create(rounds=1, boards=1, stand_in_seconds=0)
    await running.change("OPEN_REGISTRATION")
    await running.player("ann").call("EnterTournament", tournament_id="spring")
    await running.player("ghost").call("EnterTournament", tournament_id="spring")
    await running.enter_bots(10)
    running.hall.elsewhere = {"ann"}
    await running.change("START")
    await running.come(lambda event: event.played and event.played[0].placed == 2)
    await running.tables.end()
    await running.come(lambda event: event.stage == OVER)
    pairings = (await running.director.call("ListPairings", tournament_id="spring", round=1)).pairings
    absent = {board.seats[seat] for pairing in pairings for board in pairing.boards for seat in board.score.absent}
    assert absent == {1, 2}
    seats = [seat for spec in (await running.tables.all()).values() for seat in spec.seats]
    assert [seat.bot_level for seat in seats if seat.name == "Ann"] == ["planner"]


async def test_a_table_waits_for_who_sits_elsewhere(running: Any) -> None:
    await running.create(rounds=1, boards=1, stand_in_seconds=3600)
    await running.change("OPEN_REGISTRATION")
    await running.player("ann").call("EnterTournament", tournament_id="spring")
    await running.enter_bots(11)
    running.hall.elsewhere = {"ann"}
    await running.change("START")
    await running.come(lambda event: event.played and event.played[0].placed == 1)
    running.hall.elsewhere = set()
    await running.come(lambda event: event.played[0].placed == 2)
    seats = [seat for spec in (await running.tables.all()).values() for seat in spec.seats]
    assert [seat for seat in seats if seat.name == "Ann"] == [Seat(player_id="ann", name="Ann")]


async def placed_unnoted(running: Any) -> None:
    """Have the tables of the first round placed by a driver that dies before it writes that down."""
    await process(running, 0).drive("spring")
    assert not running.hall.asked
    with pytest.raises(Stops):
        await process(running, 6).drive("spring")
    assert len(running.hall.asked) == 2


async def test_a_board_that_was_placed_before_a_crash_and_a_cancellation_opens_when_its_table_has_ended(
    serve: Any,
) -> None:
    async with serve(tournament_poll_ms=2_000_000_000) as running:
        await running.begin(rounds=1, boards=1)
        await placed_unnoted(running)
        await running.change("CANCEL")
        for _ in range(2):
            await process(running, 0).drive("spring")
            assert await running.tables.open_boards() == set()
        assert not [entry for entry in await running.director.entries() if entry.HasField("tables_placed")]
        await running.tables.end(state="frozen")
        await process(running, 0).drive("spring")
        assert await running.tables.open_boards() == set()  # they may go on
        async with running.app.database.begin() as connection:
            await connection.execute(sa.update(tables).values(state="over"))
        await process(running, 0).drive("spring")
        assert await running.tables.open_boards() == {"spring/1/1"}


async def test_no_board_is_opened_while_a_table_is_placed_that_the_driver_did_not_see(
    serve: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def nobody(*_: Any) -> set[str]:
        return set()

    async with serve(tournament_poll_ms=2_000_000_000) as running:
        await running.begin(rounds=1, boards=1)
        await placed_unnoted(running)
        await running.change("CANCEL")
        with monkeypatch.context() as blind:
            blind.setattr(Store, "played", nobody)
            await process(running, 0).drive("spring")
        assert await running.tables.open_boards() == set()
        assert not [entry for entry in await running.director.entries() if entry.HasField("board_opened")]
