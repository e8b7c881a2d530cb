"""Tokens by themselves; how a server treats them stands in test_interceptors.py."""

import stat
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path

import pytest

from gouji.serving.auth import NOBODY, Credential, Role, Tokens, caller, read_or_make_key, tokens_for
from gouji.serving.clock import SystemClock
from gouji.serving.errors import ServiceError
from gouji.serving.settings import Settings
from gouji.serving.testing import ManualClock, shared_tokens

PLAYER_KEY, SERVICE_KEY = "p" * 32, "s" * 32


def tokens(clock: ManualClock) -> Tokens:
    return shared_tokens(PLAYER_KEY, SERVICE_KEY, clock, access=60, refresh=3600)


def reason(tokens: Tokens, token: str, *, refresh: bool = False) -> str:
    with pytest.raises(ServiceError) as caught:
        tokens.verify_refresh(token) if refresh else tokens.verify(token)
    return caught.value.reason


async def test_tokens_name_whose_they_are_until_they_expire() -> None:
    clock = ManualClock()
    made = tokens(clock).mint_player("p1", "安妮")
    assert made.access_expires - clock.now() == timedelta(seconds=60)
    assert made.refresh_expires - clock.now() == timedelta(seconds=3600)
    who = tokens(clock).verify(made.access_token)
    assert (who.role, who.player_id, who.name, who.expires) == (Role.PLAYER, "p1", "安妮", made.access_expires)
    assert tokens(clock).seconds_left(who) == 60
    await clock.advance(59.9)
    tokens(clock).verify(made.access_token)
    await clock.advance(0.1)
    assert reason(tokens(clock), made.access_token) == "token_expired"
    assert tokens(clock).verify_refresh(made.refresh_token).player_id == "p1"
    await clock.advance(3540)
    assert reason(tokens(clock), made.refresh_token, refresh=True) == "token_expired"


async def test_a_token_that_was_good_before_expires_all_the_same() -> None:
    clock = ManualClock()
    same = tokens(clock)
    made = same.mint_player("p1", "Ann")
    same.verify(made.access_token)
    await clock.advance(60)
    assert reason(same, made.access_token) == "token_expired"


def test_a_token_serves_one_use_alone() -> None:
    some = tokens(ManualClock())
    made = some.mint_player("p1", "Ann")
    assert reason(some, made.refresh_token) == "token_invalid"
    assert reason(some, made.access_token, refresh=True) == "token_invalid"
    assert reason(some, some.mint_service("table"), refresh=True) == "token_invalid"


def test_a_credential_says_what_its_account_may_do() -> None:
    clock = ManualClock()
    some = tokens(clock)
    given = Credential("acme", 3, 20, clock.now() + timedelta(hours=5))
    token = some.mint_credential(given)
    assert some.verify_credential(token) == given
    assert reason(some, token) == reason(some, token, refresh=True) == "token_invalid"


def test_a_bot_calls_with_its_own_tokens_and_never_as_somebody_else() -> None:
    clock = ManualClock()
    some, until = tokens(clock), clock.now() + timedelta(seconds=30)
    made = some.mint_bot("bot:acme/2", "acme 2", 20, until)
    who = some.verify(made.access_token)
    assert (who.role, who.player_id, who.name, who.calls_per_second) == (Role.BOT, "bot:acme/2", "acme 2", 20)
    assert who.plays
    assert who.expires == made.access_expires == made.refresh_expires == until
    assert some.verify_refresh(made.refresh_token).role is Role.BOT
    for nonsense in (some.mint_bot("p1", "Ann", 20, until), some.mint_bot("bot:acme/1", "acme 1", 0, until)):
        assert reason(some, nonsense.access_token) == "token_invalid"


def test_services_and_operators_have_names() -> None:
    some = tokens(ManualClock())
    service, operator = some.verify(some.mint_service("table")), some.verify(some.mint_operator("olga"))
    assert (service.role, service.player_id) == (Role.SERVICE, "table")
    assert (operator.role, operator.name) == (Role.OPERATOR, "olga")


def test_a_token_that_names_nobody_is_invalid() -> None:
    some = tokens(ManualClock())
    for token in (some.mint_moderator(""), some.mint_operator(""), some.mint_player("", "Ann").access_token):
        assert reason(some, token) == "token_invalid"


def test_a_token_of_another_installation_is_invalid() -> None:
    clock = ManualClock()
    other = shared_tokens("q" * 32, "t" * 32, clock)
    assert reason(tokens(clock), other.mint_player("p1", "Ann").access_token) == "token_invalid"
    assert reason(tokens(clock), other.mint_service("table")) == "token_invalid"


def test_the_key_of_players_makes_no_service() -> None:
    clock = ManualClock()
    thief = shared_tokens(PLAYER_KEY, PLAYER_KEY, clock)
    assert reason(tokens(clock), thief.mint_service("table")) == "token_invalid"
    assert reason(tokens(clock), thief.mint_operator("olga")) == "token_invalid"


def test_outside_a_call_the_caller_is_nobody() -> None:
    assert caller() is NOBODY


def test_a_key_that_is_not_set_is_made_once_for_its_owner_alone(tmp_path: Path) -> None:
    path = tmp_path / "new" / "player.key"
    key = read_or_make_key(path)
    assert len(key) >= 32
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert read_or_make_key(path) == key
    assert list(path.parent.iterdir()) == [path]


def test_processes_that_make_a_key_at_once_agree_on_one(tmp_path: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        keys = set(pool.map(lambda _: read_or_make_key(tmp_path / "key"), range(64)))
    assert len(keys) == 1


def test_tokens_stay_good_over_a_restart_and_are_good_in_another_process(tmp_path: Path) -> None:
    settings = Settings(data_directory=tmp_path)
    token = tokens_for(settings, SystemClock()).mint_player("p1", "Ann").access_token
    assert tokens_for(settings, SystemClock()).verify(token).player_id == "p1"
    elsewhere = tokens_for(Settings(data_directory=tmp_path / "elsewhere"), SystemClock())
    assert reason(elsewhere, token) == "token_invalid"


def test_keys_that_are_set_are_used_and_no_file_is_made(sqlite_settings: Settings) -> None:
    tokens_for(sqlite_settings, SystemClock())
    assert list(sqlite_settings.data_directory.iterdir()) == []
