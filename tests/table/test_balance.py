"""Shares of free tables, and who is asked to take one over."""

import pytest

from gouji.table.balance import Server, least_loaded, share


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
