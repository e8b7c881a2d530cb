"""What a table draws from a hand's secret: the commitment, the deal, the lengths of windows, chance for bots."""

from gouji.engine.secret import SECRET_BYTES, commitment, deal_seed, drawn


def window_ms(secret: bytes, sequence: int, least: int, most: int) -> int:
    """Say how long the window that event ``sequence`` opens stays open: evenly from ``least`` to ``most``."""
    number = int.from_bytes(drawn(secret, f"window/{sequence}"))
    return least + number % (max(most - least, 0) + 1)


def bot_seed(secret: bytes, turn: int, seat: int) -> int:
    """Give 64 bits of chance to the bot that decides this turn; they show with the hand's secret."""
    return int.from_bytes(drawn(secret, f"bot/{turn}/{seat}")[:8])


__all__ = ["SECRET_BYTES", "bot_seed", "commitment", "deal_seed", "window_ms"]
