"""Which tables play a board that is shut, on both databases."""

import sqlalchemy as sa

from gouji.serving.database import Database
from gouji.serving.duplicate import is_shut
from gouji.serving.schema import tables, tournament_boards


async def test_a_board_is_shut_until_it_is_opened_and_other_tables_never_are(database_url: str) -> None:
    database = Database(database_url)
    await database.upgrade()
    boards = {"shut": "a/1/1", "open": "a/1/2", "nobodys": "b/1/1", "other": None}
    rows = [
        {"table_id": table, "spec": b"", "state": "over", "created_at": 0, "board_id": board}
        for table, board in boards.items()
    ]
    async with database.begin() as connection:
        await connection.execute(sa.insert(tables), rows)
        announced = [{"board_id": "a/1/1", "opened_at": None}, {"board_id": "a/1/2", "opened_at": 5}]
        await connection.execute(sa.insert(tournament_boards), announced)
    found = {table: await is_shut(database, table) for table in [*boards, "unknown"]}
    await database.close()
    # A board that nobody has announced is nobody's to open.
    assert found == {"shut": True, "open": False, "nobodys": True, "other": False, "unknown": False}
