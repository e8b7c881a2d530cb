"""A record that is read from a file."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from gouji.engine.record_text import MalformedNotation, parse_record
from gouji.engine.records import Record

RecordFile = Annotated[
    Path,
    typer.Argument(help="What `gouji record ID --format record` has printed; - reads it from the standard input."),
]
"""The argument ``FILE`` of a command."""


def read_record(file: Path) -> Record:
    """Read a record; end the command with 2 if there is none."""
    try:
        raw = sys.stdin.buffer.read() if str(file) == "-" else file.read_bytes()
        return parse_record(raw.decode("utf-8-sig"))
    except OSError as error:
        said = error.strerror
    except UnicodeDecodeError as error:
        said = f"not UTF-8 text: {error.reason}"
    except MalformedNotation as error:
        said = str(error)
    typer.echo(f"{file}: {said}", err=True)
    raise typer.Exit(2)
