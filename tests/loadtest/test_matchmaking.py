"""The simulator of policies counts everybody once and plays the same arrivals the same way."""

import random
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest
from arrivals import Arrival, Crowd, read, write
from waits import Outcome, Seat, percentile, report

from gouji.matchmaking.policy import Hall, Policy

CYCLE = 200_000
CROWD = Crowd(people=400, rate=1.0, hours=0.05)


@pytest.fixture(scope="module")
def matchmaking(load_script: Callable[[Path], ModuleType]) -> ModuleType:
    """`loadtest` is a folder of scripts, not a package."""
    return load_script(Path(__file__).resolve().parents[2] / "loadtest/matchmaking.py")


def arrivals(seed: int = 1) -> list[Arrival]:
    return list(CROWD.arrivals(random.Random(seed)))


def six(second: float, leaves_after: float = 60.0) -> list[Arrival]:
    return [Arrival(second, ((person, 25.0, 3.0),), leaves_after) for person in range(6)]


def test_six_who_come_together_wait_for_the_next_look(matchmaking: ModuleType) -> None:
    outcome = matchmaking.Simulation(Hall(), None).run(six(1.1), CYCLE)
    assert [round(seat.wait, 3) for seat in outcome.seated] == [0.1] * 6
    assert (outcome.tables, outcome.with_bots, outcome.left) == (1, 0, [])


def test_who_has_nobody_to_play_with_leaves_or_gets_bots(matchmaking: ModuleType) -> None:
    left = matchmaking.Simulation(Hall(), None).run(six(1.0)[:5], CYCLE)
    assert (len(left.left), left.seated) == (5, [])
    filled = matchmaking.Simulation(Hall(), 10_000_000).run(six(1.0)[:5], CYCLE)
    assert (len(filled.seated), filled.with_bots) == (5, 1)


def test_recent_opponents_are_remembered(matchmaking: ModuleType) -> None:
    outcome = matchmaking.Simulation(Hall(), None).run([*six(1.0), *six(2.0)], CYCLE)
    assert sorted(round(seat.wait) for seat in outcome.seated) == [0] * 6 + [15] * 6


def test_everybody_who_came_is_seated_or_left_and_the_same_again_the_next_time(matchmaking: ModuleType) -> None:
    first, second = (matchmaking.Simulation(Hall(), None).run(arrivals(), CYCLE) for _ in range(2))
    assert first == second
    people = [person for arrival in arrivals() for person, _, _ in arrival.people]
    waiting_twice = len(people) - len(first.seated) - len(first.left)
    assert 0 <= waiting_twice < len(people) / 10


@pytest.mark.parametrize("crowd", [Crowd(rate=0.3, hours=1.0), Crowd(rate=2.0, hours=0.25)], ids=["quiet", "busy"])
def test_among_people_alone_no_rating_decile_waits_more_than_twice_the_median(
    matchmaking: ModuleType, crowd: Crowd
) -> None:
    outcome = matchmaking.Simulation(Hall(), None).run(crowd.arrivals(random.Random(21)), CYCLE)
    assert len(outcome.seated) > 1000
    assert outcome.slowest() <= 2


def test_arrivals_can_be_recorded_and_read(tmp_path: Path) -> None:
    write(tmp_path / "arrivals.csv", arrivals())
    assert list(read(tmp_path / "arrivals.csv")) == arrivals()


def test_more_come_in_the_evening() -> None:
    morning, evening = (sum(1 for _ in Crowd(hours=1, begins=hour).arrivals(random.Random(1))) for hour in (4.0, 20.0))
    assert evening > 10 * morning


def test_a_report_has_a_line_for_each_decile_and_size_of_party() -> None:
    outcome = Outcome([Seat(float(n), 1 + n % 2, wait=1.0 + n % 7) for n in range(100)])
    lines = list(report(outcome))
    assert sum(line.startswith("rating") for line in lines) == 10
    assert sum(line.startswith("party of") for line in lines) == 2
    assert lines[-1] == "slowest decile: 1.25 times the median wait"


def test_percentiles_are_values_that_were_there() -> None:
    assert [percentile([3.0, 1.0, 2.0, 4.0], share) for share in (0, 50, 99)] == [1.0, 3.0, 4.0]
    assert percentile([], 50) == 0.0


def test_a_policy_is_read_from_its_changes(matchmaking: ModuleType) -> None:
    assert matchmaking.policy_of("band=8,most_tables=9") == Policy(band=8.0, most_tables=9)
    with pytest.raises(Exception, match="no such part"):
        matchmaking.policy_of("bands=8")


def test_the_simulator_runs_without_the_library_that_draws(
    matchmaking: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["matchmaking.py", "--hours", "0.02", "--people", "400"])
    monkeypatch.setattr(matchmaking, "SNAPSHOTS", (100,))
    matchmaking.main()
    assert "slowest decile" in capsys.readouterr().out
