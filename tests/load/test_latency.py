"""Times, and what a stall does to them."""

import pytest

from gouji.load.latency import Latencies


def test_a_stall_counts_for_the_commands_that_it_kept_from_being_made() -> None:
    times = Latencies()
    for _ in range(95):
        times.record("act", 0.010, interval=1.0)
    times.record("act", 10.0, interval=1.0)
    assert times.seen("act").count == 96
    assert times.seen("act").p95 == pytest.approx(10, rel=0.01)
    corrected = times.corrected("act")
    assert corrected.count == 96 + 9  # at 9, 8, ... 1 s
    assert corrected.p95 == pytest.approx(5000, rel=0.25)
    assert corrected.most == pytest.approx(10_000, rel=0.01)


def test_what_has_a_time_of_its_own_needs_no_correction() -> None:
    times = Latencies()
    times.record("guest", 10.0)
    assert times.corrected("guest") == times.seen("guest")


def test_times_of_several_processes_are_put_together() -> None:
    one, two = Latencies(), Latencies()
    one.record("act", 0.1, interval=0.05)
    two.record("act", 0.3, interval=0.05)
    two.record("watch", 7200.0)
    both = Latencies()
    for times in (one, two):
        both.add(times.packed())
    assert both.kinds() == ["act", "watch"]
    assert both.seen("act").count == 2
    assert both.corrected("act").count == one.corrected("act").count + two.corrected("act").count
    assert both.at("watch", 50) == pytest.approx(3_600_000, rel=0.01)  # longer than an hour is an hour
    assert both.at("play", 50) is None
