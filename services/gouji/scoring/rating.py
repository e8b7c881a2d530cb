"""What a finished match does to the ratings of those who played it. Pure: no I/O, no clock.

The model is openskill's Plackett-Luce with its own constants. Two teams of three are rated by their points over
the whole match; within a team, whoever made more of the six titles gains more, or loses less. Bots have one rating
for each level, under an id that no player has. There is one rating for each family of rules: a preset.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from openskill.models import PlackettLuce, PlackettLuceRating

from gouji.engine.cards import SEATS


class Skill(NamedTuple):
    """A rating: the mean and the deviation of what is believed of a skill, and the matches that it comes from."""

    mu: float
    sigma: float
    matches: int


START: Final = Skill(25.0, 25 / 3, 0)
"""What is believed of everybody at first."""

MATE: Final = 1.25
"""Weight of whoever made the most of a team: its gain is multiplied by it and its loss divided."""

_MODEL: Final = PlackettLuce(mu=START.mu, sigma=START.sigma)
_MODEL.weight_bounds = None  # weights count as they are; the constructor does not take None


@dataclass(frozen=True, slots=True)
class Match:
    """A finished match to be rated, by seat: who is rated (`rated_as`), and the points over all hands.

    ``team_scores`` are those of the even and the odd seats, empty where there are no teams.
    """

    rated: Sequence[str]
    scores: Sequence[int]
    team_scores: Sequence[int]


def rated_as(player_id: str, bot_level: str) -> str:
    """Name the rating of whoever sits there: a person's is its own, bots of a level share one."""
    return player_id or f"bot:{bot_level}"


def after(match: Match, skills: Mapping[str, Skill]) -> dict[str, Skill]:
    """Say what becomes of the ratings of all who played, given those before; the same always gives the same."""
    if match.team_scores:
        teams = [list(range(team, SEATS, 2)) for team in (0, 1)]
        scores, weights = match.team_scores, [_shares([match.scores[seat] for seat in team]) for team in teams]
    else:
        teams, scores, weights = [[seat] for seat in range(SEATS)], match.scores, None
    before = [[_rating(skills[match.rated[seat]]) for seat in team] for team in teams]
    rated = _MODEL.rate(before, scores=[float(score) for score in scores], weights=weights)
    found = defaultdict(list)
    for team, ratings in zip(teams, rated, strict=True):
        for seat, rating in zip(team, ratings, strict=True):
            found[match.rated[seat]].append(rating)
    return {one: _mean(ratings, skills[one].matches + 1) for one, ratings in found.items()}


def _shares(scores: Sequence[int]) -> list[float]:
    """Weigh the members of a team by their points. The weights multiply to 1, so that ratings do not drift."""
    return [MATE ** (sum((own > other) - (own < other) for other in scores) / 2) for own in scores]


def _rating(skill: Skill) -> PlackettLuceRating:
    return _MODEL.rating(mu=skill.mu, sigma=skill.sigma)


def _mean(ratings: Sequence[PlackettLuceRating], matches: int) -> Skill:
    """Make one rating of those of several seats: bots of one level are one player."""
    mu, sigma = (sum(values) / len(ratings) for values in zip(*((one.mu, one.sigma) for one in ratings), strict=True))
    return Skill(mu, sigma, matches)
