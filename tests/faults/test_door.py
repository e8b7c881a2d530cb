"""The door when somebody calls far too often, and when readers stand still: nobody else pays, and memory stays flat."""

import asyncio
import os
import time
from collections import Counter
from pathlib import Path

import aiohttp
import grpc
import pytest
from door import storm
from doorway import Crowd, Way, deliveries, envoy_of, place, server
from usage import resident
from watches import p99

from gouji.fleet.process import Process
from gouji.serving.auth import tokens_for
from gouji.serving.clock import SystemClock
from gouji.serving.errors import reason_of
from gouji.v1 import gateway_pb2, gateway_pb2_grpc

pytestmark = [pytest.mark.faults, pytest.mark.timeout(3600)]

LONG = os.environ.get("GOUJI_FAULTS") == "long"
SECONDS = 60 if LONG else 4
A_SECOND, ALLOWED = 1000, 200
EVENTS = 1000 if LONG else 100
CROWD = 5000 if LONG else 1200  # more than one connection to the server bears
STALLED = 200 if LONG else 20
SAME = 1.25 if LONG else 4.0
BACK_SECONDS = 8 if LONG else 40

FLAT_BYTES = 8 * 1024 * 1024
"""What memory may grow by at most, by noise: a second's refused calls would take more if they were kept."""


async def flood(way: Way, seconds: float) -> Counter[str]:
    """Call 1,000 times a second, whatever becomes of it; gives how the calls ended."""
    stub = gateway_pb2_grpc.SessionServiceStub(way.channel)

    async def call() -> str:
        try:
            await stub.GetSession(gateway_pb2.GetSessionRequest(), metadata=way.headers)
        except grpc.aio.AioRpcError as error:
            return reason_of(error) or error.code().name
        return "answered"

    calls, began = [], time.monotonic()
    while (passed := time.monotonic() - began) < seconds:
        calls += [asyncio.create_task(call()) for _ in range(int(passed * A_SECOND) - len(calls))]
        await asyncio.sleep(0.005)
    return Counter(await asyncio.gather(*calls))


def memory(process: Process) -> dict[str, int]:
    return {"envoy": resident(envoy_of(process.pid)), "server": resident(process.pid)}


async def elsewhere(port: int) -> int:
    """Ask for the page from another address; gives the status."""
    connector = aiohttp.TCPConnector(local_addr=("127.0.0.2", 0))
    page = f"http://127.0.0.1:{port}/.well-known/jwks.json"
    async with aiohttp.ClientSession(connector=connector) as browser, browser.get(page) as answer:
        return answer.status


async def test_an_address_that_calls_1000_times_a_second_is_refused_and_nobody_else_is(tmp_path: Path) -> None:
    limit = {"GOUJI_DOOR_ADDRESS_CALLS_PER_SECOND": str(ALLOWED), "GOUJI_WEB_PORT": "0"}
    async with server(tmp_path, **limit) as (process, port, settings):
        way = Way(f"127.0.0.1:{port}", tokens_for(settings, SystemClock()).mint_player("p1", "Lin").access_token)
        await flood(way, 1)
        before = memory(process)
        flooding = asyncio.create_task(flood(way, SECONDS))
        await asyncio.sleep(SECONDS / 2)
        assert await elsewhere(port) == 200
        ended = await flooding
        grown = {name: now - before[name] for name, now in memory(process).items()}
        print(f"{SECONDS} s at {A_SECOND} calls a second: {dict(ended)}; memory {grown}")
        await way.close()
    assert set(ended) == {"unknown_player", "rate_limited"}
    assert ended["unknown_player"] <= ALLOWED * (SECONDS + 3)
    assert ended["rate_limited"] >= ended.total() // 2
    assert max(grown.values()) <= FLAT_BYTES


async def test_readers_that_stand_still_at_the_door_slow_nobody_and_fill_no_memory(tmp_path: Path) -> None:
    async with server(tmp_path) as (process, port, settings):
        token = tokens_for(settings, SystemClock()).mint_operator("faults")
        past, door = Way(process.address, token), Way(f"127.0.0.1:{port}", token)
        paced, fast = await place(past, "paced", 30), await place(past, "fast", 0)
        door.server_id = past.server_id = (await door.locate(paced)).server_id
        [plain] = await deliveries([door], paced, EVENTS)
        stalled = [door.watch(fast) for _ in range(STALLED)]
        for stream in stalled:
            await stream.read()
        await deliveries([door], paced, EVENTS)
        before = memory(process)
        [beside] = await deliveries([door], paced, EVENTS)
        grown = {name: now - before[name] for name, now in memory(process).items()}
        print(f"p99 {p99(plain) * 1000:.1f} ms alone, {p99(beside) * 1000:.1f} ms beside; memory {grown}")
        for way in (past, door):
            await way.close()
    assert p99(beside) <= SAME * p99(plain)
    assert max(grown.values()) <= FLAT_BYTES


async def test_all_come_back_when_the_door_dies_and_new_ones_still_get_in(tmp_path: Path) -> None:
    async with server(tmp_path, GOUJI_HEARTBEAT_SECONDS="1") as (process, port, settings):
        token = tokens_for(settings, SystemClock()).mint_operator("faults")
        past, door = Way(process.address, token), Way(f"127.0.0.1:{port}", token)
        tables = [await place(past, f"still{n}", 3_600_000) for n in range(4)]
        door.server_id = (await door.locate(tables[0])).server_id
        crowd = Crowd(door, tables)
        await crowd.grow(CROWD)
        await crowd.hear(2)
        assert not +crowd.broken
        assert await storm(process, crowd, door) <= BACK_SECONDS
        for way in (past, door):
            await way.close()
