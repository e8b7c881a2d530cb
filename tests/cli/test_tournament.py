"""`gouji tournament`: a whole event of bots, its export added up again, and what directors type."""

import asyncio
import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from gouji.bot.service import bind as bind_bot
from gouji.cli.main import app as gouji
from gouji.cli.tournament_check import problems
from gouji.cli.tournament_export import from_json, results_csv, standings_csv
from gouji.cli.tournament_records import read_records
from gouji.engine.records import Record, verify
from gouji.serving.settings import Settings
from gouji.serving.testing import running_app
from gouji.tournament.service import bind
from gouji.v1.tournament_pb2 import Standing, TournamentExport


def run(*arguments: str | Path) -> tuple[int, str]:
    """Run a command in this process; returns its exit code, and what it printed."""
    result = CliRunner().invoke(gouji, ["tournament", *map(str, arguments)])
    return result.exit_code, result.output


class Played:
    """An event that was played on SQLite by the one command, and its files."""

    def __init__(self, home: Path) -> None:
        self.flags = ["--data-directory", str(home)]
        self.folder = home / "out"
        self.code, self.output = run(
            "demo", "--players", "14", "--rounds", "2", "--boards", "1", "--directory", self.folder, *self.flags
        )
        self.file = self.folder / "tournament.json"
        self.export = from_json(self.file.read_text())
        self.settings = Settings(data_directory=home)

    def records(self) -> dict[str, Record]:
        tables = [board.table_id for one in self.export.rounds for pairing in one.pairings for board in pairing.boards]
        return asyncio.run(read_records(self.settings, tables))


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Played:
    return Played(tmp_path_factory.mktemp("event"))


def test_one_command_plays_an_event_from_registration_to_its_standings(played: Played) -> None:
    assert played.code == 0, played.output
    assert "From registration to final standings" in played.output
    assert "as the records of the 4 tables have it" in played.output
    assert [row.rank for row in played.export.standings] == list(range(1, 15))
    assert run("check", played.file, *played.flags) == (0, "ok\n")


