"""What a finished hand means for its players. Pure: no I/O, no clock.

Titles follow from the order of finishing (R6.1) and are worked out here; points are the table's, because they
depend on burns and rule options (R7) that a result does not repeat.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Self

from gouji.engine.cards import SEATS

MOST_HANDS: Final = 2**31 - 1
"""Highest number of a hand that the database can hold."""

MOST_POINTS: Final = 1_000_000
"""Most points that anything may cost."""


class Malformed(ValueError):
    """A result that makes no sense. ``path`` names the field, ``problem`` says what is wrong with it."""

    def __init__(self, path: str, problem: str) -> None:
        super().__init__(f"{path}: {problem}")
        self.path = path
        self.problem = problem


@dataclass(frozen=True, slots=True)
class Seat:
    """Who sat there: a person has a ``player_id``, a bot a ``bot_level``."""

    player_id: str = ""
    name: str = ""
    bot_level: str = ""


@dataclass(frozen=True, slots=True)
class Result:
    """What counts of a finished hand. ``order`` holds seats, head first; ``scores`` the seats' points.

    ``penalties`` is what leaving for good cost each seat's player; empty for none. ``match_scores`` and
    ``match_team_scores`` are the points of the match so far; empty when they are not known.
    """

    table_id: str
    hand: int
    seats: Sequence[Seat]
    order: Sequence[int]
    scores: Sequence[int]
    team_scores: Sequence[int] = ()
    penalties: Sequence[int] = ()
    match_scores: Sequence[int] = ()
    match_team_scores: Sequence[int] = ()


@dataclass(frozen=True, slots=True)
class Entry:
    """What one person made of one hand: its points, and its place 1..6."""

    seat: int
    player_id: str
    name: str
    points: int
    place: int


@dataclass(frozen=True, slots=True)
class Totals:
    """A player's sums over hands. ``places`` counts how often it was head, second ... last."""

    player_id: str
    name: str
    hands: int
    points: int
    places: tuple[int, ...]

    @classmethod
    def of(cls, entry: Entry) -> Self:
        """Take what one hand adds."""
        places = tuple(int(place == entry.place) for place in range(1, SEATS + 1))
        return cls(entry.player_id, entry.name, 1, entry.points, places)

    def __add__(self, later: "Totals") -> "Totals":
        """Sum two totals of the same player; the later name stays."""
        places = tuple(mine + more for mine, more in zip(self.places, later.places, strict=True))
        return Totals(self.player_id, later.name, self.hands + later.hands, self.points + later.points, places)


def check(result: Result) -> None:
    """Raise `Malformed` for the first field that does not fit a finished hand. A voided hand is none."""
    for path, problem in _problems(result):
        raise Malformed(path, problem)


def entries(result: Result) -> list[Entry]:
    """List what each person made of the hand, by seat, without bots. The result must have passed `check`.

    Who left for good has what the bot in its place made, less the penalty.
    """
    penalties = result.penalties or [0] * SEATS
    place_of = {seat: place for place, seat in enumerate(result.order, start=1)}
    return [
        Entry(number, seat.player_id, seat.name, result.scores[number] - penalties[number], place_of[number])
        for number, seat in enumerate(result.seats)
        if seat.player_id
    ]


def totals(made: Iterable[Entry]) -> list[Totals]:
    """Sum entries by player, in the order of the players' ids."""
    sums: dict[str, Totals] = {}
    for entry in made:
        added = Totals.of(entry)
        sums[entry.player_id] = sums[entry.player_id] + added if entry.player_id in sums else added
    return [sums[player_id] for player_id in sorted(sums)]


def _problems(result: Result) -> Iterator[tuple[str, str]]:
    """Find what is wrong, as path and problem."""
    if not result.table_id:
        yield "table_id", "is empty"
    if not 1 <= result.hand <= MOST_HANDS:
        yield "hand", f"is {result.hand}; hands count from 1"
    if len(result.seats) != SEATS:
        yield "seats", f"has {len(result.seats)} entries, not {SEATS}"
    yield from _seat_problems(result.seats)
    if sorted(result.order) != list(range(SEATS)):
        yield "order", "does not name each seat 0..5 once"
    if len(result.scores) != SEATS:
        yield "scores", f"has {len(result.scores)} entries, not {SEATS}"
    yield from _count_problems(result)
    for number, penalty in enumerate(result.penalties):
        if penalty > MOST_POINTS:
            yield f"conduct[{number}].penalty", f"is more than {MOST_POINTS} points"


def _count_problems(result: Result) -> Iterator[tuple[str, str]]:
    """Find what may be left out and is neither left out nor whole."""
    wholes = {
        "team_scores": (result.team_scores, 2),
        "conduct": (result.penalties, SEATS),
        "match_scores": (result.match_scores, SEATS),
        "match_team_scores": (result.match_team_scores, 2),
    }
    for path, (entries_given, whole) in wholes.items():
        if len(entries_given) not in (0, whole):
            yield path, f"has {len(entries_given)} entries, not 0 or {whole}"


def _seat_problems(seats: Sequence[Seat]) -> Iterator[tuple[str, str]]:
    """Find seats without, or with two, occupants, and people who sit twice."""
    found: dict[str, int] = {}
    for number, seat in enumerate(seats):
        if bool(seat.player_id) == bool(seat.bot_level):
            yield f"seats[{number}]", "needs either a player_id or a bot_level"
        if seat.player_id and seat.player_id in found:
            yield f"seats[{number}].player_id", f"sits at seat {found[seat.player_id]} too"
        found[seat.player_id] = number
