"""What is drawn from a hand's secret: the commitment to it, and with the seats' contributions the seed of its deal.

The server is bound by the commitment before it knows a contribution, and no seat knows the secret when it contributes:
nobody alone can choose the cards. Each use has its own label under HMAC-SHA256, so that none tells another, and the
commitment is no seed.

A duplicate board is dealt alike at many tables: one secret and one commitment for all of them, and no contributions.
"""

import hashlib
import hmac
from collections.abc import Sequence
from typing import Final

from gouji.engine.cards import SEATS

SECRET_BYTES: Final = 32
"""Length of a hand's secret, and of a seat's contribution to its deal."""

DEFAULT_CONTRIBUTION: Final = bytes(SECRET_BYTES)
"""What counts for a seat that contributes nothing: a bot, an absent player, one that was too late."""

NO_CONTRIBUTIONS: Final = (b"",) * SEATS
"""Nobody contributes."""


def place(table_id: str, match: int, hand: int) -> str:
    """Name one hand: ``TABLE/MATCH/HAND``."""
    return f"{table_id}/{match}/{hand}"


def commitment(secret: bytes, table_id: str, match: int, hand: int) -> bytes:
    """Give the SHA-256 of the secret, then ``TABLE/MATCH/HAND`` in UTF-8; shown before anybody contributes."""
    return hashlib.sha256(secret + place(table_id, match, hand).encode()).digest()


def deal_seed(
    secret: bytes, table_id: str, match: int, hand: int, contributions: Sequence[bytes] = NO_CONTRIBUTIONS
) -> bytes:
    """Give the 32 bytes from which the engine deals.

    ``contributions`` are the six seats', in order; an empty one is the default. Raises ValueError for another number
    or length of them.
    """
    if len(contributions) != SEATS or any(given and len(given) != SECRET_BYTES for given in contributions):
        raise ValueError(f"six seats contribute {SECRET_BYTES} bytes each, or nothing")
    label = f"deal/{place(table_id, match, hand)}/".encode()
    given = b"".join(contribution or DEFAULT_CONTRIBUTION for contribution in contributions)
    return hmac.digest(secret, label + given, "sha256")


def board_commitment(secret: bytes, board: str) -> bytes:
    """Give the SHA-256 of a board's secret, then of its name in UTF-8; shown before anybody plays it."""
    return hashlib.sha256(secret + board.encode()).digest()


def board_seed(secret: bytes, board: str, hand: int) -> bytes:
    """Give the 32 bytes from which each table that plays the board deals its ``hand``: 1, or more after voided ones."""
    return drawn(secret, f"deal/{board}/{hand}")


def drawn(secret: bytes, label: str) -> bytes:
    """Give 32 bytes for one use, which the label names."""
    return hmac.digest(secret, label.encode(), "sha256")
