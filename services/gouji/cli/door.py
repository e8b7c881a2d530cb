"""`gouji door`: what goes with an Envoy that runs apart, as in Kubernetes."""

from typing import Annotated

import typer

from gouji.cli.options import run_process, with_settings
from gouji.gateway import door_apart
from gouji.serving.app import StartError
from gouji.serving.settings import Settings

door = typer.Typer(
    no_args_is_help=True, help="Configure an Envoy that somebody else runs, and tell it of the table servers."
)


@door.command()
@with_settings
def write(settings: Settings) -> None:
    """Write Envoy's configuration into the door's directory; it asks for no database and no key."""
    try:
        config = door_apart.write(settings)
    except (StartError, OSError) as error:
        typer.echo(str(error), err=True)
        raise typer.Exit(1) from None
    typer.echo(f"Envoy's files are in {config.directory}.")


@door.command()
@with_settings
def follow(settings: Settings) -> None:
    """Write the list of table servers anew as they come and go, until SIGTERM; Envoy's metrics are shown, too."""
    run_process(door_apart.follow(settings))


@door.command()
@with_settings
def drain(
    settings: Settings,
    seconds: Annotated[float, typer.Option(help="How long clients have to go.")] = 30,
) -> None:
    """Have Envoy send its clients elsewhere, and wait until they have gone."""
    run_process(door_apart.send_away(settings, seconds))
