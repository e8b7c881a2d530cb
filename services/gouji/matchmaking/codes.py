"""Invite codes of rooms: hard to guess, easy to read out, and how often somebody may try one."""

import secrets
from typing import Final

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from gouji.serving.database import Database
from gouji.serving.errors import ServiceError
from gouji.serving.schema import room_tries

ALPHABET: Final = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
"""Crockford's base 32: no letter looks like a digit or like another letter."""

LENGTH: Final = 10
"""Characters of a code: 50 bits."""

SPAN_SECONDS: Final = 60
"""Tries are counted over spans of this length."""

MOST_TRIES_OF_A_PLAYER: Final = 20
MOST_TRIES_OF_A_PEER: Final = 200
"""Many players may share one address."""

_LOOKS_LIKE: Final = str.maketrans("OIL", "011", "- ")


def make_code() -> str:
    """Draw a new code."""
    return "".join(secrets.choice(ALPHABET) for _ in range(LENGTH))


def show_code(code: str) -> str:
    """Write a code so that it can be read out: `7K2QM-0XWB4`."""
    return f"{code[: LENGTH // 2]}-{code[LENGTH // 2 :]}"


def read_code(text: str) -> str | None:
    """Read a code however somebody has written it; None for what cannot be one."""
    code = text.upper().translate(_LOOKS_LIKE)
    return code if len(code) == LENGTH and set(code) <= set(ALPHABET) else None


class Tries:
    """Counts tries of all processes together, in the database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def count(self, player_id: str, peer: str, now: int) -> None:
        """Count a try at ``now`` (microseconds). Raises `ServiceError` `too_often` when these were too many."""
        span, passed = divmod(now, SPAN_SECONDS * 1_000_000)
        async with self._database.begin() as connection:
            of_peer = await self._add(connection, f"peer/{peer}", span)
            of_player = await self._add(connection, f"player/{player_id}", span)
        if of_player > MOST_TRIES_OF_A_PLAYER or of_peer > MOST_TRIES_OF_A_PEER:
            left_ms = SPAN_SECONDS * 1000 - passed // 1000
            raise ServiceError("too_often", "You have tried too many codes; wait a little.", retry_after_ms=left_ms)

    async def sweep(self, now: int) -> None:
        """Forget the spans that are over."""
        over = room_tries.c.span < now // (SPAN_SECONDS * 1_000_000)
        async with self._database.begin() as connection:
            await connection.execute(sa.delete(room_tries).where(over))

    async def _add(self, connection: AsyncConnection, who: str, span: int) -> int:
        first = self._database.insert(room_tries).values(who=who, span=span, tries=1)
        add = first.on_conflict_do_update(index_elements=["who", "span"], set_={"tries": room_tries.c.tries + 1})
        return int(await connection.scalar(add.returning(room_tries.c.tries)) or 0)
