"""Shares of free tables, who is asked to take one over, and what servers say that they can run."""

import pytest

from gouji.table.balance import Server, least_loaded, seats_used, share
from gouji.table.capacity import Room, room


def server(name: str, tables: int = 0, capacity: int = 10, draining: bool = False) -> Server:
    return Server(name, f"{name}:1", capacity, tables, draining)


@pytest.mark.parametrize(
    ("own", "free", "others", "due"),
    [
        (0, 9, [], 9),
        (0, 9, [server("b"), server("c")], 3),
        (0, 10, [server("b"), server("c")], 4),
        (2, 9, [server("b", 1), server("c", 0)], 2),
        (8, 3, [server("b", 1)], 0),
        (0, 4, [server("b", 8)], 4),
        (0, 9, [server("b", capacity=20)], 3),
        (0, 9, [server("b", draining=True)], 9),
        (5, 0, [server("b")], 0),
    ],
)
def test_free_tables_are_shared_so_that_all_are_filled_alike(
    own: int, free: int, others: list[Server], due: int
) -> None:
    assert share(own, free, "a", [server("a", 99), *others]) == due


def test_a_server_that_drains_or_is_unknown_has_no_share() -> None:
    assert share(0, 9, "a", [server("a", draining=True), server("b")]) == 0
    assert share(0, 9, "a", [server("b")]) == 0
    assert share(0, 9, "a", []) == 0


def test_the_least_loaded_server_that_stays_and_has_room_is_chosen() -> None:
    fleet = [server("a", 2), server("b", 3, capacity=20), server("c", 0, draining=True), server("d", 1, capacity=1)]
    assert least_loaded(fleet, ()) == fleet[1]
    assert least_loaded(fleet, {"b"}) == fleet[0]
    assert least_loaded(fleet, {"a", "b"}) is None
    assert least_loaded([server("y"), server("x")], ()) == server("x")


def test_seats_are_counted_over_the_servers_that_stay() -> None:
    assert seats_used([server("a", 2), server("b", 3, capacity=30), server("c", 9, draining=True)]) == 5 / 40
    assert seats_used([server("a", 4, draining=True)]) == 1
    assert seats_used([]) == 1


@pytest.mark.parametrize(
    ("lag", "stated"), [(0, Room(200, 180)), (0.1, Room(200, 180)), (0.2, Room(100, 90)), (30, Room(0, 0))]
)
def test_a_server_that_lags_states_less_and_keeps_its_share_of_that(lag: float, stated: Room) -> None:
    assert room(200, 10, lag) == stated


@pytest.mark.parametrize(
    ("capacity", "percent", "new"), [(2, 10, 2), (10, 10, 9), (10, 0, 10), (10, 99, 1), (1, 99, 1)]
)
def test_what_is_kept_leaves_room_for_a_new_table(capacity: int, percent: int, new: int) -> None:
    assert room(capacity, percent, 0) == Room(capacity, new)
