"""`gouji webhooks` and `gouji players` against a server in this process."""

import asyncio
import base64
import os
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from pydantic import SecretStr

from gouji.gateway.service import bind as bind_gateway
from gouji.scoring.deliveries import Deliveries
from gouji.scoring.feed import Feed
from gouji.scoring.service import bind as bind_scoring
from gouji.serving.app import App
from gouji.serving.schema import players, webhook_deliveries
from gouji.serving.settings import Settings
from gouji.serving.testing import running_app

SECRET = f"whsec_{base64.b64encode(b's' * 32).decode()}"


@pytest.fixture
async def app(sqlite_settings: Settings) -> AsyncIterator[App]:
    """Scoring with an endpoint that is not there, and a gateway."""
    endpoint = {"webhook_endpoints": "studio=http://127.0.0.1:1/hook?key=x", "webhook_tries": 1}
    settings = sqlite_settings.model_copy(update=endpoint | {"webhook_secrets": SecretStr(f"studio={SECRET}")})
    async with running_app(settings, {"scoring": bind_scoring, "gateway": bind_gateway}) as running:
        yield running


async def gouji(app: App, *arguments: str) -> tuple[int | None, str, str]:
    """Run the command to its end."""
    assert app.settings.service_key
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GOUJI_")}
    own = {
        "GOUJI_DATA_DIRECTORY": str(app.settings.data_directory),
        "GOUJI_SERVICE_KEY": app.settings.service_key.get_secret_value(),
        "GOUJI_SCORING_ADDRESS": app.address,
        "GOUJI_GATEWAY_ADDRESS": app.address,
    }
    program, pipe = Path(sys.executable).with_name("gouji"), asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(program, *arguments, env=kept | own, stdout=pipe, stderr=pipe)
    out, err = await process.communicate()
    return process.returncode, out.decode(), err.decode()


async def test_an_operator_sees_what_is_parked_and_has_it_sent_again(app: App) -> None:
    await Deliveries(app.database).spread("studio")
    await Feed(app.database).tell_deletion("ann")
    await Feed(app.database).number()
    async with app.database.begin() as connection:
        row = {"endpoint": "studio", "sequence": 1, "state": "parked", "tries": 1, "due_at": 0, "outcome": "503"}
        await connection.execute(app.database.insert(webhook_deliveries).values(row).on_conflict_do_nothing())
    code, out, _ = await gouji(app, "webhooks", "list", "--state", "")
    assert code == 0
    assert out.startswith("studio  http://127.0.0.1:1/hook  event ")
    assert "  studio  1  deleted_ann  " in out
    assert (await gouji(app, "webhooks", "retry", "studio"))[1].endswith("to studio are tried again\n")
    code, _, err = await gouji(app, "webhooks", "retry", "club")
    assert (code, err) == (1, "malformed: endpoint: is none of the settings\n")


async def test_an_operator_deletes_a_player_and_sees_that_it_is_kept(app: App) -> None:
    async with app.database.begin() as connection:
        await connection.execute(players.insert().values(player_id="ann", name="Ann", created_at=0))
    code, out, _ = await gouji(app, "players", "delete", "ann", "--reason", "ticket 42", "--name", "Olga")
    assert (code, out.startswith("ann is deleted")) == (0, True)
    assert "by operator Olga  not done yet  ticket 42" in (await gouji(app, "players", "deletions", "--open"))[1]
    assert "unknown_player" in (await gouji(app, "players", "delete", "eve", "--reason", "x", "--name", "Olga"))[2]
