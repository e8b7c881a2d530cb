"""A real `gouji up` with its door, and real browsers before it.

`make browser-short` runs those that are not ``long``; `make browser` all (`GOUJI_BROWSER=long`).
"""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import pytest
from playwright.sync_api import Browser, Page, Playwright, sync_playwright

from .table import Desk

READY: Final = re.compile(r"Gouji is ready at \S+, for browsers at (\S+)\. ")
LONG: Final = os.environ.get("GOUJI_BROWSER") == "long"
long = pytest.mark.skipif(not LONG, reason="takes minutes: `make browser`")
"""Marks what `make browser` runs beside the rest."""

FILES: Final = Path(__file__).parents[2] / "services/gouji/gateway/web/dist/index.html"
QUICK: Final = {
    # Private questions at a table with people keep no longer open than that, so that a hand takes seconds.
    "GOUJI_ANSWERS_LEAST_MS": "30",
    "GOUJI_ANSWERS_MOST_MS": "60",
    "GOUJI_CONTRIBUTIONS_MS": "1000",
    "GOUJI_BOT_PACE_MS": "0",
    "GOUJI_DIRECTOR_DELAY_SECONDS": "0",
    "GOUJI_METRICS_PORT": "-1",
    "GOUJI_LOG_LEVEL": "error",
    # All browsers of these tests have one address.
    "GOUJI_DOOR_ADDRESS_GUESTS_PER_MINUTE": "1000",
    "GOUJI_DOOR_ADDRESS_CALLS_PER_SECOND": "10000",
}
"""Settings that make a server quick enough for tests."""


@pytest.fixture(scope="session")
def playwright() -> Iterator[Playwright]:
    with sync_playwright() as started:
        yield started


@pytest.fixture(scope="session")
def chromium(playwright: Playwright) -> Iterator[Browser]:
    """Debian's Chromium; these tests are skipped where it or the built page is missing."""
    program = shutil.which("chromium")
    if program is None or not FILES.exists():
        pytest.skip("needs Chromium and the built page: `make web`")
    browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
    yield browser
    browser.close()


@pytest.fixture(scope="session")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the server has its database and keys."""
    return tmp_path_factory.mktemp("up")


@contextmanager
def running_door(directory: Path) -> Iterator[str]:
    """A `gouji up` that has its database and keys in a directory; gives the address of its door."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GOUJI_")}
    own = {"GOUJI_DOOR_PORT": "0", "GOUJI_PORT": "0", "GOUJI_DATA_DIRECTORY": str(directory)}
    environment = {**kept, **QUICK, **own, "PYTHONUNBUFFERED": "1"}
    program = Path(sys.executable).with_name("gouji")
    with subprocess.Popen([program, "up"], env=environment, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout
            ready = READY.search(process.stdout.readline())
            assert ready
            yield ready[1]
        finally:
            process.terminate()


@pytest.fixture(scope="session")
def door(directory: Path) -> Iterator[str]:
    """The address of a server that runs for all of these tests."""
    with running_door(directory) as address:
        yield address


@pytest.fixture
def desk(chromium: Browser, door: str) -> Iterator[Callable[..., Desk]]:
    """Open pages, each in a browser of its own; a fault in any page fails the test."""
    opened: list[Desk] = []

    def open_desk(name: str, width: int = 1280, height: int = 800, language: str = "en", address: str = door) -> Desk:
        touch = min(width, height) < 500
        context = chromium.new_context(
            viewport={"width": width, "height": height}, locale=language, has_touch=touch, reduced_motion="reduce"
        )
        context.set_default_timeout(20_000)
        made = Desk(context.new_page(), address, name)
        opened.append(made)
        return made

    yield open_desk
    for each in opened:
        each.page.context.close()
    assert [fault for each in opened for fault in each.faults] == []


@pytest.fixture
def page(desk: Callable[..., Desk]) -> Page:
    """A page of somebody who has come in."""
    made = desk("Ann")
    made.enter()
    return made.page
