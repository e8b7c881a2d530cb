"""Measure how soon the page shows something, and how large it is: ``python -m tests.web.paint``, after `make web`.

Each visit is a browser context of its own, without a cache, to a `gouji up` on this machine.
"""

import gzip
import shutil
import statistics
import tempfile
from pathlib import Path
from typing import Final

from playwright.sync_api import Browser, sync_playwright

from .conftest import FILES, running_door

VISITS: Final = 15

PAINTED: Final = """() => new Promise((done) => new PerformanceObserver((list) => {
  const [painted] = list.getEntriesByName("first-contentful-paint");
  if (painted) done(painted.startTime);
}).observe({ type: "paint", buffered: true }))"""
"""Milliseconds from the beginning of the navigation to the first text or picture."""

FETCHED: Final = """() => [...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")]
  .reduce((sum, entry) => sum + entry.transferSize, 0)"""
"""Bytes that came over the network, heads and all."""


def main() -> None:
    """Print the figures."""
    with tempfile.TemporaryDirectory() as folder, running_door(Path(folder)) as door, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        visits = [visit(browser, door) for _ in range(VISITS + 1)]
        browser.close()
    # The first visit starts the browser's own processes.
    times = [milliseconds for milliseconds, _ in visits[1:]]
    print(f"first contentful paint of {VISITS}: median {statistics.median(times):.0f} ms, ", end="")
    print(f"{min(times):.0f} to {max(times):.0f} ms; {visits[0][1] / 1000:.0f} KB came in")
    files = [file for file in FILES.parent.rglob("*") if file.is_file() and file.suffix != ".gz"]
    print(f"all of it, gzipped: {sum(len(gzip.compress(file.read_bytes())) for file in files) / 1000:.0f} KB")


def visit(browser: Browser, door: str) -> tuple[float, int]:
    """Come as somebody who was never here; gives milliseconds to the first paint, and bytes that came in."""
    context = browser.new_context(viewport={"width": 1280, "height": 800}, locale="en")
    page = context.new_page()
    page.goto(door)
    painted: float = page.evaluate(PAINTED)
    page.get_by_label("Your name").wait_for()
    fetched: int = page.evaluate(FETCHED)
    context.close()
    return painted, fetched


if __name__ == "__main__":
    main()
