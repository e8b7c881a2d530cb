"""What was played, as a JSON file that a run goes on from."""

import json
import os
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from itertools import combinations
from pathlib import Path
from typing import Any, Final

from gouji.arena.figures import Figures, figures
from gouji.arena.play import Contest, Duel, Tally
from gouji.engine import RuleSet

VERSION: Final = 1
"""Of the form of the file."""


class OtherRun(ValueError):
    """The file is of a run with other settings, or of none."""


@dataclass(slots=True)
class Pairing:
    """Two players under one rule set: the duels so far by deal, and what each player did."""

    contest: Contest
    duels: dict[int, Duel] = field(default_factory=dict)
    tallies: tuple[Tally, Tally] = field(default_factory=lambda: (Tally(), Tally()))

    def add(self, duel: Duel, tallies: tuple[Tally, Tally]) -> None:
        """Take in one deal."""
        self.duels[duel.deal] = duel
        for mine, more in zip(self.tallies, tallies, strict=True):
            mine.add(more)

    @property
    def figures(self) -> Figures:
        """What it says so far."""
        return figures([self.duels[deal] for deal in sorted(self.duels)], self.contest.hands)


@dataclass(slots=True)
class Results:
    """All pairings of a run, each player against each."""

    pairings: list[Pairing]

    def save(self, path: Path) -> None:
        """Write the file anew; a crash leaves the old one."""
        beside = path.with_name(f"{path.name}.part")
        beside.write_text(json.dumps(self.as_json()) + "\n", encoding="utf-8")
        os.replace(beside, path)  # noqa: PTH105 (says that it replaces)

    def as_json(self) -> dict[str, Any]:
        """Give the whole run: settings, figures, then every deal; times are beside, since they are never the same."""
        return {"version": VERSION, "pairings": [_pairing_as_json(pairing) for pairing in self.pairings]}

    def load(self, path: Path) -> None:
        """Take over what a file has of these pairings. Raises `OtherRun` where it was played in another way."""
        try:
            raw = json.loads(path.read_text(encoding="utf-8"))
            known = {_key(each["settings"]): each for each in raw["pairings"]}
        except (ValueError, KeyError, TypeError) as broken:
            raise OtherRun(f"{path} holds no results of the arena: {broken}") from None
        if raw["version"] != VERSION:
            raise OtherRun(f"{path} has the form {raw['version']}, not {VERSION}")
        missing = known.keys() - {_key(_settings(pairing.contest)) for pairing in self.pairings}
        if missing:
            raise OtherRun(f"{path} is of a run with other settings: {', '.join(sorted(missing))}")
        for pairing in self.pairings:
            _take_over(pairing, known.get(_key(_settings(pairing.contest)), {"duels": []}))


def round_robin(players: list[str], rule_sets: list[RuleSet], hands: int, seed: str, budget_seconds: float) -> Results:
    """Pair each player with each that comes before it, under each of the rule sets."""
    return Results(
        [
            Pairing(Contest(better, worse, rules, hands, seed, budget_seconds))
            for rules in rule_sets
            for worse, better in combinations(players, 2)
        ]
    )


def _settings(contest: Contest) -> dict[str, Any]:
    budget = str(contest.budget_seconds)
    return {**asdict(contest), "rules": contest.rules.spec(), "budget_seconds": budget}


def _key(settings: dict[str, Any]) -> str:
    return json.dumps(settings, sort_keys=True)


def _pairing_as_json(pairing: Pairing) -> dict[str, Any]:
    return {
        "settings": _settings(pairing.contest),
        "figures": asdict(pairing.figures),
        "duels": [[deal, *duel.points, *duel.places] for deal, duel in sorted(pairing.duels.items())],
        "tallies": [asdict(tally) for tally in pairing.tallies],
    }


def _take_over(pairing: Pairing, raw: dict[str, Any]) -> None:
    for duel in _duels(raw["duels"]):
        pairing.duels[duel.deal] = duel
    for mine, tally in zip(pairing.tallies, raw.get("tallies", ()), strict=False):
        mine.add(Tally(**tally))


def _duels(rows: list[list[int]]) -> Iterator[Duel]:
    for deal, first, second, places, again in rows:
        yield Duel(deal, (first, second), (places, again))
