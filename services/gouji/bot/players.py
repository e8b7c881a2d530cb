"""The levels of play. A new bot is one module and one line in `PLAYERS`."""

from collections.abc import Mapping
from random import Random
from typing import ClassVar, Final, Protocol

from gouji.bot.greedy_player import GreedyPlayer
from gouji.bot.random_player import RandomPlayer
from gouji.engine import Action, Observation


class Player(Protocol):
    """One way to decide.

    A decision depends on the observation and the chance that is handed in, and on nothing else: anybody can
    repeat it.
    """

    summary: ClassVar[str]
    """One sentence for people who choose an opponent."""

    def decide(self, observation: Observation, rng: Random, /) -> Action:
        """Choose one of the observation's legal actions.

        Raises ValueError when the observation's seat is not asked, and `EngineError` for an observation that
        is no state of a hand.
        """
        ...


PLAYERS: Final[Mapping[str, type[Player]]] = {
    "random": RandomPlayer,
    "greedy": GreedyPlayer,
}
"""Every level by the name under which tables and clients ask for it, weakest first."""
