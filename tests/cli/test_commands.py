"""The command itself: what there is, what it takes, and what it imports."""

import subprocess
import sys
from importlib import metadata
from pathlib import Path

import pytest
from typer.testing import CliRunner

from gouji.cli.main import COMMANDS, app
from gouji.cli.options import options

ROOT = Path(__file__).resolve().parent.parent.parent
WIDE = {"COLUMNS": "300", "TERMINAL_WIDTH": "300"}


def run(*arguments: str) -> tuple[int, str]:
    result = CliRunner(env=WIDE).invoke(app, arguments)
    return result.exit_code, result.output


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help_and_stands_in_that_of_the_whole(command: str) -> None:
    code, text = run(command, "--help")
    assert code == 0
    assert f"gouji {command}" in text
    assert f" {command} " in run("--help")[1]


def test_without_a_command_the_help_is_shown() -> None:
    assert "Commands" in run()[1]


def test_an_unknown_command_is_refused() -> None:
    code, text = run("cheat")
    assert code == 2
    assert "No such command 'cheat'" in text


@pytest.mark.parametrize("command", ["up", "serve", "migrate"])
def test_every_setting_is_a_flag(command: str) -> None:
    text = run(command, "--help")[1]
    assert [option.flag for option in options() if option.flag not in text] == []


def test_the_page_of_settings_is_what_the_command_prints() -> None:
    assert run("settings") == (0, (ROOT / "docs/settings.md").read_text())


def test_the_version_is_that_of_the_package() -> None:
    assert run("version") == (0, metadata.version("gouji") + "\n")


def test_an_unknown_service_is_refused_with_those_that_there_are() -> None:
    code, text = run("serve", "bot", "casino")
    assert code == 2
    assert "no such service: casino" in text
    assert "gateway, matchmaking, table, bot, scoring" in text


def test_a_wrong_setting_is_named_by_flag_and_variable_and_a_secret_is_not_shown() -> None:
    code, text = run("serve", "bot", "--port", "many", "--player-key", "hush")
    assert code == 2
    assert "--port (GOUJI_PORT): " in text
    assert "--player-key (GOUJI_PLAYER_KEY): " in text
    assert "hush" not in text


def test_checking_rule_cases_does_not_import_grpc_or_the_database() -> None:
    program = (
        "import sys; from gouji.cli.main import app; app(['check', sys.argv[1]], standalone_mode=False)\n"
        "print([name for name in ('grpc', 'sqlalchemy') if name in sys.modules])"
    )
    case = next((ROOT / "tests/cases").glob("*.yaml"))
    ran = subprocess.run([sys.executable, "-c", program, case], capture_output=True, text=True, check=False)
    assert ran.stdout.splitlines()[-1] == "[]", ran.stderr
