"""`gouji metrics`: the page docs/metrics.md."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

import typer
from prometheus_client import CollectorRegistry
from prometheus_client.metrics import MetricWrapperBase

from gouji.bot.metrics import BotMetrics
from gouji.gateway.metrics import GatewayMetrics
from gouji.matchmaking.metrics import MatchmakingMetrics
from gouji.scoring.metrics import ScoringMetrics
from gouji.serving.metrics import Metrics
from gouji.table.metrics import TableMetrics
from gouji.tournament.metrics import TournamentMetrics

_HEAD = """\
# Metrics

Each process shows its own at `/metrics` of `GOUJI_METRICS_PORT`, in the text format of Prometheus or, if asked for it,
in OpenMetrics. There are `process_`, `python_` and, where the door runs, `envoy_` metrics beside these. A counter's
name ends in `_total` on the page, a histogram has `_bucket`, `_sum` and `_count`. While [traces](traces.md) are made,
histograms of times have exemplars in OpenMetrics: the id of a trace in which it took so long.

This page is what `gouji metrics` prints."""

LABELS: Final[Mapping[str, str]] = {
    "budget": "`returns` or `arrivals`",
    "cause": "a reason of [the API](api.md), a gRPC status in lower case, `missing` or `unknown`",
    "code": "a gRPC status",
    "endpoint": "a name of `GOUJI_WEBHOOK_ENDPOINTS`",
    "error": "a class of error in our code or its libraries",
    "kind": "as the metric says",
    "level": "a level of bots, or `unknown`",
    "method": "a method of one of our services",
    "outcome": "one of a few words, or a reason of [the API](api.md)",
    "plays": "`player`, `stand_in`, `bot` or `left`",
    "reason": "a reason of [the API](api.md), or a gRPC status in lower case",
    "service": "one of our services in full, such as `gouji.v1.TableService`",
    "state": "`delivered`, `pending` or `parked`",
    "task": "the name of a background task",
    "use": "as the metric says: `write`, `read` or `statement`; `inside` or `door`",
}
"""Every label there is, and what it can be: never an id, a name or a text that somebody outside chose."""

SECTIONS: Final[Mapping[str, Callable[[CollectorRegistry], object]]] = {
    "Gateway": GatewayMetrics,
    "Matchmaking": MatchmakingMetrics,
    "Table": TableMetrics,
    "Bot": BotMetrics,
    "Scoring": ScoringMetrics,
    "Tournaments, in the scoring process": TournamentMetrics,
}
"""What each service adds to the metrics of its process."""


def metrics() -> None:
    """Print all metrics as a Markdown page."""
    typer.echo("\n\n".join([_HEAD, *_sections(), _labels()]))


def _sections() -> Iterator[str]:
    yield _section("Every process", every_process())
    for title, add in SECTIONS.items():
        registry = CollectorRegistry()
        add(registry)
        yield _section(title, ours(registry))


def every_process() -> list[MetricWrapperBase]:
    """Give the metrics that every process has."""
    return ours(Metrics().registry)


def ours(registry: CollectorRegistry) -> list[MetricWrapperBase]:
    """Give the metrics of a registry that our code counts."""
    # The library has no public way to ask for what is registered.
    found: Any = registry._collector_to_names  # noqa: SLF001
    return [collector for collector in found if isinstance(collector, MetricWrapperBase)]


def described(metric: MetricWrapperBase) -> tuple[str, str, str, tuple[str, ...]]:
    """Give a metric's name, its type, what it means and its labels."""
    [family] = metric.describe()
    return family.name, family.type, family.documentation, tuple(metric._labelnames)  # noqa: SLF001 - the same


def _section(title: str, found: list[MetricWrapperBase]) -> str:
    rows = [f"## {title}", "", "| name | type | labels | meaning |", "| --- | --- | --- | --- |"]
    for name, kind, meaning, labels in map(described, found):
        shown = f"{name}_total" if kind == "counter" else name
        rows.append(f"| `{shown}` | {kind} | {', '.join(f'`{label}`' for label in labels) or '–'} | {meaning} |")
    return "\n".join(rows)


def _labels() -> str:
    rows = ["## Labels", "", "| label | can be |", "| --- | --- |"]
    return "\n".join([*rows, *(f"| `{name}` | {values} |" for name, values in LABELS.items())])
