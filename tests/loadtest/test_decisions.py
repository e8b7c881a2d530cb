"""The load on the bot service asks for real decisions, and counts what became of each."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

from gouji.bot.service import choose


@pytest.fixture(scope="module")
def load(load_script: Callable[[Path], ModuleType]) -> ModuleType:
    """`loadtest` is a folder of scripts, not a package."""
    return load_script(Path(__file__).resolve().parents[2] / "loadtest/decisions.py")


def test_all_that_is_asked_for_can_be_decided(load: ModuleType) -> None:
    calls = load.decisions("planner")
    assert len(calls) > 500
    assert {choose(call.decisions[0]).level for call in calls[:100]} == {"planner"}


def test_every_call_is_measured_from_when_it_was_due(load: ModuleType) -> None:
    measured = asyncio.run(load.run("planner", rate=40, seconds=1, deadline=5))
    assert measured.outcomes == {"planner": 40}
    assert len(measured.times) == 40
    assert measured.report().startswith("40 decisions: p50 ")
