"""The table's server is killed while somebody plays: the page follows the table to another."""

import asyncio
import signal
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import asyncpg
import pytest
from fleet import Fleet
from playwright.sync_api import expect

from gouji.fleet.postgres import fresh_database
from gouji.fleet.process import free_port
from gouji.serving.database import Database

from .conftest import QUICK, long
from .table import Desk

pytestmark = [pytest.mark.browser, long]

POSTGRESQL = "postgresql://postgres@127.0.0.1:5432/postgres"


OWNER = "SELECT s.address FROM tables t JOIN table_servers s ON s.server_id = t.owner WHERE t.table_id = $1"


class Scene:
    """Three table servers, and a hub with the door, on a database of their own.

    Coroutines run in a thread of their own, since the browser's run in this one.
    """

    def __init__(self, folder: Path) -> None:
        self._thread = ThreadPoolExecutor(1)
        self._runner = asyncio.Runner()
        self._place = fresh_database(POSTGRESQL)
        self._url = self._run(self._place.__aenter__())
        self._port = free_port()
        # The fleet waits for a line of its log.
        door = {"GOUJI_LOG_LEVEL": "info", "GOUJI_DOOR_PORT": str(self._port), "GOUJI_WEB_PORT": "0"}
        self._fleet = Fleet(self._url, folder, {**QUICK, **door})

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self._port}"

    def start(self) -> None:
        self._run(self._migrate())
        self._run(self._fleet.start())

    def kill_the_server_of(self, table_id: str) -> None:
        owner = self._run(self._owner(table_id))
        [server] = [server for server in self._fleet.servers if server.address == owner]
        server.send(signal.SIGKILL)

    def close(self) -> None:
        self._fleet.close()
        self._run(self._place.__aexit__(None, None, None))
        self._thread.submit(self._runner.close).result()
        self._thread.shutdown()

    def _run(self, wanted: Coroutine[Any, Any, Any]) -> Any:
        return self._thread.submit(self._runner.run, wanted).result()

    async def _migrate(self) -> None:
        database = Database(self._url)
        await database.upgrade()
        await database.close()

    async def _owner(self, table_id: str) -> str:
        connection = await asyncpg.connect(self._url)
        try:
            return str(await connection.fetchval(OWNER, table_id))
        finally:
            await connection.close()


@pytest.fixture
def scene(tmp_path: Path) -> Iterator[Scene]:
    with closing(Scene(tmp_path)) as made:
        made.start()
        yield made


def test_a_page_follows_its_table_when_the_server_is_killed(desk: Callable[..., Desk], scene: Scene) -> None:
    ann = desk("Ann", address=scene.address)
    ann.enter()
    ann.quick_game()
    ann.move()
    turn = ann.wait()
    scene.kill_the_server_of(ann.table_id)
    ann.page.locator("[data-panel=log]").click()
    expect(ann.page.get_by_text("The table goes on")).to_be_visible(timeout=30_000)
    expect(ann.page.locator("main.table")).to_have_attribute("data-link", "live")
    ann.move()
    assert ann.wait() != turn
