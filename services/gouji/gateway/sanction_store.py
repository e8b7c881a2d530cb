"""SQL of what holds for players. Times are the database's own."""

from collections.abc import Sequence

import sqlalchemy as sa

from gouji.serving.database import Database
from gouji.serving.errors import ServiceError
from gouji.serving.sanctions import BAN, REMOVAL, Sanction, holding
from gouji.serving.schema import active_seats, players, sanctions

_ROW = sanctions.c


class SanctionStore:
    """Sanctions in a database. Every method raises `StorageUnavailable` when it cannot be reached."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def impose(self, player_id: str, kind: str, until_at: int | None, reason: str) -> Sanction:
        """Have something hold for a player from now on, in place of what did.

        Raises `ServiceError` `unknown_player`.
        """
        said = {"since_at": self._database.now(), "until_at": until_at, "reason": reason}
        row = self._database.insert(sanctions).values(player_id=player_id, kind=kind, **said)
        # Two in the same millisecond are two all the same: whoever looks sees by the time that there is a new one.
        since = sa.case((_ROW.since_at < said["since_at"], said["since_at"]), else_=_ROW.since_at + 1)
        row = row.on_conflict_do_update(index_elements=["player_id", "kind"], set_={**said, "since_at": since})
        async with self._database.begin() as connection:
            known = sa.select(players.c.player_id).where(players.c.player_id == player_id).with_for_update()
            if await connection.scalar(known) is None:
                raise ServiceError("unknown_player", "There is no such player.")
            held = (await connection.execute(row.returning(sanctions))).mappings().one()
        return Sanction(**held)

    async def lift(self, player_id: str, kind: str) -> bool:
        """Have something hold no longer; says whether it did."""
        query = sa.select(_ROW.kind).where(_ROW.player_id == player_id, _ROW.kind == kind, holding(self._database))
        gone = sa.delete(sanctions).where(_ROW.player_id == player_id, _ROW.kind == kind)
        async with self._database.begin() as connection:
            held = await connection.scalar(query) is not None
            await connection.execute(gone)
        return held

    async def find(self, player_id: str, kind: str, most: int) -> Sequence[Sanction]:
        """List what holds now, the newest first; an empty text does not matter."""
        query = sa.select(sanctions).where(_ROW.kind != REMOVAL, holding(self._database))
        query = query.where(_ROW.player_id == player_id) if player_id else query
        query = query.where(_ROW.kind == kind) if kind else query
        query = query.order_by(_ROW.since_at.desc(), _ROW.player_id, _ROW.kind).limit(most)
        async with self._database.connect() as connection:
            return [Sanction(**row) for row in (await connection.execute(query)).mappings()]

    async def seated(self, most: int) -> Sequence[str]:
        """List players who are banned and sit at a table all the same, drawn anew each time: none holds others up."""
        query = sa.select(_ROW.player_id).join(active_seats, active_seats.c.player_id == _ROW.player_id)
        query = query.where(_ROW.kind == BAN, holding(self._database)).order_by(sa.func.random()).limit(most)
        async with self._database.connect() as connection:
            return list(await connection.scalars(query))
