"""A server that stands still past its lease and wakes up again finds that it has lost its tables."""

import asyncio
import signal
from collections.abc import Collection
from typing import Any

import pytest
import sqlalchemy as sa

from gouji.serving.schema import table_events, tables

pytestmark = [pytest.mark.faults, pytest.mark.timeout(600)]


async def test_nothing_that_a_ghost_writes_lands(stage: Any, size: Any) -> None:
    async def stop(scene: Any) -> None:
        await scene.playing()
        for ghost in scene.fleet.servers[: 1 if size.slack > 1 else 3]:
            had = await _stopped(scene, ghost)
            await _adopted(scene, had)
            fences = await _fences(scene, had)
            ghost.send(signal.SIGCONT)
            await _noticed(ghost)
            for table_id, fence in (await _fences(scene, had)).items():
                assert fence >= fences[table_id]
        scene.crowd.enough.set()

    async with stage() as scene:
        async with asyncio.TaskGroup() as group:
            group.create_task(scene.crowd.fill(size.tables))
            group.create_task(stop(scene))
        logs = await scene.judged()
        assert any(event.HasField("table_resumed") for log in logs.values() for event in log)
        print(f"{len(logs)} tables; tried again after {dict(scene.crowd.failures)}")


async def _stopped(scene: Any, ghost: Any) -> set[str]:
    """Stop a server in the middle of some tables; give these."""
    while True:
        begun = await scene.tables_of(ghost)
        await _begun(scene, begun)
        ghost.send(signal.SIGSTOP)
        if had := {*begun} & {*await scene.tables_of(ghost)}:
            return had
        ghost.send(signal.SIGCONT)
        await asyncio.sleep(0.1)


async def _begun(scene: Any, table_ids: Collection[str]) -> None:
    """Wait until all of these tables have a log; one without begins elsewhere as if it were new."""
    written = sa.select(sa.func.count(sa.distinct(table_events.c.table_id))).where(
        table_events.c.table_id.in_(table_ids)
    )
    await _counted(scene, written, len(table_ids))


async def _adopted(scene: Any, table_ids: Collection[str]) -> None:
    """Wait until others have gone on with all of these tables, or ended them."""
    resumed = sa.select(sa.func.count()).where(
        tables.c.table_id.in_(table_ids), (tables.c.fence > 1) | (tables.c.state == "over")
    )
    await _counted(scene, resumed, len(table_ids))


async def _counted(scene: Any, query: sa.Select[Any], number: int) -> None:
    """Wait until a query counts so many."""
    async with asyncio.timeout(60):
        while True:
            async with scene.database.connect() as connection:
                if await connection.scalar(query) == number:
                    return
            await asyncio.sleep(0.1)


async def _fences(scene: Any, table_ids: Collection[str]) -> dict[str, int]:
    query = sa.select(tables.c.table_id, tables.c.fence).where(tables.c.table_id.in_(table_ids))
    async with scene.database.connect() as connection:
        return {row.table_id: row.fence for row in await connection.execute(query)}


async def _noticed(server: Any) -> None:
    """Wait until the server has said that its lease is lost."""
    async with asyncio.timeout(30):
        while not server.count("lease_lost"):  # noqa: ASYNC110 - a file has no event
            await asyncio.sleep(0.1)
