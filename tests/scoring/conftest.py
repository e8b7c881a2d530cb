"""A scoring service on each kind of database, and studios that are told of what it records."""

from collections.abc import AsyncIterator

import pytest

from gouji.scoring.service import bind
from gouji.serving.app import App
from gouji.serving.settings import Settings
from gouji.serving.testing import running_app

from .desk import Desk
from .studio import Studio, open_studio


@pytest.fixture
async def app(settings: Settings) -> AsyncIterator[App]:
    async with running_app(settings, {"scoring": bind}) as running:
        yield running


@pytest.fixture
def desk(app: App) -> Desk:
    return Desk.of(app)


@pytest.fixture
async def studio() -> AsyncIterator[Studio]:
    async with open_studio() as opened:
        yield opened


@pytest.fixture
async def club() -> AsyncIterator[Studio]:
    """Another one."""
    async with open_studio() as opened:
        yield opened
