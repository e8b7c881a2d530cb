"""What many random playouts of one position came to: what a search or a bot that guesses values needs."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Playouts:
    """Sums over ``count`` playouts, ``void`` of which ended in a hand that is dealt anew and stand in no other sum.

    ``places[seat][place]`` counts how often a seat came in at a place, 0 for head (R6.1). ``scores`` are points summed
    by seat, ``team_scores`` (even, odd), None without teams (R7).
    """

    count: int
    void: int
    places: tuple[tuple[int, ...], ...]
    scores: tuple[int, ...]
    team_scores: tuple[int, int] | None


__all__ = ["Playouts"]
