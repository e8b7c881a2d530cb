"""How processes share the queues: what each works out alone, and what comes of it on both databases."""

import random
from collections import Counter
from collections.abc import Callable
from typing import Any

import sqlalchemy as sa
from hypothesis import given
from hypothesis import strategies as st

from gouji.matchmaking.shares import Share, share_of
from gouji.matchmaking.tickets import Ticket
from gouji.serving.schema import matchmakers, queue_leases

Make = Callable[..., Ticket]
Rooms = Callable[..., Any]


def test_free_queues_go_to_whoever_has_fewest() -> None:
    holders = {"q1": "a", "q2": "a", "q3": "b"}
    assert share_of("a", ["q1", "q2", "q3", "q4", "q5"], holders, ["a", "b"]) == Share(["q5"], [])
    assert share_of("b", ["q1", "q2", "q3", "q4", "q5"], holders, ["a", "b"]) == Share(["q4", "q5"], [])
    assert share_of("c", ["q1", "q2", "q3", "q4", "q5"], holders, ["a", "b"]) == Share(["q4", "q5"], [])


def test_who_has_much_more_than_another_gives_half_of_it_up_once_none_is_free() -> None:
    holders = dict.fromkeys(["q1", "q2", "q3", "q4"], "a")
    assert share_of("a", holders, holders, ["a", "b"]) == Share([], ["q1", "q2"])
    assert share_of("b", holders, holders, ["a", "b"]) == Share([], [])
    assert share_of("a", [*holders, "q5"], holders, ["a", "b"]) == Share([], [])
    assert share_of("a", ["q1"], holders, ["a", "b"]) == Share([], [])


def test_a_process_that_does_not_say_that_it_is_there_keeps_its_queues_until_its_leases_end() -> None:
    assert share_of("a", ["q1", "q2"], {"q1": "old", "q2": "old"}, ["a"]) == Share([], [])


@given(st.integers(1, 12), st.integers(1, 5), st.integers(0, 2**32))
def test_whoever_comes_and_goes_all_queues_end_up_spread_evenly(number: int, most: int, seed: int) -> None:
    chance = random.Random(seed)
    queues, holders, alive = [f"q{n}" for n in range(number)], dict[str, str](), set[str]()
    for _ in range(chance.randint(1, 6)):
        alive = set(chance.sample("abcde", chance.randint(1, most)))
        holders = {queue: one for queue, one in holders.items() if one in alive}
        for _ in range(10):
            for me in chance.sample(sorted(alive), len(alive)):
                share = share_of(me, queues, holders, alive)
                assert all(holders[queue] == me for queue in share.give)
                holders = {queue: one for queue, one in holders.items() if queue not in share.give}
                assert not holders.keys() & set(share.take)
                holders |= dict.fromkeys(share.take, me)
        assert holders.keys() == set(queues)
        counts = Counter(dict.fromkeys(alive, 0)) + Counter(holders.values())
        assert max(counts.values()) - min(counts[one] for one in alive) <= 1
        settled = [share_of(me, queues, holders, alive) for me in alive]
        assert settled == [Share([], [])] * len(alive)


async def held(room: Any) -> list[str]:
    """The queues that a process holds at the moment, whatever the time."""
    query = sa.select(queue_leases.c.queue).where(
        queue_leases.c.owner == room.cycle.owner, queue_leases.c.expires_at > 0
    )
    async with room.books.database.connect() as connection:
        return sorted(await connection.scalars(query))


async def die(room: Any) -> None:
    """Have the leases of a process end as if it had been dead for their length."""
    async with room.books.database.begin() as connection:
        for table in (queue_leases, matchmakers):
            await connection.execute(sa.update(table).where(table.c.owner == room.cycle.owner).values(expires_at=0))


async def test_queues_are_spread_over_the_processes_that_are_there(rooms: Rooms, make_ticket: Make) -> None:
    first, second, third = (rooms(ready_seconds=0, queue_lease_seconds=600) for _ in range(3))
    queues = [f"local/q{n}" for n in range(7)]
    await first.queue(*(make_ticket(n, at=first.now, bots_after_ms=None, queue=name) for n, name in enumerate(queues)))
    await first.turn()
    assert await held(first) == queues
    for _ in range(3):
        for room in (first, second, third):
            await room.turn()
    shares = [await held(room) for room in (first, second, third)]
    assert sorted(map(len, shares)) == [2, 2, 3]
    assert sorted(queue for share in shares for queue in share) == queues
    await die(second)
    for _ in range(2):
        for room in (first, third):
            await room.turn()
    left = [await held(room) for room in (first, third)]
    assert sorted(map(len, left)) == [3, 4]
    assert sorted(queue for share in left for queue in share) == queues


async def test_a_queue_that_is_handed_on_goes_on(rooms: Rooms, make_ticket: Make) -> None:
    first, second = (rooms(ready_seconds=0, queue_lease_seconds=600) for _ in range(2))
    for n in range(10):
        await first.queue(make_ticket(n, at=first.now, bots_after_ms=None, queue=f"local/q{n % 2}"))
    await first.turn()
    await second.turn()
    await first.turn()
    await second.turn()
    assert (len(await held(first)), len(await held(second))) == (1, 1)
    await first.queue(*(make_ticket(n, at=first.now, bots_after_ms=None, queue=f"local/q{n % 2}") for n in (10, 11)))
    made = [len(await room.turn()) for room in (first, second)]
    assert made == [1, 1]
