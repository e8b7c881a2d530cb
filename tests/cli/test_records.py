"""`gouji record --format record`, `gouji replay` and `gouji verify` as a user runs them."""

import asyncio
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest
import sqlalchemy as sa
from typer.testing import CliRunner

from gouji.cli.main import app
from gouji.serving.database import Database
from gouji.serving.schema import table_events
from gouji.serving.settings import Settings
from gouji.serving.vault import vault_for
from gouji.table.store import event_place
from gouji.v1.events_pb2 import Event

GOUJI = str(Path(sys.executable).with_name("gouji"))
GOLDEN = Path(__file__).resolve().parents[1] / "records"


def gouji(home: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "XDG_DATA_HOME": str(home), "NO_COLOR": "1"}
    return subprocess.run(
        [GOUJI, *arguments], env=environment, capture_output=True, text=True, check=False, timeout=100
    )


def run(*arguments: str | Path, stdin: str | None = None) -> tuple[int, str, str]:
    """Run a command in this process; returns its exit code, and what it printed and said."""
    result = CliRunner().invoke(app, list(map(str, arguments)), input=stdin)
    return result.exit_code, result.stdout, result.stderr


@pytest.fixture(scope="module")
def tables(load_script: Callable[[Path], ModuleType]) -> ModuleType:
    """The tables in memory at which the golden records were made."""
    return load_script(GOLDEN / "make.py")


@pytest.fixture(scope="module")
def whole(tables: ModuleType) -> list[Event]:
    """The log of a match that is over."""
    playing = tables.Playing("whole", tables.Game("qingdao", hands=2))
    while not playing.table.ended:
        playing.move()
    log: list[Event] = playing.log
    return log


@pytest.fixture(scope="module")
def running(tables: ModuleType) -> list[Event]:
    """The log of a match in the middle of its second hand, after a tribute was given back."""
    playing = tables.Playing("running", tables.Game("qingdao", hands=2))
    while not (playing.log[-1].hand == 2 and playing.table.hand.phase == "play"):
        playing.move()
    for _ in range(30):
        playing.move()
    assert not playing.table.hand.over
    assert any(event.action_taken.action.HasField("return_cards") for event in playing.log)
    log: list[Event] = playing.log
    return log


