"""Places for those who come back, and for those who come anew."""

import asyncio

import pytest

from gouji.serving.budgets import LEAST_RETRY_MS, MOST_RETRY_MS, Budget, Budgets
from gouji.serving.errors import ServiceError
from gouji.serving.metrics import Metrics
from gouji.serving.settings import Settings
from gouji.serving.testing import until


@pytest.fixture
def budgets() -> Budgets:
    return Budgets(Settings(returns_at_once=2, arrivals_at_once=1), Metrics())


async def hold(budget: Budget, order: list[int], number: int, leave: asyncio.Event) -> None:
    async with budget:
        order.append(number)
        await leave.wait()


async def test_who_comes_back_waits_in_line_and_keeps_nobody_new_out(budgets: Budgets) -> None:
    order: list[int] = []
    leave = asyncio.Event()
    inside = [asyncio.create_task(hold(budgets.returns, order, n, leave)) for n in range(5)]
    await until(lambda: budgets.returns._waiting == 3)
    assert order == [0, 1]
    async with budgets.arrivals:
        pass
    leave.set()
    await asyncio.gather(*inside)
    assert order == [0, 1, 2, 3, 4]


async def test_a_line_that_is_too_long_is_refused_with_a_time_to_come_again(budgets: Budgets) -> None:
    budget = budgets.returns
    budget._most_waiting = 1
    leave = asyncio.Event()
    inside = [asyncio.create_task(hold(budget, [], n, leave)) for n in range(3)]
    await until(lambda: budget._waiting == 1)
    with pytest.raises(ServiceError) as refused:
        await hold(budget, [], 3, leave)
    assert refused.value.reason == "overloaded"
    assert refused.value.retry_after_ms is not None
    assert LEAST_RETRY_MS <= refused.value.retry_after_ms <= MOST_RETRY_MS
    leave.set()
    await asyncio.gather(*inside)


async def test_who_hangs_up_in_the_line_leaves_it(budgets: Budgets) -> None:
    leave = asyncio.Event()
    first, second = (asyncio.create_task(hold(budgets.arrivals, [], n, leave)) for n in range(2))
    await until(lambda: budgets.arrivals._waiting == 1)
    second.cancel()
    await until(second.done)
    assert budgets.arrivals._waiting == 0
    leave.set()
    await first
    async with budgets.arrivals:
        pass
