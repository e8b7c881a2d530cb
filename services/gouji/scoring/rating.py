"""What a finished match does to the ratings of those who played it. Pure: no I/O, no clock.

The model is openskill's Plackett-Luce, asked twice: how the two teams did, by their points over the whole match, and
how the six did, by the titles that each made. A mean moves by some of both. Bots have one rating for each level, under
an id that no player has; those of others' own have one each. There is one rating for each family of rules: a preset.

Of a seat that a bot has played for the most part, or whose player has left for good, that bot's strength is
expected; the bot is not rated for it. The player itself is rated as if it had sat there, but never gains by it.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import sqrt
from typing import Final, NamedTuple

import openskill
from openskill.models import PlackettLuce

from gouji.engine.cards import SEATS
from gouji.scoring.ledger import SeatSum, match_sum, seat_sums
from gouji.v1.scoring_pb2 import HandResult
from gouji.wire.bots import BOT, is_bot


class Skill(NamedTuple):
    """A rating: the mean and the deviation of what is believed of a skill, and the matches that it comes from.

    ``at`` is the end of the last of these, in microseconds from 1970 on; 0 for none.
    """

    mu: float
    sigma: float
    matches: int
    at: int = 0


START: Final = Skill(25.0, 25 / 3, 0)
"""What is believed of everybody at first."""

BETA: Final = 50 / 3
"""How far chance takes a team from its skill in one match; measured by play of known strength (docs/ratings.md)."""

OWN: Final = 1 / 4
"""How much of a mean's change is for the player's own titles; the rest is for its team."""

SETTLED: Final = 7.5
"""Deviation, that of some 30 to 40 matches, below which a rating is no longer provisional."""

DRIFT: Final = 0.2
"""By how much a day without a match widens the deviation: squares add up."""

TITLES: Final = (5, 3, 1, -1, -3, -5)
"""What the six titles are worth for whoever made them, whatever the rules' scoring."""

MODEL: Final = f"openskill {openskill.__version__} PlackettLuce, gouji 1"
"""What makes ratings: whoever changes anything that alters them raises the last number."""

_DAY_US: Final = 86_400_000_000
_STAND_IN: Final = ""

_PLACKETT_LUCE: Final = PlackettLuce(mu=START.mu, sigma=START.sigma, beta=BETA)


@dataclass(frozen=True, slots=True)
class Match:
    """A finished match to be rated, by seat: who is rated (`rated_as`), its points, and its titles in points.

    ``team_scores`` are the points of the even and the odd seats, empty where there are no teams. ``absent`` are seats
    of people for whom a bot, rated as ``stand_in``, has played.
    """

    rated: Sequence[str]
    scores: Sequence[int]
    titles: Sequence[int]
    team_scores: Sequence[int]
    ended_at: int
    absent: frozenset[int] = field(default=frozenset())
    stand_in: str = ""

    @property
    def involved(self) -> list[str]:
        """Whose ratings matter, each once and in order."""
        return sorted({*self.rated, *([self.stand_in] if self.absent else [])})


def rated_as(player_id: str, bot_level: str) -> str:
    """Name the rating of whoever sits there: whoever has an id has its own, bots of a level share one."""
    return player_id or BOT + bot_level


def match_to_rate(results: Sequence[HandResult]) -> Match | None:
    """Make the match to be rated of all its results; None while, or if, it changes no rating.

    Matches of queues and of tournaments do, once they are over, unless they were given up or none of their hands
    counts.
    """
    made = match_sum(results) if results else None
    if made is None or made.ended_at is None or made.voided or not (results[0].queue or results[0].tournament):
        return None
    held, seats = results[0].seats, seat_sums(results)
    return Match(
        rated=[rated_as(seat.player_id, seat.bot_level) for seat in held],
        scores=[seat.points + seat.penalty for seat in seats],
        titles=[sum(worth * times for worth, times in zip(TITLES, seat.places, strict=True)) for seat in seats],
        team_scores=[points for points in (made.even_points, made.odd_points) if points is not None],
        ended_at=made.ended_at,
        absent=frozenset(n for n, seat in enumerate(seats) if held[n].player_id and _was_absent(seat)),
        stand_in=rated_as("", next((result.stand_in for result in results if result.stand_in), "")),
    )


def _was_absent(seat: SeatSum) -> bool:
    """Whether a person left, or had a bot decide more often than it decided, in person or by its clock."""
    return seat.left or seat.by_bot > seat.by_player + seat.by_clock


