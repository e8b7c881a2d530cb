"""All servers are replaced one after another under load: nobody's hand ends early, nobody waits long."""

import asyncio
import signal
from typing import Any

import pytest
from verdict import away, held_up

from gouji.v1 import events_pb2

pytestmark = [pytest.mark.faults, pytest.mark.timeout(900)]

PAUSE_SECONDS = 2.0
LEAVES_SECONDS = 60


async def test_a_rolling_restart_ends_no_hand(stage: Any, size: Any) -> None:
    async def roll(scene: Any) -> None:
        await scene.playing()
        for number, server in enumerate(scene.fleet.servers):
            assert await scene.tables_of(server)
            if number:
                server.send(signal.SIGTERM)
            else:
                code, said = await scene.fleet.command("tables", "drain", server.address)
                assert (code, "is gone" in said) == (0, True), said
            assert await server.ended(LEAVES_SECONDS) == 0
            server.start()
            await server.ready()
        scene.crowd.enough.set()

    async with stage() as scene:
        async with asyncio.TaskGroup() as group:
            group.create_task(scene.crowd.fill(size.tables))
            group.create_task(roll(scene))
        logs = await scene.judged()
        gaps, waits = away(scene.crowd.witnesses), held_up(logs, scene.crowd.witnesses)
        print(f"{len(logs)} tables; watchers sent on, until they see their table again: {gaps}")
        print(f"commands sent while their table moved, until they were answered: {waits}")
        print(f"tried again after {dict(scene.crowd.failures)}")
        assert gaps.seconds
        assert gaps.at(0.99) <= PAUSE_SECONDS * size.slack
        assert waits.at(0.99) <= PAUSE_SECONDS * size.slack
        assert not any(event.hand_ended.voided for log in logs.values() for event in log)
        assert all(server.count("table_not_adopted") == 0 for server in scene.fleet.servers)
        by = {event.action_taken.decided_by for log in logs.values() for event in log if event.HasField("action_taken")}
        assert by >= {events_pb2.DECIDED_BY_PLAYER, events_pb2.DECIDED_BY_BOT}
