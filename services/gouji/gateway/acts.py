"""SQL that reads the audit log."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from gouji.serving.database import Database
from gouji.serving.schema import acts


@dataclass(frozen=True, slots=True)
class WantedActs:
    """Which acts; what is empty does not matter."""

    actor: str = ""
    player_id: str = ""
    table_id: str = ""
    method: str = ""
    before: int = 0


async def find_acts(database: Database, wanted: WantedActs, most: int) -> Sequence[sa.RowMapping]:
    """List acts, the newest first. Raises `StorageUnavailable`."""
    query: sa.Select[Any] = sa.select(acts).order_by(acts.c.act_id.desc()).limit(most)
    for name in ("actor", "player_id", "table_id", "method"):
        value = getattr(wanted, name)
        query = query.where(acts.c[name] == value) if value else query
    query = query.where(acts.c.act_id < wanted.before) if wanted.before else query
    async with database.connect() as connection:
        found: Sequence[sa.RowMapping] = (await connection.execute(query)).mappings().all()
    return found
