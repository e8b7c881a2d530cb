"""`gouji check FILE...`: play rule cases through the engine."""

from collections.abc import Iterable
from pathlib import Path

import typer

from gouji.engine.cases import CaseError, Outcome, read_cases, run_case


def check(files: list[Path]) -> None:
    """Play the rule cases of FILES; print what differs, then how many passed and failed.

    Exits with 0 if none failed, 1 if one did, and 2 for a file, key or card that cannot be read.
    """
    try:
        outcomes = [outcome for file in files for outcome in _play(file)]
    except (CaseError, OSError) as unreadable:
        typer.echo(_sentence(unreadable), err=True)
        raise typer.Exit(2) from None
    for line in report(outcomes):
        typer.echo(line)
    raise typer.Exit(1 if any(outcome.failures for outcome in outcomes) else 0)


def _play(file: Path) -> list[Outcome]:
    try:
        text = file.read_text(encoding="utf-8")
    except UnicodeDecodeError as broken:
        raise CaseError(str(file), "-", "-", f"not UTF-8 text: {broken.reason}") from None
    return [run_case(case) for case in read_cases(str(file), text)]


def _sentence(unreadable: CaseError | OSError) -> str:
    if isinstance(unreadable, OSError):
        return f"{unreadable.filename}: -: -: {unreadable.strerror}"
    return str(unreadable)


def report(outcomes: list[Outcome]) -> Iterable[str]:
    """Give a line for each case that failed, and the count as the last line."""
    for outcome in outcomes:
        for failure in outcome.failures:
            yield f"{outcome.case.id}: {failure}"
    failed = sum(bool(outcome.failures) for outcome in outcomes)
    yield f"{len(outcomes) - failed} passed, {failed} failed"
