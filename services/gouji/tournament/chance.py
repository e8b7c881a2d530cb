"""What is drawn from an event's secret: the seed of its lots, and the secrets of its boards. Pure.

Each use has its own label under HMAC-SHA256, so the seed and the boards that are open tell nothing of those that are
shut.
"""

from gouji.engine.secret import board_commitment, drawn


def seed_of(secret: bytes) -> bytes:
    """Give the seed of the event's lots, which is told when the event is over."""
    return drawn(secret, "seed")


def seed_commitment(seed: bytes, tournament_id: str) -> bytes:
    """Give the SHA-256 of the seed, then of the event's id in UTF-8; published with the event."""
    return board_commitment(seed, tournament_id)


def lot(seed: bytes, entrant: int) -> int:
    """Draw an entrant's lot: the lowest comes first."""
    return int.from_bytes(drawn(seed, f"lot/{entrant}"))


def board_id(tournament_id: str, number: int, board: int) -> str:
    """Name a board of round ``number``: ``EVENT/ROUND/BOARD``."""
    return f"{tournament_id}/{number}/{board}"


def board_secret(secret: bytes, number: int, board: int) -> bytes:
    """Give the secret of a board of round ``number``."""
    return drawn(secret, f"board/{number}/{board}")
