"""A whole run by the command: client processes, a report, and the exit code."""

import asyncio
import json
import os
from pathlib import Path
from typing import Any

import pytest
from tests.load.conftest import SMALL

from gouji.fleet.process import GOUJI

pytestmark = pytest.mark.timeout(120)


async def gouji_load(*arguments: str | Path) -> tuple[int | None, str]:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GOUJI_")}
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(GOUJI, "load", *arguments, env=environment, stdout=pipe, stderr=pipe)
    out, err = await process.communicate()
    return process.returncode, (out + err).decode()


async def test_a_small_run_at_an_address_holds_and_is_reported(address: str, tmp_path: Path, out: Path) -> None:
    profile = tmp_path / "small.yaml"
    profile.write_text(SMALL.replace("players: 6,", "players: 12,") + "clients: 2\n")
    code, said = await gouji_load(profile, "--address", address, "--out", out)
    assert code == 0, said
    told: dict[str, Any] = json.loads((out / "report.json").read_text())
    assert (told["ok"], told["profile"], told["violated"], told["failures"]) == (True, "small", 0, {})
    assert told["commands"] >= 5
    assert told["latencies"]["guest"]["seen_ms"]["count"] == 12
    assert told["servers"] == {}
    assert f"The report is in {out}" in said


async def test_a_budget_that_is_missed_ends_it_with_1(address: str, tmp_path: Path, out: Path) -> None:
    profile = tmp_path / "hard.yaml"
    hard = "budgets: { latencies: [{ kind: act, percentile: 50, milliseconds: 0.001 }], most_lag_ms: 60000 }\n"
    profile.write_text("\n".join(line for line in SMALL.splitlines() if not line.startswith("budgets")) + "\n" + hard)
    code, said = await gouji_load(profile, "--address", address, "--out", out, "--seconds", "4")
    assert code == 1, said
    assert "act at p50 was to be within 0.001 ms; it was" in said


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("nothing",), "there is no profile nothing"),
        (("rolling-deploy", "--address", "127.0.0.1:1"), "no fault can be thrown"),
    ],
)
async def test_what_cannot_be_done_is_told(arguments: tuple[str, ...], told: str) -> None:
    code, said = await gouji_load(*arguments)
    assert code == 2
    assert told in " ".join(said.replace("│", " ").split())


async def test_the_profiles_are_listed() -> None:
    code, said = await gouji_load("list")
    assert code == 0
    assert said.startswith("lobby-rush: A tournament is about to begin.")
