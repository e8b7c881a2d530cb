"""Fixtures for all tests: databases of both kinds, settings that touch nothing outside the test's directory."""

import asyncio
import importlib.util
import os
import secrets
import shutil
import sys
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from pathlib import Path
from types import ModuleType

import asyncpg  # type: ignore[import-untyped]
import hypothesis
import pytest
from pydantic import SecretStr

from gouji.serving.database import Database
from gouji.serving.settings import Settings

# How long an example takes is the machine's doing.
hypothesis.settings.register_profile("shared", deadline=None)
hypothesis.settings.load_profile("shared")

POSTGRES = os.environ.get("GOUJI_TEST_POSTGRES", "postgresql://postgres@127.0.0.1:5432/postgres")
"""Where a superuser may create and drop databases."""


async def _admin(statement: str) -> None:
    connection = await asyncpg.connect(POSTGRES)
    try:
        await connection.execute(statement)
    finally:
        await connection.close()


@pytest.fixture(scope="session")
def load_script() -> Callable[[Path], ModuleType]:
    """Import a script that stands in no package, under its own name."""

    def load(path: Path) -> ModuleType:
        spec = importlib.util.spec_from_file_location(f"script_{path.stem}", path)
        assert spec
        assert spec.loader
        module = importlib.util.module_from_spec(spec)
        sys.modules[spec.name] = module
        spec.loader.exec_module(module)
        return module

    return load


def _run(work: Coroutine[None, None, None]) -> None:
    """Run to the end in a loop of its own, whatever loop the tests have."""
    with ThreadPoolExecutor(1) as thread:
        thread.submit(asyncio.run, work).result()


async def _make_tables(url: str) -> None:
    database = Database(url)
    await database.upgrade()
    await database.close()


def _address(name: str) -> str:
    return f"{POSTGRES.rpartition('/')[0]}/{name}"


@asynccontextmanager
async def _postgres(template: str) -> AsyncIterator[str]:
    """Make a database like the template, and drop it whoever is still connected."""
    name = f"gouji_test_{secrets.token_hex(8)}"
    await _admin(f'CREATE DATABASE "{name}" TEMPLATE "{template}"')
    yield _address(name)
    await _admin(f'DROP DATABASE "{name}" WITH (FORCE)')


@pytest.fixture(scope="session")
def postgres_template() -> Iterator[str]:
    """The name of a database with all tables: a copy takes a tenth of the time in which they are made."""
    name = f"gouji_template_{secrets.token_hex(8)}"
    _run(_admin(f'CREATE DATABASE "{name}"'))
    _run(_make_tables(_address(name)))
    yield name
    _run(_admin(f'DROP DATABASE "{name}" WITH (FORCE)'))


@pytest.fixture(scope="session")
def sqlite_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file with all tables."""
    file = tmp_path_factory.mktemp("template") / "template.sqlite"
    _run(_make_tables(f"sqlite:///{file}"))
    return file


@pytest.fixture
async def postgres_url(postgres_template: str) -> AsyncIterator[str]:
    """A PostgreSQL database with empty tables, dropped afterwards whoever is still connected."""
    async with _postgres(postgres_template) as url:
        yield url


@pytest.fixture
async def bare_postgres_url() -> AsyncIterator[str]:
    """A PostgreSQL database without tables."""
    async with _postgres("template1") as url:
        yield url


@pytest.fixture
def sqlite_url(sqlite_template: Path, tmp_path: Path) -> str:
    """An SQLite database with empty tables."""
    shutil.copy(sqlite_template, tmp_path / "test.sqlite")
    return f"sqlite:///{tmp_path}/test.sqlite"


@pytest.fixture(params=["sqlite", "postgres"])
def database_url(request: pytest.FixtureRequest) -> str:
    """A database of each kind in turn, with empty tables."""
    url: str = request.getfixturevalue(f"{request.param}_url")
    return url


@pytest.fixture(params=["sqlite", "postgres"])
def bare_database_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A database of each kind in turn, without tables."""
    if request.param == "postgres":
        url: str = request.getfixturevalue("bare_postgres_url")
        return url
    return f"sqlite:///{tmp_path}/test.sqlite"


def settings_for(database_url: str, data_directory: Path) -> Settings:
    return Settings(
        database_url=database_url,
        data_directory=data_directory,
        host="127.0.0.1",
        port=0,
        metrics_port=-1,
        player_calls_per_second=1_000_000,
        player_key=SecretStr("players' secret of the tests that is long enough"),
        service_key=SecretStr("services' secret of the tests that is long enough"),
        log_keys=SecretStr("the logs' secret of the tests and long enough"),
    )


@pytest.fixture
def settings(database_url: str, tmp_path: Path) -> Settings:
    """Settings on each kind of database in turn, free ports, no metrics page."""
    return settings_for(database_url, tmp_path)


@pytest.fixture
def sqlite_settings(sqlite_url: str, tmp_path: Path) -> Settings:
    """Settings on SQLite, for what does not depend on the database."""
    return settings_for(sqlite_url, tmp_path)
