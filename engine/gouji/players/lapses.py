"""Levels weaker than the planner in the way of people: they forget cards and overlook plays, and choose as it does.

What is forgotten stays forgotten for the rest of the hand; what is overlooked may be seen at the next turn.
"""

from dataclasses import replace
from random import Random
from typing import ClassVar, Final
from zlib import crc32

from gouji.engine import Action, ActionKind, Hand, Observation
from gouji.engine.cards import RANKS
from gouji.engine.hand import decode
from gouji.players.advice import best_of
from gouji.players.prelude import decide_before_play

_ALL: Final = 2**32
"""How many values a checksum has."""


class LapsingPlayer:
    """Plans with what it remembers, and of what it sees.

    Of the cards that were played it forgets the share ``lapses``, and takes them for cards that may still come; how
    many cards others hold it knows only as far as they tell. Of the ranks that it holds it does not think of the
    same share when it decides, and overlooks all plays of theirs but one that takes it out.
    """

    lapses: ClassVar[float]

    def decide(self, observation: Observation, seed: int, _budget_seconds: float, /) -> Action:
        """Choose; raises ValueError when the seat is not asked."""
        if observation.question is None:
            raise ValueError("this seat is not asked")
        remembered = self._remembered(observation)
        if observation.choices:
            return decide_before_play(remembered)
        codes = Hand.from_observation(observation).legal_codes(compact=True)
        return decode(best_of(remembered, self._seen(codes, len(observation.cards), seed)))

    def _remembered(self, observation: Observation) -> Observation:
        """Leave out what is forgotten of the cards played. It follows from what the seat was dealt: so it lasts."""
        own = observation.seat or 0
        dealt = sorted([*(RANKS[card.rank] for card in observation.cards), *observation.seats[own].played])
        seats = [
            view if seat == own else replace(view, played=self._kept(view.played, f"{own}/{''.join(dealt)}/{seat}"))
            for seat, view in enumerate(observation.seats)
        ]
        # The engine's own form knows all that was played; without it the cards of the seats are counted.
        return replace(observation, seats=tuple(seats), position=b"")

    def _kept(self, played: str, key: str) -> str:
        """Leave out forgotten cards: for each of a rank it is settled once, however many follow."""
        return "".join(
            rank for number, rank in _numbered(played) if crc32(f"{key}/{rank}/{number}".encode()) >= self.lapses * _ALL
        )

    def _seen(self, codes: list[int], held: int, seed: int) -> list[int]:
        """Leave out plays of ranks that it does not think of now; with nothing left it looks again."""
        chance = Random(seed)  # noqa: S311 (must be repeatable)
        overlooked = {rank for rank in RANKS if chance.random() < self.lapses}
        return [code for code in codes if not self._misses(decode(code), held, overlooked)] or codes

    @staticmethod
    def _misses(action: Action, held: int, overlooked: set[str]) -> bool:
        plays = action.kind in (ActionKind.PLAY, ActionKind.BURN)
        return plays and len(action.cards) < held and action.cards[-1] in overlooked


def _numbered(played: str) -> list[tuple[int, str]]:
    """Give each card its number among those of its rank."""
    return [(played.count(rank, 0, at), rank) for at, rank in enumerate(played)]


class CasualPlayer(LapsingPlayer):
    """Now and then does not look closely."""

    summary: ClassVar[str] = "Plans, but forgets some cards that were played, and now and then overlooks a play."
    lapses = 0.2


class CarelessPlayer(LapsingPlayer):
    """Seldom looks closely."""

    summary: ClassVar[str] = "Plans, but forgets many cards that were played, and often overlooks a play."
    lapses = 0.4
