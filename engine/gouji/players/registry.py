"""Players by name: those of this project, and those that other packages bring."""

from collections.abc import Mapping
from importlib.metadata import entry_points
from typing import Final

from gouji.players.at_random import RandomPlayer
from gouji.players.greedy import GreedyPlayer
from gouji.players.lapses import CarelessPlayer, CasualPlayer
from gouji.players.planner import PlannerPlayer
from gouji.players.player import Player
from gouji.players.search import SearchPlayer

PLAYERS: Final[Mapping[str, type[Player]]] = {
    "random": RandomPlayer,
    "careless": CarelessPlayer,
    "greedy": GreedyPlayer,
    "casual": CasualPlayer,
    "planner": PlannerPlayer,
    "search": SearchPlayer,
}
"""Every level by the name under which tables and clients ask for it, weakest first."""

ENTRY_POINTS: Final = "gouji.players"
"""Where packages name their players: ``name = "module:Class"``."""


class UnknownPlayer(LookupError):
    """No player of that name is installed."""


def find_player(name: str) -> Player:
    """Make the player of that name: a level, else one that an installed package has named in `ENTRY_POINTS`.

    Raises `UnknownPlayer`, and whatever the import of another author's package raises.
    """
    if name in PLAYERS:
        return PLAYERS[name]()
    for found in entry_points(group=ENTRY_POINTS, name=name):
        made: Player = found.load()()
        return made
    others = sorted({found.name for found in entry_points(group=ENTRY_POINTS)} - PLAYERS.keys())
    raise UnknownPlayer(f"no player {name!r}; there are {', '.join([*PLAYERS, *others])}")
