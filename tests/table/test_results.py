"""Results as tables write them for scoring."""

import pytest

from gouji.table.results import given_up
from gouji.v1 import events_pb2
from gouji.v1.events_pb2 import Event
from gouji.v1.scoring_pb2 import HandResult

SEATS = [events_pb2.Seat(player_id=f"p{n}", name=f"P{n}") for n in range(6)]


def log(*bodies: tuple[int, str]) -> list[Event]:
    """A log that opens, and then has these events: the hand, and ``committed``, ``ended`` or ``voided``."""
    opened = events_pb2.TableOpened(table_id="t1", queue="local/quick", tournament="cup", seats=SEATS)
    events = [Event(sequence=1, table_opened=opened)]
    for hand, what in bodies:
        event = Event(sequence=len(events) + 1, hand=hand)
        if what == "committed":
            event.hand_committed.SetInParent()
        else:
            event.hand_ended.voided = what == "voided"
        event.at.FromMicroseconds(len(events) * 1_000_000)
        events.append(event)
    return events


@pytest.mark.parametrize(
    ("bodies", "hand", "results", "began"),
    [
        ([], 1, 1, 9_000_000),
        ([(1, "committed")], 1, 1, 1_000_000),
        ([(1, "committed"), (1, "ended"), (2, "committed")], 2, 2, 3_000_000),
        ([(1, "committed"), (1, "ended")], 2, 2, 9_000_000),
        ([(1, "committed"), (1, "voided"), (2, "committed")], 2, 1, 3_000_000),
        ([(1, "committed"), (1, "ended"), (2, "committed"), (2, "voided")], 2, 2, 3_000_000),
    ],
)
def test_a_match_that_is_given_up_has_a_last_result_of_its_own(
    bodies: list[tuple[int, str]], hand: int, results: int, began: int
) -> None:
    made = given_up(log(*bodies), 9_000_000)
    assert (made.hand, made.results, made.last, made.abandoned) == (hand, results, True, True)
    assert (made.began.ToMicroseconds(), made.ended.ToMicroseconds()) == (began, 9_000_000)
    assert (made.table_id, made.queue, made.tournament) == ("t1", "local/quick", "cup")
    assert not made.order


def test_results_name_nobody() -> None:
    made: HandResult = given_up(log(), 1)
    assert [seat.player_id for seat in made.seats] == [f"p{n}" for n in range(6)]
    assert {seat.name for seat in made.seats} == {""}
