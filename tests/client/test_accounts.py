"""The SDK's accounts against a gateway."""

import json
from collections.abc import AsyncIterator

import pytest

from gouji.client import Accounts, ClientError, Session, draw_nonce
from gouji.gateway.identity import nonce_of
from gouji.gateway.service import bind
from gouji.serving.settings import Settings
from gouji.serving.testing import running_app


@pytest.fixture
async def session(sqlite_settings: Settings) -> AsyncIterator[Session]:
    async with running_app(sqlite_settings, {"gateway": bind}) as app, await Session.open(app.address, "Lin") as opened:
        yield opened


async def test_a_player_changes_its_name_is_exported_and_deleted(session: Session) -> None:
    accounts = Accounts(session)
    before = await accounts.read()
    after = await accounts.update(name="Lin Wei", colour=0x102030)
    assert session.credentials
    assert (after.player_id, after.name, after.colour) == (before.player_id, "Lin Wei", 0x102030)
    assert session.credentials.name == "Lin Wei"
    assert (await accounts.profiles([before.player_id, "nobody"])).keys() == {before.player_id}
    assert json.loads(await accounts.export())["players"][0]["name"] == "Lin Wei"
    assert (await accounts.unbind()).issuer == ""
    assert (await accounts.delete()).requested_by == "player"
    assert session.credentials is None


async def test_an_identity_of_nobody_we_know_is_refused(session: Session) -> None:
    accounts = Accounts(session)
    raw, nonce = draw_nonce()
    assert nonce == nonce_of(raw)
    for call in (accounts.bind("a.b.c", raw), accounts.sign_in("a.b.c", raw)):
        with pytest.raises(ClientError) as refused:
            await call
        assert refused.value.reason == "identity_invalid"
