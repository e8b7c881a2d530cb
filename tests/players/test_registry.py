"""Players by name, and those that other packages bring."""

import math
from pathlib import Path

import pytest

from gouji.engine import Hand, RuleSet
from gouji.players import PLAYERS, UnknownPlayer, find_player

MINE = """
class Mine:
    summary = "Takes the first lawful action."

    def decide(self, observation, seed, budget_seconds):
        return observation.legal_actions()[0]
"""


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A package that brings players, as an installer leaves it."""
    (tmp_path / "mine_of_tests.py").write_text(MINE)
    about = tmp_path / "mine_of_tests-1.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: mine-of-tests\nVersion: 1\n")
    (about / "entry_points.txt").write_text("[gouji.players]\nmine = mine_of_tests:Mine\ngreedy = mine_of_tests:Mine\n")
    monkeypatch.syspath_prepend(str(tmp_path))


@pytest.mark.usefixtures("installed")
def test_a_player_that_a_package_brings_is_found_by_its_name_and_plays() -> None:
    hand = Hand.position(RuleSet.parse("standard"), ["4449", "55", "5", "5", "5", "5"], 0)
    action = find_player("mine").decide(hand.observe(0), 1, math.inf)
    assert hand.refusal(action) is None
    with pytest.raises(UnknownPlayer, match=r"no player 'yours'; there are random, .*greedy.*, mine$"):
        find_player("yours")


@pytest.mark.usefixtures("installed")
def test_no_package_takes_the_name_of_a_level() -> None:
    assert type(find_player("greedy")) is PLAYERS["greedy"]
