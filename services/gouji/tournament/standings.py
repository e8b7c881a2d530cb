"""Where entrants stand, and how ties are broken. Pure.

By the score over all rounds, with byes and corrections. Of those who are level, in a Swiss event:

1. **Buchholz**: the sum of the scores of all one's opponents, who were the stronger the greater it is;
2. **median Buchholz**: the same without the best and the worst of them;
3. **direct encounter**: what one has above half against those with whom one is still level, if all of them have met;
4. **wins**: rounds with more than half of what there was to win;
5. the **lot**, drawn from the event's seed, to which it was bound before anybody entered.

In a round robin all have the same opponents, and Buchholz means nothing: direct encounter comes first, then wins and
lot. A bye counts as opponents with one's own score.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, groupby

from gouji.tournament.scores import Outing


@dataclass(frozen=True, slots=True)
class Place:
    """Where an entrant stands, from 1, and by what; ``encounter`` is twice what it has above half."""

    rank: int
    entrant: int
    score: int
    buchholz: int
    median: int
    encounter: int
    wins: int


@dataclass(frozen=True, slots=True)
class Field:
    """What standings are made of, by entrant: its rounds, corrections of its score, its lot.

    ``side`` is how many opponents one meets in a round: 1 of teams, 3 of single players.
    """

    courses: Mapping[int, Sequence[Outing]]
    corrections: Mapping[int, int]
    lots: Mapping[int, int]
    side: int


def standings(field: Field, *, swiss: bool) -> list[Place]:
    """Rank all entrants."""
    scores = {number: _score(field, number) for number in field.courses}
    faced = {number: _faced(field, number, scores) for number in field.courses}
    buchholz = {number: sum(strengths) for number, strengths in faced.items()}
    median = {number: _median(strengths) for number, strengths in faced.items()}

    def first(number: int) -> tuple[int, ...]:
        return (scores[number], buchholz[number], median[number]) if swiss else (scores[number],)

    level = groupby(sorted(field.courses, key=first, reverse=True), key=first)
    ordered = [one for _, group in level for one in _break(field, list(group))]
    return [
        Place(rank, number, scores[number], buchholz[number], median[number], encounter, _wins(field.courses[number]))
        for rank, (number, encounter) in enumerate(ordered, start=1)
    ]


def _score(field: Field, number: int) -> int:
    return sum(outing.score for outing in field.courses[number]) + field.corrections.get(number, 0)


def _faced(field: Field, number: int, scores: Mapping[int, int]) -> list[int]:
    """List the scores of one's opponents, from the lowest."""
    faced: list[int] = []
    for outing in field.courses[number]:
        faced += [scores[one] for one in outing.opponents] or [scores[number]] * field.side
    return sorted(faced)


def _median(strengths: Sequence[int]) -> int:
    return sum(strengths[1:-1] if len(strengths) > 2 else strengths)


def _break(field: Field, group: list[int]) -> list[tuple[int, int]]:
    """Order those who are level, each with its direct encounter."""
    encounters = _encounters(field, group)
    keys = {number: (-encounters[number], -_wins(field.courses[number]), field.lots[number]) for number in group}
    return [(number, encounters[number]) for number in sorted(group, key=keys.__getitem__)]


def _encounters(field: Field, group: list[int]) -> dict[int, int]:
    """Say what each has against the others of the group; nothing unless all of them have met."""
    inside = set(group)
    met: set[tuple[int, int]] = set()
    found = dict.fromkeys(group, 0)
    for number in group:
        for outing in field.courses[number]:
            rivals = inside.intersection(outing.opponents)
            met |= {(number, rival) for rival in rivals}
            found[number] += len(rivals) * outing.above_half
    whole = len(group) > 1 and all(pair in met for pair in combinations(group, 2))
    return found if whole else dict.fromkeys(group, 0)


def _wins(course: Sequence[Outing]) -> int:
    return sum(outing.above_half > 0 for outing in course)
