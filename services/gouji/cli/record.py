"""`gouji record ID`: print a game again from its log, told or as a record."""

from collections.abc import Iterable, Iterator
from enum import StrEnum
from typing import Annotated

import typer

from gouji.cli.narrate import LEGEND, NOT_OVER, STILL_PLAYED, Scribe, deal
from gouji.cli.options import run_process, with_settings
from gouji.engine import EngineError
from gouji.engine.record_text import format_record
from gouji.serving.app import StartError, must_be_reached
from gouji.serving.database import Database
from gouji.serving.duplicate import is_shut
from gouji.serving.settings import Settings
from gouji.serving.vault import vault_for
from gouji.table.projection import project
from gouji.table.records import record_of
from gouji.table.store import Store
from gouji.table.table import Table
from gouji.v1.events_pb2 import Event


class Format(StrEnum):
    """How a game is printed."""

    STORY = "story"
    RECORD = "record"


@with_settings
def record(
    settings: Settings,
    table_id: Annotated[str, typer.Argument(help="The table's id.", metavar="ID")],
    form: Annotated[
        Format,
        typer.Option("--format", help="A story for people, or a record for `gouji replay` and `gouji verify`."),
    ] = Format.STORY,
) -> None:
    """Print a game again from its log in the database: told, with every hand's digest checked, or as a record.

    No server need run. Exits with 1 for an unknown table, and for a log that the engine plays out otherwise. Of a hand
    that is still being played nothing is printed that its players do not all see.
    """
    run_process(_record(settings, table_id, form))


async def _record(settings: Settings, table_id: str, form: Format) -> None:
    log = await _read(settings, table_id)
    if log is None:
        raise StartError("It is a tournament's board: shut until the last of its tables has ended.")
    if not log:
        raise StartError(f"There is no table {table_id} in this database.")
    try:
        if form is Format.RECORD:
            typer.echo(format_record(record_of(log)), nl=False)
            return
        typer.echo(LEGEND)
        for line in play_again(table_id, log):
            typer.echo(line)
    except (ValueError, EngineError) as error:
        raise StartError(f"The log cannot be played out: {error}.") from error


async def _read(settings: Settings, table_id: str) -> list[Event] | None:
    """Read a table's log; empty when there is no such table, None while the board that it plays is shut."""
    database = Database(settings.database_url)
    try:
        with must_be_reached(database):
            if not await database.revision():
                return []
            if await is_shut(database, table_id):
                return None
            return await Store(database, vault_for(settings)).events(table_id)
    finally:
        await database.close()


def play_again(table_id: str, log: Iterable[Event]) -> Iterator[str]:
    """Tell a log while folding it anew.

    Raises ValueError where log and engine differ. A hand that is still played is told as a spectator sees it.
    """
    table, scribe = Table(table_id), Scribe()
    events = list(log)
    ended = {event.hand: event.hand_ended for event in events if event.HasField("hand_ended")}
    for event in events:
        checked = _checked(table, event)
        table.fold(event)
        yield from scribe.write(event if event.hand in ended else project(event, None, None))
        if event.HasField("hand_dealt"):
            yield from deal(ended[event.hand].hands) if event.hand in ended else [STILL_PLAYED]
        if checked:
            yield checked
    if not table.ended:
        yield NOT_OVER


def _checked(table: Table, event: Event) -> str:
    """Compare what the log says of an end with what the engine makes of it; empty for other events."""
    kind = event.WhichOneof("body")
    if kind not in ("hand_ended", "match_ended"):
        return ""
    found = table.follow(event.at.ToMicroseconds(), bytes)
    if found is None or found.WhichOneof("body") != kind:
        raise ValueError(f"event {event.sequence} comes too early")
    said, made = getattr(event, kind), getattr(found, kind)
    if said != made:
        raise ValueError(f"event {event.sequence}: digest {made.digest}, in the log {said.digest}")
    return "digest ok"
