"""`gouji demo` and `gouji record` as a user runs them."""

import os
import re
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from gouji.serving.settings import Settings
from gouji.serving.vault import Vault, vault_for
from gouji.table.store import event_place
from gouji.v1.events_pb2 import Event

GOUJI = str(Path(sys.executable).with_name("gouji"))
DIGEST = re.compile(r"^(Digest of .*): ([0-9a-f]{64})$", re.MULTILINE)


def gouji(home: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "XDG_DATA_HOME": str(home), "NO_COLOR": "1"}
    return subprocess.run(
        [GOUJI, *arguments], env=environment, capture_output=True, text=True, check=False, timeout=100
    )


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("home")


@pytest.fixture(scope="module")
def demo(home: Path) -> subprocess.CompletedProcess[str]:
    return gouji(home, "demo", "--hands", "2")


@pytest.fixture(scope="module")
def table_id(demo: subprocess.CompletedProcess[str]) -> str:
    return demo.stdout.split()[-1]


def test_a_demo_tells_a_whole_match(demo: subprocess.CompletedProcess[str]) -> None:
    assert (demo.returncode, demo.stderr) == (0, "")
    assert [name for name, _ in DIGEST.findall(demo.stdout)] == [
        "Digest of hand 1",
        "Digest of hand 2",
        "Digest of the match",
    ]
    assert re.search(r"^N1: \d leads [2-9TJQKAwW]+ .*wins \d", demo.stdout, re.MULTILINE)
    for said in ("头科/head", "大落/last", "Places: ", "Scores: even ", "Total: even ", "The record: gouji record "):
        assert said in demo.stdout


def test_the_record_tells_the_same_game(home: Path, demo: subprocess.CompletedProcess[str], table_id: str) -> None:
    record = gouji(home, "record", table_id)
    assert (record.returncode, record.stderr) == (0, "")
    assert DIGEST.findall(record.stdout) == DIGEST.findall(demo.stdout)
    assert record.stdout.count("digest ok") == 3
    assert record.stdout.count(" holds ") == 2 * 6
    told = [line for line in record.stdout.splitlines() if " holds " not in line and line != "digest ok"]
    assert told == demo.stdout.splitlines()[: len(told)]


def test_a_record_that_was_tampered_with_is_found_out(home: Path, table_id: str) -> None:
    with sqlite3.connect(home / "gouji" / "gouji.sqlite") as database:
        sequence, raw = last_event(home, database, table_id, "hand_ended")
        vault, place = vault_of(home), event_place(table_id, sequence)
        event = Event.FromString(vault.open(raw, place))
        event.hand_ended.digest = "0" * 64
        put(database, table_id, sequence, vault.seal(event.SerializeToString(), place))
    try:
        record = gouji(home, "record", table_id)
    finally:
        with sqlite3.connect(home / "gouji" / "gouji.sqlite") as database:
            put(database, table_id, sequence, raw)
    assert record.returncode == 1
    assert record.stdout.count("digest ok") == 1
    assert f"event {sequence}: digest " in record.stderr


def vault_of(home: Path) -> Vault:
    return vault_for(Settings(data_directory=home / "gouji"))


def last_event(home: Path, database: sqlite3.Connection, table_id: str, kind: str) -> tuple[int, bytes]:
    vault = vault_of(home)

    def is_it(seq: int, sealed: bytes) -> bool:
        return Event.FromString(vault.open(sealed, event_place(table_id, seq))).HasField(kind)  # type: ignore[arg-type]

    rows = database.execute("SELECT seq, event FROM table_events WHERE table_id = ? ORDER BY seq DESC", [table_id])
    return next((seq, event) for seq, event in rows if is_it(seq, event))


def put(database: sqlite3.Connection, table_id: str, sequence: int, event: bytes) -> None:
    database.execute("UPDATE table_events SET event = ? WHERE table_id = ? AND seq = ?", [event, table_id, sequence])


@pytest.mark.parametrize("fresh", [True, False])
def test_an_unknown_table_is_said_to_be_unknown(home: Path, tmp_path: Path, *, fresh: bool) -> None:
    record = gouji(tmp_path if fresh else home, "record", "nowhere")
    assert (record.returncode, record.stdout) == (1, "")
    assert record.stderr == "There is no table nowhere in this database.\n"


def test_a_demo_names_the_database_that_it_was_given(tmp_path: Path, database_url: str) -> None:
    demo = gouji(tmp_path, "demo", "--hands", "1", "--database-url", database_url)
    assert demo.returncode == 0
    command = demo.stdout.splitlines()[-1].removeprefix("The record: gouji ").split()
    assert command[2:] == ["--database-url", database_url]
    assert gouji(tmp_path, *command).returncode == 0


def test_rules_that_cannot_be_played_are_explained(tmp_path: Path) -> None:
    demo = gouji(tmp_path, "demo", "--rules", "qingdao,lay_off=true")
    assert demo.returncode == 2
    assert "lay_off (R9.10) and threes_last (R9.8)" in demo.stderr
    wrong = gouji(tmp_path, "demo", "--rules", "burn=maybe")
    assert wrong.returncode == 2
    assert "burn (R5) takes true or false" in wrong.stderr
