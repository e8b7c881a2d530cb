"""Everything in this process for the time of a command, through the same binds and calls as `gouji up`."""

import shlex
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, Final

from gouji.cli.serve import SERVICES, find_bind
from gouji.serving.app import App
from gouji.serving.logs import route_loop_faults, route_standard_logging
from gouji.serving.settings import Settings

_GRACE_SECONDS = 0.5


AT_LEISURE: Final = {"turn_ms": 120_000, "answers_least_ms": 4_000, "answers_most_ms": 6_000}
"""Times on a person's own machine: nobody waits but bots, and typing takes longer than a tap."""


def preferring(settings: Settings, **unless_set: Any) -> Settings:
    """Set what the person has not set itself."""
    chosen = {field: value for field, value in unless_set.items() if field not in settings.model_fields_set}
    return settings.model_copy(update=chosen)


@asynccontextmanager
async def everything(settings: Settings, name: str, **unless_set: Any) -> AsyncIterator[App]:
    """Run all services on a free port, and stop them at the end.

    ``unless_set`` are settings that the command prefers where the person has set nothing else.
    """
    chosen = preferring(settings, log_level="error", **unless_set)
    app = App(chosen.model_copy(update={"port": 0, "metrics_port": -1, "door_port": -1}), name)
    route_standard_logging(app.log)
    route_loop_faults(app.log)
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
