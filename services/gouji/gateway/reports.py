"""SQL of what players report. Times are the database's own."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from gouji.serving.database import Database
from gouji.serving.errors import ServiceError
from gouji.serving.schema import players, reports, tables
from gouji.v1 import moderation_pb2, table_pb2

MOST_IN_A_SPAN: Final = 10
SPAN_SECONDS: Final = 3600
"""How many reports a player may write in how long."""

_ROW: Final = reports.c


@dataclass(frozen=True, slots=True)
class Report:
    """A report. Times are microseconds, ``closed_at`` is None while it is open."""

    report_id: str
    player_id: str
    reporter_id: str
    table_id: str
    kind: moderation_pb2.ReportKind.ValueType
    created_at: int
    closed_at: int | None
    closed_by: str
    outcome: str


class Reports:
    """Reports in a database. Every method raises `StorageUnavailable` when it cannot be reached."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def add(self, reporter_id: str, player_id: str, table_id: str, kind: int) -> tuple[str, bool]:
        """Write a report, unless there is one of that player at that table; gives its id, and whether there was.

        Raises `ServiceError`: `unknown_table`; `not_seated` for a reporter, `unknown_player` for one who is reported
        who did not sit there; `too_often`.
        """
        told = {"reporter_id": reporter_id, "player_id": player_id, "table_id": table_id}
        async with self._database.begin() as connection:
            # One report of a player at a time, so that they are counted right.
            mine = sa.select(players.c.player_id).where(players.c.player_id == reporter_id).with_for_update()
            await connection.execute(mine)
            await _check_company(connection, told)
            stands = await connection.scalar(sa.select(_ROW.report_id).filter_by(**told))
            if stands is not None:
                return stands, True
            await self._check_rate(connection, reporter_id)
            report_id = uuid.uuid4().hex
            row = {"report_id": report_id, "kind": kind, "closed_by": "", "outcome": "", **told}
            await connection.execute(sa.insert(reports).values(**row, created_at=self._database.now()))
        return report_id, False

    async def find(self, player_id: str, most: int, *, closed: bool) -> Sequence[Report]:
        """List reports, the oldest first, of closed ones the newest; an empty id does not matter."""
        query = sa.select(reports).limit(most)
        if closed:
            query = query.where(_ROW.closed_at.is_not(None)).order_by(_ROW.created_at.desc(), _ROW.report_id)
        else:
            query = query.where(_ROW.closed_at.is_(None)).order_by(_ROW.created_at, _ROW.report_id)
        query = query.where(_ROW.player_id == player_id) if player_id else query
        async with self._database.connect() as connection:
            return [Report(**row) for row in (await connection.execute(query)).mappings()]

    async def close(self, report_id: str, closed_by: str, outcome: str) -> Report:
        """Say what came of a report; the first word stands. Raises `ServiceError` `unknown_report`."""
        this = _ROW.report_id == report_id
        change = sa.update(reports).where(this, _ROW.closed_at.is_(None))
        change = change.values(closed_at=self._database.now(), closed_by=closed_by, outcome=outcome)
        async with self._database.begin() as connection:
            await connection.execute(change)
            row = (await connection.execute(sa.select(reports).where(this))).mappings().one_or_none()
        if row is None:
            raise ServiceError("unknown_report", "There is no such report.")
        return Report(**row)

    async def _check_rate(self, connection: AsyncConnection, reporter_id: str) -> None:
        ago = (self._database.now() - _ROW.created_at).label("ago")
        query = sa.select(ago).where(_ROW.reporter_id == reporter_id).order_by(_ROW.created_at.desc())
        last = list(await connection.scalars(query.limit(MOST_IN_A_SPAN)))
        if len(last) == MOST_IN_A_SPAN and last[-1] < SPAN_SECONDS * 1_000_000:
            wait_ms = SPAN_SECONDS * 1000 - last[-1] // 1000
            raise ServiceError("too_often", "You have reported enough for now.", retry_after_ms=wait_ms)


async def _check_company(connection: AsyncConnection, told: dict[str, str]) -> None:
    spec = await connection.scalar(sa.select(tables.c.spec).where(tables.c.table_id == told["table_id"]))
    if spec is None:
        raise ServiceError("unknown_table", "There is no such table.")
    people = {seat.player_id for seat in table_pb2.TableSpec.FromString(spec).seats if seat.player_id}
    if told["reporter_id"] not in people:
        raise ServiceError("not_seated", "You did not sit at this table.")
    if told["player_id"] not in people:
        raise ServiceError("unknown_player", "No such player sat at this table.")
