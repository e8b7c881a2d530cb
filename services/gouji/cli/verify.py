"""`gouji verify FILE`: check a record: deals, moves, results."""

from collections.abc import Iterable, Iterator
from itertools import groupby

import typer

from gouji.cli.record_file import RecordFile, read_record
from gouji.engine.records import Check, examine


def verify(file: RecordFile) -> None:
    """Check a record: each commitment and deal by its secret, every move, the results and totals by the rules.

    Prints what was checked, then `ok` or how many problems there are. Exits with 1 if there is one, 2 for a file that
    cannot be read. Compare the commitments with those that you saw before the cards.
    """
    checks = list(examine(read_record(file)))
    for line in report(checks):
        typer.echo(line)
    problems = sum(bool(check.problem) for check in checks)
    typer.echo("ok" if not problems else f"{problems} problem{'s' if problems > 1 else ''}")
    raise typer.Exit(1 if problems else 0)


def report(checks: Iterable[Check]) -> Iterator[str]:
    """Give a line for what is right of each hand, and one for each thing that is not."""
    for _, group in groupby(checks, key=lambda check: check.hand):
        several = list(group)
        fine = [check for check in several if not (check.problem or check.skipped)]
        if fine:
            yield f"{fine[0].where}: {', '.join(check.what for check in fine)}: ok"
        yield from (str(check) for check in several if check.problem or check.skipped)
