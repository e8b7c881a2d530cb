"""`gouji up`: all services in one process."""

import typer

from gouji.cli.local import AT_LEISURE, preferring
from gouji.cli.options import run_process, with_settings
from gouji.cli.serve import SERVICES, run_services
from gouji.serving.app import App
from gouji.serving.settings import Settings


@with_settings
def up(settings: Settings) -> None:
    """Run everything in this process, on SQLite unless told otherwise, until Ctrl-C.

    Unless they are set, times for decisions are those of a person who types: 120 s a turn, 4 to 6 s for private
    questions.
    """
    run_process(run_services(preferring(settings, **AT_LEISURE), "up", SERVICES, _say_ready, migrate=True))


def _say_ready(app: App) -> None:
    typer.echo(
        f"Gouji is ready at {app.address}. `gouji play` sits you down with five bots, `gouji demo` lets you "
        "watch six; Ctrl-C stops it."
    )
