"""The charts of a report, as PNG. Importing this module needs matplotlib."""

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

from matplotlib.figure import Figure

from gouji.load.report import Outcome

_DPI: Final = 110
_MIB: Final = 2**20

CHARTS: Final = ("latency.png", "course.png", "servers.png")
"""What `draw` writes; the last only where servers were looked at."""


def draw(outcome: Outcome, folder: Path) -> list[str]:
    """Draw all charts into a folder; returns their names."""
    drawn = [_latency, _course, *([_servers] if outcome.servers else [])]
    for name, chart in zip(CHARTS, drawn, strict=False):
        chart(outcome).savefig(folder / name, dpi=_DPI)
    return list(CHARTS[: len(drawn)])


def _latency(outcome: Outcome) -> Figure:
    """Draw the corrected percentiles of each kind, on a logarithmic scale, with the budgets."""
    times = outcome.notes.latencies
    kinds = times.kinds()
    figure = Figure(figsize=(9, 1.5 + 0.4 * len(kinds)), layout="constrained")
    axis = figure.subplots()
    for place, share in enumerate(("p50", "p95", "p99")):
        values = [max(getattr(times.corrected(kind), share), 0.001) for kind in kinds]
        axis.barh([row + 0.27 * (place - 1) for row in range(len(kinds))], values, height=0.25, label=share)
    for budget in outcome.profile.budgets.latencies:
        if budget.kind in kinds:
            axis.plot([budget.milliseconds], [kinds.index(budget.kind)], "k|", markersize=18)
    axis.set(xscale="log", xlabel="milliseconds, corrected; a bar across is a budget")
    axis.set_yticks(range(len(kinds)), kinds)
    axis.invert_yaxis()
    axis.legend()
    return figure


def _course(outcome: Outcome) -> Figure:
    """Draw commands a second, tables, and what failed or was tried again, over time."""
    figure = Figure(figsize=(9, 7), layout="constrained")
    rows = figure.subplots(3, 1, sharex=True)
    course = outcome.course
    at = [moment.at for moment in course]
    for name in ("commands", "events"):
        rows[0].plot(at[1:], _rates(course, lambda moment, name=name: float(getattr(moment, name))), label=name)
    rows[0].set(ylabel="a second")
    for name in ("players", "tables"):
        rows[1].plot(at, [getattr(moment, name) for moment in course], label=name)
    for name, label in (("failures", "failed"), ("absorbed", "tried again by the SDK"), ("violated", "wrong")):
        rows[2].plot(at, [getattr(moment, name) for moment in course], label=label)
    rows[2].set(xlabel="seconds", ylabel="so far")
    for axis in rows:
        _mark(axis, outcome)
        axis.legend(loc="upper left")
    return figure


def _servers(outcome: Outcome) -> Figure:
    """Draw each server's share of a core, and its memory."""
    figure = Figure(figsize=(9, 7), layout="constrained")
    rows = figure.subplots(2, 1, sharex=True)
    for name, samples in outcome.servers.items():
        steps = list(pairwise(samples))
        shares = [100 * later.cpu_seconds / max(later.at - sooner.at, 0.1) for sooner, later in steps]
        rows[0].plot([later.at for _, later in steps], shares, label=name)
        rows[1].plot([sample.at for sample in samples], [sample.memory_bytes / _MIB for sample in samples], label=name)
    rows[0].set(ylabel="% of a core")
    rows[1].set(ylabel="MiB", xlabel="seconds")
    rows[0].legend(loc="upper left", fontsize="small")
    for axis in rows:
        _mark(axis, outcome)
    return figure


def _mark(axis: Any, outcome: Outcome) -> None:
    """Mark where the measured time begins, and the faults."""
    axis.axvline(outcome.profile.warmup, color="0.8")
    for thrown in outcome.thrown:
        axis.axvspan(thrown.at, thrown.at + max(thrown.seconds, 0.2), color="tab:red", alpha=0.15)


def _rates(course: Any, value: Callable[..., float]) -> list[float]:
    pairs = pairwise(course)
    return [(value(later) - value(sooner)) / max(later.at - sooner.at, 0.1) for sooner, later in pairs]
