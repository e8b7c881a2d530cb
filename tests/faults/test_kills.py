"""Servers are killed at random and replaced: nothing that was acknowledged or shown is lost."""

import asyncio
import random
import time
from typing import Any

import pytest
from verdict import recoveries

pytestmark = [pytest.mark.faults, pytest.mark.timeout(3600)]

RECOVERY_SECONDS = 8.0


async def test_killed_servers_lose_nothing(stage: Any, size: Any, record_property: Any) -> None:
    chance = random.Random(20)
    killed: list[tuple[float, list[str]]] = []

    async def kill(scene: Any) -> None:
        await scene.playing()
        for _ in range(size.kills):
            await asyncio.sleep(chance.uniform(*size.between))
            server = chance.choice(scene.fleet.servers)
            had = await scene.tables_of(server)
            killed.append((time.time(), had))
            server.kill()
            server.start()
        scene.crowd.enough.set()

    async with stage() as scene:
        async with asyncio.TaskGroup() as group:
            group.create_task(scene.crowd.fill(size.tables))
            group.create_task(kill(scene))
        logs = await scene.judged()
        took = recoveries(logs, killed)
        acknowledged = sum(len(witness.acknowledged) for witness in scene.crowd.witnesses)
        print(f"{len(killed)} kills, {len(logs)} tables, {acknowledged} commands acknowledged")
        print(f"kill to next move: {took}")
        print(f"tried again after {dict(scene.crowd.failures)}")
        assert acknowledged
        assert scene.crowd.failures["internal"] == 0
        assert len(took.seconds) >= size.kills // 2
        assert took.at(0.95) <= RECOVERY_SECONDS * size.slack
