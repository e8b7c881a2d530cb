"""The records of an event's tables, read from the database's logs."""

from collections.abc import Iterable

from gouji.cli.tournament_check import problems, tables
from gouji.engine.records import Record
from gouji.serving.app import must_be_reached
from gouji.serving.database import Database
from gouji.serving.settings import Settings
from gouji.serving.vault import vault_for
from gouji.table.records import record_of
from gouji.table.store import Store
from gouji.v1.tournament_pb2 import TournamentExport


async def check_export(settings: Settings, export: TournamentExport) -> list[str]:
    """Add an export up again from the records of its tables; gives what does not fit."""
    records = await read_records(settings, tables(export))
    return list(problems(export, records.get))


async def read_records(settings: Settings, table_ids: Iterable[str]) -> dict[str, Record]:
    """Read the records of tables whose boards are open; those without a log are missing."""
    database = Database(settings.database_url)
    try:
        with must_be_reached(database):
            store = Store(database, vault_for(settings))
            logs = {table_id: await store.events(table_id) for table_id in table_ids}
            return {table_id: record_of(log) for table_id, log in logs.items() if log}
    finally:
        await database.close()