def is_provisional(skill: Skill) -> bool:
    """Say whether too little is known of a skill for it to be compared."""
    return skill.sigma > SETTLED


def widened(rated: str, skill: Skill, at: int) -> Skill:
    """Give a rating as it is at a moment: whole days without a match have widened it. Bots do not forget."""
    days = max(at - skill.at, 0) // _DAY_US if skill.at and not is_bot(rated) else 0
    return skill._replace(sigma=min(START.sigma, sqrt(skill.sigma**2 + days * DRIFT**2))) if days else skill


def found(skills: Mapping[str, Skill], match: Match) -> dict[str, Skill]:
    """Give the ratings of all who are involved as the match finds them, given those of before."""
    return {one: widened(one, skills[one], match.ended_at) for one in match.involved}


def after(match: Match, before: Mapping[str, Skill]) -> dict[str, Skill]:
    """Say what becomes of ratings as the match `found` them; the same always gives the same."""
    as_seated = _made(match, before, match.rated)
    if not match.absent:
        return as_seated
    as_played = [_STAND_IN if seat in match.absent else one for seat, one in enumerate(match.rated)]
    made = _made(match, {**before, _STAND_IN: before[match.stand_in]}, as_played)
    del made[_STAND_IN]
    for player in (match.rated[seat] for seat in match.absent):
        lost = min(as_seated[player].mu, before[player].mu)
        made[player] = as_seated[player]._replace(mu=lost, sigma=before[player].sigma)
    return {**before, **made}


def corrected(
    now: Mapping[str, Skill], before: Mapping[str, Skill], old: Match | None, new: Match | None
) -> dict[str, Skill]:
    """Correct ratings of today by a match that had `found` them as ``before``: it was ``old``, and is ``new``.

    None is a match that does not count. Means move by what the match made of them and should have made. Deviations
    stay: they were narrowed by a match that was played.
    """
    was, becomes = (before if match is None else after(match, before) for match in (old, new))
    return {
        one: skill._replace(
            mu=skill.mu + (becomes[one].mu - was[one].mu),
            matches=skill.matches + becomes[one].matches - was[one].matches,
        )
        for one, skill in now.items()
    }


def _made(match: Match, before: Mapping[str, Skill], seated: Sequence[str]) -> dict[str, Skill]:
    """Rate those who are ``seated``; of several ratings of one bot the mean counts."""
    skills = [before[one] for one in seated]
    seats = range(SEATS)
    if match.team_scores:
        teams = _rate(skills, [seats[0::2], seats[1::2]], match.team_scores)
        rated = list(map(_blend, skills, teams, _rate(skills, [[seat] for seat in seats], match.titles)))
    else:
        rated = _rate(skills, [[seat] for seat in seats], match.scores)
    made = defaultdict(list)
    for one, skill in zip(seated, rated, strict=True):
        made[one].append(skill)
    return {one: _mean(of_one, before[one], match.ended_at) for one, of_one in made.items()}


def _rate(skills: Sequence[Skill], teams: Sequence[Sequence[int]], scores: Sequence[int]) -> list[Skill]:
    """Have the library rate teams of these seats by their scores; by seat."""
    ratings = [[_PLACKETT_LUCE.rating(mu=skills[seat].mu, sigma=skills[seat].sigma) for seat in team] for team in teams]
    rated = _PLACKETT_LUCE.rate(ratings, scores=[float(score) for score in scores])
    made = list(skills)
    for team, of_team in zip(teams, rated, strict=True):
        for seat, rating in zip(team, of_team, strict=True):
            made[seat] = made[seat]._replace(mu=rating.mu, sigma=rating.sigma)
    return made


def _blend(before: Skill, team: Skill, own: Skill) -> Skill:
    """Move a mean by some of what the team did and some of what the player did; the team says how sure that is."""
    return team._replace(mu=before.mu + (1 - OWN) * (team.mu - before.mu) + OWN * (own.mu - before.mu))


def _mean(ratings: Sequence[Skill], before: Skill, ended_at: int) -> Skill:
    """Make one rating of those of several seats: bots of one level are one player."""
    mu = sum(one.mu for one in ratings) / len(ratings)
    sigma = sum(one.sigma for one in ratings) / len(ratings)
    return Skill(mu, sigma, before.matches + 1, max(before.at, ended_at))
