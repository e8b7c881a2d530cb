"""Which server new tables are placed on, on both databases."""

import asyncio
from typing import Any

import pytest
import sqlalchemy as sa
from prometheus_client import CollectorRegistry

from gouji.matchmaking.metrics import MatchmakingMetrics
from gouji.matchmaking.placement import reserve
from gouji.matchmaking.placing import Placement, of_request
from gouji.matchmaking.untaken import Untaken
from gouji.serving.clock import microseconds
from gouji.serving.errors import ServiceError
from gouji.serving.schema import server_loads, table_servers, tables, tournament_boards
from gouji.serving.testing import ManualClock, until
from gouji.v1.events_pb2 import Board, Seat
from gouji.v1.matchmaking_pb2 import PlaceTableRequest

BOTS = [Seat(bot_level="greedy")] * 5


def table(number: int) -> Placement:
    """A table of one person."""
    person = Seat(player_id=f"p{number}", name="P")
    return of_request(PlaceTableRequest(request_id=f"r{number}", seats=[person, *BOTS]), f"t{number:03}", ["greedy"])


async def place(books: Any, *numbers: int) -> list[str | None]:
    """Place tables one after another; returns the server of each."""
    for n in numbers:
        await books.matches.place(table(n), n)
    assigned = await books.assigned()
    return [assigned[f"t{n:03}"] for n in numbers]


async def test_the_fullest_server_with_room_takes_the_next_table_until_it_is_full(books: Any) -> None:
    await books.serve("a", 100, used=3)
    await books.serve("b", 10, used=7)
    await books.serve("c", 4)
    assert await place(books, *range(5)) == ["b", "b", "b", "a", "a"]
    assert await books.loads() == {"a": 5, "b": 10, "c": 0}


async def test_of_servers_that_are_equally_full_the_first_by_id_fills_up(books: Any) -> None:
    for server in ("b", "a", "c"):
        await books.serve(server, 2)
    assert await place(books, *range(7)) == ["a", "a", "b", "b", "c", "c", None]


async def test_a_server_that_drains_or_whose_lease_is_over_gets_none(books: Any) -> None:
    await books.serve("dead", 9, used=8, dead=True)
    await books.serve("leaving", 9, used=8, draining=True)
    assert await place(books, 1) == [None]
    await books.serve("well", 9)
    assert await place(books, 2) == ["well"]


async def test_a_server_is_out_of_the_running_once_its_lease_is_over(books: Any) -> None:
    await books.serve("a", 9, used=5)
    await books.serve("b", 9)
    assert await place(books, 1) == ["a"]
    async with books.database.begin() as connection:
        over = sa.update(table_servers).where(table_servers.c.server_id == "a")
        await connection.execute(over.values(expires_at=books.database.now() - 1))
    assert await place(books, 2) == ["b"]


async def test_many_tables_at_once_go_to_several_servers_and_what_is_left_waits(books: Any) -> None:
    await books.serve("a", 3, used=1)
    await books.serve("b", 2)
    made = await books.claim([table(n) for n in range(6)], 5)
    assert len(made) == 6
    assert list((await books.assigned()).values()) == ["a", "a", "b", "b", None, None]
    assert await books.loads() == {"a": 3, "b": 2}


async def test_room_is_free_again_when_the_transaction_is_rolled_back(books: Any) -> None:
    class Broken(Exception):
        pass

    await books.serve("a", 3)

    async def fail() -> None:
        async with books.database.begin() as connection:
            assert await reserve(connection, ["x", "y"]) == {"x": "a", "y": "a"}
            raise Broken

    with pytest.raises(Broken):
        await fail()
    assert await books.loads() == {"a": 0}


async def test_none_wanted_are_none_reserved(books: Any) -> None:
    await books.serve("a", 3)
    async with books.database.begin() as connection:
        assert await reserve(connection, []) == {}
    assert await books.loads() == {"a": 0}


async def test_a_request_that_comes_again_reserves_nothing(books: Any) -> None:
    await books.serve("a", 3)
    for _ in range(3):
        await books.matches.place(table(1), 1)
    assert await books.loads() == {"a": 1}


