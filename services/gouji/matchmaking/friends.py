"""SQL of whom a player knows: friends, those it last played with, and whom it has blocked.

Times are microseconds from 1970 on. Every method of `Friends` raises `StorageUnavailable` when the database cannot be
reached.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from gouji.matchmaking.blocks import blocked, refuse_blocked
from gouji.matchmaking.parties import names_of, refuse_unknown
from gouji.matchmaking.presence import Whereabouts, whereabouts
from gouji.matchmaking.withdrawals import touch_of_players
from gouji.serving.database import Database
from gouji.serving.errors import ServiceError
from gouji.serving.schema import blocks, friends, hand_results, player_points

MOST_FRIENDS: Final = 500
MOST_BLOCKED: Final = 500
RECENT_TABLES: Final = 10
"""Matches of which the other players are listed."""


class Standing(StrEnum):
    """How two stand to each other, as the one sees it."""

    FRIENDS = "friends"
    ASKED = "asked"
    ASKS = "asks"


@dataclass(frozen=True, slots=True)
class Acquaintance:
    """Somebody whom a player knows. What does not belong is None."""

    player_id: str
    name: str
    standing: Standing | None = None
    there: Whereabouts | None = None
    played_at: int | None = None


class Friends:
    """Friends and blocks in a database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def add(self, player_id: str, other: str, now: int) -> Standing:
        """Call somebody a friend. Raises `ServiceError`: `unknown_player`, `not_welcome`, `too_often`."""
        async with self._database.begin() as connection:
            await refuse_unknown(connection, player_id, other)
            await refuse_blocked(connection, player_id, [other])
            await _refuse_more(connection, friends.c.player_id == player_id, MOST_FRIENDS)
            row = {"player_id": player_id, "friend_id": other, "created_at": now}
            await connection.execute(self._database.insert(friends).values(row).on_conflict_do_nothing())
            back = await connection.scalar(sa.select(friends).where(_calls(other, player_id)))
        return Standing.ASKED if back is None else Standing.FRIENDS

    async def remove(self, player_id: str, other: str) -> None:
        """Have two be friends no longer, whoever called whom so."""
        async with self._database.begin() as connection:
            await _part(connection, player_id, other)

    async def known(self, player_id: str, now: int) -> list[Acquaintance]:
        """Read friends and those who are to be, by name; where they are is told of friends alone."""
        async with self._database.connect() as connection:
            mine = sa.select(friends.c.friend_id).where(friends.c.player_id == player_id)
            theirs = sa.select(friends.c.player_id).where(friends.c.friend_id == player_id)
            asked, asks = set(await connection.scalars(mine)), set(await connection.scalars(theirs))
            names = await names_of(connection, asked | asks)
            there = await whereabouts(connection, asked & asks, now)
        known = [Acquaintance(one, names[one], _standing(one, asked, asks), there.get(one)) for one in names]
        return sorted(known, key=lambda one: (one.name, one.player_id))

    async def recent(self, player_id: str, now: int) -> list[Acquaintance]:
        """Read whom a player last played with, the latest first, without those whom it must not meet."""
        async with self._database.connect() as connection:
            played = {row.player_id: row.at for row in await connection.execute(_recent(player_id))}
            avoided = (await blocked(connection, [player_id]))[player_id]
            names = await names_of(connection, played.keys() - avoided)
            there = await whereabouts(connection, names, now)
        known = [Acquaintance(one, name, there=there[one], played_at=played[one]) for one, name in names.items()]
        return sorted(known, key=lambda one: (-(one.played_at or 0), one.player_id))

    async def block(self, player_id: str, other: str) -> None:
        """Keep two apart from now on. Raises `ServiceError`: `unknown_player`, `too_often`."""
        async with self._database.begin() as connection:
            await refuse_unknown(connection, player_id, other)
            await _refuse_more(connection, blocks.c.player_id == player_id, MOST_BLOCKED)
            row = {"player_id": player_id, "blocked_id": other}
            await connection.execute(self._database.insert(blocks).values(row).on_conflict_do_nothing())
            await _part(connection, player_id, other)
            await touch_of_players(connection, [player_id, other])

    async def unblock(self, player_id: str, other: str) -> None:
        """Take a block back; one that the other has made stays."""
        which = (blocks.c.player_id == player_id) & (blocks.c.blocked_id == other)
        async with self._database.begin() as connection:
            await connection.execute(sa.delete(blocks).where(which))
            await touch_of_players(connection, [player_id, other])

    async def blocked(self, player_id: str) -> list[Acquaintance]:
        """Read whom a player has blocked, by name."""
        async with self._database.connect() as connection:
            mine = sa.select(blocks.c.blocked_id).where(blocks.c.player_id == player_id)
            names = await names_of(connection, await connection.scalars(mine))
        return sorted((Acquaintance(*one) for one in names.items()), key=lambda one: (one.name, one.player_id))


def _recent(player_id: str) -> sa.Select[str, int]:
    """Select the other people of a player's last matches, each with the end of the last hand with it."""
    hand = (hand_results.c.table_id == player_points.c.table_id) & (hand_results.c.hand == player_points.c.hand)
    last = sa.func.max(hand_results.c.ended_at)
    mine = sa.select(player_points.c.table_id).join(hand_results, hand)
    mine = mine.where(player_points.c.player_id == player_id).group_by(player_points.c.table_id)
    lately = mine.order_by(last.desc()).limit(RECENT_TABLES)
    others = sa.select(player_points.c.player_id, last.label("at")).join(hand_results, hand)
    others = others.where(player_points.c.table_id.in_(lately), player_points.c.player_id != player_id)
    return others.group_by(player_points.c.player_id)


def _standing(player_id: str, asked: set[str], asks: set[str]) -> Standing:
    if player_id in asked:
        return Standing.FRIENDS if player_id in asks else Standing.ASKED
    return Standing.ASKS


def _calls(player_id: str, other: str) -> sa.ColumnElement[bool]:
    return (friends.c.player_id == player_id) & (friends.c.friend_id == other)


async def _part(connection: AsyncConnection, player_id: str, other: str) -> None:
    for pair in sorted([(player_id, other), (other, player_id)]):
        await connection.execute(sa.delete(friends).where(_calls(*pair)))


async def _refuse_more(connection: AsyncConnection, which: sa.ColumnElement[bool], most: int) -> None:
    count = await connection.scalar(sa.select(sa.func.count()).where(which))
    if (count or 0) >= most:
        raise ServiceError("too_often", f"{most} of these are the most.")
