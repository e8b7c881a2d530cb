"""Who sits where. Pure.

All tables of a round play the same boards, so whoever sits in a seat holds the same cards as all who sit in that seat
elsewhere, and the sides are compared with one another. From one board to the next the two sides of a table change
between the even and the odd seats; after each two boards everybody moves on within its side, the two sides by different
steps, so that each meets another opposite.
"""

from collections.abc import Sequence
from typing import NamedTuple

from gouji.engine.cards import SEATS

SIDE = SEATS // 2
"""Seats of a side."""


class Chair(NamedTuple):
    """Who sits there: an entrant, and which of its players, from 0."""

    entrant: int
    place: int


def first_sits_even(board: int) -> bool:
    """Say whether the first side has the even seats on a board, which count from 1."""
    return board % 2 == 1


def chairs(first: Sequence[int], second: Sequence[int], board: int) -> list[Chair]:
    """Seat two sides on a board, by seat; a side is a team, or three single players."""
    even, odd = (first, second) if first_sits_even(board) else (second, first)
    turn = (board - 1) // 2
    return [_chair(odd if seat % 2 else even, seat // 2 + turn * (1 + seat % 2)) for seat in range(SEATS)]


def _chair(side: Sequence[int], number: int) -> Chair:
    place = number % SIDE
    return Chair(side[0], place) if len(side) == 1 else Chair(side[place], 0)
