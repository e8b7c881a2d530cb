"""What a run came to: when it holds, when it does not, and how that is written down."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from gouji.load.notes import Notes
from gouji.load.profile import Budget, Budgets, Profile
from gouji.load.report import Moment, Outcome, Thrown
from gouji.load.usage import Sample
from gouji.load.writing import page, write

MIB = 2**20


def course() -> list[Moment]:
    return [Moment(at, 6, 1, at * 10, at * 60, 0, 0, 0) for at in range(7)]


def samples(cpu: float, grows: int) -> list[Sample]:
    return [Sample(at, cpu, 100 * MIB + at * grows) for at in range(7)]


def outcome(profile: Profile, **changed: Any) -> Outcome:
    notes = Notes(measured_from=0.0)
    for _ in range(100):
        notes.latencies.record("act", 0.02)
    notes.latencies.record("lag", 0.001)
    notes.commands, notes.actions = 100, Counter(play=60, pass_turn=40)
    usual: dict[str, Any] = {
        "course": course(),
        "servers": {"table-1": samples(0.5, MIB), "bot-1": samples(0.1, 0), "postgres": samples(0.1, 5 * MIB)},
        "notes": notes,
    }
    made = {**usual, **changed}
    return Outcome(
        name="small", profile=profile, address="127.0.0.1:1", started="2026-01-01T00:00:00+00:00", seconds=6.0, **made
    )


def with_budgets(profile: Profile, **budgets: Any) -> Profile:
    return profile.model_copy(update={"budgets": Budgets(**budgets)})


def test_what_holds_is_right_and_told_with_its_figures(small: Profile) -> None:
    asked = with_budgets(small, latencies=(Budget(kind="act", percentile=99, milliseconds=50),))
    told = outcome(asked).told()
    assert (told["ok"], told["wrong"], told["void"]) == (True, [], [])
    assert told["budgets"][0]["held"]
    assert told["commands_per_second"] == pytest.approx(100 / 6)
    assert told["latencies"]["act"]["seen_ms"]["p99"] == pytest.approx(20, rel=0.01)
    assert told["servers"]["table-1"]["cpu"] == pytest.approx(0.5)
    assert told["servers"]["table-1"]["memory_mib_per_minute"] == pytest.approx(60)
    assert told["a_table"] == {"cpu": pytest.approx(0.5), "memory_kib": pytest.approx(6 * 1024)}


@pytest.mark.parametrize(
    ("budgets", "told"),
    [
        ({"latencies": (Budget(kind="act", milliseconds=10),)}, "act at p99 was to be within 10 ms; it was 20.0 ms"),
        ({"latencies": (Budget(kind="back", milliseconds=10),)}, "back at p99 was to be within 10 ms; there was none"),
        ({"least_commands": 101}, "100 commands were done, where 101 were to be"),
        ({"most_memory_mib_per_minute": 30}, "the memory of table-1 grows by 60.0 MiB a minute, 30 may be"),
    ],
)
def test_a_budget_that_is_missed_is_told(small: Profile, budgets: dict[str, Any], told: str) -> None:
    assert outcome(with_budgets(small, **budgets)).wrong() == [told]


def test_failures_violations_faults_and_lost_clients_make_a_run_fail(small: Profile) -> None:
    notes = Notes(measured_from=0.0, failures=Counter({"internal": 2}), commands=10)
    notes.wrong("table t, seat 1: event 3 comes where 2 was to come: a gap")
    thrown = [Thrown(1.0, "kill table-9", 0.0, "there is no table-9")]
    assert outcome(small, notes=notes, thrown=thrown, lost=["it ended with 1"]).wrong() == [
        "a client process was lost: it ended with 1",
        "1 times a server showed what it must not: table t, seat 1: event 3 comes where 2 was to come: a gap",
        "kill table-9 could not be done: there is no table-9",
        "2 failures, where 0 may be: {'internal': 2}",
    ]


def test_a_run_whose_clients_lagged_is_void(small: Profile) -> None:
    notes = Notes(measured_from=0.0, commands=10)
    notes.latencies.record("lag", 0.2)
    strict = with_budgets(small, most_lag_ms=50)
    [told] = outcome(strict, notes=notes).void()
    assert told.startswith("the clients lagged 2")
    assert not outcome(strict, notes=notes).told()["ok"]


def test_notes_of_several_processes_are_put_together() -> None:
    one, both = Notes(0.0, failures=Counter(deadline=1), commands=3), Notes(0.0)
    one.time("act", 1.0)
    one.wrong("that")
    for _ in range(2):
        both.add(json.loads(json.dumps(one.packed())))
    assert (both.failures["deadline"], both.commands, both.violated, both.violations) == (2, 6, 2, ["that", "that"])
    assert both.latencies.seen("act").count == 2


def test_what_was_due_before_the_warmup_was_over_is_not_measured() -> None:
    notes = Notes(measured_from=10.0)
    notes.span("act", 9.9, 10.5)
    notes.span("act", 10.1, 10.5)
    assert notes.latencies.seen("act").count == 1


def test_a_report_is_written_as_json_page_and_charts(small: Profile, out: Path) -> None:
    thrown = [Thrown(2.0, "restart table-*", 1.5)]
    files = write(outcome(small, thrown=thrown), out)
    assert files == ["report.json", "report.html", "latency.png", "course.png", "servers.png"]
    assert all((out / name).stat().st_size for name in files)
    assert (out / "latency.png").read_bytes().startswith(b"\x89PNG")
    told = json.loads((out / "report.json").read_text())
    assert told["ok"]
    assert told["course"][-1]["commands"] == 60
    shown = (out / "report.html").read_text()
    assert "restart table-*" in shown
    assert 'src="servers.png"' in shown


def test_the_page_shows_texts_as_texts(small: Profile) -> None:
    notes = Notes(measured_from=0.0, commands=10)
    notes.wrong("<script>")
    assert "<script>" not in page(outcome(small, notes=notes, servers={}), [])
