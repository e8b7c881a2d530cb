"""Who comes to a queue when: drawn, or read from a file of what was recorded."""

import csv
import math
import random
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from gouji.matchmaking.policy import DEVIATION, RATING

EVENING = (4, 3, 2, 1, 1, 1, 2, 3, 4, 5, 6, 7, 9, 8, 7, 7, 8, 10, 14, 19, 22, 20, 14, 8)
"""How many come in each hour of a day, in parts of all."""

SIZES = {1: 70, 2: 16, 3: 10, 6: 4}
"""Parties by size, in parts of all; one of more than three plays in both teams."""

HEADER = ("second", "party", "player", "rating", "deviation", "leaves_after")


@dataclass(frozen=True)
class Arrival:
    """A ticket to come.

    ``people`` are numbers, each with rating and deviation. ``leaves_after`` are the seconds of waiting after which it
    would go.
    """

    second: float
    people: tuple[tuple[int, float, float], ...]
    leaves_after: float


@dataclass(frozen=True)
class Crowd:
    """Those who come, drawn: so many people, of whom tickets come at so many a second in an average hour.

    Hours are counted from ``begins``, of a day. Ratings are spread by ``spread`` points, and by a tenth of that within
    a party. Waiting people leave after an exponential time of ``patience`` seconds on average.
    """

    people: int = 20_000
    rate: float = 2.0
    hours: float = 1.0
    begins: float = 20.0
    spread: float = 7.0
    patience: float = 600.0

    def arrivals(self, chance: random.Random) -> Iterator[Arrival]:
        """Draw the tickets, in order. Somebody may come again before its first match could be over."""
        skills = [(chance.gauss(RATING, self.spread), chance.uniform(1.0, DEVIATION)) for _ in range(self.people)]
        order = sorted(range(self.people), key=skills.__getitem__)
        second, end = 0.0, self.hours * 3600
        while (second := second + chance.expovariate(self._rate(second))) < end:
            size = chance.choices(list(SIZES), list(SIZES.values()))[0]
            first = chance.randrange(self.people)
            near = [min(max(first + chance.randint(-self._near, self._near), 0), self.people - 1) for _ in range(size)]
            who = tuple((order[place], *skills[order[place]]) for place in dict.fromkeys([first, *near][:size]))
            yield Arrival(second, who, chance.expovariate(1 / self.patience))

    @property
    def _near(self) -> int:
        """How many places by rating friends are apart at most."""
        return max(self.people // 20, 10)

    def _rate(self, second: float) -> float:
        hour = int(self.begins + second / 3600) % 24
        return self.rate * EVENING[hour] * len(EVENING) / sum(EVENING)


def read(path: Path) -> Iterator[Arrival]:
    """Read recorded arrivals: a line of CSV for each person, with those of one party after one another."""
    with path.open(newline="") as lines:
        people: list[tuple[int, float, float]] = []
        last: dict[str, str] = {}
        for line in csv.DictReader(lines):
            if people and line["party"] != last["party"]:
                yield _arrival(last, people)
                people = []
            people.append((int(line["player"]), float(line["rating"]), float(line["deviation"])))
            last = line
        if people:
            yield _arrival(last, people)


def write(path: Path, arrivals: Iterable[Arrival]) -> None:
    """Write arrivals so that `read` reads them."""
    with path.open("w", newline="") as file:
        lines = csv.writer(file)
        lines.writerow(HEADER)
        for party, arrival in enumerate(arrivals):
            for player, rating, deviation in arrival.people:
                lines.writerow((arrival.second, party, player, rating, deviation, arrival.leaves_after))


def _arrival(line: dict[str, str], people: list[tuple[int, float, float]]) -> Arrival:
    return Arrival(float(line["second"]), tuple(people), float(line["leaves_after"] or math.inf))
