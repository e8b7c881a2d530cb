"""`gouji load PROFILE`: people play at their own pace, and the servers are measured and disturbed meanwhile."""

import asyncio
import signal
from contextlib import AsyncExitStack
from datetime import datetime
from pathlib import Path
from typing import Annotated

import typer
from pydantic import ValidationError
from rich.console import Console
from rich.table import Table

from gouji.cli.cluster import Folder, folder_of, plan_for
from gouji.cli.options import run_process, with_settings
from gouji.fleet.control import Control
from gouji.fleet.fleet import Plan, running
from gouji.load.profile import Profile, ProfileError, names, read_profile
from gouji.serving.app import StartError
from gouji.serving.settings import Settings

try:
    from gouji.load.progress import shown
    from gouji.load.report import Outcome
    from gouji.load.run import Run
    from gouji.load.writing import write
except ImportError:
    typer.echo("gouji load needs more: pip install gouji[load]", err=True)
    raise SystemExit(1) from None

ADDRESS = "Where to play, as `http://127.0.0.1:8080`: servers are not looked at, and no faults are thrown."
RUNNING = "Play at the cluster that runs in --folder, instead of starting one."
OUT = "Folder for the report; else one named for profile and time."
SECONDS = "Measure for so long, instead of what the profile says."


@with_settings
def load(
    settings: Settings,
    profile: Annotated[str, typer.Argument(help="A file, or one of those that `gouji load list` lists.")],
    *,
    address: Annotated[str | None, typer.Option(help=ADDRESS)] = None,
    running_cluster: Annotated[bool, typer.Option("--running", help=RUNNING)] = False,
    folder: Folder = None,
    out: Annotated[Path | None, typer.Option(help=OUT)] = None,
    seconds: Annotated[float | None, typer.Option(min=1, help=SECONDS)] = None,
) -> None:
    """Have people play by a profile, and report how it was for them and for the servers.

    Starts a cluster as the profile asks for, unless told where to play. Exits with 1 when a server showed what it must
    not, when a budget was missed, and when the clients lagged. Ctrl-C ends the run, with a report of what there was.
    """
    if profile == "list":
        _list()
        return
    try:
        chosen = read_profile(profile)
    except ProfileError as error:
        typer.echo(str(error), err=True)
        raise typer.Exit(2) from None
    if seconds is not None:
        faults = tuple(fault for fault in chosen.faults if fault.at < chosen.warmup + seconds)
        chosen = chosen.model_copy(update={"seconds": seconds, "faults": faults})
    if address and (chosen.faults or running_cluster):
        raise typer.BadParameter("--address names servers that no fault can be thrown at: leave it out")
    name = Path(profile).stem
    outcomes: list[Outcome] = []

    async def once() -> None:
        async with AsyncExitStack() as stack:
            if address:
                outcomes.append(await _play(name, chosen, address, None))
                return
            where = folder_of(settings, folder)
            if not running_cluster:
                await stack.enter_async_context(running(_plan(settings, chosen, where), _say))
            control = Control(where)
            told = (await control.ask())["fleet"]
            outcomes.append(await _play(name, chosen, told["door"] or told["gateway"], control))

    run_process(once())
    _tell(outcomes[0], out or Path(f"load-{name}-{datetime.now():%Y%m%d-%H%M%S}"))


def _list() -> None:
    for name in names():
        typer.echo(f"{name}: {read_profile(name).about}")


def _plan(settings: Settings, profile: Profile, folder: Path) -> Plan:
    """Plan the cluster that a profile asks for; what is set by the person wins."""
    asked = {name: str(value) for name, value in profile.cluster.settings.items()}
    try:
        both = Settings.model_validate({**asked, **settings.model_dump(exclude_unset=True)})
    except ValidationError as error:
        wrong = error.errors()[0]
        raise StartError(f"cluster.settings.{'.'.join(map(str, wrong['loc']))}: {wrong['msg']}") from None
    return plan_for(both, dict(profile.cluster.processes), folder)


async def _play(name: str, profile: Profile, address: str, control: Control | None) -> Outcome:
    """Play at an address, to the end or until a signal comes."""
    with shown(profile, Console(stderr=True)) as heard:
        run = Run(name, profile, address, control, heard)
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, run.stop)
        return await run.play()


def _say(sentence: str) -> None:
    typer.echo(sentence, err=True)


def _tell(outcome: Outcome, folder: Path) -> None:
    """Print what came of it, write the report, and end with 1 when something was wrong."""
    files = write(outcome, folder)
    times = outcome.notes.latencies
    table = Table("milliseconds", "times", "p50", "p95", "p99", "longest")
    for kind in times.kinds():
        one = times.corrected(kind)
        figures = (f"{value:.1f}" for value in (one.p50, one.p95, one.p99, one.most))
        table.add_row(kind, str(times.seen(kind).count), *figures)
    console = Console()
    console.print(table)
    notes = outcome.notes
    typer.echo(
        f"{notes.commands} commands in {outcome.seconds:.0f} s at {outcome.tables:.1f} tables; "
        f"failed {dict(notes.failures) or 'none'}, tried again {dict(notes.absorbed) or 'none'}"
    )
    for sentence in (*outcome.wrong(), *outcome.void()):
        typer.echo(sentence, err=True)
    typer.echo(f"The report is in {folder}: {', '.join(files)}")
    if outcome.wrong() or outcome.void():
        raise typer.Exit(1)
