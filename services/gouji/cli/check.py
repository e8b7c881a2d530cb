"""`gouji check FILE...`: play rule cases through the engine, or say what they leave out."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated

import typer

from gouji.engine.cases import Case, CaseError, Outcome, read_cases, run_case
from gouji.engine.coverage import Coverage, cover

LEFT_OUT = "Print which clauses and options have no case instead; exit with 1 if there are any."


def check(files: list[Path], *, coverage: Annotated[bool, typer.Option("--coverage", help=LEFT_OUT)] = False) -> None:
    """Play the rule cases of FILES; print what differs, then how many passed and failed.

    Exits with 0 if none failed, 1 if one did, and 2 for a file, key or card that cannot be read; what can be read
    is played all the same.
    """
    unreadable: list[str] = []
    outcomes = list(_play(files, unreadable))
    for line in unreadable:
        typer.echo(line, err=True)
    if coverage and unreadable:
        raise typer.Exit(2)
    if coverage:
        found = cover(outcome.case for outcome in outcomes)
        lines, good = report_coverage(found), not list(found.missing)
    else:
        lines, good = report(outcomes), not any(outcome.failures for outcome in outcomes)
    for line in lines:
        typer.echo(line)
    raise typer.Exit(2 if unreadable else 0 if good else 1)


def _play(files: Iterable[Path], unreadable: list[str]) -> Iterator[Outcome]:
    """Play what can be read of the files, and tell the rest in ``unreadable``."""
    for file in files:
        try:
            cases = _read(file)
        except (CaseError, OSError) as broken:
            unreadable.append(_sentence(broken))
            continue
        for case in cases:
            try:
                yield run_case(case)
            except CaseError as broken:
                unreadable.append(str(broken))


def _read(file: Path) -> list[Case]:
    try:
        text = file.read_text(encoding="utf-8")
    except UnicodeDecodeError as broken:
        raise CaseError(str(file), "-", "-", f"not UTF-8 text: {broken.reason}") from None
    return read_cases(str(file), text)


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


def report_coverage(coverage: Coverage) -> Iterable[str]:
    """Give a line for each clause and option that lacks cases, and the counts as the last line."""
    missing = list(coverage.missing)
    yield from missing
    yield f"{len(coverage.clauses)} clauses, {len(coverage.options)} options, {len(missing)} without enough cases"
