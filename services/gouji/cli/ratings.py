"""`gouji ratings`: what operators do with points and ratings, in the database itself."""

import getpass
from typing import Annotated

import typer

from gouji.cli.options import run_process, with_settings
from gouji.scoring.recompute import Compared, Difference, differences
from gouji.scoring.rewrite import rewrite
from gouji.serving.app import must_be_reached
from gouji.serving.database import Database
from gouji.serving.settings import Settings

ratings = typer.Typer(no_args_is_help=True)


@ratings.callback()
def group() -> None:
    """Look after points and ratings."""


@ratings.command("recompute")
@with_settings
def recompute(
    settings: Settings,
    *,
    write: Annotated[bool, typer.Option("--write", help="Write a new revision in place of those that stand.")] = False,
) -> None:
    """Make points and ratings anew from the recorded hands, and compare; end with 1 at the first difference.

    With --write they are put in the place of those that stand. Scoring waits meanwhile, and so do all who write on
    SQLite: stop them first there.
    """
    run_process(_write(settings) if write else _compare(settings))


async def _compare(settings: Settings) -> None:
    database, compared = Database(settings.database_url), Compared()
    try:
        with must_be_reached(database):
            first = await _first_difference(database, compared)
    finally:
        await database.close()
    if first is not None:
        typer.echo(str(first), err=True)
        raise typer.Exit(1)
    typer.echo(
        f"{compared.matches} matches with {compared.hands} hands, {compared.changes} changes of ratings: "
        "points and ratings are what the results make them, to the last digit."
    )


async def _first_difference(database: Database, compared: Compared) -> Difference | None:
    async with database.snapshot() as connection:
        async for difference in differences(connection, compared):
            return difference
    return None


async def _write(settings: Settings) -> None:
    database = Database(settings.database_url)
    try:
        with must_be_reached(database):
            revision = await rewrite(database, getpass.getuser())
    finally:
        await database.close()
    typer.echo(f"Points and ratings were made anew: revision {revision} stands.")
