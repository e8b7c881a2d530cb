"""Ratings made anew, match by match. Pure: no I/O, no clock.

One entry for each player and preset is kept throughout; of matches only what later corrections need.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from gouji.scoring.rating import START, Match, Skill, after, corrected, found

Key = tuple[str, str]
"""A player, or the bots of a level, and a preset."""

Skills = Mapping[str, Skill]


@dataclass(slots=True)
class RatingsAnew:
    """Ratings so far, and of matches that were corrected how they found and rated their players."""

    skills: dict[Key, Skill] = field(default_factory=dict)
    _rated: dict[str, tuple[Skills, Match | None]] = field(default_factory=dict)

    def rate(self, table_id: str, family: str, match: Match, *, corrections: bool) -> tuple[Skills, Skills]:
        """Apply a match; say what was before and after. ``corrections`` tells that some may follow."""
        before = found(self._now(family, match), match)
        made = after(match, before)
        if corrections:
            self._rated[table_id] = (before, match)
        self._set(family, made)
        return before, made

    def correct(self, table_id: str, family: str, match: Match | None) -> tuple[Skills, Skills] | None:
        """Apply a correction of a match to what it is; None when neither is, nor was, a match that counts."""
        before, old = self._rated[table_id]
        either = match or old
        if either is None:
            return None
        now = self._now(family, either)
        made = corrected(now, before, old, match)
        self._rated[table_id] = (before, match)
        self._set(family, made)
        return now, made

    def knows(self, table_id: str) -> bool:
        """Say whether a match has been rated that may be corrected."""
        return table_id in self._rated

    def _now(self, family: str, match: Match) -> dict[str, Skill]:
        return {one: self.skills.get((one, family), START) for one in match.involved}

    def _set(self, family: str, made: Skills) -> None:
        self.skills |= {(one, family): skill for one, skill in made.items()}
