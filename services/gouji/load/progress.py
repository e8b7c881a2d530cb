"""How a run goes, for who watches: a table that is drawn anew each second, or a line every few seconds."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from rich.console import Console
from rich.live import Live
from rich.table import Table

from gouji.load.profile import Profile
from gouji.load.report import Moment
from gouji.load.run import Heard

_EVERY_SECONDS: Final = 10


@contextmanager
def shown(profile: Profile, console: Console) -> Iterator[Heard]:
    """Show each moment until the block ends."""
    course: list[Moment] = []
    if not console.is_terminal:

        def tell(moment: Moment) -> None:
            course.append(moment)
            if len(course) % _EVERY_SECONDS == 1:
                console.print(_line(course, profile), highlight=False, soft_wrap=True)

        yield tell
        return
    with Live(console=console, transient=True, refresh_per_second=2) as live:

        def draw(moment: Moment) -> None:
            course.append(moment)
            live.update(_table(course, profile))

        yield draw


def _rows(course: list[Moment], profile: Profile) -> dict[str, str]:
    last, before = course[-1], course[max(len(course) - 1 - _EVERY_SECONDS, 0)]
    seconds = max(last.at - before.at, 1.0)
    left = "warming up" if last.at < profile.warmup else "measuring"
    return {
        left: f"{last.at:.0f} s of {profile.length:.0f}",
        "players": str(last.players),
        "tables": str(last.tables),
        "commands a second": f"{(last.commands - before.commands) / seconds:.1f}",
        "events a second": f"{(last.events - before.events) / seconds:.0f}",
        "failed": str(last.failures),
        "tried again": str(last.absorbed),
        "wrong": str(last.violated),
    }


def _line(course: list[Moment], profile: Profile) -> str:
    return ", ".join(f"{name} {value}" for name, value in _rows(course, profile).items())


def _table(course: list[Moment], profile: Profile) -> Table:
    table = Table(show_header=False)
    for name, value in _rows(course, profile).items():
        table.add_row(name, value)
    return table
