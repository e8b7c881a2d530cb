"""`gouji version`."""

from importlib import metadata

import typer


def version() -> None:
    """Print the version that is installed."""
    typer.echo(metadata.version("gouji"))
