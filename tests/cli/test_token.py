"""`gouji token`: whose token it is, for how long, and signed with which key."""

from datetime import timedelta
from pathlib import Path

import pytest
from typer.testing import CliRunner

from gouji.cli.main import app
from gouji.serving.auth import Role
from gouji.serving.clock import SystemClock
from gouji.serving.errors import ServiceError
from gouji.serving.testing import shared_tokens

KEY = "services' secret of the tests that is long enough"


def run(*arguments: str) -> tuple[int, str]:
    result = CliRunner(env={"COLUMNS": "300", "TERMINAL_WIDTH": "300"}).invoke(app, ("token", *arguments))
    return result.exit_code, result.output


@pytest.mark.parametrize("role", [Role.MODERATOR, Role.OPERATOR, Role.DIRECTOR])
def test_a_token_says_who_holds_it_and_for_how_long_it_is_good(role: Role, tmp_path: Path) -> None:
    flags = ("--service-key", KEY, "--data-directory", str(tmp_path))
    code, text = run("--role", role, "--name", "Dora", "--hours", "2", *flags)
    assert code == 0
    clock = SystemClock()
    who = shared_tokens("a players' key that matters not here", KEY, clock).verify(text.strip())
    assert (who.role, who.player_id, who.name) == (role, "Dora", "Dora")
    assert who.expires is not None
    assert timedelta(hours=1.9) < who.expires - clock.now() <= timedelta(hours=2)
    with pytest.raises(ServiceError, match="not one of ours"):
        shared_tokens("a players' key that matters not here", KEY[::-1], clock).verify(text.strip())


def test_a_token_is_signed_with_the_key_that_lies_in_the_data_directory(tmp_path: Path) -> None:
    (tmp_path / "service.key").write_text(KEY)
    code, text = run("--role", "director", "--name", "Dora", "--data-directory", str(tmp_path))
    assert code == 0
    assert shared_tokens("a players' key that matters not here", KEY, SystemClock()).verify(text.strip()).name == "Dora"


@pytest.mark.parametrize("role", ["player", "service", "nobody"])
def test_no_other_role_is_given_by_hand(role: str, tmp_path: Path) -> None:
    code, text = run("--role", role, "--name", "Dora", "--data-directory", str(tmp_path))
    assert code == 2
    assert "is not one of 'moderator', 'operator', 'director', 'bot'" in text


@pytest.mark.parametrize("name", ["", "  ", "a\nb"])
def test_whoever_holds_it_has_a_name(name: str, tmp_path: Path) -> None:
    code, _ = run("--role", "moderator", "--name", name, "--data-directory", str(tmp_path))
    assert code == 2


def test_a_damaged_key_is_said_in_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "service.key").write_text("short")
    code, text = run("--role", "director", "--name", "Dora", "--data-directory", str(tmp_path))
    assert code == 1
    assert "holds no key of 32 characters" in text


def test_a_credential_for_bots_has_its_quota(tmp_path: Path) -> None:
    flags = ("--service-key", KEY, "--data-directory", str(tmp_path))
    code, text = run("--role", "bot", "--name", "acme-2", "--seats", "3", "--calls", "7", "--hours", "2", *flags)
    assert code == 0
    tokens = shared_tokens("a players' key that matters not here", KEY, SystemClock())
    given = tokens.verify_credential(text.strip())
    assert (given.account, given.seats, given.calls_per_second) == ("acme-2", 3, 7)
    assert given.expires - SystemClock().now() <= timedelta(hours=2)


@pytest.mark.parametrize("name", ["Acme", "acme/1", "-acme", "a" * 21, "acme 2"])
def test_an_account_of_bots_has_a_plain_name(name: str, tmp_path: Path) -> None:
    code, text = run("--role", "bot", "--name", name, "--data-directory", str(tmp_path))
    assert code == 2
    assert "up to 20" in text
