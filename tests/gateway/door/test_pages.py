"""The web client's files over HTTP."""

import gzip
from collections.abc import AsyncIterator
from pathlib import Path

import aiohttp
import pytest
from aiohttp import web

from gouji.gateway.pages import pages


@pytest.fixture
async def browser(tmp_path: Path) -> AsyncIterator[aiohttp.ClientSession]:
    """A browser at pages of the test's own."""
    files = {"index.html": "<!doctype html>", "icon.svg": "<svg/>", "assets/app-1a2b.js": "play()"}
    for name, text in files.items():
        path = tmp_path / "dist" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    (tmp_path / "dist/assets/app-1a2b.js.gz").write_bytes(gzip.compress(b"play()"))
    (tmp_path / "secret").write_text("not for browsers")
    runner = web.AppRunner(pages(files=tmp_path / "dist"))
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    async with aiohttp.ClientSession(f"http://127.0.0.1:{runner.addresses[0][1]}") as session:
        yield session
    await runner.cleanup()


@pytest.mark.parametrize("path", ["/", "/table/t1", "/?code=ABC", "/no.html"])
async def test_the_client_finds_its_way_by_itself(browser: aiohttp.ClientSession, path: str) -> None:
    async with browser.get(path) as answer:
        assert (answer.status, await answer.text()) == (200, "<!doctype html>")
        assert answer.headers["Cache-Control"] == "no-cache"
        assert "default-src 'self'" in answer.headers["Content-Security-Policy"]
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        etag = answer.headers["ETag"]
    async with browser.get(path, headers={"If-None-Match": etag}) as answer:
        assert answer.status == 304


async def test_what_is_named_by_its_contents_is_kept_and_sent_packed(browser: aiohttp.ClientSession) -> None:
    async with browser.get("/assets/app-1a2b.js", headers={"Accept-Encoding": "gzip"}) as answer:
        assert answer.headers["Cache-Control"] == "public, max-age=31536000, immutable"
        assert answer.headers["Content-Encoding"] == "gzip"
        assert "javascript" in answer.headers["Content-Type"]
        assert await answer.text() == "play()"
    async with browser.get("/icon.svg") as answer:
        assert answer.headers["Cache-Control"] == "no-cache"


@pytest.mark.parametrize("path", ["/assets/gone.js", "/assets/../../secret", "/assets/%2e%2e/%2e%2e/secret"])
async def test_what_is_not_there_is_not_found(browser: aiohttp.ClientSession, path: str) -> None:
    async with browser.get(path) as answer:
        assert "not for browsers" not in await answer.text()
        assert "immutable" not in answer.headers["Cache-Control"]


async def test_without_the_client_it_says_so(tmp_path: Path) -> None:
    runner = web.AppRunner(pages(files=tmp_path / "none"))
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    async with aiohttp.ClientSession() as session, session.get(f"http://127.0.0.1:{runner.addresses[0][1]}/") as answer:
        assert (answer.status, await answer.text()) == (404, "The web client is not built here.")
    await runner.cleanup()
