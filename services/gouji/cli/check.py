"""`gouji check FILE...`: play rule cases through the engine, say what they leave out, or what a bot finds."""

import math
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated

import typer

from gouji.engine.cases import Case, CaseError, Outcome, puzzle, read_cases, run_case
from gouji.engine.coverage import Coverage, cover
from gouji.players import Player, UnknownPlayer, find_player

LEFT_OUT = "Print which clauses and options have no case instead; exit with 1 if there are any."
BOT = "Ask this bot for its move in each case that has a best one, and pass over the others."


def check(
    files: list[Path],
    *,
    coverage: Annotated[bool, typer.Option("--coverage", help=LEFT_OUT)] = False,
    bot: Annotated[str | None, typer.Option(help=BOT)] = None,
) -> None:
    """Play the rule cases of FILES; print what differs, then how many passed and failed.

    Exits with 0 if none failed, 1 if one did, and 2 for a file, key or card that cannot be read; what can be read
    is played all the same.
    """
    unreadable: list[str] = []
    outcomes = list(_play(files, unreadable, _find(bot)))
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


def _find(bot: str | None) -> Player | None:
    try:
        return find_player(bot) if bot else None
    except UnknownPlayer as unknown:
        typer.echo(str(unknown), err=True)
        raise typer.Exit(2) from None


def _play(files: Iterable[Path], unreadable: list[str], bot: Player | None) -> Iterator[Outcome]:
    """Play what can be read of the files, and tell the rest in ``unreadable``."""
    for file in files:
        try:
            cases = _read(file)
        except (CaseError, OSError) as broken:
            unreadable.append(_sentence(broken))
            continue
        for case in cases if bot is None else [case for case in cases if "best" in case.raw]:
            try:
                yield run_case(case) if bot is None else _ask(bot, case)
            except CaseError as broken:
                unreadable.append(str(broken))


def _ask(bot: Player, case: Case) -> Outcome:
    """Have a bot decide in the position, with what its seat may see."""
    hand, best = puzzle(case)
    action = bot.decide(hand.observe(hand.turn), 0, math.inf)
    wanted = " or ".join(f"'{move}'" for move in best)
    return Outcome(case, () if action in best else (f"expected {wanted} got '{action}'",))


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
