"""Where a table is to be found."""

from collections import Counter

import pytest

from gouji.gateway.routing import Placement, Server, reader_of

SERVERS = [Server(f"s{number}", f"10.0.0.{number}:7100") for number in range(5)]


@pytest.mark.parametrize(
    ("state", "owner", "anywhere"),
    [
        ("placed", None, False),
        ("live", None, False),
        ("live", SERVERS[0], False),
        ("over", None, True),
        ("over", SERVERS[0], False),
        ("frozen", None, True),
        ("frozen", SERVERS[0], False),
    ],
)
def test_only_a_table_that_has_ended_and_lost_its_server_may_be_read_anywhere(state, owner, anywhere):
    assert Placement("t", state, owner).anywhere is anywhere


def test_readers_are_the_same_for_everybody_and_spread_over_the_servers():
    chosen = Counter(reader_of(f"t{number}", SERVERS) for number in range(500))
    assert chosen == Counter(reader_of(f"t{number}", SERVERS[::-1]) for number in range(500))
    assert min(chosen[server] for server in SERVERS) > 50


def test_a_server_that_goes_moves_only_its_own_tables():
    tables = [f"t{number}" for number in range(100)]
    gone = SERVERS[2]
    for table in tables:
        before, after = reader_of(table, SERVERS), reader_of(table, [*SERVERS[:2], *SERVERS[3:]])
        assert before in (after, gone)


def test_a_server_that_drains_is_asked_only_when_all_do():
    draining = [Server(f"d{number}", "", draining=True) for number in range(5)]
    assert all(reader_of(f"t{number}", [*draining, SERVERS[0]]) == SERVERS[0] for number in range(20))
    assert reader_of("t", draining) in draining


def test_without_servers_there_is_no_reader():
    assert reader_of("t", []) is None
