"""Whether ratings mean what they say: win chances that come true, and players in the order of their strength.

    .venv/bin/python loadtest/calibration.py                              # prints; as in docs/benchmarks.md
    .venv/bin/python loadtest/calibration.py --chart docs/ratings.png     # and draws the reliability diagram

Real Gouji, by the engine: players are the greedy bot that at some decisions does anything lawful, and how often is each
player's strength, known and never told. They play matches of three hands with and against anybody until each has
played `--matches`. Before each match its chances are predicted by the ratings that the matches before have made: by
ratings as shipped, and for comparison by ratings of the same library that know who won and nothing else. The chart
needs `pip install -r loadtest/requirements.txt`.
"""

import argparse
import hashlib
import random
import statistics
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import erf, nan, sqrt
from pathlib import Path
from typing import NamedTuple

from openskill.models import PlackettLuce

from gouji.engine import Match as Game
from gouji.engine import RuleSet
from gouji.engine.cards import SEATS
from gouji.players.greedy import GreedyPlayer
from gouji.scoring.rating import BETA, START, TITLES, Match, Skill, after, is_provisional

HANDS = 3
"""Hands of a match."""

SETTLED_AFTER = 20
"""Matches of everybody after which predictions count as those of settled ratings."""

BINS = 10
LIBRARYS_BETA = 25 / 6

Skills = Mapping[str, Skill]


class Prediction(NamedTuple):
    """What was said before a match, how it ended (1 for the even team, 0 for the odd, or a half), and the round."""

    said: float
    ended: float
    round: int


@dataclass(frozen=True)
class Way:
    """A way to rate: what a match makes of ratings, and how far it believes that chance takes a team."""

    rate: Callable[[Match, Skills], Skills]
    beta: float


def by_winner(beta: float) -> Way:
    """Rate by who won alone."""
    model = PlackettLuce(mu=START.mu, sigma=START.sigma, beta=beta)

    def rate(match: Match, skills: Skills) -> Skills:
        teams = [[model.rating(*skills[player][:2]) for player in match.rated[team::2]] for team in (0, 1)]
        rated = model.rate(teams, scores=[float(score) for score in match.team_scores])
        return {
            player: Skill(rating.mu, rating.sigma, skills[player].matches + 1)
            for team in (0, 1)
            for player, rating in zip(match.rated[team::2], rated[team], strict=True)
        }

    return Way(rate, beta)


WAYS = {
    "as shipped": Way(after, BETA),
    "win or loss alone": by_winner(BETA),
    "the same, openskill's own constants": by_winner(LIBRARYS_BETA),
}


@dataclass
class Season:
    """All matches under one way of rating."""

    way: Way
    strengths: Mapping[str, float]
    skills: dict[str, Skill] = field(init=False)
    predictions: list[Prediction] = field(default_factory=list)
    settled: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.skills = dict.fromkeys(self.strengths, START)

    def play(self, match: Match, number: int) -> None:
        """Predict a match of a round, and rate it."""
        before = {player: self.skills[player] for player in match.rated}
        lead = sum(before[player].mu * (1 - 2 * (seat % 2)) for seat, player in enumerate(match.rated))
        variance = 2 * self.way.beta**2 + sum(skill.sigma**2 for skill in before.values())
        self.predictions.append(Prediction(_phi(lead / sqrt(variance)), outcome(match), number))
        self.skills |= self.way.rate(match, before)
        for player in match.rated:
            if not is_provisional(self.skills[player]):
                self.settled.setdefault(player, number + 1)

    @property
    def rank_correlation(self) -> float:
        """Spearman's, of the ratings with the strengths."""
        people = list(self.strengths)
        ranks = [_ranks([of[one] for one in people]) for of in (self.strengths, _means(self.skills))]
        return statistics.correlation(*ranks)


def draw_matches(strengths: Mapping[str, float], matches: int, chance: random.Random) -> Iterator[tuple[int, Match]]:
    """Have everybody play so many matches, a round of all at a time."""
    rules, bot = RuleSet.parse(), GreedyPlayer()
    for number in range(matches):
        order = chance.sample(sorted(strengths), len(strengths))
        for start in range(0, len(order), SEATS):
            players = order[start : start + SEATS]
            yield number, _play(rules, bot, players, [-strengths[player] for player in players], chance)


def _play(
    rules: RuleSet, bot: GreedyPlayer, players: Sequence[str], careless: Sequence[float], chance: random.Random
) -> Match:
    """Play a match: each seat does anything lawful as often as it is careless."""
    game, titles = Game(rules, hands=HANDS), [0] * SEATS
    while not game.over:
        hand = game.deal(hashlib.sha256(chance.randbytes(16)).digest())
        while (seat := hand.turn) is not None:
            seen = hand.observe(seat)
            anything = chance.random() < careless[seat]
            hand.apply(chance.choice(seen.legal_actions(compact=True)) if anything else bot.decide(seen, 0, 1.0))
        for worth, seat in zip(TITLES, game.record(hand).order, strict=False):
            titles[seat] += worth
    return Match(players, game.scores, titles, game.team_scores or (), ended_at=1)


