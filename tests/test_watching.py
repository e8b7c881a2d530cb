"""Dashboards, alerts and runbooks: they name only what there is."""

import json
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import promql_parser as promql
import pytest
import typer
import yaml
from google.protobuf import descriptor_pool
from prometheus_client import CollectorRegistry

from gouji.cli.main import COMMANDS
from gouji.cli.main import app as command
from gouji.cli.metrics import SECTIONS, described, every_process, ours
from gouji.cli.options import options
from gouji.v1 import gateway_pb2, table_pb2

ROOT = Path(__file__).resolve().parent.parent
FILES = ROOT / "deploy/helm/gouji/files"
BOARDS = {path.stem: json.loads(path.read_text()) for path in sorted((FILES / "dashboards").glob("*.json"))}
RULES = [rule for group in yaml.safe_load((FILES / "alerts.yaml").read_text())["groups"] for rule in group["rules"]]
BOOKS = {path.stem: path.read_text() for path in sorted((ROOT / "docs/runbooks").glob("*.md"))}

OF_THE_TARGET = {"instance", "job", "namespace", "pod"}
"""Labels that Prometheus gives to whatever it scrapes."""

OF_THE_LIBRARY = {
    "process_cpu_seconds_total": set[str](),
    "process_resident_memory_bytes": set[str](),
}
"""Metrics of a process that are not counted by our code."""


def series() -> dict[str, set[str]]:
    """Every name that can be asked for, and the labels that it has."""
    known = dict(OF_THE_LIBRARY)
    registries = [CollectorRegistry() for _ in SECTIONS]
    for add, registry in zip(SECTIONS.values(), registries, strict=True):
        add(registry)
    for metric in [*every_process(), *(metric for registry in registries for metric in ours(registry))]:
        name, kind, _, labels = described(metric)
        endings = {"counter": ("_total",), "histogram": ("_sum", "_count")}.get(kind, ("",))
        known |= {name + ending: set(labels) for ending in endings}
        if kind == "histogram":
            known[f"{name}_bucket"] = {*labels, "le"}
    return known


SERIES = series()
ASKED_FOR = (gateway_pb2, table_pb2)
"""Modules whose services are asked for: the pool knows what was imported."""


class Asked(NamedTuple):
    """A question in PromQL: where it stands, and the texts beside it that name labels."""

    where: str
    text: str
    texts: tuple[str, ...]


def questions() -> Iterator[Asked]:
    for name, board in BOARDS.items():
        for panel in board["panels"]:
            for target in panel["targets"]:
                labels = re.findall(r"{{(\w+)}}", target["legendFormat"])
                asked = target["expr"].replace("$__rate_interval", "5m")
                yield Asked(f"{name}: {panel['title']}", asked, tuple(labels))
    for rule in RULES:
        labels = re.findall(r"\$labels\.(\w+)", rule["annotations"]["summary"])
        yield Asked(rule["alert"], rule["expr"], tuple(labels))


ASKED = list(questions())


def nodes(expression: Any) -> list[Any]:
    found: list[Any] = []
    promql.walk(expression, found.append)
    return found


def selectors(expression: Any) -> list[Any]:
    return [node for node in nodes(expression) if isinstance(node, promql.VectorSelector)]


@pytest.mark.parametrize("asked", ASKED, ids=lambda asked: asked.where)
def test_what_is_asked_can_be_parsed_and_names_metrics_and_labels_that_there_are(asked: Asked) -> None:
    whole = promql.parse(asked.text)
    assert selectors(whole)
    for selector in selectors(whole):
        assert selector.name in SERIES
        matched = {matcher.name for matcher in selector.matchers.matchers}
        assert matched <= SERIES[selector.name] | OF_THE_TARGET
    grouped: set[str] = set()
    for node in nodes(whole):
        if isinstance(node, promql.AggregateExpr) and node.modifier is not None:
            grouped |= set(node.modifier.labels)
            for selector in selectors(node.expr):
                assert set(node.modifier.labels) <= SERIES[selector.name] | OF_THE_TARGET
    assert set(asked.texts) <= grouped


@pytest.mark.parametrize("asked", ASKED, ids=lambda asked: asked.where)
def test_services_and_methods_that_are_asked_for_exist(asked: Asked) -> None:
    for selector in selectors(promql.parse(asked.text)):
        equal = {m.name: m.value for m in selector.matchers.matchers if m.op == promql.MatchOp.Equal}
        if "service" in equal:
            service = descriptor_pool.Default().FindServiceByName(equal["service"])
            assert equal.get("method", service.methods[0].name) in service.methods_by_name


