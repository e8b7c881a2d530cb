"""Who owns a table, over real databases."""

import asyncio
from typing import Any

import pytest
import sqlalchemy as sa

from gouji.serving.schema import table_servers, tables
from gouji.table.store import Store


@pytest.fixture
def store(rows: Any) -> Store:
    return Store(rows.database, rows.vault)


async def lapse(rows: Any, server_id: str) -> None:
    await rows.execute(sa.update(table_servers).where(table_servers.c.server_id == server_id).values(expires_at=1))


async def test_placed_tables_are_taken_once_the_oldest_first(rows: Any, store: Store) -> None:
    for n in range(5):
        await rows.place(f"t{n}")
        await rows.execute(sa.update(tables).where(tables.c.table_id == f"t{n}").values(created_at=100 - n))
    for server in ("a", "b"):
        await store.register(server, f"{server}:1", 10, 60)
    first = await store.take("a", 2)
    assert {owned.table_id for owned in first} == {"t4", "t3"}
    rest = await store.take("b", 10)
    assert {owned.table_id for owned in rest} == {"t0", "t1", "t2"}
    assert {owned.fence for owned in (*first, *rest)} == {1}
    assert await store.take("a", 10) == []
    assert (await rows.table("t0")).state == "live"


async def test_many_servers_take_each_table_once(rows: Any, store: Store) -> None:
    for n in range(20):
        await rows.place(f"t{n}")
    for server in range(4):
        await store.register(f"s{server}", "x:1", 10, 60)
    taken = await asyncio.gather(*(store.take(f"s{server}", 20) for server in range(4)))
    assert sorted(owned.table_id for some in taken for owned in some) == sorted(f"t{n}" for n in range(20))


async def test_orphans_are_taken_with_the_next_fence(rows: Any, store: Store) -> None:
    await rows.place("t1")
    await store.register("dead", "x:1", 10, 60)
    await store.register("alive", "y:1", 10, 60)
    await store.take("dead", 1)
    assert await store.take("alive", 1) == []
    assert await store.take_one("alive", "t1") is None
    await lapse(rows, "dead")
    (owned,) = await store.take("alive", 1)
    assert owned.fence == 2
    assert (await rows.table("t1")).owner == "alive"


async def test_a_lapsed_lease_is_not_renewed(rows: Any, store: Store) -> None:
    await store.register("a", "x:1", 10, 60)
    assert await store.renew("a", 3, 60, draining=False)
    row = await rows.one(sa.select(table_servers))
    assert (row.tables, row.draining, row.address) == (3, False, "x:1")
    await lapse(rows, "a")
    assert not await store.renew("a", 3, 60, draining=False)
    assert not await store.renew("nobody", 3, 60, draining=False)


async def test_a_server_that_leaves_frees_its_tables_at_once(rows: Any, store: Store) -> None:
    await rows.place("t1")
    await store.register("a", "x:1", 10, 60)
    await store.register("b", "y:1", 10, 60)
    await store.take("a", 1)
    await store.release("a")
    assert [owned.fence for owned in await store.take("b", 1)] == [2]


async def test_a_table_is_taken_again_by_its_own_server_on_purpose_only(rows: Any, store: Store) -> None:
    await rows.place("t1")
    await store.register("a", "x:1", 10, 60)
    await store.take("a", 1)
    assert await store.take_one("a", "t1") is None
    again = await store.take_one("a", "t1", again=True)
    assert again is not None
    assert again.fence == 2


async def test_ended_tables_are_nobodys(rows: Any, store: Store) -> None:
    await store.register("a", "x:1", 10, 60)
    for state in ("over", "frozen"):
        await rows.place(state)
        await rows.execute(sa.update(tables).where(tables.c.table_id == state).values(state=state))
    assert await store.take("a", 10) == []
    assert await store.take_one("a", "over", again=True) is None


async def test_how_a_table_stands(rows: Any, store: Store) -> None:
    assert await store.standing("t1") is None
    await rows.place("t1")
    standing = await store.standing("t1")
    assert standing is not None
    assert (standing.state, standing.owner, standing.spec.table_id) == ("placed", None, "t1")
    await store.register("a", "x:1", 10, 60)
    await store.take("a", 1)
    standing = await store.standing("t1")
    assert standing is not None
    assert (standing.state, standing.owner, standing.address) == ("live", "a", "x:1")
    await lapse(rows, "a")
    standing = await store.standing("t1")
    assert standing is not None
    assert standing.owner is None


async def test_leases_of_long_ago_are_forgotten(rows: Any, store: Store) -> None:
    await store.register("a", "x:1", 10, 60)
    await lapse(rows, "a")
    await store.register("b", "y:1", 10, 60)
    assert [row.server_id for row in await rows.all(sa.select(table_servers))] == ["b"]
