"""Everything in this process for the time of a command, through the same binds and calls as `gouji up`."""

import shlex
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from gouji.cli.serve import SERVICES, find_bind
from gouji.serving.app import App
from gouji.serving.logs import route_standard_logging
from gouji.serving.settings import Settings

_GRACE_SECONDS = 0.5


@asynccontextmanager
async def everything(settings: Settings, name: str, **unless_set: Any) -> AsyncIterator[App]:
    """Run all services on a free port, and stop them at the end.

    ``unless_set`` are settings that the command prefers where the person has set nothing else.
    """
    asked = settings.model_fields_set
    preferred = {"log_level": "error"} | unless_set
    chosen = {field: value for field, value in preferred.items() if field not in asked}
    app = App(settings.model_copy(update={**chosen, "port": 0, "metrics_port": -1}), name)
    route_standard_logging(app.log)
    for service in SERVICES:
        find_bind(service)(app)
    await app.start(migrate=True)
    try:
        yield app
    finally:
        await app.stop(grace=_GRACE_SECONDS)


def record_command(settings: Settings, table_id: str) -> str:
    """Say which command prints the game again."""
    command = ["gouji", "record", table_id]
    if settings.model_fields_set & {"database_url", "data_directory"}:
        command += ["--database-url", settings.database_url]
    return shlex.join(command)
