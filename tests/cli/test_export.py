"""`gouji export`: tables of what is recorded, from both kinds of database, as CSV and as Parquet."""

import asyncio
import csv
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
import sqlalchemy as sa
from pyarrow import parquet
from typer.testing import CliRunner

from gouji.cli.export import _text
from gouji.cli.main import app
from gouji.scoring.export import EXPORTS
from gouji.scoring.ledger import SeatSum
from gouji.serving.database import Database
from gouji.serving.schema import (
    hand_corrections,
    hand_results,
    match_results,
    match_seats,
    rated_matches,
    rating_changes,
    rating_revisions,
)
from gouji.v1.events_pb2 import Seat
from gouji.v1.scoring_pb2 import BurnTried, Conduct, HandResult

DOCS = Path(__file__).resolve().parents[2] / "docs/export.md"
DAY_US = 86_400_000_000
NOVEMBER = 1_793_491_200_000_000  # 2026-11-01
SEATS = [Seat(player_id="ann"), *[Seat(bot_level="greedy")] * 5]


def hand(table_id: str, number: int, **changes: object) -> HandResult:
    plain = {"order": range(6), "scores": (4, 2, 0, 0, -2, -4), "team_scores": (2, -2), "digest": "abc"}
    made = HandResult(table_id=table_id, hand=number, seats=SEATS, **(plain | changes))  # type: ignore[arg-type]
    made.conduct.extend(Conduct(by_player=3, penalty=1 if seat == 0 else 0, left=seat == 0) for seat in range(6))
    made.ended.FromMicroseconds(NOVEMBER + number)
    return made


async def fill(url: str) -> None:
    """Two matches a month apart, of which one hand was corrected, and a rating made anew."""
    database = Database(url)
    async with database.begin() as connection:
        for number, table_id in enumerate(("t1", "t2")):
            await _write_match(connection, table_id, NOVEMBER + 30 * DAY_US * number)
        void = {"table_id": "t1", "hand": 2, "revision": 2, "number": 1, "corrected_by": "dora", "reason": "void"}
        payload = hand("t1", 2, voided=True, order=[], scores=[], team_scores=[]).SerializeToString()
        await connection.execute(hand_corrections.insert().values(**void, payload=payload, corrected_at=0))
        await _write_ratings(connection)
    await database.close()


async def _write_match(connection: sa.ext.asyncio.AsyncConnection, table_id: str, ended_at: int) -> None:
    match = {"table_id": table_id, "preset": "standard", "queue": "eu/quick", "region": "eu", "began_at": NOVEMBER - 1}
    counted = {"hands": 2, "recorded": 3, "hands_in_all": 3, "even_points": 2, "odd_points": -2, "voided": False}
    await connection.execute(match_results.insert().values(**match, **counted, ended_at=ended_at))
    for number, seat in enumerate(SEATS):
        held = {"table_id": table_id, "seat": number, "ended_at": ended_at}
        held |= {"player_id": seat.player_id or None, "bot_level": seat.bot_level or None}
        await connection.execute(match_seats.insert().values(**held, **SeatSum(points=4, hands=2)._asdict()))
    hands = [hand(table_id, 1, burns=[BurnTried(burner=0, burned=1, won=True)], opened=[0]), hand(table_id, 2)]
    for made in [*hands, hand(table_id, 3, abandoned=True, order=[], scores=[], team_scores=[])]:
        row = {"table_id": table_id, "hand": made.hand, "payload": made.SerializeToString(), "payload_hash": b""}
        row |= {"preset": "standard", "queue": "eu/quick", "ended_at": ended_at, "recorded_at": 0}
        await connection.execute(hand_results.insert().values(**row))


async def _write_ratings(connection: sa.ext.asyncio.AsyncConnection) -> None:
    revision = {"revision": 2, "model": "m", "written_by": "op", "written_at": 0}
    await connection.execute(rating_revisions.insert().values(**revision))
    for number, standing in ((1, 1), (2, 2)):
        rated = {"number": number, "revision": standing, "table_id": "t1", "corrections": 0, "family": "standard"}
        await connection.execute(rated_matches.insert().values(**rated, model="m", ended_at=NOVEMBER))
        change = {"number": number, "player_id": "ann", "family": "standard", "mu_before": 25.0, "sigma_before": 8.5}
        await connection.execute(rating_changes.insert().values(**change, mu_after=26.5, sigma_after=8.25, matches=1))


@pytest.fixture
def filled(database_url: str) -> str:
    asyncio.run(fill(database_url))
    return database_url


def run(*arguments: object) -> tuple[int, str]:
    result = CliRunner().invoke(app, ["export", *map(str, arguments)])
    return result.exit_code, result.output


def rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(text.splitlines()))


