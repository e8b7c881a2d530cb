"""Transactions, migrations and failures, on both kinds of database."""

import asyncio
import gc
import itertools
import types
from collections.abc import AsyncIterator, Callable, Coroutine, Generator
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import exc
from sqlalchemy.ext.asyncio import AsyncConnection

from gouji import migrations
from gouji.serving import database as serving_database
from gouji.serving.database import Database
from gouji.serving.errors import ServiceError, StorageUnavailable
from gouji.serving.metrics import Metrics
from gouji.serving.schema import metadata, outbox, players, table_events

HIDDEN = b"hidden cards"
HEAD = ScriptDirectory(str(Path(migrations.__file__).parent)).get_current_head()


@pytest.fixture
async def database(database_url: str) -> AsyncIterator[Database]:
    database = Database(database_url)
    await database.upgrade()
    yield database
    await database.close()


def player(number: int) -> dict[str, Any]:
    return {"player_id": f"p{number}", "name": "Ann", "created_at": 0}


async def count(database: Database, table: sa.Table = players) -> int:
    async with database.connect() as connection:
        found: int = (await connection.execute(sa.select(sa.func.count()).select_from(table))).scalar_one()
        return found


async def test_a_block_that_ends_well_is_committed(database: Database) -> None:
    async with database.begin() as connection:
        await connection.execute(players.insert(), [player(1), player(2)])
    assert await count(database) == 2


