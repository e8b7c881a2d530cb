"""Feeds by themselves: what a watcher hears, and when."""

import asyncio
from collections.abc import Collection

import pytest

from gouji.matchmaking.feeds import GONE, Feed
from gouji.serving.errors import ServiceError, StorageUnavailable
from gouji.serving.testing import ManualClock


class Numbers:
    """Stands where the database is, and notes what is asked."""

    def __init__(self, **numbers: int) -> None:
        self.numbers = numbers
        self.asked: list[set[str]] = []
        self.broken = False

    async def __call__(self, keys: Collection[str]) -> dict[str, int]:
        self.asked.append(set(keys))
        if self.broken:
            raise StorageUnavailable
        return {key: self.numbers[key] for key in keys}


def feed_of(numbers: Numbers) -> Feed:
    return Feed(numbers, ManualClock(), poll_seconds=60)


async def test_a_stir_tells_the_watchers_of_that_alone() -> None:
    numbers = Numbers(a=1, b=1)
    feed = feed_of(numbers)
    running = asyncio.create_task(feed.run())
    with feed.follow("a") as watch, feed.follow("b"):
        feed.stir(["b", "c"])
        feed.stir(["a"])
        async with asyncio.timeout(10):
            assert await watch.change(0, 60)
            numbers.numbers["a"] = GONE
            feed.stir(["a", "c"])
            await watch.change(1, 60)
    assert numbers.asked[-1] == {"a"}
    assert set().union(*numbers.asked) == {"a", "b"}
    running.cancel()


async def test_what_was_shown_already_is_no_change() -> None:
    numbers = Numbers(a=3)
    feed = feed_of(numbers)
    running = asyncio.create_task(feed.run())
    with feed.follow("a") as watch:
        feed.stir(["a"])
        async with asyncio.timeout(10):
            await watch.change(2, 60)
        waiting = asyncio.create_task(watch.change(4, 60))
        feed.stir(["a"])
        while len(numbers.asked) < 2:  # noqa: ASYNC110
            await asyncio.sleep(0)
        assert not waiting.done()
        waiting.cancel()
    running.cancel()


async def test_a_watch_ends_its_wait_for_a_heart_beat() -> None:
    feed = feed_of(Numbers(a=1))
    with feed.follow("a") as watch:
        assert not await watch.change(5, 0.001)


async def test_a_database_that_is_away_ends_no_feed() -> None:
    numbers = Numbers(a=1)
    numbers.broken = True
    feed = feed_of(numbers)
    running = asyncio.create_task(feed.run())
    with feed.follow("a") as watch:
        async with asyncio.timeout(10):
            feed.stir(["a"])
            while not numbers.asked:  # noqa: ASYNC110
                await asyncio.sleep(0)
            numbers.broken = False
            feed.stir(["a"])
            await watch.change(0, 60)
    running.cancel()


async def test_a_feed_that_is_closed_sends_its_watchers_away() -> None:
    feed = feed_of(Numbers(a=1))
    with feed.follow("a") as one, feed.follow("a"):
        await feed.close()
        with pytest.raises(ServiceError, match="draining"):
            await one.change(0, 60)
    assert not feed.keys
