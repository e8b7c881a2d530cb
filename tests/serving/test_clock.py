"""The system's clock, and the one that tests drive by hand."""

import asyncio
from datetime import UTC, datetime, timedelta

from gouji.serving.clock import Clock, SystemClock, microseconds, moment
from gouji.serving.testing import ManualClock


def test_a_time_survives_the_database_to_the_microsecond() -> None:
    for time in (datetime(2026, 1, 1, 1, 2, 3, 456789, UTC), datetime(1970, 1, 1, tzinfo=UTC)):
        assert moment(microseconds(time)) == time
    assert moment(253_402_300_799_999_999) == datetime.max.replace(tzinfo=UTC)


async def test_the_systems_clock_is_utc_and_passes() -> None:
    clock: Clock = SystemClock()
    first, began = clock.now(), clock.monotonic()
    await clock.sleep(0.01)
    await clock.sleep(-1)
    assert first.tzinfo is UTC
    assert clock.now() > first
    assert clock.monotonic() > began


async def test_a_manual_clock_stands_still_until_it_is_advanced() -> None:
    clock = ManualClock()
    first = clock.now()
    await asyncio.sleep(0.01)
    assert (clock.now(), clock.monotonic()) == (first, 0)
    await clock.advance(1.5)
    assert (clock.now() - first, clock.monotonic()) == (timedelta(seconds=1.5), 1.5)


async def test_sleepers_wake_in_the_order_of_their_times_and_see_that_time() -> None:
    clock, woken = ManualClock(), list[tuple[str, float]]()

    async def sleeper(name: str, seconds: float) -> None:
        await clock.sleep(seconds)
        woken.append((name, clock.monotonic()))

    async with asyncio.TaskGroup() as group:
        for name, seconds in (("late", 3.0), ("soon", 1.0), ("also soon", 1.0), ("at once", 0.0)):
            group.create_task(sleeper(name, seconds))
        await clock.advance(2)
        assert woken == [("at once", 0), ("soon", 1), ("also soon", 1)]
        assert clock.sleepers == 1
        await clock.advance(1)
    assert woken[-1] == ("late", 3)


async def test_a_sleeper_may_sleep_again_within_one_advance() -> None:
    clock, ticks = ManualClock(), list[float]()

    async def tick() -> None:
        while True:
            await clock.sleep(1)
            ticks.append(clock.monotonic())

    task = asyncio.create_task(tick())
    await clock.advance(3.5)
    task.cancel()
    await clock.advance(5)
    assert ticks == [1, 2, 3]
    assert clock.sleepers == 0
