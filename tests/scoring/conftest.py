"""A scoring service on each kind of database, and a stub for it."""

from collections.abc import AsyncIterator
from typing import Any

import pytest

from gouji.scoring.service import bind
from gouji.serving.app import App
from gouji.serving.settings import Settings
from gouji.serving.testing import running_app
from gouji.v1 import scoring_pb2_grpc


@pytest.fixture
async def app(settings: Settings) -> AsyncIterator[App]:
    async with running_app(settings, {"scoring": bind}) as running:
        yield running


@pytest.fixture
def scoring(app: App) -> Any:
    """A stub that calls as a service."""
    return app.channels.stub("scoring", scoring_pb2_grpc.ScoringServiceStub)
