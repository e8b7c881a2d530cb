"""Fixtures for all tests: databases of both kinds, settings that touch nothing outside the test's directory."""

import importlib.util
import os
import secrets
import sys
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from types import ModuleType

import asyncpg  # type: ignore[import-untyped]
import pytest
from pydantic import SecretStr

from gouji.serving.settings import Settings

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


@pytest.fixture
async def postgres_url() -> AsyncIterator[str]:
    """A fresh PostgreSQL database, dropped afterwards whoever is still connected."""
    name = f"gouji_test_{secrets.token_hex(8)}"
    await _admin(f'CREATE DATABASE "{name}"')
    yield f"{POSTGRES.rpartition('/')[0]}/{name}"
    await _admin(f'DROP DATABASE "{name}" WITH (FORCE)')


@pytest.fixture(params=["sqlite", "postgres"])
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A fresh database of each kind in turn."""
    if request.param == "postgres":
        url: str = request.getfixturevalue("postgres_url")
        return url
    return f"sqlite:///{tmp_path}/test.sqlite"


def settings_for(database_url: str, data_directory: Path) -> Settings:
    return Settings(
        database_url=database_url,
        data_directory=data_directory,
        host="127.0.0.1",
        port=0,
        metrics_port=-1,
        player_key=SecretStr("players' secret of the tests, long enough"),
        service_key=SecretStr("services' secret of the tests, long enough"),
        log_keys=SecretStr("the logs' secret of the tests and long enough"),
    )


@pytest.fixture
def settings(database_url: str, tmp_path: Path) -> Settings:
    """Settings on each kind of database in turn, free ports, no metrics page."""
    return settings_for(database_url, tmp_path)


@pytest.fixture
def sqlite_settings(tmp_path: Path) -> Settings:
    """Settings on SQLite, for what does not depend on the database."""
    return settings_for(f"sqlite:///{tmp_path}/test.sqlite", tmp_path)
