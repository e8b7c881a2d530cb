"""`gouji tables` against servers in processes of their own, asked at one that does not have the table."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
import sqlalchemy as sa

from gouji.engine.record_text import parse_record
from gouji.serving.schema import tables
from gouji.v1 import events_pb2, rules_pb2, table_pb2

pytestmark = [pytest.mark.faults, pytest.mark.timeout(900)]


async def place(scene: Any, table_id: str) -> None:
    """Place a long match with one person, who never comes."""
    seats = [events_pb2.Seat(player_id="ann", name="Ann"), *[events_pb2.Seat(bot_level="random", name="Bot")] * 5]
    spec = table_pb2.TableSpec(
        table_id=table_id,
        rules=rules_pb2.RuleSet(preset="standard"),
        length=rules_pb2.MatchLength(hands=32),
        seats=seats,
        bot_pace_ms=1000,
    )
    row = {"table_id": table_id, "spec": spec.SerializeToString(), "state": "placed"}
    async with scene.database.begin() as connection:
        await connection.execute(sa.insert(tables).values(created_at=scene.database.now(), **row))


async def come(question: Callable[[], Awaitable[bool]]) -> None:
    """Wait until a question has the answer yes."""
    async with asyncio.timeout(60):
        while not await question():  # noqa: ASYNC110 - a database has no event
            await asyncio.sleep(0.1)


async def test_an_operator_finds_stops_resumes_ends_and_exports_a_table_of_another_server(stage: Any) -> None:
    async with stage() as scene:
        await place(scene, "t1")

        async def owners() -> list[Any]:
            return [server for server in scene.fleet.servers if "t1" in await scene.tables_of(server)]

        async def plays() -> bool:
            return bool(await owners())

        await come(plays)
        [owner] = await owners()
        other = next(server for server in scene.fleet.servers if server is not owner)

        async def gouji(*arguments: str) -> str:
            code, out = await scene.fleet.command("tables", *arguments, "--address", other.address)
            assert code == 0, out
            return str(out)

        assert owner.address in await gouji("list", "--player", "ann", "--state", "live")
        assert await gouji("list", "--player", "bob") == ""
        assert "stands still" in await gouji("freeze", "t1", "--reason", "a look")
        assert "stopped: a look, reference " in await gouji("show", "t1")
        assert "t1  frozen" in await gouji("list", "--state", "frozen")
        assert "t1 goes on" in await gouji("resume", "t1")
        await come(plays)
        await gouji("freeze", "t1", "--reason", "enough")
        assert "t1 is given up" in await gouji("abandon", "t1", "--reason", "enough")
        assert "t1  over" in await gouji("show", "t1")
        kinds = [set(json.loads(line)) for line in (await gouji("export", "t1", "--log")).splitlines()]
        assert "table_opened" in kinds[0]
        assert "table_abandoned" in kinds[-1]
        assert sum("table_frozen" in kind for kind in kinds) == 2
        assert parse_record(await gouji("export", "t1")).table == "t1"
        code, out = await scene.fleet.command("tables", "resume", "t1", "--address", other.address)
        assert (code, out) == (1, "not_frozen: The table does not stand still.\n")
