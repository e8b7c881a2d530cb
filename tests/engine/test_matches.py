"""Whole matches of every preset at random, checked by the oracle; `make matches` plays 1,000 of each."""

import pytest

from gouji.engine import PRESETS

from . import matches
from .matches import play_match


@pytest.mark.parametrize("preset", PRESETS)
def test_matches_are_lawful_and_scored_right(preset: str) -> None:
    seen = play_match(preset, 0, closely=True)
    seen += sum((play_match(preset, number) for number in range(1, 3)), start=play_match(preset, 3))
    assert seen["matches"] == 4
    assert seen["hands"] > 4


def test_a_fault_is_told_with_the_match_in_which_it_came_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(matches, "next_leader", lambda _: 6)
    with pytest.raises(AssertionError, match=r"^qingdao/0: "):
        play_match("qingdao", 0)
