"""SQL of what is left to do after players were deleted. Times are the database's own."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import sqlalchemy as sa

from gouji.serving.database import Database
from gouji.serving.schema import deletions

_ROW: Final = deletions.c


@dataclass(frozen=True, slots=True)
class Deletion:
    """A deletion, whose and since when; ``done_at`` is None while something is left to do.

    ``age`` is how long ago it was asked for, by the clock of the database. All times are microseconds.
    """

    player_id: str
    requested_by: str
    reason: str
    requested_at: int
    tries: int
    done_at: int | None
    age: int


class Deletions:
    """Deletions in a database. Every method raises `StorageUnavailable` when it cannot be reached."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def claim(self, most: int, lease_seconds: float) -> Sequence[Deletion]:
        """Take deletions that are due; they are due again when the lease is over, unless something is noted."""
        now = self._database.now()
        due = sa.select(_ROW.player_id).where(_ROW.done_at.is_(None), _ROW.due_at <= now)
        due = due.order_by(_ROW.due_at).limit(most).with_for_update(skip_locked=True)
        async with self._database.begin() as connection:
            taken = list(await connection.scalars(due))
            if not taken:
                return []
            change = sa.update(deletions).where(_ROW.player_id.in_(taken))
            change = change.values(due_at=now + round(lease_seconds * 1_000_000), tries=_ROW.tries + 1)
            rows = await connection.execute(change.returning(*self._columns()))
            return [Deletion(**row) for row in rows.mappings()]

    async def later(self, deletion: Deletion, seconds: float) -> None:
        """Go on with one after a while."""
        await self._note(deletion, {"due_at": self._database.now() + round(seconds * 1_000_000)})

    async def done(self, deletion: Deletion) -> None:
        """Note that nothing is left to do."""
        await self._note(deletion, {"done_at": self._database.now()})

    async def find(self, player_id: str, most: int, *, undone: bool) -> Sequence[Deletion]:
        """List deletions, the newest first; an empty id does not matter."""
        query = sa.select(*self._columns()).order_by(_ROW.requested_at.desc(), _ROW.player_id).limit(most)
        query = query.where(_ROW.player_id == player_id) if player_id else query
        query = query.where(_ROW.done_at.is_(None)) if undone else query
        async with self._database.connect() as connection:
            return [Deletion(**row) for row in (await connection.execute(query)).mappings()]

    async def _note(self, deletion: Deletion, values: dict[str, object]) -> None:
        this = (_ROW.player_id == deletion.player_id) & (_ROW.tries == deletion.tries)
        async with self._database.begin() as connection:
            await connection.execute(sa.update(deletions).where(this).values(values))

    def _columns(self) -> Sequence[sa.ColumnElement[Any]]:
        age = (self._database.now() - _ROW.requested_at).label("age")
        return [_ROW.player_id, _ROW.requested_by, _ROW.reason, _ROW.requested_at, _ROW.tries, _ROW.done_at, age]
