"""What a board is worth: matchpoints, as in duplicate bridge. Pure.

The sides that hold the same cards are compared with one another: a side has a point for each other table at which that
side made less by the rules (R7), and half a point where it made as much. The score is its share of all that could be
had, in hundredths of a percent; the other side of the table has the rest. So the luck of the deal cancels, no board
weighs more than another whatever the rules pay, and one with fewer results (a table that came to none) counts as much.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Mapping
from typing import Final

WHOLE: Final = 10_000
"""The most that one board brings a side."""

AVERAGE: Final = WHOLE // 2
"""What both sides have of a table without a result, or without any other to be compared with."""

BYE: Final = 6_000
"""What a bye is worth, for each board: an average plus."""


def matchpoints(made: Mapping[int, int]) -> dict[int, int]:
    """Give the even side's score at each table of a board, by what it made more than the odd side there."""
    others = len(made) - 1
    if others < 1:
        return dict.fromkeys(made, AVERAGE)
    ordered = sorted(made.values())
    return {table: _share(ordered, points, others) for table, points in made.items()}


def _share(ordered: list[int], points: int, others: int) -> int:
    below, up_to = bisect_left(ordered, points), bisect_right(ordered, points)
    halves = 2 * below + (up_to - below - 1)
    return (halves * WHOLE + others) // (2 * others)
