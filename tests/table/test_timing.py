"""What is due when."""

import pytest

from gouji.table.deals import thought, window_ms
from gouji.table.timing import Due, Timers, bank_after, deadline, full_clock
from gouji.v1 import rules_pb2

USUAL = rules_pb2.Clock(turn_ms=20_000, bank_ms=60_000, answers_least_ms=1500, answers_most_ms=2500)


def test_timers_come_when_due_and_in_order() -> None:
    timers = Timers()
    for at in (30, 10, 20):
        timers.add(Due(at, "t1", 1, at))
    assert [due.at for due in timers.take(20)] == [10, 20]
    assert [due.at for due in timers.take(29)] == []
    assert len(timers) == 1


def test_a_deadline_is_the_time_for_one_decision_and_the_bank() -> None:
    assert deadline(1_000_000, 20_000, 5_000_000) == 26_000_000


@pytest.mark.parametrize(("seconds", "left"), [(1, 5), (20, 5), (22, 3), (25, 0), (99, 0)])
def test_a_bank_pays_for_overtime_only(seconds: int, left: int) -> None:
    assert bank_after(7, 7 + seconds * 1_000_000, 20_000, 5_000_000) == left * 1_000_000


def clock(least: int = 0, most: int = 0) -> rules_pb2.Clock:
    return rules_pb2.Clock(answers_least_ms=least, answers_most_ms=most)


@pytest.mark.parametrize(
    ("asked", "people", "answers"),
    [
        (clock(), True, (1500, 2500)),
        (clock(), False, (0, 0)),
        (clock(100, 200), True, (100, 200)),
        (clock(100, 200), False, (100, 200)),
        (clock(least=3000), True, (3000, 3000)),
        (clock(most=700), True, (700, 700)),
        (clock(most=700), False, (0, 700)),
    ],
)
def test_what_was_not_asked_for_is_the_usual(asked: rules_pb2.Clock, people: bool, answers: tuple[int, int]) -> None:
    full = full_clock(asked, USUAL, people=people)
    assert (full.turn_ms, full.bank_ms) == (20_000, 60_000)
    assert (full.answers_least_ms, full.answers_most_ms) == answers


def test_windows_last_from_least_to_most_as_the_secret_says() -> None:
    lengths = [window_ms(bytes([n] * 32), n, 1500, 2500) for n in range(200)]
    assert min(lengths) < 1600
    assert max(lengths) > 2400
    assert all(1500 <= length <= 2500 for length in lengths)
    assert window_ms(bytes(32), 1, 1500, 2500) == window_ms(bytes(32), 1, 1500, 2500)
    assert window_ms(bytes(32), 1, 900, 900) == 900


def test_bots_think_now_shorter_and_now_longer_as_the_secret_says() -> None:
    thoughts = sorted(thought(bytes([n] * 32), n, n % 6) for n in range(200))
    assert all(0.4 <= share <= 3.0 for share in thoughts)
    assert 0.85 < thoughts[100] < 1.15
    assert thoughts[20] < 0.7
    assert thoughts[180] > 1.5
    assert thought(bytes(32), 1, 0) == thought(bytes(32), 1, 0)
