"""The load on one table server runs: a few tables for a few seconds, through real processes."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "loadtest/tables.py"


@pytest.fixture(scope="module")
def report(load_script: Callable[[Path], ModuleType]) -> ModuleType:
    return load_script(ROOT / "loadtest/report.py")


@pytest.fixture(scope="module")
def watchers() -> None:
    """The load generator, built."""
    if not Path("/usr/include/grpcpp").exists():
        pytest.skip("libgrpc++-dev is not installed; .ci/run installs it")
    subprocess.run(["make", "watchers"], cwd=ROOT, check=True)


def run(*arguments: str) -> str:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GOUJI_")}
    done = subprocess.run(
        [sys.executable, SCRIPT, *arguments], env=environment, capture_output=True, text=True, check=False
    )
    assert "Traceback" not in done.stderr, done.stderr
    return done.stdout


@pytest.mark.usefixtures("watchers")
def test_every_command_at_pace_is_shown_to_all_six_seats(database_url: str) -> None:
    arguments = ("--tables=3", "--seconds=8", "--warmup=0", "--period=4", "--answers-ms=50")
    told = json.loads(run("pace", "--database-url", database_url, *arguments).splitlines()[-1])
    assert (told["failures"], told["unseen"], told["broken"]) == ({}, 0, 0)
    assert told["shown_ms"]["count"] == 6
    assert told["shown_ms"]["most"] >= told["answered_ms"]["p50"] > 0
    assert told["messages"] >= 6 * 6
    assert told["load"]["events"] > 0


def test_bots_without_pace_have_their_events_counted() -> None:
    told = run("bots", "--tables=1", "--warmup=0", "--seconds=2")
    assert "events a second" in told
    assert " 0 events" not in told


def outcome(report: ModuleType, records: list[object], **load: float) -> object:
    usage = {"server_cpu": 0.5, "generator_cpu": 0.5, "other_core": 0.5, "events": 9.0, "commits": 3.0}
    return report.Outcome(
        database="sqlite",
        tables=10,
        seconds=2.0,
        records=records,
        load=report.Load(**{**usage, "commit_seconds": 0.001, "collections": 0, **load}),
        memory=report.Memory(0, 1024 * 100, 1024 * 1000),
        actions={"pass": 1.0},
        messages=0,
        broken=0,
    )


def test_times_count_from_when_a_command_was_due_and_not_from_when_it_was_sent(report: ModuleType) -> None:
    late = outcome(report, [report.Record(due=1.0, sent=1.5, answered=1.6, shown=1.7, code=0)])
    assert late.shown.p99 == pytest.approx(700)
    assert late.answered.p99 == pytest.approx(600)
    assert late.lag.p99 == pytest.approx(500)


def test_a_command_that_not_all_were_shown_is_no_percentile_s_gain(report: ModuleType) -> None:
    records = [report.Record(0, 0, 0.01, 0.01, 0)] * 99 + [report.Record(0, 0, 0.01, None, 0)]
    short = outcome(report, records)
    assert (short.unseen, short.shown.p99) == (1, pytest.approx(10))
    assert json.loads(short.json())["shown_ms"]["most"] is None


@pytest.mark.parametrize(("sent", "cpu", "void"), [(0.0, 0.5, 0), (0.006, 0.5, 1), (0.0, 0.81, 1), (0.006, 0.81, 2)])
def test_a_run_whose_generator_could_not_keep_up_is_void(
    report: ModuleType, sent: float, cpu: float, void: int
) -> None:
    done = outcome(report, [report.Record(0, sent, 0.1, 0.1, 0)], generator_cpu=cpu)
    assert len(done.void) == void
    assert ("VOID" in done.text()) == bool(void)


def test_only_commands_due_while_it_is_measured_are_read(report: ModuleType, tmp_path: Path) -> None:
    rows = ["0,0,0.5,0.5,0.6,0.7,0", "0,1,1.5,1.5,1.6,-1,0", "0,2,2.5,2.5,-1,-1,-1"]
    (tmp_path / "records").write_text("\n".join(rows))
    assert report.read_records(tmp_path / "records", 1.0, 2.0) == [report.Record(1.5, 1.5, 1.6, None, 0)]
