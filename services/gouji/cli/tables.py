"""`gouji tables`: what operators do with tables and their servers."""

import typer

from gouji.cli.drain import drain

tables = typer.Typer(no_args_is_help=True)
tables.command("drain")(drain)


@tables.callback()
def group() -> None:
    """Look after tables and their servers."""
