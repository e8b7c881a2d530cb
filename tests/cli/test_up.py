"""What `gouji up` chooses by itself."""

import pytest

from gouji.cli import up
from gouji.serving.settings import Settings


def test_where_there_is_no_envoy_up_says_so_and_has_no_door(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("gouji.cli.up.find_envoy", lambda: None)
    assert up._door(Settings()) == {}
    assert capsys.readouterr().err == "There is no Envoy for this platform: browsers cannot come in, gRPC can.\n"


def test_else_the_door_is_at_8080_and_its_word_on_addresses_is_believed() -> None:
    chosen = up._door(Settings())
    assert (chosen["door_port"], chosen["web_port"]) == (up.DOOR_PORT, 0)
    Settings(trusted_proxies=chosen["trusted_proxies"])
