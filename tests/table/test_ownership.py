"""Who owns a table and how full servers are, over real databases."""

import asyncio
from typing import Any

import pytest
import sqlalchemy as sa

from gouji.serving.lifeline import Lifeline
from gouji.serving.schema import server_loads, table_servers, tables
from gouji.table.capacity import Room
from gouji.table.ownership import Ownership

ROOM = Room(10, 10)


@pytest.fixture
def owners(rows: Any) -> Ownership:
    return Ownership(rows.database)


async def lapse(rows: Any, server_id: str) -> None:
    await rows.execute(sa.update(table_servers).where(table_servers.c.server_id == server_id).values(expires_at=1))


async def test_placed_tables_are_taken_once_the_oldest_first(rows: Any, owners: Ownership) -> None:
    for n in range(5):
        await rows.place(f"t{n}")
        await rows.execute(sa.update(tables).where(tables.c.table_id == f"t{n}").values(created_at=100 - n))
    for server in ("a", "b"):
        await owners.register(server, f"{server}:1", ROOM, 60)
    first = await owners.take("a", 2, ROOM)
    assert {owned.table_id for owned in first} == {"t4", "t3"}
    rest = await owners.take("b", 10, ROOM)
    assert {owned.table_id for owned in rest} == {"t0", "t1", "t2"}
    assert {owned.fence for owned in (*first, *rest)} == {1}
    assert await owners.take("a", 10, ROOM) == []
    assert (await rows.table("t0")).state == "live"


async def test_many_servers_take_each_table_once(rows: Any, owners: Ownership) -> None:
    room = Room(20, 20)
    for n in range(20):
        await rows.place(f"t{n}")
    for server in range(4):
        await owners.register(f"s{server}", "x:1", room, 60)
    taken = await asyncio.gather(*(owners.take(f"s{server}", 20, room) for server in range(4)))
    assert sorted(owned.table_id for some in taken for owned in some) == sorted(f"t{n}" for n in range(20))


async def test_a_server_whose_process_has_died_has_no_lease(rows: Any, owners: Ownership, come: Any) -> None:
    lifeline = Lifeline(rows.database)
    await rows.place("t1")
    await owners.register("a", "x:1", ROOM, 60, await lifeline.name())
    await owners.register("old", "z:1", ROOM, 60)
    await owners.take("a", 1, ROOM)
    assert await owners.end_torn("b", 0) == 0
    await lifeline.close()
    if rows.database.dialect == "sqlite":
        assert await owners.end_torn("b", 0) == 0
        return
    assert await owners.end_torn("b", 1e9) == 0, "PostgreSQL itself has just come back"
    assert await owners.end_torn("a", 0) == 0, "it is alive, and will open another"

    async def gone() -> bool:
        return bool(await owners.end_torn("b", 0))

    await come(gone)
    assert [server.server_id for server in await owners.servers()] == ["old"]
    assert not await owners.renew("a", 10, 60, draining=False)
    await owners.register("b", "y:1", ROOM, 60)
    assert [(owned.table_id, owned.fence) for owned in await owners.take("b", 1, ROOM)] == [("t1", 2)]


async def test_a_lifeline_that_breaks_is_replaced(rows: Any, owners: Ownership, come: Any) -> None:
    lifeline = Lifeline(rows.database)
    first = await lifeline.name()
    assert await lifeline.name() == first
    if first is None:
        assert rows.database.dialect == "sqlite"
        return
    await rows.execute(sa.select(sa.func.pg_terminate_backend(int(first.partition("/")[0]))))
    await owners.register("a", "x:1", ROOM, 60, first)

    async def replaced() -> bool:
        return await lifeline.name() != first

    await come(replaced)
    assert await owners.renew("a", 10, 60, draining=False, lifeline=await lifeline.name())
    assert await owners.end_torn("b", 0) == 0
    await lifeline.close()


async def test_orphans_are_taken_with_the_next_fence(rows: Any, owners: Ownership) -> None:
    await rows.place("t1")
    await owners.register("dead", "x:1", ROOM, 60)
    await owners.register("alive", "y:1", ROOM, 60)
    await owners.take("dead", 1, ROOM)
    assert await owners.take("alive", 1, ROOM) == []
    assert await owners.take_one("alive", "t1", ROOM) is None
    await lapse(rows, "dead")
    (owned,) = await owners.take("alive", 1, ROOM)
    assert owned.fence == 2
    assert (await rows.table("t1")).owner == "alive"


async def test_a_lapsed_lease_is_not_renewed(rows: Any, owners: Ownership) -> None:
    await owners.register("a", "x:1", ROOM, 60)
    assert await owners.renew("a", 3, 60, draining=False)
    row = await rows.one(sa.select(table_servers))
    assert (row.capacity, row.draining, row.address) == (3, False, "x:1")
    await lapse(rows, "a")
    assert not await owners.renew("a", 3, 60, draining=False)
    assert not await owners.renew("nobody", 3, 60, draining=False)


async def test_a_server_that_leaves_frees_its_tables_at_once(rows: Any, owners: Ownership) -> None:
    await rows.place("t1")
    await owners.register("a", "x:1", ROOM, 60)
    await owners.register("b", "y:1", ROOM, 60)
    await owners.take("a", 1, ROOM)
    await owners.release("a")
    assert [owned.fence for owned in await owners.take("b", 1, ROOM)] == [2]


async def test_a_table_is_taken_again_by_its_own_server_on_purpose_only(rows: Any, owners: Ownership) -> None:
    await rows.place("t1")
    await owners.register("a", "x:1", ROOM, 60)
    await owners.take("a", 1, ROOM)
    assert await owners.take_one("a", "t1", ROOM) is None
    again = await owners.take_again("a", "t1")
    assert again is not None
    assert again.fence == 2


