"""What is drawn from a hand's secret: the commitment to it, and the seed of its deal.

Each use has its own label under HMAC-SHA256, so that none tells another, and the commitment is no seed.
"""

import hashlib
import hmac
from typing import Final

SECRET_BYTES: Final = 32
"""Length of a hand's secret."""


def commitment(secret: bytes, table_id: str, hand: int) -> bytes:
    """Give the SHA-256 of the secret, then ``table_id/hand`` in UTF-8; shown before anybody sees a card."""
    return hashlib.sha256(secret + f"{table_id}/{hand}".encode()).digest()


def deal_seed(secret: bytes, table_id: str, hand: int) -> bytes:
    """Give the 32 bytes from which the engine deals."""
    return drawn(secret, f"deal/{table_id}/{hand}")


def drawn(secret: bytes, label: str) -> bytes:
    """Give 32 bytes for one use, which the label names."""
    return hmac.digest(secret, label.encode(), "sha256")
