"""A server's looks for tables: its own, those of nobody, and what it says of itself meanwhile."""

from typing import Any

import pytest
import sqlalchemy as sa

from gouji.serving.app import App
from gouji.serving.schema import server_loads, table_servers, tables
from gouji.table.taking import Taking

KEEPS_UP = 600.0
"""Lag up to which servers of these tests keep up."""


@pytest.fixture(autouse=True)
def by_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    """Looks of a server's own, and at its loop, would come between those of the test."""

    async def never(_one: Any) -> None:
        pass

    monkeypatch.setattr(Taking, "run", never)
    monkeypatch.setattr(App, "_watch_loop", never)


async def assign(running: Any, table_id: str, to: Any) -> None:
    await running.rows.place(table_id, people=6)
    mine = sa.update(tables).where(tables.c.table_id == table_id)
    await running.rows.execute(mine.values(assigned=to.host._lease.server_id))


async def most(running: Any) -> int:
    query = sa.select(server_loads.c.most).where(server_loads.c.server_id == running.host._lease.server_id)
    return int((await running.rows.one(query)).most)


async def test_a_server_takes_what_was_placed_for_it_without_being_told(serve: Any) -> None:
    async with serve() as first, serve() as second:
        for n in range(3):
            await assign(first, f"t{n}", to=second)
        await first.host.taking.look()
        assert len(first.host._tables) == 0
        await second.host.taking.look()
        assert sorted(second.host._tables) == ["t0", "t1", "t2"]


async def test_a_server_that_is_told_takes_what_was_placed_for_it_alone(serve: Any) -> None:
    async with serve() as first, serve() as second:
        await assign(first, "t1", to=second)
        await first.service().open("t1")
        assert len(first.host._tables) == 0
        await second.service().open("t1")
        assert sorted(second.host._tables) == ["t1"]


async def test_what_was_placed_for_a_server_that_stops_is_taken_by_another(serve: Any) -> None:
    async with serve() as stays:
        async with serve() as leaves:
            await assign(stays, "t1", to=leaves)
            leaves.host.drain()
            await leaves.host._lease.renew(10, draining=True)
            await leaves.host.taking.look()
            assert len(leaves.host._tables) == 0
        await stays.host.taking.look()
        assert sorted(stays.host._tables) == ["t1"]


async def test_a_server_that_lags_has_less_placed_on_it_until_it_keeps_up_again(serve: Any) -> None:
    async with serve(table_capacity=100) as running:
        assert await most(running) == 90
        for lag, capacity in ((4 * KEEPS_UP, 25), (0, 100)):
            running.app.lag_seconds = lag
            await running.host._renew()
            await running.host.taking.look()
            assert await most(running) == capacity - capacity // 10
            assert (await running.rows.one(sa.select(table_servers))).capacity == capacity
            assert running.metric("gouji_tables_capacity") == capacity


async def test_seats_used_are_told_for_all_servers_that_stay(serve: Any) -> None:
    async with serve(table_capacity=8) as first, serve(table_capacity=8) as second:
        for n in range(4):
            await assign(first, f"t{n}", to=second)
        await second.host.taking.look()
        for running in (first, second):
            await running.host.taking.look()
            assert running.metric("gouji_table_seats_used_ratio") == 4 / 16
        await second.host._lease.renew(8, draining=True)
        await first.host.taking.look()
        assert first.metric("gouji_table_seats_used_ratio") == 0