async def test_ended_tables_are_nobodys(rows: Any, owners: Ownership) -> None:
    await owners.register("a", "x:1", ROOM, 60)
    for state in ("over", "frozen"):
        await rows.place(state)
        await rows.execute(sa.update(tables).where(tables.c.table_id == state).values(state=state))
    assert await owners.take("a", 10, ROOM) == []
    assert await owners.take_again("a", "over") is None


async def test_how_a_table_stands(rows: Any, owners: Ownership) -> None:
    assert await owners.standing("t1") is None
    await rows.place("t1")
    standing = await owners.standing("t1")
    assert standing is not None
    assert (standing.state, standing.owner, standing.spec.table_id) == ("placed", None, "t1")
    await owners.register("a", "x:1", ROOM, 60)
    await owners.take("a", 1, ROOM)
    standing = await owners.standing("t1")
    assert standing is not None
    assert (standing.state, standing.owner, standing.address) == ("live", "a", "x:1")
    await lapse(rows, "a")
    standing = await owners.standing("t1")
    assert standing is not None
    assert standing.owner is None


async def test_leases_of_long_ago_are_forgotten(rows: Any, owners: Ownership) -> None:
    await owners.register("a", "x:1", ROOM, 60)
    await lapse(rows, "a")
    await owners.register("b", "y:1", ROOM, 60)
    assert [row.server_id for row in await rows.all(sa.select(table_servers))] == ["b"]
    assert [row.server_id for row in await rows.all(sa.select(server_loads))] == ["b"]


async def assign(rows: Any, table_id: str, server_id: str) -> None:
    await rows.place(table_id)
    await rows.execute(sa.update(tables).where(tables.c.table_id == table_id).values(assigned=server_id))


async def load(rows: Any, server_id: str = "a") -> tuple[int, int]:
    row = await rows.one(sa.select(server_loads).where(server_loads.c.server_id == server_id))
    return row.tables, row.most


async def test_what_is_placed_for_a_server_is_taken_by_that_one_alone(rows: Any, owners: Ownership) -> None:
    for server in ("a", "b"):
        await owners.register(server, f"{server}:1", ROOM, 60)
    for n in range(3):
        await assign(rows, f"t{n}", "a")
    assert await owners.free(10) == 0
    assert await owners.take("b", 10, ROOM) == []
    assert await owners.take_one("b", "t0", ROOM) is None
    one = await owners.take_one("a", "t0", Room(0, 0))
    assert one is not None
    assert one.fence == 1
    assert {owned.table_id for owned in await owners.take_assigned("a", 10)} == {"t1", "t2"}
    assert await owners.take_assigned("a", 10) == []
    row = await rows.table("t0")
    assert (row.owner, row.assigned, row.state) == ("a", None, "live")


@pytest.mark.parametrize("end", ["dead", "draining", "gone"])
async def test_what_was_placed_for_a_server_that_is_no_more_is_anybodys(rows: Any, owners: Ownership, end: str) -> None:
    for server in ("a", "b"):
        await owners.register(server, f"{server}:1", ROOM, 60)
    await assign(rows, "t1", "a")
    if end == "dead":
        await lapse(rows, "a")
    elif end == "gone":
        await owners.release("a")
    else:
        await owners.renew("a", 10, 60, draining=True)
    assert await owners.free(10) == 1
    [owned] = await owners.take("b", 10, ROOM)
    assert (owned.table_id, owned.fence) == ("t1", 1)
    assert await owners.take_assigned("a", 10) == []


async def test_tables_that_lost_their_server_have_room_that_new_ones_have_not(rows: Any, owners: Ownership) -> None:
    room = Room(5, 3)
    await owners.register("dead", "x:1", ROOM, 60)
    await owners.register("a", "y:1", room, 60)
    for n in range(9):
        await rows.place(f"t{n}")
        await rows.execute(sa.update(tables).where(tables.c.table_id == f"t{n}").values(created_at=n))
    assert len(await owners.take("dead", 4, ROOM)) == 4
    assert len(await owners.take("a", 10, room)) == 3
    assert await owners.take_one("a", "t8", room) is None
    await lapse(rows, "dead")
    assert len(await owners.take("a", 10, room)) == 2
    assert await owners.take("a", 10, room) == []
    fleet = await rows.all(sa.select(tables.c.state, tables.c.owner).where(tables.c.owner == "a"))
    assert len(fleet) == 5
    assert await load(rows) == (5, 3)


async def test_a_full_server_takes_nothing_over(rows: Any, owners: Ownership) -> None:
    for server in ("a", "b"):
        await owners.register(server, f"{server}:1", ROOM, 60)
    await assign(rows, "t1", "a")
    for n in (2, 3):
        await rows.place(f"t{n}")
        assert await owners.take_one("b", f"t{n}", ROOM) is not None
    assert await owners.take_over("a", "t2", "b", 1, Room(2, 0)) is not None
    assert await owners.take_over("a", "t3", "b", 1, Room(2, 0)) is None


async def test_a_count_is_made_anew_at_each_look(rows: Any, owners: Ownership) -> None:
    await owners.register("a", "x:1", ROOM, 60)
    await assign(rows, "t1", "a")
    await rows.place("t2")
    await owners.take("a", 0, ROOM)
    assert await load(rows) == (1, 10)
    await owners.take("a", 5, Room(9, 8))
    assert await load(rows) == (2, 8)
    await rows.execute(sa.update(server_loads).values(tables=7))
    await rows.execute(sa.update(tables).where(tables.c.table_id == "t2").values(state="over"))
    await owners.take("a", 0, ROOM)
    assert await load(rows) == (1, 10)
    assert [(server.tables, server.capacity) for server in await owners.servers()] == [(1, 10)]
