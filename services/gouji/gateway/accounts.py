"""SQL of accounts: profiles, identities, and the moment in which a player is deleted. Times are the database's own.

Whoever changes an account locks its row of `players` first; a player without one is nobody.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from gouji.gateway.identity import Identity
from gouji.serving.database import Database
from gouji.serving.errors import ServiceError
from gouji.serving.schema import deletions, identities, players, sanctions


@dataclass(frozen=True, slots=True)
class Account:
    """A player. ``issuer`` is empty for a guest; times are microseconds from 1970 on."""

    player_id: str
    name: str
    colour: int
    created_at: int
    issuer: str = ""
    bound_at: int = 0


@dataclass(frozen=True, slots=True)
class Profile:
    """What others see of a player; of one who was deleted there is nothing to be seen."""

    name: str = ""
    colour: int = 0
    deleted: bool = False


class Accounts:
    """Accounts in a database. Every method raises `StorageUnavailable` when it cannot be reached."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def one(self, player_id: str) -> Account:
        """Read an account. Raises `ServiceError` `unknown_player`."""
        async with self._database.connect() as connection:
            return await _one(connection, player_id)

    async def profiles(self, player_ids: Collection[str]) -> Mapping[str, Profile]:
        """Read what is to be seen of players; ids that nobody ever had are missing."""
        query = sa.select(players.c.player_id, players.c.name, players.c.colour)
        gone = sa.select(deletions.c.player_id).where(deletions.c.player_id.in_(player_ids))
        async with self._database.connect() as connection:
            rows = await connection.execute(query.where(players.c.player_id.in_(player_ids)))
            found = {row.player_id: Profile(row.name, row.colour) for row in rows}
            return dict.fromkeys(await connection.scalars(gone), Profile(deleted=True)) | found

    async def change(self, player_id: str, name: str | None, colour: int | None) -> Account:
        """Change what is given. Raises `ServiceError` `unknown_player`."""
        given = {key: value for key, value in (("name", name), ("colour", colour)) if value is not None}
        async with self._database.begin() as connection:
            if given:
                await connection.execute(sa.update(players).where(players.c.player_id == player_id).values(given))
            return await _one(connection, player_id)

    # Identities

    async def bind(self, player_id: str, identity: Identity) -> Account:
        """Bind a player to an identity; one who is bound to it stays so.

        Raises `ServiceError`: `unknown_player`; `already_bound` to another one; `identity_taken` by another player.
        """
        row = {"player_id": player_id, "issuer": identity.issuer, "subject": identity.subject}
        once = self._database.insert(identities).values(**row, bound_at=self._database.now()).on_conflict_do_nothing()
        async with self._database.begin() as connection:
            await _lock(connection, player_id)
            await connection.execute(once)
            bound = (await connection.execute(sa.select(identities).where(_of(player_id)))).one_or_none()
            if bound is None:
                raise ServiceError("identity_taken", "Another player is bound to this identity: sign in as that one.")
            if (bound.issuer, bound.subject) != (identity.issuer, identity.subject):
                raise ServiceError("already_bound", "You are bound to another identity; unbind that one first.")
            return await _one(connection, player_id)

    async def unbind(self, player_id: str) -> Account:
        """Make a player a guest. Raises `ServiceError` `unknown_player`."""
        async with self._database.begin() as connection:
            await _lock(connection, player_id)
            await connection.execute(sa.delete(identities).where(_of(player_id)))
            return await _one(connection, player_id)

    async def bound_to(self, identity: Identity) -> Account:
        """Find the player who is bound to an identity. Raises `ServiceError` `unknown_identity`."""
        this = (identities.c.issuer == identity.issuer) & (identities.c.subject == identity.subject)
        async with self._database.connect() as connection:
            row = (await connection.execute(_accounts().where(this))).mappings().one_or_none()
        if row is None:
            raise ServiceError("unknown_identity", "No player is bound to this identity.")
        return Account(**row)

    # Deletion

    async def delete(self, player_id: str, requested_by: str, reason: str = "") -> None:
        """Take name, colour and identity away, and note what is left to do, in one transaction.

        Of one who was deleted before, the first request stands. Raises `ServiceError` `unknown_player`.
        """
        now = self._database.now()
        asked = {"player_id": player_id, "requested_by": requested_by, "reason": reason}
        async with self._database.begin() as connection:
            gone = await connection.execute(sa.delete(players).where(players.c.player_id == player_id))
            if gone.rowcount:
                await connection.execute(sa.delete(identities).where(_of(player_id)))
                await connection.execute(sa.delete(sanctions).where(sanctions.c.player_id == player_id))
                await connection.execute(sa.insert(deletions).values(**asked, requested_at=now, due_at=now))
            elif await connection.scalar(sa.select(deletions.c.player_id).filter_by(player_id=player_id)) is None:
                raise _unknown()


async def _lock(connection: AsyncConnection, player_id: str) -> None:
    query = sa.select(players.c.player_id).where(players.c.player_id == player_id).with_for_update()
    if await connection.scalar(query) is None:
        raise _unknown()


async def _one(connection: AsyncConnection, player_id: str) -> Account:
    found = await connection.execute(_accounts().where(players.c.player_id == player_id))
    row = found.mappings().one_or_none()
    if row is None:
        raise _unknown()
    return Account(**row)


def _accounts() -> sa.Select[Any]:
    issuer = sa.func.coalesce(identities.c.issuer, "").label("issuer")
    bound_at = sa.func.coalesce(identities.c.bound_at, 0).label("bound_at")
    bound = identities.c.player_id == players.c.player_id
    return sa.select(players, issuer, bound_at).join_from(players, identities, bound, isouter=True)


def _of(player_id: str) -> sa.ColumnElement[bool]:
    return identities.c.player_id == player_id


def _unknown() -> ServiceError:
    return ServiceError("unknown_player", "There is no such player; become a guest anew.")
