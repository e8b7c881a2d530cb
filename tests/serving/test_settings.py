"""Settings from the environment, and the page that lists them."""

from pathlib import Path

import pytest
from pydantic import SecretStr, ValidationError

from gouji.serving.settings import Settings

KEY = "a secret that is long enough for HS256"


def test_settings_come_from_the_environment_and_arguments_win(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GOUJI_PORT", "7200")
    monkeypatch.setenv("GOUJI_TURN_MS", "5000")
    monkeypatch.setenv("GOUJI_PLAYER_KEY", KEY)
    settings = Settings(port=7300)
    assert (settings.port, settings.turn_ms) == (7300, 5000)
    assert settings.player_key is not None
    assert settings.player_key.get_secret_value() == KEY


def test_an_empty_variable_is_none_at_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GOUJI_PORT", "")
    assert Settings().port == 7100


def test_the_database_lies_in_the_data_directory_unless_it_is_named(tmp_path: Path) -> None:
    assert Settings(data_directory=tmp_path).database_url == f"sqlite:///{tmp_path}/gouji.sqlite"
    named = Settings(data_directory=tmp_path, database_url="postgresql://ann@db/gouji")
    assert named.database_url == "postgresql://ann@db/gouji"


def test_settings_do_not_change() -> None:
    with pytest.raises(ValidationError, match="frozen"):
        Settings().port = 1


def test_secrets_are_not_shown() -> None:
    settings = Settings(player_key=SecretStr(KEY), service_key=SecretStr(KEY))
    assert KEY not in repr(settings) + str(settings) + settings.model_dump_json()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("port", 70_000),
        ("metrics_port", -2),
        ("player_key", "short"),
        ("log_level", "loud"),
        ("lease_seconds", 0),
        ("database_url", "mysql://db/gouji"),
        ("database_url", "postgresql+asyncpg://db/gouji"),
    ],
)
def test_what_cannot_be_is_refused(name: str, value: object) -> None:
    with pytest.raises(ValidationError, match=name):
        Settings(**{name: value})  # type: ignore[arg-type]


def test_the_shortest_time_for_private_questions_is_not_longer_than_the_longest() -> None:
    with pytest.raises(ValidationError, match="answers_least_ms is greater than answers_most_ms"):
        Settings(answers_least_ms=2, answers_most_ms=1)
    assert Settings(answers_least_ms=2, answers_most_ms=2).answers_most_ms == 2


@pytest.mark.parametrize("name", Settings.model_fields)
def test_each_setting_says_what_it_means_and_times_and_sizes_name_their_unit(name: str) -> None:
    field = Settings.model_fields[name]
    assert field.description
    assert field.description.endswith(".")
    if any(word in field.description.lower() for word in ("longest", "shortest", "how long", "how often", "largest")):
        assert name.endswith(("_seconds", "_ms", "_bytes"))
