"""Reports on disk: JSON, a page, and charts, in one folder a run."""

from pathlib import Path
from typing import Final

import jinja2

from gouji.load.report import Outcome

JSON: Final = "report.json"
PAGE: Final = "report.html"


def write(outcome: Outcome, folder: Path) -> list[str]:
    """Write a report into a folder, which is made; returns the names of its files. Without matplotlib no charts."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / JSON).write_text(outcome.json(), encoding="utf-8")
    charts = _draw(outcome, folder)
    (folder / PAGE).write_text(page(outcome, charts), encoding="utf-8")
    return [JSON, PAGE, *charts]


def page(outcome: Outcome, charts: list[str]) -> str:
    """Make the page, with charts that lie beside it."""
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("gouji.load", ""), undefined=jinja2.StrictUndefined, autoescape=True
    )
    return environment.get_template("report.html.j2").render(told=outcome.told(), charts=charts)


def _draw(outcome: Outcome, folder: Path) -> list[str]:
    try:
        from gouji.load.charts import draw  # noqa: PLC0415 - a report is worth having without charts, too
    except ImportError:
        return []
    return draw(outcome, folder)
