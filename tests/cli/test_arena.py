"""`gouji arena`: what it prints and keeps, and how it exits."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from gouji.cli.main import app


def arena(*arguments: object) -> Result:
    return CliRunner().invoke(app, ["arena", *map(str, arguments)])


def test_two_bots_are_measured_and_the_deals_kept(tmp_path: Path) -> None:
    out, chart = tmp_path / "out.json", tmp_path / "out.png"
    played = arena("random", "greedy", "--deals", 1, "--jobs", 1, "--out", out, "--chart", chart)
    assert played.exit_code == 0
    assert "| `standard` | `greedy` – `random` | 1 |" in played.stdout
    assert "1 of 1 deals" in played.stderr
    assert chart.exists()
    (pairing,) = json.loads(out.read_text())["pairings"]
    assert pairing["duels"] == [[0, 12, 12, 18, 18]]
    assert arena("random", "greedy", "--deals", 1, "--out", out).stdout.splitlines()[2] == played.stdout.splitlines()[2]


def test_several_rule_sets_give_a_line_each() -> None:
    rules = ("--rules", "korea", "--rules", "qingdao,burn=false")
    lines = arena("random", "greedy", "--deals", 1, "--jobs", 1, *rules).stdout.splitlines()[2:]
    assert [line.split(" | ")[0] for line in lines] == [
        "| `korea`",
        "| `qingdao (burn: false)`",
    ]


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("greedy",), "two players or more"),
        (("greedy", "greedy"), "each once"),
        (("greedy", "grandmaster"), "no player 'grandmaster'; there are random, careless, greedy"),
        (("greedy", "random", "--rules", "bridge"), "bridge"),
        (("greedy", "random", "--deals", "0"), "greater than or equal to 1"),
    ],
)
def test_what_cannot_be_played_is_told(arguments: tuple[str, ...], told: str) -> None:
    ended = arena(*arguments)
    assert ended.exit_code == 2
    assert told in ended.output


def test_a_file_of_another_run_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "out.json").write_text("mine")
    ended = arena("greedy", "random", "--out", tmp_path / "out.json")
    assert (ended.exit_code, "holds no results" in ended.stderr) == (2, True)
    assert (tmp_path / "out.json").read_text() == "mine"
