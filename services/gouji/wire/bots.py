"""Bots of others' own: programs that play as players do, by the credential of an account.

Their ids say what they are, so that nobody has to look it up: `bot:ACCOUNT/NUMBER`. Ratings of the server's bots stand
under `bot:LEVEL`; no player's id begins so.
"""

from typing import Final

BOT: Final = "bot:"
"""What the ids of bots begin with."""

EXTERNAL: Final = "external"
"""What stands as `Seat.bot_level` where such a bot sits. The bot service has no such level."""


def bot_id(account: str, number: int) -> str:
    """Name one of an account's bots; they are numbered from 1."""
    return f"{BOT}{account}/{number}"


def is_bot(player_id: str) -> bool:
    """Say whether an id is a bot's."""
    return player_id.startswith(BOT)


def account_of(player_id: str) -> str:
    """Name what all bots of one account have in common: their ids without the number."""
    return player_id.rpartition("/")[0]


def level_of(player_id: str) -> str:
    """Say what `Seat.bot_level` is to be for a player: empty for a person."""
    return EXTERNAL if is_bot(player_id) else ""
