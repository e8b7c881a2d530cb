"""What a run showed: a table in Markdown, and a chart."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from gouji.arena.figures import Estimate
from gouji.arena.results import Pairing, Results


def table(results: Results) -> Iterator[str]:
    """Give a line a pairing, as Markdown."""
    yield "| rules | players | deals | share of deals | points a hand | places a hand | ms a decision | faults |"
    yield "| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |"
    for pairing in results.pairings:
        found, contest = pairing.figures, pairing.contest
        cells = (
            f"`{contest.rules}`",
            f"`{contest.a}` – `{contest.b}`",
            f"{found.deals:,}",
            _percent(found.share),
            _number(found.points),
            _number(found.places),
            " – ".join(f"{1000 * tally.seconds / max(tally.decisions, 1):.2f}" for tally in pairing.tallies),
            " – ".join(f"{tally.faults:,}" for tally in pairing.tallies),
        )
        yield f"| {' | '.join(cells)} |"


def _percent(share: Estimate) -> str:
    return f"{share.value:.1%} [{share.low:.1%}, {share.high:.1%}]"


def _number(figure: Estimate) -> str:
    return f"{figure.value:+.2f} [{figure.low:+.2f}, {figure.high:+.2f}]"


def draw(results: Results, path: Path) -> None:
    """Draw each pairing's share of deals with its interval, as PNG. Raises ImportError without matplotlib."""
    from matplotlib.figure import Figure  # noqa: PLC0415 - the arena plays without it, too

    figure = Figure(figsize=(9, 1.5 + 0.4 * len(results.pairings)), layout="constrained")
    axis = figure.subplots()
    shares = [pairing.figures.share for pairing in results.pairings]
    left, right = _errors(shares)
    rows = range(len(shares))
    axis.errorbar([share.value for share in shares], rows, xerr=(left, right), fmt="o", capsize=4)
    axis.axvline(0.5, color="0.5", linestyle=":")
    axis.set(xlim=(0, 1), xlabel="share of deals, 95 % interval", yticks=rows)
    axis.set_yticklabels([_name(pairing) for pairing in results.pairings])
    axis.invert_yaxis()
    figure.savefig(path, dpi=120)


def _name(pairing: Pairing) -> str:
    return f"{pairing.contest.a} – {pairing.contest.b}\n{pairing.contest.rules}"


def _errors(shares: Sequence[Estimate]) -> tuple[list[float], list[float]]:
    return [share.value - share.low for share in shares], [share.high - share.value for share in shares]
