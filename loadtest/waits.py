"""How long people waited and how even their matches were, by rating and by size of party: a table and a chart."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

SHARES = (50, 95, 99)
"""Percentiles that are shown."""


class Seat(NamedTuple):
    """One person: its rating, the size of its party, seconds waited, and how far its match was from even chances.

    ``imbalance`` is what the better team's chance is above one half; 0 for somebody who left.
    """

    rating: float
    party: int
    wait: float
    imbalance: float = 0.0


@dataclass
class Outcome:
    """What became of everybody: who was seated and who left first; how many tables have bots."""

    seated: list[Seat] = field(default_factory=list)
    left: list[Seat] = field(default_factory=list)
    tables: int = 0
    with_bots: int = 0

    def deciles(self) -> list[list[Seat]]:
        """Divide the seated by rating into ten parts."""
        ordered = sorted(self.seated)
        return [ordered[len(ordered) * part // 10 : len(ordered) * (part + 1) // 10] for part in range(10)]

    def parties(self) -> dict[int, list[Seat]]:
        """Divide the seated by the size of their parties."""
        return {size: [seat for seat in self.seated if seat.party == size] for size in sorted(self._sizes())}

    def slowest(self) -> float:
        """Say how many times the median wait the median of the slowest decile is."""
        return max(percentile(_waits(part), 50) for part in self.deciles()) / percentile(_waits(self.seated), 50)

    def _sizes(self) -> set[int]:
        return {seat.party for seat in self.seated}


def percentile(values: Sequence[float], share: int) -> float:
    """Give the value that so many percent do not exceed; of none, 0."""
    ordered = sorted(values)
    return ordered[min(len(ordered) * share // 100, len(ordered) - 1)] if ordered else 0.0


def report(outcome: Outcome) -> Iterator[str]:
    """Write an outcome as lines of text."""
    yield f"{outcome.tables} tables, {outcome.with_bots} with bots; {len(outcome.seated)} people seated"
    yield f"{len(outcome.left)} people left after {percentile(_waits(outcome.left), 50):.0f} s (median)"
    heads = "".join(f"{what} p{share}".rjust(12) for what in ("wait", "imbalance") for share in SHARES)
    yield f"{'':18}{'people':>8}{heads}"
    yield _line("all", outcome.seated)
    for part in outcome.deciles():
        yield _line(f"rating {part[0].rating:4.1f}..{part[-1].rating:4.1f}" if part else "", part)
    for size, part in outcome.parties().items():
        yield _line(f"party of {size}", part)
    yield f"slowest decile: {outcome.slowest():.2f} times the median wait"


def draw(path: Path, outcomes: Mapping[str, Outcome]) -> None:
    """Draw waits and imbalance by rating decile and by size of party, the outcomes beside each other, as PNG."""
    from matplotlib.figure import Figure  # noqa: PLC0415 - the simulator runs without it, too

    figure = Figure(figsize=(11, 8), layout="constrained")
    axes = figure.subplots(2, 2)
    for column, (title, parts) in enumerate((("rating decile", _by_decile), ("size of party", _by_party))):
        for row, (what, value) in enumerate((("wait, s", _waits), ("imbalance", _imbalances))):
            _plot(axes[row][column], outcomes, parts, value)
            axes[row][column].set(xlabel=title, ylabel=what)
    axes[0][0].legend()
    figure.savefig(path, dpi=120)


def _plot(
    axis: Any,
    outcomes: Mapping[str, Outcome],
    parts: Callable[[Outcome], dict[int, list[Seat]]],
    value: Callable[[Sequence[Seat]], list[float]],
) -> None:
    for number, (name, outcome) in enumerate(outcomes.items()):
        for share, style in zip(SHARES, ("-", "--", ":"), strict=True):
            points = {at: percentile(value(part), share) for at, part in parts(outcome).items()}
            label = f"{name} p{share}"
            axis.plot(list(points), list(points.values()), style, color=f"C{number}", marker="o", label=label)
    axis.set_ylim(bottom=0)


def _by_decile(outcome: Outcome) -> dict[int, list[Seat]]:
    return dict(enumerate(outcome.deciles(), start=1))


def _by_party(outcome: Outcome) -> dict[int, list[Seat]]:
    return outcome.parties()


def _waits(seats: Sequence[Seat]) -> list[float]:
    return [seat.wait for seat in seats]


def _imbalances(seats: Sequence[Seat]) -> list[float]:
    return [seat.imbalance for seat in seats]


def _line(name: str, seats: Sequence[Seat]) -> str:
    waits = "".join(f"{percentile(_waits(seats), share):10.1f} s" for share in SHARES)
    chances = "".join(f"{percentile(_imbalances(seats), share):12.3f}" for share in SHARES)
    return f"{name:18}{len(seats):8}{waits}{chances}"
