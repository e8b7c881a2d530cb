"""Names and ports of a fleet's processes."""

from collections.abc import Iterator
from itertools import count

import pytest

from gouji.fleet.layout import ORDER, PROCESSES, addresses, in_turn, lay_out


def free() -> Iterator[int]:
    return count(50_000)


def test_processes_are_numbered_by_service_and_have_ports_in_order() -> None:
    places = lay_out({**PROCESSES, "table": 3, "bot": 1}, in_turn(7100, free()), in_turn(7190, free()))
    assert [place.name for place in places] == [
        *("scoring-1", "bot-1", "matchmaking-1", "matchmaking-2", "gateway-1", "table-1", "table-2", "table-3")
    ]
    assert [place.port for place in places] == list(range(7100, 7108))
    assert [place.metrics_port for place in places] == list(range(7190, 7198))
    assert [place.name for place in places if place.has_door] == ["gateway-1"]


def test_ports_that_somebody_has_are_left_out_and_may_be_free_ones_or_none() -> None:
    assert [port for port, _ in zip(in_turn(7100, free(), [7101]), range(3), strict=False)] == [7100, 7102, 7103]
    assert next(in_turn(0, free())) == 50_000
    assert [port for port, _ in zip(in_turn(-1, free()), range(2), strict=False)] == [-1, -1]


def test_each_service_is_dialled_at_all_its_processes() -> None:
    told = addresses(lay_out(PROCESSES, in_turn(7100, free()), in_turn(-1, free())))
    assert told["GOUJI_MATCHMAKING_ADDRESS"] == "127.0.0.1:7103,127.0.0.1:7104"
    assert told["GOUJI_SCORING_ADDRESS"] == "127.0.0.1:7100"
    assert len(told) == len(ORDER)


def test_a_service_without_a_process_is_refused() -> None:
    with pytest.raises(ValueError, match="there must be a process of bot"):
        lay_out({**PROCESSES, "bot": 0}, free(), free())
