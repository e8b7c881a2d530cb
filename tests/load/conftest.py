"""All services in this process, and profiles that are over soon."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from gouji.cli.serve import SERVICES, find_binds
from gouji.load.profile import Profile, parse
from gouji.serving.app import App
from gouji.serving.settings import Settings
from gouji.serving.testing import running_app

SMALL = """
about: One table for a few seconds.
seconds: 6
arrivals: { players: 6, per_second: 30 }
think: { median: 0.05, sigma: 0.5, least: 0.02, most: 0.3 }
budgets: { least_commands: 5, most_lag_ms: 60000 }
"""


@pytest.fixture
def small() -> Profile:
    return parse(SMALL)


@pytest.fixture
async def app(sqlite_settings: Settings) -> AsyncIterator[App]:
    """All services behind a door; private questions are over soon."""
    quick = {"answers_least_ms": 20, "answers_most_ms": 60, "heartbeat_seconds": 1, "door_port": 0}
    binds = {f"{service}{number}": bind for service in SERVICES for number, bind in enumerate(find_binds(service))}
    async with running_app(sqlite_settings.model_copy(update=quick), binds) as app:
        yield app


@pytest.fixture
def address(app: App) -> str:
    """Where the door is."""
    assert app.public_address
    return app.public_address


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "report"