@pytest.mark.parametrize("wrong", ["sum(gouji_rpcs", "sum by (player) (gouji_rpcs_total)", "gouji_no_such_metric"])
def test_what_is_wrong_is_found(wrong: str) -> None:
    with pytest.raises((AssertionError, ValueError)):
        test_what_is_asked_can_be_parsed_and_names_metrics_and_labels_that_there_are(Asked("", wrong, ()))


def test_all_metrics_of_ours_are_on_a_dashboard() -> None:
    shown = {selector.name for asked in ASKED for selector in selectors(promql.parse(asked.text))}
    stems = {re.sub(r"_(total|bucket|sum|count)$", "", name) for name in shown}
    assert {re.sub(r"_(total|bucket|sum|count)$", "", name) for name in SERIES} - stems == set()


@pytest.mark.parametrize("board", BOARDS.values(), ids=BOARDS)
def test_a_dashboard_has_a_name_of_its_own_and_asks_the_source_that_is_chosen(board: Any) -> None:
    assert board["uid"] == f"gouji-{next(name for name, one in BOARDS.items() if one is board)}"
    assert [variable["name"] for variable in board["templating"]["list"]] == ["datasource"]
    ids = [panel["id"] for panel in board["panels"]]
    assert len(set(ids)) == len(ids)
    for panel in board["panels"]:
        assert {target["datasource"]["uid"] for target in panel["targets"]} == {"${datasource}"}
        assert panel["gridPos"]["x"] + panel["gridPos"]["w"] <= 24


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule["alert"])
def test_an_alert_says_whom_it_is_for_and_has_a_runbook(rule: Any) -> None:
    assert rule["labels"] in ({"severity": "page"}, {"severity": "ticket"})
    assert rule["annotations"]["summary"].endswith(".")
    shown = re.findall(r"{{ (.+?) }}", rule["annotations"]["summary"])
    assert all(re.fullmatch(r"\$labels\.\w+|\$value \| humanize(Duration|Percentage)?", text) for text in shown)
    assert re.fullmatch(r"\d+[mh]", rule.get("for", "0m"))
    book = ROOT / rule["annotations"]["runbook_url"]
    assert book.stem == rule["alert"]
    headings = re.findall(r"^#+ (.+)$", book.read_text(), re.MULTILINE)
    assert headings == [rule["alert"], "How to see it", "What to do"]


def test_every_runbook_is_of_an_alert_and_stands_in_the_list() -> None:
    names = [rule["alert"] for rule in RULES]
    assert len(set(names)) == len(names)
    assert BOOKS.keys() == {"README", *names}
    listed = re.findall(r"^\| \[(\w+)\]\(\1\.md\) \| (\w+) \|", BOOKS["README"], re.MULTILINE)
    assert listed == [(rule["alert"], rule["labels"]["severity"]) for rule in RULES]


def commands_in(text: str) -> list[list[str]]:
    return [shlex.split(line) for line in re.findall(r"`(gouji [^`>]+)", text)]


@pytest.mark.parametrize("words", [words for text in BOOKS.values() for words in commands_in(text)], ids=" ".join)
def test_commands_in_runbooks_can_be_typed(words: list[str]) -> None:
    assert words[1] in COMMANDS
    found: Any = typer.main.get_command(command).get_command(typer.Context(typer.main.get_command(command)), words[1])
    if len(words) > 2 and hasattr(found, "commands"):
        assert words[2] in found.commands
        found = found.commands[words[2]]
    flags = {flag for parameter in found.params for flag in parameter.opts}
    assert {word for word in words if word.startswith("--")} <= flags


@pytest.mark.parametrize("name", BOOKS)
def test_settings_and_dashboards_in_runbooks_exist(name: str) -> None:
    variables = {option.variable for option in options()}
    assert set(re.findall(r"`(GOUJI_\w+)", BOOKS[name])) <= variables
    titles = {board["title"].removeprefix("Gouji: ").capitalize() for board in BOARDS.values()}
    shown = {title.capitalize() for title in re.findall(r"(?<!\*)\*([A-Z][\w ]+)\*(?!\*)", BOOKS[name])}
    assert shown <= titles | {title.split(" and ")[0] for title in titles}
    metrics = set(re.findall(r"`(gouji_\w+)`", BOOKS[name]))
    assert metrics <= SERIES.keys()
