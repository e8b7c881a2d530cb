"""Seasons by a schedule. Pure: no I/O, no clock. All times are in UTC, a season ends just before its end.

A schedule is `monthly`, `quarterly`, `yearly`, `none`, or a list of seasons with names:
`Spring 2027 = 2027-03-01/2027-06-01, Cup = 2027-06-01T12:00/2027-06-15`.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import pairwise
from typing import Final, NamedTuple, Self

_MONTHS: Final = {"none": 0, "monthly": 1, "quarterly": 3, "yearly": 12}
_LAST_YEAR: Final = 9998
"""The last year whose seasons have an end that a time can say."""

_LONGEST_NAME: Final = 64
_SEPARATORS: Final = re.compile(r"[^\w]+")

CURRENT: Final = "current"
"""How callers name the season that is on; no season has this id."""


class Season(NamedTuple):
    """A season, from when it begins until just before it ends."""

    season_id: str
    name: str
    begins: datetime
    ends: datetime

    def holds(self, time: datetime) -> bool:
        """Whether a moment lies in it."""
        return self.begins <= time < self.ends


@dataclass(frozen=True, slots=True)
class Schedule:
    """When seasons begin and end: every so many ``months``, or those of a list."""

    months: int = 0
    listed: Sequence[Season] = ()

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read a schedule; raises ValueError with a sentence for people."""
        if text in _MONTHS:
            return cls(months=_MONTHS[text])
        listed = sorted((_read_season(part) for part in text.split(",")), key=lambda season: season.begins)
        for one, following in pairwise(listed):
            if following.begins < one.ends:
                raise ValueError(f"{following.name!r} begins before {one.name!r} ends.")
        if len({season.season_id for season in listed}) < len(listed):
            raise ValueError("Two seasons have the same name.")
        return cls(listed=listed)

    def season_at(self, time: datetime) -> Season | None:
        """Find the season of a moment; None for one between seasons."""
        if self.months:
            return _calendar_season(time, self.months)
        return next((season for season in self.listed if season.holds(time)), None)


def between(season: Season, others: Sequence[Season], time: datetime) -> Season:
    """Shorten a season that holds ``time`` to what ``others``, none of which holds it, leave of it around it."""
    begins = max((other.ends for other in others if other.ends <= time), default=season.begins)
    ends = min((other.begins for other in others if other.begins > time), default=season.ends)
    return season._replace(begins=max(begins, season.begins), ends=min(ends, season.ends))


def _calendar_season(time: datetime, months: int) -> Season | None:
    if time.year > _LAST_YEAR:
        return None
    first = (time.month - 1) // months * months
    begins = datetime(time.year, first + 1, 1, tzinfo=UTC)
    after = first + months
    ends = datetime(time.year + after // 12, after % 12 + 1, 1, tzinfo=UTC)
    name = {1: f"{time.year:04}-{first + 1:02}", 3: f"{time.year:04}-q{first // 3 + 1}", 12: f"{time.year:04}"}[months]
    return Season(name, name, begins, ends)


def _read_season(text: str) -> Season:
    name, _, span = (part.strip() for part in text.partition("="))
    begin, _, end = (part.strip() for part in span.partition("/"))
    season_id = _SEPARATORS.sub("-", name.lower()).strip("-")
    if not season_id or len(name) > _LONGEST_NAME or not name.isprintable():
        raise ValueError(
            f"A season needs a name of 1 to {_LONGEST_NAME} characters that can be shown: {text.strip()!r}."
        )
    season = Season(season_id, name, _read_time(begin), _read_time(end))
    if season_id == CURRENT:
        raise ValueError(f"No season can be called {name!r}: that means the one that is on.")
    if season.begins >= season.ends:
        raise ValueError(f"{name!r} ends before it begins.")
    return season


def _read_time(text: str) -> datetime:
    try:
        found = datetime.fromisoformat(text)
        return found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC)
    except (ValueError, OverflowError):
        raise ValueError(f"{text!r} is no date like 2027-03-01, nor a time like 2027-03-01T12:00.") from None
