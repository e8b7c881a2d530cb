"""Players: what a seat may see, a seed and a time budget in, one action out. Pure; nothing here knows a table.

`Player` is the one interface, `PLAYERS` are the levels that come with the project, weakest first, and `find_player`
finds these and those of other authors.
"""

from gouji.players.player import Player
from gouji.players.registry import PLAYERS, UnknownPlayer, find_player

__all__ = ["PLAYERS", "Player", "UnknownPlayer", "find_player"]
