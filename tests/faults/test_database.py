"""PostgreSQL crashes and recovers under load: commands wait or are refused, and play goes on."""

import asyncio
from typing import Any

import pytest
from crowd import OVERTAKEN

pytestmark = [pytest.mark.faults, pytest.mark.timeout(600)]

AWAY_SECONDS = (0.5, 6.0)
"""How long it is away: within a lease, and for longer than one."""

TO_BE_TRIED_AGAIN = frozenset(
    {"storage_unavailable", "table_moving", "draining", "wrong_server", "resume_from", "not_collecting", "UNAVAILABLE"}
)
"""What a client may hear meanwhile: watchers `resume_from`, who acts just then another.

With `not_collecting` a deal went on without its contribution.
"""


async def test_a_database_that_crashes_loses_nothing(stage: Any, size: Any, cluster: Any) -> None:
    async def crash(scene: Any) -> None:
        await scene.playing()
        for seconds in AWAY_SECONDS:
            await asyncio.sleep(2)
            await asyncio.to_thread(cluster.crash)
            await asyncio.sleep(seconds)
            await asyncio.to_thread(cluster.start)
        await scene.playing()
        scene.crowd.enough.set()

    async with stage() as scene:
        async with asyncio.TaskGroup() as group:
            group.create_task(scene.crowd.fill(size.tables))
            group.create_task(crash(scene))
        logs = await scene.judged()
        print(f"{len(logs)} tables; tried again after {dict(scene.crowd.failures)}")
        given_up = {"CANCELLED", "DEADLINE_EXCEEDED", "deadline"}
        assert set(scene.crowd.failures) <= TO_BE_TRIED_AGAIN | OVERTAKEN | given_up
        assert scene.crowd.failures["resume_from"]