def outcome(match: Match) -> float:
    """Say how a match ended for the even team."""
    even, odd = match.team_scores
    return (1 + (even > odd) - (even < odd)) / 2


def brier(predictions: Sequence[Prediction]) -> float:
    """Give the mean square of what predictions were off by; not a number when there are none."""
    if not predictions:
        return nan
    return statistics.fmean((one.said - one.ended) ** 2 for one in predictions)


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


def known(strengths: Mapping[str, float], matches: Sequence[tuple[int, Match]]) -> list[Prediction]:
    """Predict by the strengths themselves, at the scale that turns out best: nobody can do better by adding up."""
    leads = [
        sum(strengths[player] * (1 - 2 * (seat % 2)) for seat, player in enumerate(match.rated)) for _, match in matches
    ]

    def at_scale(scale: float) -> list[Prediction]:
        ends = zip(leads, matches, strict=True)
        return [Prediction(_phi(scale * lead), outcome(match), number) for lead, (number, match) in ends]

    return min((at_scale(tenths / 10) for tenths in range(5, 40)), key=brier)


def settled(predictions: Sequence[Prediction]) -> list[Prediction]:
    """Leave out those of the first rounds."""
    return [one for one in predictions if one.round >= SETTLED_AFTER]


def report(seasons: Mapping[str, Season], of_strengths: Sequence[Prediction]) -> None:
    """Print the figures."""
    for name, season in seasons.items():
        print(f"\n{name}")
        print(f"  Brier score: all matches {brier(season.predictions):.4f}, after {SETTLED_AFTER} of each ", end="")
        print(f"{brier(settled(season.predictions)):.4f}")
        print(f"  rank correlation with the strengths at the end {season.rank_correlation:.3f}")
        print("  said, came true, matches:")
        for said, ended, count in bins(settled(season.predictions)):
            print(f"  {said:8.3f} {ended:8.3f} {count:8}")
    half = [one._replace(said=0.5) for one in settled(of_strengths)]
    print(f"\nBrier score after {SETTLED_AFTER} of each: saying one half {brier(half):.4f}, ", end="")
    print(f"by the strengths themselves {brier(settled(of_strengths)):.4f}")
    shipped = seasons["as shipped"]
    after_matches = sorted(shipped.settled.values())
    if after_matches:
        print(
            f"no longer provisional: {len(after_matches)} players, after {statistics.median(after_matches):.0f} matches"
        )


def chart(path: Path, seasons: Mapping[str, Season]) -> None:
    """Draw the reliability diagram as PNG."""
    from matplotlib.figure import Figure  # noqa: PLC0415 - figures are printed without it, too

    figure = Figure(figsize=(6, 6), layout="constrained")
    axis = figure.subplots()
    axis.plot([0, 1], [0, 1], color="0.7")
    for number, (name, season) in enumerate(seasons.items()):
        said, ended, counts = zip(*bins(settled(season.predictions)), strict=True)
        errors = [2 * sqrt(max(share * (1 - share), 0) / count) for share, count in zip(ended, counts, strict=True)]
        axis.errorbar(said, ended, yerr=errors, color=f"C{number}", marker="o", capsize=3, label=name)
    axis.set(xlabel="win chance said before the match", ylabel="share that won", aspect="equal")
    axis.legend()
    figure.savefig(path, dpi=120)


def _means(skills: Skills) -> dict[str, float]:
    return {one: skill.mu for one, skill in skills.items()}


def _ranks(values: Sequence[float]) -> list[float]:
    order = sorted(range(len(values)), key=values.__getitem__)
    ranks = [0.0] * len(values)
    for rank, place in enumerate(order):
        ranks[place] = rank
    return ranks


def _phi(x: float) -> float:
    return 0.5 + 0.5 * erf(x / sqrt(2))


def main() -> None:
    """Play, rate, print, draw."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--people", type=int, default=240)
    parser.add_argument("--careless", type=float, nargs=2, default=(0.0, 0.8), help="least and most often, as shares")
    parser.add_argument("--matches", type=int, default=100, help="of each player")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--chart", type=Path, help="where to draw a PNG")
    asked = parser.parse_args()
    chance = random.Random(asked.seed)
    people = asked.people - asked.people % SEATS
    strengths = {f"p{number:04}": -chance.uniform(*asked.careless) for number in range(people)}
    matches = list(draw_matches(strengths, asked.matches, chance))
    seasons = {name: Season(way, strengths) for name, way in WAYS.items()}
    for season in seasons.values():
        for number, match in matches:
            season.play(match, number)
    print(f"{people} players, careless {asked.careless}, {asked.matches} matches each, {len(matches)} in all")
    report(seasons, known(strengths, matches))
    if asked.chart:
        chart(asked.chart, seasons)


if __name__ == "__main__":
    main()
