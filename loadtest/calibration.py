"""Whether ratings mean what they say: win chances that come true, and players in the order of their strength.

    .venv/bin/python loadtest/calibration.py                              # prints; as in docs/benchmarks.md
    .venv/bin/python loadtest/calibration.py --chart docs/ratings.png     # and draws the reliability diagram

Players of known strength (`simulated.py`) play matches of three hands with and against anybody until each has played
`--matches`. Before each match its chances are predicted as matchmaking does, by the ratings that the matches before
have made: ratings as shipped, and for comparison ratings that know who won and nothing else. The chart needs
`pip install -r loadtest/requirements.txt`.
"""

import argparse
import random
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple

from simulated import SEATS, Luck, points, population

from gouji.matchmaking.teams import win_chance
from gouji.scoring.rating import START, Match, Skill, after

HANDS = 3
"""Hands of a match."""

SETTLED_AFTER = 20
"""Matches of everybody after which predictions count as those of settled ratings."""

BINS = 10
REPLAYS = 50
"""How often a match is drawn anew to learn its true chance."""


class Prediction(NamedTuple):
    """What was said before a match, what was true, and how it ended: 1 for the even team, 0 for the odd, or a half."""

    said: float
    true: float
    ended: float
    round: int


@dataclass
class Season:
    """Everybody's matches under one way of rating; ``titles`` tells whether it is shown more than who won."""

    strengths: Mapping[str, float]
    titles: bool
    skills: dict[str, Skill] = field(init=False)
    predictions: list[Prediction] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.skills = dict.fromkeys(self.strengths, START)

    def play(self, players: Sequence[str], made: Match, true: float, number: int) -> None:
        """Predict a match, and rate it."""
        skills = [self.skills[player] for player in players]
        lead = sum(skill.mu * (1 - 2 * (seat % 2)) for seat, skill in enumerate(skills))
        said = win_chance(lead, sum(skill.sigma**2 for skill in skills))
        even, odd = made.team_scores
        self.predictions.append(Prediction(said, true, (1 + (even > odd) - (even < odd)) / 2, number))
        known = made if self.titles else replace(made, titles=[0] * SEATS)
        self.skills |= after(known, {player: self.skills[player] for player in players})

    @property
    def rank_correlation(self) -> float:
        """Spearman's, of the ratings with the strengths."""
        people = list(self.strengths)
        return statistics.correlation(
            _ranks([self.strengths[one] for one in people]), _ranks([self.skills[one].mu for one in people])
        )


def draw(players: Sequence[str], strengths: Mapping[str, float], luck: Luck, chance: random.Random) -> Match:
    """Draw a match."""
    orders = [luck.order([strengths[player] for player in players], chance) for _ in range(HANDS)]
    titles = [sum(made) for made in zip(*map(points, orders), strict=True)]
    return Match(players, titles, titles, [sum(titles[0::2]), sum(titles[1::2])], 1)


def true_chance(players: Sequence[str], strengths: Mapping[str, float], luck: Luck, chance: random.Random) -> float:
    """Learn the even team's chance by drawing the match many times; a draw is a half."""
    ends = [draw(players, strengths, luck, chance).team_scores for _ in range(REPLAYS)]
    return statistics.fmean((1 + (even > odd) - (even < odd)) / 2 for even, odd in ends)


def play_all(people: int, spread: float, matches: int, luck: Luck, seed: int) -> dict[str, Season]:
    """Have everybody play so many matches, the same ones under both ways of rating."""
    chance = random.Random(seed)
    strengths = population(people - people % SEATS, spread, chance)
    seasons = {"as shipped": Season(strengths, titles=True), "win or loss alone": Season(strengths, titles=False)}
    for number in range(matches):
        order = chance.sample(sorted(strengths), len(strengths))
        for start in range(0, len(order), SEATS):
            players = order[start : start + SEATS]
            made, true = draw(players, strengths, luck, chance), true_chance(players, strengths, luck, chance)
            for season in seasons.values():
                season.play(players, made, true, number)
    return seasons


def brier(predictions: Sequence[Prediction]) -> float:
    """Give the mean square of what predictions were off by; 0.25 is what saying one half gets without draws."""
    return statistics.fmean((one.said - one.ended) ** 2 for one in predictions)


