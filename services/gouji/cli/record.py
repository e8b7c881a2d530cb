"""`gouji record ID`: print a game again from its log, and check it."""

from collections.abc import Iterable, Iterator
from typing import Annotated

import typer

from gouji.cli.narrate import LEGEND, Scribe, deal
from gouji.cli.options import run_process, with_settings
from gouji.engine import RuleSetError
from gouji.serving.app import StartError, must_be_reached
from gouji.serving.database import Database
from gouji.serving.settings import Settings
from gouji.table.store import Store
from gouji.table.table import Table
from gouji.v1.events_pb2 import Event


@with_settings
def record(settings: Settings, table_id: Annotated[str, typer.Argument(help="The table's id.", metavar="ID")]) -> None:
    """Print a game again from its log in the database, and check every hand's digest.

    No server need run. Exits with 1 for an unknown table, and for a log that the engine plays out otherwise.
    """
    run_process(_record(settings, table_id))


async def _record(settings: Settings, table_id: str) -> None:
    log = await _read(settings, table_id)
    if not log:
        raise StartError(f"There is no table {table_id} in this database.")
    typer.echo(LEGEND)
    try:
        for line in play_again(table_id, log):
            typer.echo(line)
    except (ValueError, RuleSetError) as error:
        raise StartError(f"The log cannot be played out: {error}.") from error


async def _read(settings: Settings, table_id: str) -> list[Event]:
    database = Database(settings.database_url)
    try:
        with must_be_reached(database):
            return await Store(database).events(table_id) if await database.revision() else []
    finally:
        await database.close()


def play_again(table_id: str, log: Iterable[Event]) -> Iterator[str]:
    """Tell a log while folding it anew.

    Raises ValueError where log and engine differ. The cards of a hand that is still played stay hidden.
    """
    table, scribe = Table(table_id), Scribe()
    events = list(log)
    ended = {event.hand: event.hand_ended for event in events if event.HasField("hand_ended")}
    for event in events:
        checked = _checked(table, event)
        table.fold(event)
        yield from scribe.write(event)
        if event.HasField("hand_dealt"):
            yield from deal(ended[event.hand].hands) if event.hand in ended else [_STILL_PLAYED]
        if checked:
            yield checked
    if not table.ended:
        yield "The match is not over."


_STILL_PLAYED = "  This hand is still being played; its cards are shown when it is over."


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
