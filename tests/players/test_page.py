"""The programs of docs/bots.md do what the page says."""

import contextlib
import io
import math
import re
from pathlib import Path
from typing import Any

import pytest

from gouji.engine import Hand, RuleSet

PAGE = (Path(__file__).parents[2] / "docs/bots.md").read_text()
PROGRAMS = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)


def test_the_bot_of_twenty_lines_plays_a_hand_to_its_end() -> None:
    names: dict[str, Any] = {}
    exec(PROGRAMS[0], names)
    assert PROGRAMS[0].count("\n") <= 20
    quiet = names["Quiet"]()
    hand = Hand.deal(RuleSet.parse("standard"), bytes(32))
    while hand.turn is not None:
        hand.apply(quiet.decide(hand.observe(hand.turn), 1, math.inf))
    assert hand.over


def test_the_program_that_trains_plays_a_hand_and_prints_six_rewards() -> None:
    pytest.importorskip("pettingzoo", reason="the extra gouji[zoo]")
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        exec(PROGRAMS[1], {})
    assert re.fullmatch(r"(seat_\d -?\d+\.0\n){6}", said.getvalue())