async def test_a_transaction_that_does_nothing_is_ended_and_its_locks_freed(
    postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(serving_database, "IDLE_SECONDS", 1)
    stopped, other = Database(postgres_url), Database(postgres_url)
    name = sa.update(players).values(name="Bob")

    async def stop_in_the_middle() -> None:
        async with stopped.begin() as connection:
            await connection.execute(name)
            async with asyncio.timeout(30), other.begin() as waiting:
                await waiting.execute(name)

    try:
        async with other.begin() as connection:
            await connection.execute(players.insert(), [player(1)])
        with pytest.raises(StorageUnavailable):
            await stop_in_the_middle()
    finally:
        await stopped.close()
        await other.close()


async def test_a_block_that_raises_is_rolled_back(database: Database) -> None:
    async def write() -> None:
        async with database.begin() as connection:
            await connection.execute(players.insert(), [player(1)])
            raise KeyError

    with pytest.raises(KeyError):
        await write()
    assert await count(database) == 0


async def test_a_cancelled_block_is_rolled_back_and_lets_the_next_one_in(database: Database) -> None:
    inside = asyncio.Event()

    async def write() -> None:
        async with database.begin() as connection:
            await connection.execute(players.insert(), [player(1)])
            inside.set()
            await asyncio.Event().wait()

    task = asyncio.create_task(write())
    await inside.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    async with database.begin() as connection:
        await connection.execute(players.insert(), [player(2)])
    assert await count(database) == 1


async def test_a_call_that_is_cut_off_ends_as_such_however_its_connection_breaks(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    close = AsyncConnection.close

    async def close_badly(connection: AsyncConnection) -> None:
        await close(connection)
        raise OSError

    monkeypatch.setattr(AsyncConnection, "close", close_badly)

    async def write() -> None:
        async with database.begin():
            try:
                await asyncio.Event().wait()
            finally:
                raise exc.InterfaceError("cancelled", {}, Exception())

    with pytest.raises(TimeoutError):
        await asyncio.wait_for(write(), 0.01)
    task = asyncio.create_task(write())
    await asyncio.sleep(0.01)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    async with database.begin() as connection:
        await connection.execute(players.insert(), [player(1)])
    assert await count(database) == 1


async def test_what_is_written_through_a_reading_connection_is_rolled_back(database: Database) -> None:
    async with database.connect() as connection:
        await connection.execute(players.insert(), [player(1)])
    assert await count(database) == 0


async def test_a_reader_sees_nothing_of_an_open_transaction(database: Database) -> None:
    async with database.begin() as connection:
        await connection.execute(players.insert(), [player(1)])
        assert await count(database) == 0
    assert await count(database) == 1


async def test_many_writers_at_once_lose_nothing(database: Database) -> None:
    async def raise_by_one() -> None:
        async with database.begin() as connection:
            seen = await connection.execute(sa.select(players.c.created_at).with_for_update())
            await connection.execute(players.update().values(created_at=seen.scalar_one() + 1))

    async with database.begin() as connection:
        await connection.execute(players.insert(), [player(1)])
    await asyncio.gather(*(raise_by_one() for _ in range(40)))
    async with database.connect() as connection:
        assert (await connection.execute(sa.select(players.c.created_at))).scalar_one() == 40


async def test_two_processes_that_write_wait_for_each_other(database: Database, database_url: str) -> None:
    other = Database(database_url)

    async def write(through: Database, number: int) -> None:
        async with through.begin() as connection:
            await connection.execute(players.insert(), [player(number)])

    writes = [write((database, other)[number % 2], number) for number in range(40)]
    await asyncio.gather(*writes)
    await other.close()
    assert await count(database) == 40


async def test_a_broken_constraint_is_the_callers_to_handle_and_shows_no_value(database: Database) -> None:
    row = {"table_id": "t1", "seq": 1, "hand": 1, "event": HIDDEN, "at": 0}

    async def write() -> None:
        async with database.begin() as connection:
            await connection.execute(table_events.insert(), [row])
            await connection.execute(table_events.insert(), [row])

    with pytest.raises(exc.IntegrityError) as caught:
        await write()
    assert HIDDEN.decode() not in str(caught.value)
    assert HIDDEN.hex() not in str(caught.value)
    assert await count(database, table_events) == 0


async def test_an_insert_may_leave_what_is_there_or_change_it(database: Database) -> None:
    leave = database.insert(players).on_conflict_do_nothing(index_elements=["player_id"])
    change = database.insert(players)
    change = change.on_conflict_do_update(index_elements=["player_id"], set_={"name": change.excluded.name})
    async with database.begin() as connection:
        await connection.execute(leave.values(player(1)))
        await connection.execute(leave.values({**player(1), "name": "Bob"}))
        names = [(await connection.execute(sa.select(players.c.name))).scalar_one()]
        await connection.execute(change.values({**player(1), "name": "Cem"}))
        names.append((await connection.execute(sa.select(players.c.name))).scalar_one())
    assert names == ["Ann", "Cem"]


async def test_numbers_of_the_outbox_are_given_by_the_database(database: Database) -> None:
    rows = [{"table_id": "t1", "hand": hand, "payload": b"", "created_at": 0} for hand in (1, 2)]
    async with database.begin() as connection:
        await connection.execute(outbox.insert(), rows)
        numbers = (await connection.execute(sa.select(outbox.c.id).order_by(outbox.c.hand))).scalars().all()
    assert numbers[1] > numbers[0] > 0


async def test_the_databases_time_is_microseconds_and_passes(database: Database) -> None:
    async with database.connect() as connection:
        first = (await connection.execute(sa.select(database.now()))).scalar_one()
        await asyncio.sleep(0.02)
        second = (await connection.execute(sa.select(database.now()))).scalar_one()
        year = (2100 - 1970) * 366 * 86_400_000_000
    assert 1_600_000_000_000_000 < first < second < year


async def test_migrations_make_what_the_schema_says_and_take_it_away_again(bare_database_url: str) -> None:
    database = Database(bare_database_url)
    assert await database.revision() is None
    await database.upgrade()
    assert await database.revision() == HEAD
    await database.upgrade()
    async with database.connect() as connection:
        differences = await connection.run_sync(_differences)
    assert differences == []
    await database.downgrade("base")
    assert await database.revision() is None
    async with database.connect() as connection:
        left = await connection.run_sync(lambda sync: sa.inspect(sync).get_table_names())
    assert left == ["alembic_version"]
    await database.upgrade()
    assert await count(database) == 0
    await database.close()


def _differences(connection: sa.Connection) -> list[Any]:
    context = MigrationContext.configure(connection, opts={"compare_type": True, "compare_server_default": True})
    return list(compare_metadata(context, metadata))


async def test_processes_may_migrate_at_the_same_time(bare_database_url: str) -> None:
    several = [Database(bare_database_url) for _ in range(4)]
    await asyncio.gather(*(database.upgrade() for database in several))
    assert await several[0].revision() == HEAD
    for database in several:
        await database.close()


async def test_a_migration_that_fails_changes_nothing(bare_database_url: str) -> None:
    database = Database(bare_database_url)
    with pytest.raises(Exception, match="no_such_revision"):
        await database.upgrade("no_such_revision")
    assert await database.revision() is None
    await database.close()


async def test_sqlite_keeps_what_is_committed_through_a_loss_of_power(tmp_path: Path) -> None:
    database = Database(f"sqlite:///{tmp_path}/new/folder/gouji.sqlite")
    async with database.connect() as connection:
        values = {
            name: (await connection.exec_driver_sql(f"PRAGMA {name}")).scalar_one()
            for name in ("journal_mode", "synchronous", "busy_timeout")
        }
    await database.close()
    assert values == {"journal_mode": "wal", "synchronous": 2, "busy_timeout": 10_000}


@pytest.mark.parametrize("url", ["postgresql://postgres@127.0.0.1:1/gouji", "sqlite:////proc/nowhere/gouji.sqlite"])
async def test_a_database_that_cannot_be_reached_is_said_to_be_unavailable(url: str) -> None:
    database = Database(url)
    with pytest.raises(StorageUnavailable):
        async with database.begin():
            pass
    with pytest.raises(ServiceError) as caught:
        async with database.connect():
            pass
    await database.close()
    assert (caught.value.reason, caught.value.retry_after_ms) == ("storage_unavailable", 500)


async def test_a_database_that_takes_no_more_connections_is_said_to_be_unavailable(postgres_url: str) -> None:
    owner = Database(postgres_url)
    role = f"full_{uuid4().hex}"
    async with owner.begin() as connection:
        await connection.exec_driver_sql(f"CREATE ROLE {role} LOGIN CONNECTION LIMIT 0")
    database = Database(sa.make_url(postgres_url).set(username=role).render_as_string(hide_password=False))
    with pytest.raises(StorageUnavailable):
        async with database.connect():
            pass
    await database.close()
    async with owner.begin() as connection:
        await connection.exec_driver_sql(f"DROP ROLE {role}")
    await owner.close()


async def test_a_connection_that_breaks_in_a_transaction_is_said_to_be_unavailable(postgres_url: str) -> None:
    database, other = Database(postgres_url), Database(postgres_url)
    await database.upgrade()
    kill = sa.text("SELECT pg_terminate_backend(:pid)")

    async def write() -> None:
        async with database.begin() as connection:
            pid = (await connection.execute(sa.text("SELECT pg_backend_pid()"))).scalar_one()
            async with other.begin() as killer:
                await killer.execute(kill, {"pid": pid})
            await connection.execute(players.insert(), [player(1)])

    with pytest.raises(StorageUnavailable):
        await write()
    assert await count(database) == 0
    await database.close()
    await other.close()


@types.coroutine
def cut_off(work: Coroutine[Any, Any, None], at: int) -> Generator[Any, Any, bool]:
    """Do work and cancel this task where it waits for the ``at``-th time; say whether it waited so often."""
    task = asyncio.current_task()
    assert task is not None
    step: Callable[[], Any] = partial(work.send, None)
    for waits in itertools.count():
        try:
            waited_for = step()
        except StopIteration:
            return waits > at
        if waits == at:
            asyncio.get_running_loop().call_soon(task.cancel)
        try:
            yield waited_for
            step = partial(work.send, None)
        except asyncio.CancelledError as cancelled:
            step = partial(work.throw, cancelled)
    return False


async def test_a_call_cut_off_wherever_it_waits_leaves_no_connection_to_nobody(
    database_url: str, recwarn: pytest.WarningsRecorder, caplog: pytest.LogCaptureFixture
) -> None:
    async def write(database: Database, number: int) -> None:
        async with database.begin() as connection:
            await connection.execute(players.insert(), [player(number)])

    async def cut(database: Database, number: int) -> bool:
        with suppress(asyncio.CancelledError):
            return await cut_off(write(database, number), number)
        return True

    database = Database(database_url)
    await database.upgrade()
    await database.close()
    number = 0
    while await asyncio.create_task(cut(database, number)):
        await asyncio.wait_for(write(database, 1000 + number), 30)
        await database.close()
        number += 1
        database = Database(database_url, connections=1)
    await database.close()
    gc.collect()
    assert [str(warning.message) for warning in recwarn] == []
    assert [line for line in caplog.messages if "Exception" in line] == []
    assert number > 3


async def test_more_transactions_than_connections_wait_their_turn(postgres_url: str) -> None:
    database = Database(postgres_url, connections=2)
    await database.upgrade()

    async def write(number: int) -> None:
        async with database.begin() as connection:
            await connection.execute(players.insert(), [player(number)])
            await asyncio.sleep(0.01)

    await asyncio.gather(*(write(number) for number in range(10)))
    assert await count(database) == 10
    await database.close()


async def test_uses_are_timed_and_failures_counted(database_url: str) -> None:
    metrics = Metrics()
    value = metrics.registry.get_sample_value
    database = Database(database_url, metrics=metrics)
    async with database.connect(), database.single():
        assert value("gouji_database_connections") == 2
    async with database.begin():
        pass
    await database.close()
    uses = {use: value("gouji_database_seconds_count", {"use": use}) for use in ("read", "statement", "write")}
    assert uses == {"read": 1, "statement": 1, "write": 1}
    assert (value("gouji_database_connections"), value("gouji_database_failures_total")) == (0, 0)
    away = Database("postgresql://nobody@127.0.0.1:1/none", metrics=metrics)
    with pytest.raises(StorageUnavailable):
        async with away.begin():
            pass
    assert value("gouji_database_failures_total") == 1
