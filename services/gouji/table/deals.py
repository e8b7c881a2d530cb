"""What a table draws from a hand's secret: the commitment, the deal, the lengths of windows, chance for bots."""

import math
from statistics import NormalDist
from typing import Final

from gouji.engine.secret import SECRET_BYTES, board_commitment, board_seed, commitment, deal_seed, drawn

_SPREAD: Final = 0.5
"""Standard deviation of the logarithm of thinking times."""


def window_ms(secret: bytes, sequence: int, least: int, most: int) -> int:
    """Say how long the window that event ``sequence`` opens stays open: evenly from ``least`` to ``most``."""
    number = int.from_bytes(drawn(secret, f"window/{sequence}"))
    return least + number % (max(most - least, 0) + 1)


def bot_seed(secret: bytes, turn: int, seat: int) -> int:
    """Give 64 bits of chance to the bot that decides this turn; they show with the hand's secret."""
    return int.from_bytes(drawn(secret, f"bot/{turn}/{seat}")[:8])


def thought(secret: bytes, turn: int, seat: int) -> float:
    """Say how long a bot seems to think, as a multiple of its usual time: as people do, mostly less and at times more.

    Half of the draws are below 1; none is below 0.4 or above 3.
    """
    share = (int.from_bytes(drawn(secret, f"pace/{turn}/{seat}")[:6]) + 0.5) / 2**48
    return min(max(math.exp(_SPREAD * NormalDist().inv_cdf(share)), 0.4), 3.0)


__all__ = [
    "SECRET_BYTES",
    "board_commitment",
    "board_seed",
    "bot_seed",
    "commitment",
    "deal_seed",
    "thought",
    "window_ms",
]
