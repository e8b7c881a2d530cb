"""`gouji arena BOT BOT...`: measure players against each other on duplicate deals."""

import math
import os
from pathlib import Path
from typing import Annotated

import typer

from gouji.arena.report import draw, table
from gouji.arena.results import OtherRun, Results, round_robin
from gouji.arena.run import play
from gouji.cli.rule_options import parse_rules
from gouji.engine import RuleSetError
from gouji.players import UnknownPlayer, find_player

MOST_DEALS = 1_000_000
MOST_HANDS = 1_000

RULES = "A preset, or a preset and options: qingdao,threes_last=false. Given again, all are played."
BUDGET = "Seconds that a player may think about a decision; without it as long as it likes, and games can be repeated."
OUT = "JSON file to keep the results in; what it holds already is not played again."


def arena(
    bots: Annotated[list[str], typer.Argument(help="Two or more; each plays each.")],
    *,
    deals: Annotated[int, typer.Option(min=1, max=MOST_DEALS, help="Deals a pair, each played twice.")] = 100,
    rules: Annotated[list[str] | None, typer.Option(help=RULES, show_default="standard")] = None,
    hands: Annotated[int, typer.Option(min=1, max=MOST_HANDS, help="Hands a game: with two, tribute is paid.")] = 1,
    seed: Annotated[str, typer.Option(help="Where all chance comes from.")] = "1",
    budget: Annotated[float, typer.Option(min=0, help=BUDGET, show_default="none")] = math.inf,
    jobs: Annotated[int, typer.Option(min=1, help="Processes.", show_default="all cores")] = os.cpu_count() or 1,
    out: Annotated[Path | None, typer.Option(help=OUT)] = None,
    chart: Annotated[Path | None, typer.Option(help="PNG file to draw the shares in.")] = None,
) -> None:
    """Play duplicate deals between bots and print what each pair shows, with 95 % intervals.

    Each deal is played twice, with the line-ups one seat further the second time. Ctrl-C ends it; with --out the same
    command goes on.
    """
    try:
        results = round_robin(
            _known(bots), [parse_rules([text]) for text in rules or ["standard"]], hands, seed, budget
        )
        if out and out.exists():
            results.load(out)
    except (UnknownPlayer, RuleSetError, OtherRun) as wrong:
        typer.echo(str(wrong.args[0]), err=True)
        raise typer.Exit(2) from None
    _play(results, deals, jobs, out)
    if chart:
        _draw(results, chart)


def _known(bots: list[str]) -> list[str]:
    """Check that there are such players. Raises `UnknownPlayer`."""
    if len(set(bots)) < 2 or len(set(bots)) != len(bots):
        raise UnknownPlayer("the arena takes two players or more, each once")
    for bot in bots:
        find_player(bot)
    return bots


def _play(results: Results, deals: int, jobs: int, out: Path | None) -> None:
    try:
        play(results, deals, jobs, out, _tell)
    except KeyboardInterrupt:
        typer.echo(err=True)
    for line in table(results):
        typer.echo(line)


def _tell(done: int, total: int) -> None:
    typer.echo(f"\r{done:,} of {total:,} deals", err=True, nl=done == total)


def _draw(results: Results, chart: Path) -> None:
    try:
        draw(results, chart)
    except ImportError:
        typer.echo("--chart needs matplotlib: pip install gouji[chart]", err=True)
        raise typer.Exit(1) from None
