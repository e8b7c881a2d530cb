"""What tests of deletions look for: a name, wherever it stands."""

import sqlalchemy as sa

from gouji.serving import schema
from gouji.serving.database import Database
from gouji.table.store import Step, Store
from gouji.v1 import events_pb2, scoring_pb2, table_pb2

NAME = "Wang Xiaoming"


async def named(database: Database, store: Store) -> list[str]:
    """The places in the database, sealed ones too, where the name stands."""
    found = []
    async with database.connect() as connection:
        for table in schema.metadata.sorted_tables:
            rows = (await connection.execute(sa.select(table))).mappings().all()
            if any(NAME in str(value) or NAME.encode() in _bytes(value) for row in rows for value in row.values()):
                found.append(table.name)
        table_ids = list(await connection.scalars(sa.select(schema.tables.c.table_id)))
    logs = {table_id: str(await store.events(table_id)) for table_id in table_ids}
    return found + [f"log of {table_id}" for table_id, log in logs.items() if NAME in log]


def _bytes(value: object) -> bytes:
    return bytes(value) if isinstance(value, bytes | memoryview) else b""


async def pass_time(database: Database) -> None:
    """Have every deletion be due, and asked for long ago."""
    row = schema.deletions.c
    change = sa.update(schema.deletions).where(row.done_at.is_(None))
    async with database.begin() as connection:
        await connection.execute(change.values(due_at=0, requested_at=row.requested_at - 60_000_000))


async def seed_table(
    database: Database, store: Store, table_id: str, seats: list[events_pb2.Seat], *, delivered: bool = True
) -> None:
    """Write a table that is over, with the first event of its log and a result on its way to scoring."""
    spec = table_pb2.TableSpec(table_id=table_id, seats=seats).SerializeToString()
    opened = events_pb2.Event(sequence=1, table_opened=events_pb2.TableOpened(table_id=table_id, seats=seats))
    result = scoring_pb2.HandResult(table_id=table_id, hand=1, seats=seats)
    async with database.begin() as connection:
        row = {"table_id": table_id, "spec": spec, "state": "over", "created_at": 0}
        await connection.execute(schema.tables.insert().values(row))
        await store.write(connection, [Step(table_id, 0, 0, [opened], results=[result])])
        mine = schema.outbox.c.table_id == table_id
        await connection.execute(sa.update(schema.outbox).where(mine).values(delivered_at=1 if delivered else None))