@pytest.mark.parametrize("at_once", [1, 3])
async def test_no_server_is_filled_above_its_room_by_eight_who_place_at_once(books: Any, at_once: int) -> None:
    most = {"a": 7, "b": 11, "c": 5}
    for server, room in most.items():
        await books.serve(server, room)

    async def placer(number: int) -> None:
        for lap in range(4):
            first = (number * 4 + lap) * at_once
            if at_once == 1:
                await books.matches.place(table(first), lap)
            else:
                await books.claim([table(first + n) for n in range(at_once)], lap)

    await asyncio.gather(*map(placer, range(8)))
    servers = list((await books.assigned()).values())
    assert len(servers) == 32 * at_once
    assert {server: servers.count(server) for server in most} == most
    assert await books.loads() == most


async def test_a_look_of_the_server_amid_placing_neither_loses_nor_invents_a_table(books: Any) -> None:
    """The server's own look, as `gouji.table` does it, between eight who place."""
    from gouji.table.capacity import Room  # noqa: PLC0415 - services meet in tests alone
    from gouji.table.ownership import Ownership  # noqa: PLC0415

    owners, room = Ownership(books.database), Room(40, 30)
    await owners.register("a", "x:1", room, 60)
    placing = asyncio.gather(*(place(books, *range(n * 5, n * 5 + 5)) for n in range(8)))
    taken = []
    while not placing.done():
        taken += await owners.take_assigned("a", 3)
        taken += await owners.take("a", 0, room)
        assert (await books.loads())["a"] <= 30
    await placing
    while some := await owners.take_assigned("a", 3):
        taken += some
    assert len({owned.table_id for owned in taken}) == len(taken) == 30
    await owners.take("a", 0, room)
    assert await books.loads() == {"a": 30}


async def test_the_server_of_a_new_table_is_told_of_it_and_no_other(desk: Any) -> None:
    await desk.books.serve("z", 1000, used=1, address="127.0.0.1:9")
    async with desk.app.database.begin() as connection:
        await connection.execute(sa.update(server_loads).where(server_loads.c.server_id == "z").values(most=1))
    table_id = await desk.operator().place(request_id="r1", seats=[Seat(player_id="ann", name="Ann"), *BOTS])
    assert (await desk.books.assigned())[table_id] == desk.app.address
    await until(lambda: desk.tables.opened == [table_id])


async def test_tables_wait_for_a_server_when_there_is_none_and_that_is_counted(books: Any) -> None:
    clock, registry = ManualClock(), CollectorRegistry()
    untaken = Untaken(books.database, MatchmakingMetrics(registry), clock)

    async def seen() -> tuple[float | None, float | None]:
        await untaken.look()
        return (
            registry.get_sample_value("gouji_tables_untaken"),
            registry.get_sample_value("gouji_tables_untaken_seconds"),
        )

    assert await seen() == (0, 0)
    for n in range(2):
        await books.matches.place(table(n), microseconds(clock.now()))
        await clock.advance(3)
    assert set((await books.assigned()).values()) == {None}
    assert await seen() == (2, 6)
    async with books.database.begin() as connection:
        await connection.execute(sa.update(tables).values(state="live"))
    assert await seen() == (0, 0)


async def test_a_tournaments_board_is_placed_until_it_is_open(books: Any) -> None:
    board = Board(board_id="spring/1/1", commitment=bytes(32))

    async def place_board(number: int) -> str:
        seats = [Seat(bot_level="greedy")] * 6
        asked = PlaceTableRequest(request_id=f"r{number}", seats=seats, board=board, board_secret=b"sealed")
        return str(await books.matches.place(of_request(asked, f"t{number:03}", ["greedy"]), number))

    async with books.database.begin() as connection:
        await connection.execute(sa.insert(tournament_boards).values(board_id=board.board_id))
    assert await place_board(1) == "t001"
    async with books.database.begin() as connection:
        await connection.execute(sa.update(tournament_boards).values(opened_at=1))
    assert await place_board(1) == "t001"
    with pytest.raises(ServiceError) as refused:
        await place_board(2)
    assert refused.value.reason == "wrong_stage"
    assert list(await books.assigned()) == ["t001"]
