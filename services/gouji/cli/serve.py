"""`gouji serve SERVICE...`: run one service, or several, in this process."""

import importlib
from collections.abc import Callable, Iterable, Iterator
from typing import Annotated

import typer

from gouji.cli.options import run_process, with_settings
from gouji.serving.app import App, Bind
from gouji.serving.logs import route_loop_faults, route_standard_logging
from gouji.serving.settings import Settings

SERVICES = {
    "gateway": ("gouji.gateway.service:bind",),
    "matchmaking": ("gouji.matchmaking.service:bind",),
    "table": ("gouji.table.service:bind",),
    "bot": ("gouji.bot.service:bind",),
    "scoring": ("gouji.scoring.service:bind", "gouji.tournament.service:bind"),
}
"""Service to the functions that bind it, imported when it is run. Tournaments go with the results that they live on."""


@with_settings
def serve(
    services: Annotated[list[str], typer.Argument(help=f"Any of: {', '.join(SERVICES)}.")], settings: Settings
) -> None:
    """Run services in this process until SIGTERM; the database must have its tables (`gouji migrate`)."""
    unknown = sorted(set(services) - set(SERVICES))
    if unknown:
        raise typer.BadParameter(f"no such service: {', '.join(unknown)}; there are {', '.join(SERVICES)}")
    run_process(run_services(settings, "+".join(services), services, _log_address))


async def run_services(
    settings: Settings,
    name: str,
    services: Iterable[str],
    ready: Callable[[App], None],
    *,
    migrate: bool = False,
) -> None:
    """Bind services to one app, start it, say that it is ready, and serve until a signal comes."""
    app = App(settings, name)
    route_standard_logging(app.log)
    route_loop_faults(app.log)
    for service in services:
        for bind in find_binds(service):
            bind(app)
    await app.run_until_signal(ready, migrate=migrate)


def find_binds(service: str) -> Iterator[Bind]:
    """Import what binds a service."""
    for place in SERVICES[service]:
        module, _, function = place.partition(":")
        yield getattr(importlib.import_module(module), function)


def _log_address(app: App) -> None:
    app.log.info("ready", address=app.address, metrics_port=app.metrics.port)