@pytest.fixture(scope="module")
def home(whole: list[Event], running: list[Event], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data directory whose database holds both tables' logs."""
    home = tmp_path_factory.mktemp("home")
    (home / "gouji").mkdir()
    asyncio.run(_keep(home, {"whole": whole, "running": running}))
    return home


async def _keep(home: Path, logs: dict[str, list[Event]]) -> None:
    url = f"sqlite:///{home}/gouji/gouji.sqlite"
    database = Database(url)
    vault = vault_for(Settings(data_directory=home / "gouji"))
    await database.upgrade()
    async with database.begin() as connection:
        for table_id, log in logs.items():
            rows = [
                {"table_id": table_id, "seq": event.sequence, "hand": event.hand, "at": event.at.ToMicroseconds(),
                 "event": vault.seal(event.SerializeToString(), event_place(table_id, event.sequence))} for event in log
            ]  # fmt: skip
            await connection.execute(sa.insert(table_events), rows)
    await database.close()


@pytest.fixture(scope="module")
def saved(home: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    printed = gouji(home, "record", "whole", "--format", "record")
    assert (printed.returncode, printed.stderr) == (0, "")
    file = tmp_path_factory.mktemp("records") / "game.gouji"
    file.write_text(printed.stdout, encoding="utf-8")
    return file


def test_a_saved_record_is_found_right(saved: Path) -> None:
    assert saved.read_text(encoding="utf-8").startswith("gouji record 2\ntable: whole\nmatch: 1\nrules: qingdao\n")
    code, text, said = run("verify", saved)
    assert (code, said) == (0, "")
    assert [line.partition(",")[0] for line in text.splitlines()] == [
        "match: rules version: ok",
        "hand 1: commitment",
        "hand 2: commitment",
        "match: scores",
        "ok",
    ]


def test_a_saved_record_tells_the_same_story_as_the_log(home: Path, saved: Path) -> None:
    story = gouji(home, "record", "whole").stdout.splitlines()
    code, text, said = run("replay", saved)
    assert (code, said) == (0, "")
    assert text.splitlines() == [line for line in story if line != "digest ok"]


@pytest.mark.parametrize("name", [path.stem for path in sorted(GOLDEN.glob("*.txt"))])
def test_golden_records_are_told_and_found_right(name: str) -> None:
    code, story, _ = run("replay", GOLDEN / f"{name}.txt")
    assert code == 0
    assert story.splitlines()[1].startswith(f"Table {name}: ")
    assert ("The match is not over." in story) == (name in ("in_play", "abandoned"))
    code, checks, _ = run("verify", GOLDEN / f"{name}.txt")
    assert (code, checks.splitlines()[-1]) == (0, "ok")


def test_a_hand_in_play_is_told_without_its_cards() -> None:
    story = run("replay", GOLDEN / "in_play.txt")[1].splitlines()
    assert story[-3].startswith("Hand 2: 2 leads. Commitment ")
    assert story[-2].strip().startswith("This hand is still being played")
    assert "hand 2: play: not checked: it is still being played" in run("verify", GOLDEN / "in_play.txt")[1]


def test_a_record_comes_from_the_standard_input_too(saved: Path) -> None:
    text = saved.read_text(encoding="utf-8")
    assert run("verify", "-", stdin=text)[0] == 0
    assert run("replay", "-", stdin=text) == run("replay", saved)


def test_each_problem_is_printed(saved: Path, tmp_path: Path) -> None:
    text = saved.read_text(encoding="utf-8")
    forged = tmp_path / "forged.gouji"
    secret = re.findall(r"^secret: (.*)$", text, re.MULTILINE)[0]
    forged.write_text(text.replace(secret, secret[::-1]), encoding="utf-8")
    code, checks, said = run("verify", forged)
    assert (code, said) == (1, "")
    assert "hand 1: commitment: it does not fit the secret" in checks
    assert "hand 1: deal: the shuffle gives other cards to 0 1 2 3 4 5" in checks
    assert "hand 2: play: not checked: a hand before it is not whole" in checks
    assert checks.splitlines()[-1].endswith(" problems")
    code, _, said = run("replay", forged)
    assert code == 1
    assert said.startswith("The record cannot be played on: hand 1: move ")


@pytest.mark.parametrize("command", ["replay", "verify"])
def test_a_file_that_cannot_be_read_is_named(command: str, tmp_path: Path) -> None:
    missing, story, binary = tmp_path / "missing", tmp_path / "story", tmp_path / "binary"
    story.write_text("A trick a line\n")
    binary.write_bytes(b"gouji record 2\xff")
    assert run(command, missing) == (2, "", f"{missing}: No such file or directory\n")
    code, _, said = run(command, story)
    assert code == 2
    assert said.startswith(f"{story}: line 1, column 1: expected `gouji record 2`")
    assert run(command, binary)[2].startswith(f"{binary}: not UTF-8 text")


def test_the_record_of_a_running_game_keeps_its_hand_hidden(home: Path, running: list[Event]) -> None:
    printed = gouji(home, "record", "running", "--format", "record")
    assert (printed.returncode, printed.stderr) == (0, "")
    dealt = [event.hand_dealt for event in running if event.HasField("hand_dealt")]
    secrets = [event.hand_committed.secret.hex() for event in running if event.HasField("hand_committed")]
    assert [secret in printed.stdout for secret in secrets] == [True, False]
    assert re.search(
        f"hand 2\ncommitment: {dealt[1].commitment.hex()}\nbegan: .*Z\nleader: {dealt[1].first_leader}\nin play\n$",
        printed.stdout,
    )
    assert run("verify", "-", stdin=printed.stdout)[0] == 0


def test_the_story_of_a_running_hand_is_what_a_spectator_sees(home: Path) -> None:
    told = gouji(home, "record", "running").stdout.partition("\nHand 2: ")[2]
    assert " back as many (还贡)" in told
    assert " holds " not in told
    assert told.endswith("The match is not over.\n")


def test_an_unknown_table_has_no_record(home: Path) -> None:
    printed = gouji(home, "record", "nowhere", "--format", "record")
    assert (printed.returncode, printed.stdout) == (1, "")
    assert printed.stderr == "There is no table nowhere in this database.\n"


def test_an_unknown_format_is_refused(home: Path) -> None:
    printed = gouji(home, "record", "whole", "--format", "verse")
    assert printed.returncode == 2
    assert "verse" in printed.stderr