def test_the_export_adds_up_from_the_records(played: Played) -> None:
    """Each table's points are those of its record, and scores are what comparing them makes."""
    records = played.records()
    with (played.folder / "results.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == len(records) == 4
    sums: dict[str, int] = {}
    for number in ("1", "2"):
        one, other = (row for row in rows if row["round"] == number)
        made = []
        for row in (one, other):
            record = records[row["table_id"]]
            assert verify(record) == []
            assert record.total
            assert record.total.team_scores == (int(row["even"]), int(row["odd"]))
            made.append(int(row["even"]) - int(row["odd"]))
        assert records[one["table_id"]].hands[0].deal == records[other["table_id"]].hands[0].deal
        level = made[0] == made[1] or one["hand"] != other["hand"]  # a hand dealt anew is compared with none
        expected = 5000 if level else 10_000 if made[0] > made[1] else 0
        assert (int(one["even_score"]), int(other["even_score"])) == (expected, 10_000 - expected)
        for row in (one, other):
            for side in ("even", "odd"):
                for entrant in row[f"{side}_entrants"].split():
                    sums[entrant] = sums.get(entrant, 0) + int(row[f"{side}_score"])
        told = played.export.tournament.played[int(number) - 1]
        for entrant_number in told.byes:
            sums[str(entrant_number)] = sums.get(str(entrant_number), 0) + 6000
    with (played.folder / "standings.csv").open() as file:
        standings = {row["entrant"]: int(row["score"]) for row in csv.DictReader(file)}
    assert standings == sums
    assert list(standings.values()) == sorted(standings.values(), reverse=True)


def first(export: TournamentExport) -> Any:
    return export.rounds[0].pairings[0].boards[0]


@pytest.mark.parametrize(
    ("forge", "problem"),
    [
        (lambda export: setattr(first(export).score, "even", 99), "the record says"),
        (lambda export: setattr(first(export).score, "even_score", 4321), "where its results make"),
        (lambda export: setattr(first(export).score, "hand", 2), "was the last"),
        (lambda export: setattr(first(export), "table_id", "elsewhere"), "has no record"),
        (lambda export: setattr(export.tournament.played[0].boards[0], "secret", bytes(32)), "does not fit"),
        (lambda export: setattr(export.tournament.played[0].boards[0], "board_id", "a/1/1"), "another board"),
        (lambda export: export.standings[0].rounds.__setitem__(0, 1), "where the tables make"),
        (lambda export: setattr(export.standings[3], "score", 77), "that its rounds do not make"),
        (lambda export: export.standings.reverse(), "the ranks are not"),
    ],
)
def test_an_export_that_was_changed_does_not_add_up(
    played: Played, forge: Callable[[TournamentExport], None], problem: str
) -> None:
    forged = TournamentExport()
    forged.CopyFrom(played.export)
    forge(forged)
    assert problem in "\n".join(problems(forged, played.records().get))


def test_a_changed_file_is_found_out_and_one_that_is_none_is_refused(played: Played, tmp_path: Path) -> None:
    whole = json.loads(played.file.read_text())
    whole["standings"][0]["score"] = 1
    (tmp_path / "changed.json").write_text(json.dumps(whole))
    code, output = run("check", tmp_path / "changed.json", *played.flags)
    assert (code, "problems" in output) == (1, True)
    (tmp_path / "none.json").write_text("{")
    assert run("check", tmp_path / "none.json", *played.flags)[0] == 2
    assert run("check", tmp_path / "missing.json", *played.flags)[0] == 2


def test_a_name_is_no_formula_in_a_spreadsheet() -> None:
    export = TournamentExport(standings=[Standing(rank=1, entrant=1, name="=1+1", rounds=[5])])
    assert standings_csv(export).splitlines()[1].split(",")[:3] == ["1", "1", "'=1+1"]
    assert len(results_csv(export).splitlines()) == 1


async def test_a_director_runs_an_event_by_commands(sqlite_settings: Settings) -> None:
    async with running_app(sqlite_settings, {"tournament": bind, "bot": bind_bot}) as app:
        key = app.settings.service_key
        assert key
        flags = ["--service-key", key.get_secret_value(), "--scoring-address", app.address]

        async def type_in(*arguments: str) -> tuple[int, str]:
            return await asyncio.to_thread(run, *arguments, *flags)

        create = [
            "create",
            "spring",
            "--entrants",
            "singles",
            "--most",
            "12",
            "--rounds",
            "1",
            "--break-seconds",
            "600",
        ]
        assert await type_in(*create) == (0, "spring is announced\n")
        assert (await type_in("start", "spring"))[0] == 1
        assert await type_in("open", "spring") == (0, "spring takes entrants\n")
        assert (await type_in("enter", "spring", "--bots", "13"))[1].splitlines()[-1] == "13  greedy 13"
        assert "13  greedy 13  waits" in (await type_in("entrants", "spring"))[1]
        assert await type_in("withdraw", "spring", "1", "--reason", "ill") == (0, "1 is out\n")
        assert await type_in("start", "spring") == (0, "spring runs\n")
        assert "spring  running  12 entrants  spring" in (await type_in("list", "--open"))[1]
        for _ in range(100):
            if "round 1: 2 pairings, paired, 2 of 2 boards shut" in (await type_in("show", "spring"))[1]:
                break
        else:
            raise AssertionError("the round is not paired")
        assert (await type_in("pairings", "spring", "--round", "1"))[1].count("shut") == 4
        again = ["pair-again", "spring", "--round", "1", "--reason", "brothers", "--swap"]
        assert await type_in(*again, "2,3") == (0, "round 1: 2 pairings\n")
        assert (await type_in(*again, "2"))[0] == 2
        bot = ["--bot", "random", "--reason", "left"]
        assert "plays for greedy 2" in (await type_in("substitute", "spring", "2", *bot))[1]
        assert await type_in("adjust", "spring", "3", "--points", "-500", "--reason", "late") == (0, "3 has -500\n")
        rule = ["--round", "1", "--reason", "r"]
        code, output = await type_in("no-show", "spring", "3", *rule)
        assert (code, output.startswith("wrong_stage")) == (1, True)
        table = ["rule-table", "spring", *rule, "--pairing", "1", "--board", "1", "--even", "1", "--odd", "2"]
        assert (await type_in(*table))[1].startswith("wrong_stage")
        assert "12" in (await type_in("standings", "spring"))[1]
        assert await type_in("pause", "spring", "--reason", "fire") == (0, "spring is paused\n")
        assert await type_in("resume", "spring") == (0, "spring goes on\n")
        assert await type_in("cancel", "spring") == (0, "spring is cancelled\n")
        lines = (await type_in("journal", "spring"))[1].splitlines()
        entries = [json.loads(line) for line in lines]
        assert [entry["reason"] for entry in entries if "reason" in entry] == [
            "ill",
            "brothers",
            "left",
            "late",
            "fire",
        ]
        assert {entry.get("actor", "") for entry in entries} == {"", "gouji tournament"}
