"""`gouji migrate`: bring the database's tables up to date."""

from typing import Annotated

import typer

from gouji.cli.options import run_process, with_settings
from gouji.serving.app import must_be_reached
from gouji.serving.database import Database
from gouji.serving.settings import Settings


@with_settings
def migrate(
    settings: Settings,
    revision: Annotated[str, typer.Argument(help="How far; `head` is all the way.")] = "head",
) -> None:
    """Bring the database's tables to a revision; safe to run again, and while older servers run."""
    run_process(_migrate(settings, revision))


async def _migrate(settings: Settings, revision: str) -> None:
    database = Database(settings.database_url)
    try:
        with must_be_reached(database):
            await database.upgrade(revision)
            typer.echo(f"{database.shown_url} is at revision {await database.revision()}")
    finally:
        await database.close()
