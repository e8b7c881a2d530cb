"""`gouji up`: all services in one process."""

from typing import Any, Final

import typer

from gouji.cli.local import AT_LEISURE, preferring
from gouji.cli.options import run_process, with_settings
from gouji.cli.serve import SERVICES, run_services
from gouji.gateway.envoy_process import find_envoy
from gouji.serving.app import App
from gouji.serving.settings import Settings

DOOR_PORT: Final = 8080
"""Port of the door, unless another is set."""

LOOPBACK: Final = "127.0.0.0/8, ::1/128"
"""Where our own door calls from."""


@with_settings
def up(settings: Settings) -> None:
    """Run everything in this process, on SQLite unless told otherwise, until Ctrl-C.

    Unless they are set, times for decisions are those of a person who types: 120 s a turn, 4 to 6 s for private
    questions.
    """
    chosen = preferring(settings, **AT_LEISURE, **_door(settings))
    run_process(run_services(chosen, "up", SERVICES, _say_ready, migrate=True))


def _door(settings: Settings) -> dict[str, Any]:
    """Say where the door is unless it is set; none where there is no Envoy."""
    if find_envoy():
        return {"door_port": DOOR_PORT, "web_port": 0, "trusted_proxies": LOOPBACK}
    if settings.door_port < 0:
        typer.echo("There is no Envoy for this platform: browsers cannot come in, gRPC can.", err=True)
    return {}


def _say_ready(app: App) -> None:
    browsers = f", for browsers at {app.public_address}" if app.public_address else ""
    typer.echo(
        f"Gouji is ready at {app.address}{browsers}. `gouji play` sits you down with five bots, `gouji demo` lets you "
        "watch six; Ctrl-C stops it."
    )
