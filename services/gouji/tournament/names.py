"""Whom an entry of a record names, and how a deleted player's name leaves it. Pure."""

from collections.abc import Sequence

from gouji.v1.events_pb2 import Seat
from gouji.v1.tournament_log_pb2 import TournamentEntry

NOBODY = "–"
"""The name of a single player who was deleted; its id tells it from others."""


def named(entry: TournamentEntry) -> Sequence[Seat]:
    """List the people and bots that an entry names."""
    if entry.HasField("entered"):
        return entry.entered.players
    return [entry.substituted.player] if entry.HasField("substituted") else []


def forget(player_id: str, entry: TournamentEntry) -> bool:
    """Take a player's name out of an entry; False where there is none. What a team calls itself stays."""
    found = [seat for seat in named(entry) if seat.player_id == player_id and seat.name]
    for seat in found:
        seat.name = ""
    if found and len(entry.entered.players) == 1:
        entry.entered.name = NOBODY
    return bool(found)
