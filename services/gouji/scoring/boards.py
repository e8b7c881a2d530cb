"""Leaderboards: on which a match counts, what it changes there, and what scores make of ranks. Pure: no I/O, no clock.

A board is of points or of ratings, of one season or all time, of one preset or all, of one region or all. Equal scores
share a rank, and the next rank is as much lower as players share it (standard competition ranking).
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from typing import Final, NamedTuple

from gouji.scoring.ledger import seat_sums
from gouji.scoring.rating import Skill, is_provisional
from gouji.v1.scoring_pb2 import HandResult
from gouji.wire.bots import is_bot

ALL: Final = ""
"""All time, all presets, all regions."""

WIDTHS: Final = (1, 1024)
"""How many scores lie in one count of players. The first counts exact scores; powers of two."""

HUNDREDTHS: Final = 100
"""Scores in a point of rating."""


class Kind(StrEnum):
    """What the scores of a board are."""

    POINTS = "points"
    """Points of matches (R7), added up."""

    RATING = "rating"
    """What of a skill is nearly sure, mu − 3 sigma, in hundredths."""


class Board(NamedTuple):
    """Which board; `ALL` for what it is not limited to. Ratings are by preset, so a board of them has one."""

    kind: Kind
    season: str
    preset: str
    region: str


class Counted(NamedTuple):
    """A match that counts: when it ended in microseconds, its preset, and the region of its queue, `ALL` without."""

    ended_at: int
    preset: str
    region: str


class Entry(NamedTuple):
    """A player on a board: its score, from how many matches, and whether it has a rank."""

    score: int
    matches: int
    listed: bool


class Move(NamedTuple):
    """A listed score that changed; None where the player was not, or is no longer, listed."""

    before: int | None
    after: int | None


def points_of(results: Sequence[HandResult]) -> dict[str, int]:
    """Sum up what each person made of a match by its results, penalties taken off."""
    seats = results[0].seats if results else ()
    return {
        seat.player_id: made.points for seat, made in zip(seats, seat_sums(results), strict=False) if not seat.bot_level
    }


def more(now: Mapping[str, int], before: Mapping[str, int]) -> dict[str, int]:
    """Say by how much points are more than they were; who has none has 0."""
    return {one: now.get(one, 0) - before.get(one, 0) for one in {**before, **now}}


def scores_of(skills: Mapping[str, Skill]) -> dict[str, int | None]:
    """Give the scores of people's ratings, None for provisional ones; bots do not stand on boards."""
    return {
        one: None if is_provisional(skill) else sure_part(skill) for one, skill in skills.items() if not is_bot(one)
    }


def boards_of(kind: Kind, season: str, match: Counted) -> list[Board]:
    """Name the boards on which a match counts; without a season (`ALL`) those of all time alone."""
    presets = (match.preset,) if kind is Kind.RATING else (ALL, match.preset)
    return [
        Board(kind, one, preset, region)
        for one in dict.fromkeys((ALL, season))
        for preset in dict.fromkeys(presets)
        for region in dict.fromkeys((ALL, match.region))
    ]


def gained(entry: Entry, points: int, matches: int) -> Entry:
    """Add the points of so many matches; who has none left is not listed."""
    return Entry(entry.score + points, entry.matches + matches, listed=entry.matches + matches > 0)


def rated(entry: Entry, score: int | None, matches: int) -> Entry:
    """Put a rating's score after so many more matches; None, a provisional one, is not listed, nor is who has none."""
    played = entry.matches + matches
    return Entry(score or 0, played, listed=score is not None and played > 0)


def sure_part(skill: Skill) -> int:
    """Give the score of a rating: mu − 3 sigma in hundredths."""
    return round((skill.mu - 3 * skill.sigma) * HUNDREDTHS)


def move(before: Entry, after: Entry) -> Move | None:
    """Say how a listed score changed; None if it did not."""
    found = Move(before.score if before.listed else None, after.score if after.listed else None)
    return None if found.before == found.after else found


class Count(NamedTuple):
    """Which scores are counted together: those from ``low`` until just before ``low + width``."""

    board_id: int
    width: int
    low: int


def low(score: int, width: int) -> int:
    """Give the lowest score that is counted together with this one."""
    return score & -width


def folded(moves: Iterable[tuple[int, int | None, int | None]]) -> Mapping[Count, int]:
    """Sum up what moves, each with its board's id, change in the counts of players, without what nets to nothing."""
    sums: Counter[Count] = Counter()
    for board_id, before, after in moves:
        for score, players in ((before, -1), (after, 1)):
            if score is not None:
                sums.update({Count(board_id, width, low(score, width)): players for width in WIDTHS})
    return {count: players for count, players in sums.items() if players}


def ranks(scores: Sequence[int], ahead: Sequence[int]) -> Iterator[int]:
    """Rank neighbouring scores, best first.

    ``ahead`` is how many players have more than the first of them, and more than the first one that differs from it.
    Players who share the first score may stand before it.
    """
    tied = scores.count(scores[0]) if scores else 0
    rank = 0
    for number, score in enumerate(scores):
        if number == 0:
            rank = ahead[0] + 1
        elif score != scores[number - 1]:
            rank = ahead[1] + 1 + number - tied
        yield rank