def report(seasons: Sequence[Mapping[str, Season]]) -> None:
    """Print the figures, the mean over all seeds and how far seeds stray from it."""
    for name in seasons[0]:
        of_name = [season[name] for season in seasons]
        settled = [[one for one in season.predictions if one.round >= SETTLED_AFTER] for season in of_name]
        print(f"\n{name}")
        print("  Brier score, all matches      ", _spread([brier(season.predictions) for season in of_name]))
        print(f"  Brier score, after {SETTLED_AFTER} of each  ", _spread(list(map(brier, settled))))
        print("  rank correlation at the end   ", _spread([season.rank_correlation for season in of_name]))
        print("  said, came true, matches, by what was said:")
        for said, ended, count in bins([one for some in settled for one in some]):
            print(f"  {said:8.3f} {ended:8.3f} {count:8}")
    first = [one for season in seasons for one in season["as shipped"].predictions if one.round >= SETTLED_AFTER]
    even = [one._replace(said=0.5) for one in first]
    known = [one._replace(said=one.true) for one in first]
    print(f"\nBrier score of one half {brier(even):.4f}, of the true chances {brier(known):.4f}")


def bins(predictions: Sequence[Prediction]) -> list[tuple[float, float, int]]:
    """Divide predictions by what they said: the mean of that, the share that came true, and how many they are."""
    parts: list[list[Prediction]] = [[] for _ in range(BINS)]
    for one in predictions:
        parts[min(int(one.said * BINS), BINS - 1)].append(one)
    return [
        (statistics.fmean(one.said for one in part), statistics.fmean(one.ended for one in part), len(part))
        for part in parts
        if part
    ]


def chart(path: Path, seasons: Sequence[Mapping[str, Season]]) -> None:
    """Draw the reliability diagram as PNG."""
    from matplotlib.figure import Figure  # noqa: PLC0415 - figures are printed without it, too

    figure = Figure(figsize=(6, 6), layout="constrained")
    axis = figure.subplots()
    axis.plot([0, 1], [0, 1], color="0.7")
    for number, name in enumerate(seasons[0]):
        of_name = [one for season in seasons for one in season[name].predictions if one.round >= SETTLED_AFTER]
        said, ended, counts = zip(*bins(of_name), strict=True)
        errors = [2 * (share * (1 - share) / count) ** 0.5 for share, count in zip(ended, counts, strict=True)]
        axis.errorbar(said, ended, yerr=errors, color=f"C{number}", marker="o", capsize=3, label=name)
    axis.set(
        xlabel="win chance said before the match", ylabel="share that won", xlim=(0, 1), ylim=(0, 1), aspect="equal"
    )
    axis.legend()
    figure.savefig(path, dpi=120)


def _ranks(values: Sequence[float]) -> list[float]:
    order = sorted(range(len(values)), key=values.__getitem__)
    ranks = [0.0] * len(values)
    for rank, place in enumerate(order):
        ranks[place] = rank
    return ranks


def _spread(values: Sequence[float]) -> str:
    off = max(abs(value - statistics.fmean(values)) for value in values)
    return f"{statistics.fmean(values):.4f} ± {off:.4f}"


def main() -> None:
    """Play, print, draw."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--people", type=int, default=240)
    parser.add_argument("--spread", type=float, default=6.0, help="standard deviation of strengths")
    parser.add_argument("--own-luck", type=float, default=Luck.own)
    parser.add_argument("--team-luck", type=float, default=Luck.team)
    parser.add_argument("--matches", type=int, default=100, help="of each player")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--chart", type=Path, help="where to draw a PNG")
    asked = parser.parse_args()
    luck = Luck(asked.own_luck, asked.team_luck)
    print(f"{asked.people} players, spread {asked.spread}, {luck}, {asked.matches} matches each, {asked.seeds} seeds")
    seasons = [play_all(asked.people, asked.spread, asked.matches, luck, seed) for seed in range(asked.seeds)]
    report(seasons)
    if asked.chart:
        chart(asked.chart, seasons)


if __name__ == "__main__":
    main()
