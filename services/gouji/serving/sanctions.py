"""What holds for players: who is banned, who is muted, and how that is said. Times are microseconds from 1970 on."""

from dataclasses import dataclass
from typing import Final

import sqlalchemy as sa

from gouji.serving.clock import moment
from gouji.serving.database import Database
from gouji.serving.errors import ServiceError
from gouji.serving.schema import sanctions

BAN: Final = "ban"
MUTE: Final = "mute"
REMOVAL: Final = "removal"
"""Kinds of rows. A removal holds for nothing but the streams that were open."""


@dataclass(frozen=True, slots=True)
class Sanction:
    """What holds for a player since when; ``until_at`` is None for one without end."""

    player_id: str
    kind: str
    since_at: int
    until_at: int | None
    reason: str


def banned(sanction: Sanction) -> ServiceError:
    """Make the refusal of whatever a banned player asks."""
    return ServiceError("banned", f"You are banned {_end(sanction)}: {sanction.reason}", metadata=_details(sanction))


def muted(sanction: Sanction) -> ServiceError:
    """Make the refusal of what a muted player says."""
    sentence = f"You may say nothing {_end(sanction)}: {sanction.reason}"
    return ServiceError("muted", sentence, metadata=_details(sanction))


def removed(sanction: Sanction) -> ServiceError:
    """Make the error with which the streams of a player end that was removed."""
    sentence = f"You were taken from your table: {sanction.reason}"
    return ServiceError("removed", sentence, metadata={"why": sanction.reason})


async def refuse_banned(database: Database, player_id: str) -> None:
    """Raise `ServiceError` `banned` for one who is. Raises `StorageUnavailable`."""
    ban = await _held(database, player_id, BAN)
    if ban is not None:
        raise banned(ban)


async def refuse_muted(database: Database, player_id: str) -> None:
    """Raise `ServiceError` `muted` for one who is. Raises `StorageUnavailable`."""
    mute = await _held(database, player_id, MUTE)
    if mute is not None:
        raise muted(mute)


def holding(database: Database) -> sa.ColumnElement[bool]:
    """Whether a sanction has not come to its end, by the database's clock."""
    return sanctions.c.until_at.is_(None) | (sanctions.c.until_at > database.now())


async def _held(database: Database, player_id: str, kind: str) -> Sanction | None:
    query = sa.select(sanctions).where(sanctions.c.player_id == player_id, sanctions.c.kind == kind)
    async with database.connect() as connection:
        row = (await connection.execute(query.where(holding(database)))).mappings().one_or_none()
    return Sanction(**row) if row else None


def _end(sanction: Sanction) -> str:
    if sanction.until_at is None:
        return "for good"
    return f"until {moment(sanction.until_at):%Y-%m-%d %H:%M} UTC"


def _details(sanction: Sanction) -> dict[str, str]:
    why = {"why": sanction.reason}
    return why if sanction.until_at is None else {**why, "until": f"{moment(sanction.until_at):%Y-%m-%dT%H:%M:%SZ}"}
