"""How players may be called and look. Pure: no I/O, no clock."""

import hashlib
from typing import Final

from gouji.serving.errors import malformed

LONGEST_NAME: Final = 24
"""Most characters (code points) of a player's name."""

MOST_COLOUR: Final = 0xFFFFFF
"""Colours are 0xRRGGBB."""

COLOURS: Final = (0xC0392B, 0xD35400, 0xB7950B, 0x1E8449, 0x117A65, 0x2471A3, 0x6C3483, 0xA93289, 0x5D6D7E, 0x6E4B3A)
"""Colours that new players get: white text can be read on each."""


def read_name(given: str) -> str:
    """Trim a name, and take it if people can read it: no control, format or line-breaking characters."""
    name = given.strip()
    if not 1 <= len(name) <= LONGEST_NAME:
        raise malformed("name", f"has {len(name)} characters, not 1 to {LONGEST_NAME}")
    if not name.isprintable():
        raise malformed("name", "holds characters that cannot be shown")
    return name


def read_colour(given: int) -> int:
    """Take a colour."""
    if given > MOST_COLOUR:
        raise malformed("colour", "is not 0xRRGGBB")
    return given


def first_colour(player_id: str) -> int:
    """Choose a new player's colour."""
    return COLOURS[hashlib.sha256(player_id.encode()).digest()[0] % len(COLOURS)]
