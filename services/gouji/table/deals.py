"""What is drawn from a hand's secret: the commitment, the deal, the lengths of windows, chance for bots.

Each use has its own label under HMAC-SHA256, so that none tells another, and the commitment is no seed.
"""

import hashlib
import hmac

SECRET_BYTES = 32
"""Length of a hand's secret."""


def commitment(secret: bytes, table_id: str, hand: int) -> bytes:
    """Give the SHA-256 of the secret, then ``table_id/hand`` in UTF-8; shown before anybody sees a card."""
    return hashlib.sha256(secret + f"{table_id}/{hand}".encode()).digest()


def deal_seed(secret: bytes, table_id: str, hand: int) -> bytes:
    """Give the 32 bytes from which the engine deals."""
    return _drawn(secret, f"deal/{table_id}/{hand}")


def window_ms(secret: bytes, sequence: int, least: int, most: int) -> int:
    """Say how long the window that event ``sequence`` opens stays open: evenly from ``least`` to ``most``."""
    number = int.from_bytes(_drawn(secret, f"window/{sequence}"))
    return least + number % (max(most - least, 0) + 1)


def bot_seed(secret: bytes, turn: int, seat: int) -> int:
    """Give 64 bits of chance to the bot that decides this turn; they show with the hand's secret."""
    return int.from_bytes(_drawn(secret, f"bot/{turn}/{seat}")[:8])


def _drawn(secret: bytes, label: str) -> bytes:
    return hmac.digest(secret, label.encode(), "sha256")