def written(url: str, what: str, *more: object) -> list[dict[str, str]]:
    code, text = run(what, "--database-url", url, *more)
    assert code == 0, text
    return rows(text)


def test_matches_are_a_row_a_seat(filled: str) -> None:
    found = written(filled, "matches")
    assert list(found[0]) == list(EXPORTS["matches"].columns)
    assert [(row["table_id"], row["seat"]) for row in found] == [(t, str(s)) for t in ("t1", "t2") for s in range(6)]
    assert (found[0]["player_id"], found[0]["bot_level"], found[1]["bot_level"]) == ("ann", "", "greedy")
    assert (found[0]["ended"], found[0]["rated"], found[0]["voided"]) == (
        "2026-11-01T00:00:00.000000Z",
        "true",
        "false",
    )
    assert (found[0]["tournament"], found[0]["even_points"], found[0]["points"]) == ("", "2", "4")


def test_hands_are_a_row_a_seat_as_the_last_revision_has_them(filled: str) -> None:
    found = written(filled, "hands")
    assert list(found[0]) == list(EXPORTS["hands"].columns)
    assert [(row["table_id"], row["hand"]) for row in found[::6]] == [(t, h) for t in ("t1", "t2") for h in "12"]
    first, second = found[0], found[6]
    assert (first["place"], first["points"], first["penalty"], first["left"]) == ("1", "3", "1", "true")
    assert (first["openings"], first["burns_tried"], first["burns_won"], first["by_player"]) == ("1", "1", "1", "3")
    assert (second["revision"], second["voided"], second["place"], second["by_player"]) == ("2", "true", "", "3")
    assert found[12]["revision"] == "1"


def test_ratings_are_those_of_the_revision_that_stands(filled: str) -> None:
    [row] = written(filled, "ratings")
    assert list(row) == list(EXPORTS["ratings"].columns)
    assert (row["number"], row["player_id"], row["mu_after"], row["sigma_before"]) == ("2", "ann", "26.5", "8.5")


def test_a_span_takes_what_ended_within_it_its_end_left_out(filled: str) -> None:
    def tables(*span: str) -> set[str]:
        return {row["table_id"] for row in written(filled, "matches", *span)}

    assert tables("--since", "2026-11-01", "--until", "2026-12-01") == {"t1"}
    assert tables("--since", "2026-11-01T00:00:01") == {"t2"}
    assert tables("--until", "2026-11-01") == set()


def test_a_file_of_parquet_holds_the_same_as_one_of_csv(filled: str, tmp_path: Path) -> None:
    for what in EXPORTS:
        as_csv, as_parquet = tmp_path / f"{what}.csv", tmp_path / f"{what}.parquet"
        assert run(what, "--database-url", filled, "-o", as_csv) == (0, "")
        assert run(what, "--database-url", filled, "--format", "parquet", "-o", as_parquet) == (0, "")
        table = parquet.read_table(as_parquet)
        assert table.column_names == list(EXPORTS[what].columns)
        assert [_plain(row) for row in table.to_pylist()] == [list(row.values()) for row in rows(as_csv.read_text())]
    assert not list(tmp_path.glob(".*"))


def _plain(row: dict[str, object]) -> Sequence[str]:
    return ["" if value is None else str(_text(value)) for value in row.values()]


def test_without_pyarrow_it_is_said_how_to_get_it(
    sqlite_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    code, text = run("hands", "--database-url", sqlite_url, "--format", "parquet", "-o", tmp_path / "x.parquet")
    assert (code, "gouji[parquet]" in text) == (1, True)
    assert not list(tmp_path.glob("*.p*"))


def test_parquet_does_not_go_to_the_standard_output(sqlite_url: str) -> None:
    code, text = run("hands", "--database-url", sqlite_url, "--format", "parquet")
    assert (code, "--output" in text) == (2, True)


def test_a_database_without_tables_has_nothing_to_export(tmp_path: Path) -> None:
    code, text = run("hands", "--database-url", f"sqlite:///{tmp_path}/new.sqlite")
    assert (code, "has no tables" in text) == (1, True)


def test_what_fails_on_the_way_leaves_no_file(filled: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(row: object) -> None:
        raise OSError("the disk is full")

    monkeypatch.setattr("gouji.cli.export._text", fail)
    assert run("matches", "--database-url", filled, "-o", tmp_path / "x.csv")[0] == 1
    assert not list(tmp_path.glob("*x.csv*"))


def test_the_page_describes_every_column() -> None:
    text = DOCS.read_text()
    named = {name for export in EXPORTS.values() for name in export.columns}
    missing = {name for name in named if f"`{name}`" not in text}
    assert missing <= {f"p{place}" for place in range(2, 6)}
