"""The database: transactions that roll back unless they end well, and what differs between the two kinds.

PostgreSQL is for the cluster, SQLite for one machine. On SQLite this process has one writer at a time, and
waits for another process; what is committed survives a loss of power (`synchronous=FULL`). Errors never show
the parameters of a statement, which hold hidden cards.
"""

import asyncio
import sqlite3
import time
from collections.abc import AsyncIterator, Coroutine, Iterable, Iterator
from contextlib import asynccontextmanager, nullcontext, suppress
from pathlib import Path
from typing import Any, Final, TypeVar

import asyncpg
import sqlalchemy as sa
from sqlalchemy import exc
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine

from gouji import migrations
from gouji.serving.errors import StorageUnavailable
from gouji.serving.metrics import Metrics
from gouji.serving.tasks import is_being_cancelled

Result = TypeVar("Result")

_DRIVERS = {"sqlite": "sqlite+aiosqlite", "postgresql": "postgresql+asyncpg"}

_NOW = {
    "sqlite": "CAST(ROUND((julianday('now') - 2440587.5) * 86400000.0) AS INTEGER) * 1000",
    "postgresql": "CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000000 AS BIGINT)",
}

NO_CONNECTION = (
    OSError,
    exc.DBAPIError,
    exc.TimeoutError,
    # A server that starts, stops or is full says so in the driver's own errors.
    asyncpg.OperatorInterventionError,
    asyncpg.InsufficientResourcesError,
    asyncpg.PostgresConnectionError,
    asyncpg.InterfaceError,
)
"""What connecting fails with for a while."""

_LASTING = (exc.IntegrityError, exc.ProgrammingError, exc.DataError, exc.NotSupportedError)
"""Errors of the statement, which trying again does not mend."""

_MOST_IN_A_STATEMENT = 1000
"""Ids in one statement: both databases take some 32,000 parameters."""

CONNECT_SECONDS: Final = 10
"""How long PostgreSQL has to take a connection."""

IDLE_SECONDS: Final = 10
"""How long a transaction on PostgreSQL may do nothing. One of a stopped process would keep its locks for ever."""

_WAL_TRIES, _WAL_WAIT_SECONDS = 100, 0.02


class Database:
    """A database named by a URL without driver. Nothing is opened before the first use."""

    def __init__(self, url: str, connections: int = 10, metrics: Metrics | None = None) -> None:
        """``metrics`` are those of the process, if it has any."""
        parsed = sa.make_url(url)
        self.dialect = parsed.get_backend_name()
        self.shown_url = parsed.render_as_string(hide_password=True)
        self._engine = _engine(parsed, connections)
        self._metrics = metrics or Metrics()
        self._own: set[asyncio.Task[Any]] = set()
        self._writer: Any = asyncio.Lock() if self.dialect == "sqlite" else nullcontext()

    @asynccontextmanager
    async def begin(self) -> AsyncIterator[AsyncConnection]:
        """Open a transaction for writing: committed at the block's end, rolled back if it raises.

        Raises `StorageUnavailable` when the database breaks off; in the commit, its outcome is then unknown.
        """
        async with self._watched("write"), self._writer, self._connection() as connection:
            await connection.execution_options(gouji_begin="BEGIN IMMEDIATE")
            async with connection.begin():
                yield connection

    @asynccontextmanager
    async def connect(self) -> AsyncIterator[AsyncConnection]:
        """Open a connection for reading; what is written through it is rolled back."""
        async with self._watched("read"), self._connection() as connection:
            yield connection

    @asynccontextmanager
    async def snapshot(self) -> AsyncIterator[AsyncConnection]:
        """Open a connection for reading on which all statements see the same moment."""
        async with self.connect() as connection:
            if self.dialect == "postgresql":  # on SQLite a transaction sees nothing else
                await connection.execution_options(isolation_level="REPEATABLE READ")
            yield connection

    async def hold(self, connection: AsyncConnection, names: Iterable[str], *, shared: bool = False) -> None:
        """Keep others that hold one of these names waiting until the transaction ends; on SQLite all writers wait.

        Those that hold it ``shared`` keep only the others waiting.
        """
        if self.dialect == "postgresql":
            lock = sa.func.pg_advisory_xact_lock_shared if shared else sa.func.pg_advisory_xact_lock
            for name in sorted(names):  # in one order, so that nobody waits in a ring
                await connection.execute(sa.select(lock(sa.func.hashtextextended(name, 0))))

    @asynccontextmanager
    async def single(self) -> AsyncIterator[AsyncConnection]:
        """Open a connection on which each statement is a transaction by itself, with no round trips beside it.

        Raises `StorageUnavailable` when the database breaks off; the statement's outcome is then unknown.
        """
        async with self._watched("statement"), self._connection() as connection:
            yield await connection.execution_options(isolation_level="AUTOCOMMIT")

    async def open(self) -> AsyncConnection:
        """Open a connection that is kept, on which each statement stands by itself; the caller closes it.

        Raises `StorageUnavailable`.
        """
        return await (await self._taken()).execution_options(isolation_level="AUTOCOMMIT")

    def now(self) -> sa.ColumnElement[int]:
        """Give the SQL expression for the database's own time: microseconds; on SQLite whole milliseconds."""
        return now_in(self.dialect)

    def insert(self, table: sa.Table) -> sqlite.Insert | postgresql.Insert:
        """Start an INSERT that has `on_conflict_do_nothing` and `on_conflict_do_update`."""
        return sqlite.insert(table) if self.dialect == "sqlite" else postgresql.insert(table)

    async def upgrade(self, revision: str = "head") -> None:
        """Bring the tables to a revision; safe when several processes do it at once."""
        await self._migrate(migrations.upgrade, revision)

    async def downgrade(self, revision: str) -> None:
        """Take the tables back to a revision, `base` for none; what the newer ones held is lost."""
        await self._migrate(migrations.downgrade, revision)

    async def revision(self) -> str | None:
        """Say which revision the tables have; None when there are none."""
        async with self.connect() as connection:
            return await connection.run_sync(migrations.current)

    async def close(self) -> None:
        """Close all connections."""
        await asyncio.gather(*self._own, return_exceptions=True)
        await self._engine.dispose()

    async def _migrate(self, change: Any, revision: str) -> None:
        async with self.begin() as connection:
            if self.dialect == "postgresql":
                await connection.execute(sa.select(sa.func.pg_advisory_xact_lock(migrations.LOCK)))
            await connection.run_sync(change, revision)

    @asynccontextmanager
    async def _watched(self, use: str) -> AsyncIterator[None]:
        """Measure what is done on a connection, and say `StorageUnavailable` when the database breaks off."""
        began = time.perf_counter()
        try:
            yield
        except _LASTING:
            raise
        except exc.DBAPIError as error:
            if is_being_cancelled():  # what was cut off may fail in its own way
                raise asyncio.CancelledError from error
            self._metrics.database_failures.inc()
            raise StorageUnavailable from error
        except StorageUnavailable:
            self._metrics.database_failures.inc()
            raise
        finally:
            self._metrics.database_seconds.labels(use).observe(time.perf_counter() - began)

    @asynccontextmanager
    async def _connection(self) -> AsyncIterator[AsyncConnection]:
        """Take a connection and give it back, the one like the other whole."""
        connection = await self._taken()
        self._metrics.database_connections.inc()
        try:
            yield connection
        finally:
            self._metrics.database_connections.dec()
            await asyncio.shield(self._apart(_give_back(connection)))

    async def _taken(self) -> AsyncConnection:
        """Take a connection in a task of its own: what is cut off in the middle would leave it to nobody."""
        taking = self._apart(self._take())
        try:
            return await asyncio.shield(taking)
        except asyncio.CancelledError:
            self._apart(_give_back_when_taken(taking))
            raise

    async def _take(self) -> AsyncConnection:
        try:
            return await self._engine.connect()
        except NO_CONNECTION as error:
            raise StorageUnavailable from error

    def _apart(self, work: Coroutine[Any, Any, Result]) -> asyncio.Task[Result]:
        """Do this whatever becomes of the caller; `close` waits for it."""
        task = asyncio.create_task(work)
        self._own.add(task)
        task.add_done_callback(self._own.discard)
        return task


