"""Runs: the same however they are cut up, and taken up again where they ended."""

import json
import math
from pathlib import Path

import pytest

from gouji.arena import run
from gouji.arena.report import draw, table
from gouji.arena.results import OtherRun, Results, round_robin
from gouji.engine import RuleSet

STANDARD = RuleSet.parse("standard")


def results(*players: str, seed: str = "1") -> Results:
    return round_robin(list(players or ("random", "greedy")), [STANDARD], 1, seed, math.inf)


def play(found: Results, deals: int, out: Path | None = None, jobs: int = 1) -> list[object]:
    told: list[tuple[int, int]] = []
    run.play(found, deals, jobs, out, lambda done, total: told.append((done, total)))
    assert not told or told[-1] == (len(found.pairings) * deals,) * 2
    return [sorted(pairing.duels.values(), key=lambda duel: duel.deal) for pairing in found.pairings]


def test_a_run_is_the_same_in_one_process_or_two_at_once_or_in_parts(tmp_path: Path) -> None:
    whole = play(results(), 3, jobs=2)
    play(results(), 1, tmp_path / "some.json")
    again = results()
    again.load(tmp_path / "some.json")
    assert [len(pairing.duels) for pairing in again.pairings] == [1]
    assert play(again, 3) == whole


def test_what_was_played_is_not_played_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    played = play(results(), 2, tmp_path / "some.json")
    again = results()
    again.load(tmp_path / "some.json")
    monkeypatch.setattr(run, "ProcessPoolExecutor", lambda *_args, **_named: None)
    monkeypatch.setattr(run, "_played", lambda wanted, _jobs: iter(()) if not wanted else pytest.fail("played"))
    assert play(again, 2) == played
    assert again.as_json() == results_as_read(tmp_path / "some.json")


def results_as_read(path: Path) -> object:
    return json.loads(path.read_text())


@pytest.mark.parametrize("text", ["", "[]", '{"pairings": 3}', '{"version": 1, "pairings": [{}]}'])
def test_a_file_of_something_else_is_told(text: str, tmp_path: Path) -> None:
    (tmp_path / "other.json").write_text(text)
    with pytest.raises(OtherRun, match="holds no results"):
        results().load(tmp_path / "other.json")


def test_a_run_with_other_settings_is_not_gone_on_with(tmp_path: Path) -> None:
    results().save(tmp_path / "some.json")
    with pytest.raises(OtherRun, match="other settings"):
        results(seed="2").load(tmp_path / "some.json")
    newer = results_as_read(tmp_path / "some.json") | {"version": 2}  # type: ignore[operator]
    (tmp_path / "some.json").write_text(json.dumps(newer))
    with pytest.raises(OtherRun, match="form 2"):
        results().load(tmp_path / "some.json")


def test_more_players_may_join_a_run(tmp_path: Path) -> None:
    play(results(), 1, tmp_path / "some.json")
    more = round_robin(["random", "greedy", "third"], [STANDARD], 1, "1", math.inf)
    more.load(tmp_path / "some.json")
    pairs = {(pairing.contest.a, pairing.contest.b): len(pairing.duels) for pairing in more.pairings}
    assert pairs == {("greedy", "random"): 1, ("third", "random"): 0, ("third", "greedy"): 0}


def test_what_was_played_is_kept_when_a_run_breaks_off(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = results()

    def broken(_wanted: object, _jobs: int) -> object:
        yield found.pairings[0], run.play_some(found.pairings[0].contest, [0])
        raise KeyboardInterrupt

    monkeypatch.setattr(run, "_played", broken)
    with pytest.raises(KeyboardInterrupt):
        run.play(found, 2, 1, tmp_path / "some.json", lambda _done, _total: None)
    again = results()
    again.load(tmp_path / "some.json")
    assert list(again.pairings[0].duels) == [0]


def test_the_report_has_a_line_and_a_mark_for_each_pairing(tmp_path: Path) -> None:
    found = results()
    play(found, 1)
    lines = list(table(found))
    assert len(lines) == 3
    assert "`greedy` – `random` | 1 | 100.0% [20.7%, 100.0%]" in lines[2]
    draw(found, tmp_path / "chart.png")
    assert (tmp_path / "chart.png").read_bytes().startswith(b"\x89PNG")
