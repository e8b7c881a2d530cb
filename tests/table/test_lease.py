"""When a server may still believe that it has its tables."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest

from gouji.serving.clock import SystemClock
from gouji.serving.errors import StorageUnavailable
from gouji.serving.lifeline import Lifeline
from gouji.serving.testing import ManualClock
from gouji.table.capacity import Room
from gouji.table.lease import Lease
from gouji.table.ownership import Ownership

ROOM = Room(10, 10)


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
async def lifeline(rows: Any) -> AsyncIterator[Lifeline]:
    made = Lifeline(rows.database)
    yield made
    await made.close()


@pytest.fixture
async def lease(rows: Any, lifeline: Lifeline, clock: ManualClock) -> Lease:
    lease = Lease(Ownership(rows.database), lifeline, clock, 6)
    await lease.begin("here:1", ROOM)
    return lease


async def test_it_holds_from_before_it_was_asked_for_until_its_time(
    lease: Lease, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    renew = Ownership.renew

    async def slow(*args: Any, **names: Any) -> bool:
        await clock.advance(2)
        return await renew(*args, **names)

    monkeypatch.setattr(Ownership, "renew", slow)
    await clock.advance(1)
    assert await lease.renew(10, draining=False)
    await clock.advance(3.9)  # 5.9 s after it was asked for
    assert lease.holds
    await clock.advance(0.1)
    assert not lease.holds


async def test_it_is_renewed_in_time_and_sooner_when_that_failed(
    lease: Lease, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def away(*_args: Any, **_names: Any) -> bool:
        raise StorageUnavailable

    assert lease.wait_seconds == 2
    with monkeypatch.context() as patch:
        patch.setattr(Ownership, "renew", away)
        assert await lease.renew(10, draining=False)
        assert lease.wait_seconds == 0.5
        await clock.advance(5.75)
        assert lease.wait_seconds == pytest.approx(0.25)
        await clock.advance(0.25)
        assert lease.wait_seconds == 0
        assert not await lease.renew(10, draining=False)


async def test_one_that_has_run_out_is_not_renewed_however_fast_the_answer(lease: Lease, clock: ManualClock) -> None:
    await clock.advance(6)
    assert not await lease.renew(10, draining=False)
    assert not lease.holds


async def test_a_new_one_frees_the_tables_of_the_one_before(rows: Any, lease: Lease) -> None:
    owners = Ownership(rows.database)
    await rows.place("t1")
    first = lease.server_id
    assert await owners.take(first, 1, ROOM)
    await lease.begin("here:1", ROOM)
    assert lease.server_id != first
    assert (await rows.table("t1")).owner is None
    assert [server.server_id for server in await owners.servers()] == [lease.server_id]


async def test_waiting_for_a_database_that_hangs_ends_with_the_lease(
    rows: Any, lifeline: Lifeline, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def hang(*_args: Any, **_names: Any) -> bool:
        await asyncio.Event().wait()
        return True

    lease = Lease(Ownership(rows.database), lifeline, SystemClock(), 0.2)
    await lease.begin("here:1", ROOM)
    monkeypatch.setattr(Ownership, "renew", hang)
    assert not await lease.renew(10, draining=False)
