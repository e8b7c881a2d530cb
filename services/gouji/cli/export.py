"""`gouji export`: results and ratings as CSV or Parquet, for whoever evaluates them elsewhere."""

import csv
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import aclosing, contextmanager
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from gouji.cli.options import run_process, with_settings
from gouji.scoring.export import EXPORTS, Row, read
from gouji.serving.app import StartError, must_be_reached
from gouji.serving.clock import microseconds
from gouji.serving.database import Database
from gouji.serving.settings import Settings


class What(StrEnum):
    """What can be exported."""

    MATCHES = "matches"
    HANDS = "hands"
    RATINGS = "ratings"


class Format(StrEnum):
    """How it is written."""

    CSV = "csv"
    PARQUET = "parquet"


Write = Callable[[list[Row]], object]
"""Writes some rows."""

_FORMS: Final = ["%Y-%m-%d", "%Y-%m-%dT%H:%M:%S"]
_STDOUT: Final = Path("-")


@with_settings
def export(
    settings: Settings,
    what: Annotated[What, typer.Argument(help="What to export.")],
    *,
    form: Annotated[Format, typer.Option("--format", help="How it is written.")] = Format.CSV,
    since: Annotated[datetime | None, typer.Option(formats=_FORMS, help="What ended from then on, in UTC.")] = None,
    until: Annotated[datetime | None, typer.Option(formats=_FORMS, help="What ended before then, in UTC.")] = None,
    output: Annotated[Path, typer.Option("--output", "-o", help="A file; - for the standard output.")] = _STDOUT,
) -> None:
    """Write results or ratings from the database as a table; docs/export.md describes its columns.

    No server need run. A file is there when it is whole. Players stand in it by their ids.
    """
    if form is Format.PARQUET and output == _STDOUT:
        raise typer.BadParameter("Parquet goes to a file: name one with --output")
    run_process(_export(settings, what, form, output, (_moment(since), _moment(until))))


async def _export(
    settings: Settings, what: What, form: Format, output: Path, span: tuple[int | None, int | None]
) -> None:
    database, wanted = Database(settings.database_url), EXPORTS[what]
    try:
        with must_be_reached(database):
            if not await database.revision():
                raise StartError(f"The database {database.shown_url} has no tables: there is nothing to export.")
            async with aclosing(read(database, wanted, *span)) as found:
                with _open(form, output, wanted.columns) as write:
                    async for rows in found:
                        write(rows)
    finally:
        await database.close()


def _moment(given: datetime | None) -> int | None:
    return None if given is None else microseconds(given.replace(tzinfo=UTC))


@contextmanager
def _open(form: Format, output: Path, columns: Mapping[str, type]) -> Iterator[Write]:
    """Open what rows are written to; a file gets its name when the block ends well."""
    if output == _STDOUT:
        yield _csv(sys.stdout, columns)
        return
    partial = output.with_name(f".{output.name}.partial")
    try:
        if form is Format.PARQUET:
            with _parquet(partial, columns) as write:
                yield write
        else:
            with partial.open("w", newline="", encoding="utf-8") as file:
                yield _csv(file, columns)
        partial.replace(output)
    finally:
        partial.unlink(missing_ok=True)


def _csv(file: Any, columns: Mapping[str, type]) -> Write:
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(columns)
    return lambda rows: writer.writerows([_text(value) for value in row] for row in rows)


def _text(value: object) -> object:
    """Write a value as CSV has it: times as ISO 8601, what there is not as nothing."""
    if isinstance(value, datetime):
        return value.isoformat(timespec="microseconds").replace("+00:00", "Z")
    return str(value).lower() if isinstance(value, bool) else value


@contextmanager
def _parquet(path: Path, columns: Mapping[str, type]) -> Iterator[Write]:
    try:
        import pyarrow  # noqa: PLC0415 - heavy, and not always installed
        from pyarrow import parquet  # noqa: PLC0415
    except ImportError as error:
        raise StartError(
            "Parquet needs pyarrow: install it with `pip install 'gouji[parquet]'`, or take --format csv."
        ) from error
    kinds = {
        str: pyarrow.string(),
        int: pyarrow.int64(),
        float: pyarrow.float64(),
        bool: pyarrow.bool_(),
        datetime: pyarrow.timestamp("us", tz="UTC"),
    }
    schema = pyarrow.schema([(name, kinds[kind]) for name, kind in columns.items()])
    with parquet.ParquetWriter(path, schema, compression="zstd") as writer:

        def write(rows: list[Row]) -> None:
            by_column = [
                pyarrow.array(values, kind) for values, kind in zip(zip(*rows, strict=True), schema.types, strict=True)
            ]
            writer.write_batch(pyarrow.record_batch(by_column, schema=schema))

        yield write
