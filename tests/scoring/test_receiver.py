"""The receiver of docs/webhooks.md takes what scoring sends, and nothing else."""

import asyncio
import base64
import os
import re
import socket
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import aiohttp
import pytest
from pydantic import SecretStr

from gouji.scoring.deliveries import Deliveries
from gouji.scoring.service import bind
from gouji.serving.settings import Settings
from gouji.serving.testing import running_app

from .desk import Desk, last

PAGE = Path(__file__).resolve().parents[2] / "docs/webhooks.md"
SECRET = f"whsec_{base64.b64encode(b's' * 32).decode()}"


@pytest.fixture
async def receiver(tmp_path: Path) -> AsyncIterator[tuple[str, asyncio.StreamReader]]:
    """The page's program in a process of its own: where it listens, and what it prints."""
    found = re.search(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)
    assert found
    program = tmp_path / "receiver.py"
    program.write_text(found[1])
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    environment = {**os.environ, "WEBHOOK_SECRET": SECRET, "PORT": str(port)}
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(
        sys.executable, str(program), env=environment, stdout=pipe, stderr=asyncio.subprocess.DEVNULL
    )
    assert process.stdout
    yield f"http://127.0.0.1:{port}/", process.stdout
    process.kill()
    await process.wait()


async def test_it_prints_what_is_sent_to_it_and_refuses_what_is_forged(
    receiver: tuple[str, asyncio.StreamReader],
    sqlite_settings: Settings,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    url, printed = receiver
    monkeypatch.setattr("gouji.scoring.webhooks.POLL_SECONDS", 0.01)
    monkeypatch.setattr("gouji.scoring.webhooks.FIRST_PAUSE_SECONDS", 0)  # it may not listen yet
    own = {
        "webhook_endpoints": f"studio={url}",
        "webhook_secrets": SecretStr(f"studio={SECRET}"),
        "webhook_tries": 9999,
    }
    async with running_app(sqlite_settings.model_copy(update=own), {"scoring": bind}) as app:
        await Deliveries(app.database).spread("studio")
        await Desk.of(app).record(last())
        line = (await asyncio.wait_for(printed.readline(), 60)).decode()
        assert line.startswith("match_t1 match.finished {'table_id': 't1'")
    forged = {"webhook-id": "x", "webhook-timestamp": "1", "webhook-signature": "v1,AAAA"}
    async with aiohttp.ClientSession() as http, http.post(url, data=b"{}", headers=forged) as answer:
        assert answer.status == 401