async def _give_back(connection: AsyncConnection) -> None:
    with suppress(*NO_CONNECTION):  # all that had to be kept is committed by now
        await connection.close()


async def _give_back_when_taken(taking: asyncio.Task[AsyncConnection]) -> None:
    with suppress(StorageUnavailable):
        await _give_back(await taking)


def chunks(ids: Iterable[str]) -> Iterator[list[str]]:
    """Divide ids into lists that fit a statement."""
    all_ids = list(ids)
    return (all_ids[start : start + _MOST_IN_A_STATEMENT] for start in range(0, len(all_ids), _MOST_IN_A_STATEMENT))


def now_in(dialect: str) -> sa.ColumnElement[int]:
    """Give the SQL expression for the time of a database of this kind, as `Database.now` does."""
    return sa.literal_column(f"({_NOW[dialect]})", sa.BigInteger)


def _engine(url: sa.URL, connections: int) -> AsyncEngine:
    full = url.set(drivername=_DRIVERS[url.get_backend_name()])
    if full.get_backend_name() == "postgresql":
        of_the_session = {"idle_in_transaction_session_timeout": str(1000 * IDLE_SECONDS)}
        arguments = {"timeout": CONNECT_SECONDS, "server_settings": of_the_session}
        return create_async_engine(
            full, pool_size=connections, max_overflow=0, hide_parameters=True, connect_args=arguments
        )
    engine = create_async_engine(full, hide_parameters=True)
    sa.event.listen(engine.sync_engine, "do_connect", _make_folder)
    sa.event.listen(engine.sync_engine, "connect", _set_up_sqlite)
    sa.event.listen(engine.sync_engine, "begin", _begin_sqlite)
    sa.event.listen(engine.sync_engine, "invalidate", _release_sqlite)
    return engine


def _make_folder(_dialect: object, _record: object, arguments: list[str], _options: object) -> None:
    Path(arguments[0]).parent.mkdir(parents=True, exist_ok=True)


def _set_up_sqlite(connection: Any, _record: object) -> None:
    connection.isolation_level = None  # the driver begins nothing of its own accord
    cursor = connection.cursor()
    for pragma in ("busy_timeout=10000", "synchronous=FULL", "foreign_keys=ON"):
        cursor.execute(f"PRAGMA {pragma}")
    _switch_to_wal(cursor)
    cursor.close()


def _switch_to_wal(cursor: Any) -> None:
    """Turn on the write-ahead log. SQLite does not wait here while another connection makes the same new file."""
    for _ in range(_WAL_TRIES):
        try:
            cursor.execute("PRAGMA journal_mode=WAL")
        except sqlite3.OperationalError:
            time.sleep(_WAL_WAIT_SECONDS)
        else:
            return
    cursor.execute("PRAGMA journal_mode=WAL")


def _begin_sqlite(connection: sa.Connection) -> None:
    connection.exec_driver_sql(connection.get_execution_options().get("gouji_begin", "BEGIN"))


def _release_sqlite(connection: Any, _record: object, _error: object) -> None:
    connection.rollback()  # a statement that was cut off can outlive the close, and would keep the file locked
