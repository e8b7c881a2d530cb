"""What a kubelet asks: over HTTP, of real processes."""

import asyncio
import threading
import time
import urllib.error
import urllib.request
from pathlib import Path

import pytest

from gouji.serving import probes
from gouji.serving.app import App, Bind
from gouji.serving.metrics import Metrics
from gouji.serving.probes import Probes
from gouji.serving.settings import Settings
from gouji.serving.testing import running_app
from gouji.table.service import bind as bind_table


async def ask(port: int | None, path: str) -> tuple[int, str]:
    def read() -> tuple[int, str]:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=30) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()

    return await asyncio.to_thread(read)


async def test_a_process_that_runs_lives_and_is_ready(sqlite_settings: Settings, bind_tiny: Bind) -> None:
    on = sqlite_settings.model_copy(update={"metrics_port": 0})
    async with running_app(on, {"tiny": bind_tiny}) as app:
        assert await ask(app.metrics.port, "/livez") == (200, "ok\n")
        assert await ask(app.metrics.port, "/readyz") == (200, "ok\n")
        assert "gouji_loop_lag_seconds" in (await ask(app.metrics.port, "/metrics"))[1]


async def test_until_its_start_is_done_it_is_neither(sqlite_settings: Settings) -> None:
    app = App(sqlite_settings.model_copy(update={"port": 0, "metrics_port": 0}))
    seen: list[tuple[int, str]] = []

    async def look() -> None:
        seen.extend([await ask(app.metrics.port, path) for path in ("/livez", "/readyz")])

    app.on_start(look)
    await app.start(migrate=True)
    await app.stop(grace=0)
    assert seen == [(503, "not: started\n")] * 2


async def test_one_that_stops_lives_and_is_not_ready(sqlite_settings: Settings) -> None:
    app = App(sqlite_settings.model_copy(update={"port": 0, "metrics_port": 0}))
    seen: list[tuple[int, str]] = []

    async def look() -> None:
        seen.extend([await ask(app.metrics.port, path) for path in ("/livez", "/readyz")])

    app.on_stop(look)
    await app.start(migrate=True)
    await app.stop(grace=0)
    assert seen == [(200, "ok\n"), (503, "not: staying\n")]


async def test_a_table_server_without_its_lease_is_not_ready(sqlite_settings: Settings) -> None:
    on = sqlite_settings.model_copy(update={"metrics_port": 0})
    async with running_app(on, {"table": bind_table}) as app:
        assert await ask(app.metrics.port, "/readyz") == (200, "ok\n")
        app.clock.monotonic = lambda: time.monotonic() + 2 * on.lease_seconds  # type: ignore[method-assign]
        assert await ask(app.metrics.port, "/readyz") == (503, "not: registered\n")


def test_an_event_loop_that_is_stuck_is_not_alive(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(probes, "STUCK_SECONDS", 0.05)
    asked, answers = Probes(), []

    async def be_stuck() -> None:
        asked.started()
        asking = threading.Thread(target=lambda: answers.append(asked.alive()))
        asking.start()
        asking.join()  # nothing turns meanwhile

    asyncio.run(be_stuck())
    assert answers == [["event loop turns"]]
    assert asked.alive() == ["running"]


async def test_the_page_is_there_at_an_address_of_ipv6(has_ipv6: bool) -> None:
    if not has_ipv6:
        pytest.skip("this machine has no IPv6")
    metrics, asked = Metrics(), Probes()
    metrics.serve("::", 0, asked)
    asked.started()
    try:
        assert await ask(metrics.port, "/livez") == (200, "ok\n")
    finally:
        await asyncio.to_thread(metrics.close)


@pytest.fixture
def has_ipv6() -> bool:
    return Path("/proc/net/if_inet6").exists() and bool(Path("/proc/net/if_inet6").read_text())
