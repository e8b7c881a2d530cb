import stat
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path

import grpc
import pytest

from gouji.client import ClientError, Credentials, CredentialsFile, Patience, Session
from gouji.gateway.service import bind
from gouji.serving.app import App
from gouji.serving.settings import Settings
from gouji.serving.testing import ManualClock, running_app

QUICK = Patience(first=0.01, most=0.05, total=0.5, attempt=2, silence=2)


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(datetime.now(UTC))


@pytest.fixture
async def app(sqlite_settings: Settings, clock: ManualClock) -> AsyncIterator[App]:
    async with running_app(sqlite_settings, {"gateway": bind}, clock=clock) as running:
        yield running


@pytest.fixture
def file(tmp_path: Path) -> CredentialsFile:
    return CredentialsFile.named("127.0.0.1:7100", tmp_path / "data")


async def test_a_guest_comes_back_as_the_same_player(app: App, file: CredentialsFile) -> None:
    async with await Session.open(app.address, "Lin", file=file, patience=QUICK) as first:
        known = await first.who()
    async with await Session.open(app.address, "Other", file=file, patience=QUICK) as second:
        again = await second.who()
    assert (again.player_id, again.name) == (known.player_id, "Lin")


async def test_the_file_is_for_its_owner_alone(app: App, file: CredentialsFile) -> None:
    async with await Session.open(app.address, "Lin", file=file, patience=QUICK):
        pass
    assert stat.S_IMODE(file.path.stat().st_mode) == 0o600
    assert [path.name for path in file.path.parent.iterdir()] == ["session-127.0.0.1_7100.json"]


@pytest.mark.parametrize("text", ["", "{}", "[]", '{"other": 1}', "\x00"])
def test_a_file_that_holds_something_else_is_no_session(text: str, file: CredentialsFile) -> None:
    file.path.parent.mkdir()
    file.path.write_text(text)
    assert file.load() is None


def test_a_file_gives_back_what_was_saved(file: CredentialsFile) -> None:
    credentials = Credentials("access", "id", "林", 12.5, "refresh")
    file.save(credentials)
    assert file.load() == credentials


async def test_an_expired_token_is_exchanged_and_the_call_made_again(
    app: App, file: CredentialsFile, clock: ManualClock
) -> None:
    async with await Session.open(app.address, "Lin", file=file, patience=QUICK) as session:
        old = session.credentials
        await clock.advance(2 * 3600)
        known = await session.who()
        assert session.credentials != old
        assert session.credentials == file.load()
        assert session.credentials is not None
        assert known.player_id == session.credentials.player_id


async def test_a_token_that_is_about_to_expire_is_exchanged_beforehand(app: App, file: CredentialsFile) -> None:
    async with await Session.open(app.address, "Lin", file=file, patience=QUICK) as session:
        known = session.credentials
        assert known is not None
        session.credentials = soon = Credentials("none", known.player_id, "Lin", 0, known.refresh_token)
        assert (await session.who()).player_id == known.player_id
        assert session.credentials is not soon


async def test_a_player_whom_the_server_does_not_know_becomes_a_new_guest(app: App, file: CredentialsFile) -> None:
    file.save(Credentials("nonsense", "gone", "Lin", refresh_token=""))
    async with await Session.open(app.address, "Lin", file=file, patience=QUICK) as session:
        assert (await session.who()).player_id != "gone"


async def test_a_refusal_has_its_reason_and_is_not_tried_again(app: App) -> None:
    with pytest.raises(ClientError) as refused:
        await Session.open(app.address, " ", patience=QUICK)
    assert refused.value.reason == "malformed"
    assert refused.value.details == {"field": "name"}
    assert refused.value.code is grpc.StatusCode.INVALID_ARGUMENT
    assert not refused.value.passing
    assert str(refused.value).startswith("malformed: name")


async def test_a_server_that_does_not_answer_is_an_error_without_reason() -> None:
    with pytest.raises(ClientError) as failed:
        await Session.open("127.0.0.1:1", "Lin", patience=QUICK)
    assert failed.value.reason == ""
    assert failed.value.passing


async def test_an_unknown_table_is_refused(app: App) -> None:
    async with await Session.open(app.address, "Lin", patience=QUICK) as session:
        with pytest.raises(ClientError) as refused:
            await session.locate("nowhere")
    assert refused.value.reason == "unknown_table"
