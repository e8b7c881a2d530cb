"""The command `gouji`. A subcommand's module is imported when it is called for, so that each starts fast."""

import importlib
import os
from typing import Any

import typer
from typer.core import TyperGroup

COMMANDS = {
    "up": "gouji.cli.up:up",
    "cluster": "gouji.cli.cluster:cluster",
    "load": "gouji.cli.load:load",
    "play": "gouji.cli.play:play",
    "demo": "gouji.cli.demo:demo",
    "serve": "gouji.cli.serve:serve",
    "migrate": "gouji.cli.migrate:migrate",
    "door": "gouji.cli.door:door",
    "rules": "gouji.cli.rules:rules",
    "check": "gouji.cli.check:check",
    "arena": "gouji.cli.arena:arena",
    "record": "gouji.cli.record:record",
    "replay": "gouji.cli.replay:replay",
    "verify": "gouji.cli.verify:verify",
    "leaderboard": "gouji.cli.leaderboard:leaderboard",
    "history": "gouji.cli.history:history",
    "export": "gouji.cli.export:export",
    "tables": "gouji.cli.tables:tables",
    "queue": "gouji.cli.queue:queue",
    "players": "gouji.cli.players:players",
    "webhooks": "gouji.cli.webhooks:webhooks",
    "ratings": "gouji.cli.ratings:ratings",
    "tournament": "gouji.cli.tournament:tournament",
    "token": "gouji.cli.token:token",
    "settings": "gouji.cli.settings:settings",
    "metrics": "gouji.cli.metrics:metrics",
    "version": "gouji.cli.version:version",
}
"""Subcommand to the function, or `Typer`, that it is."""


class LazyGroup(TyperGroup):
    """A group that knows its subcommands by name and imports the one that is used."""

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ARG002
        """Name all subcommands, in the order of help."""
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:  # noqa: ARG002
        """Import a subcommand; None when there is none of that name."""
        if cmd_name not in COMMANDS:
            return None
        os.environ.setdefault("GRPC_VERBOSITY", "NONE")  # read at import; we say it better
        module, _, attribute = COMMANDS[cmd_name].partition(":")
        found = getattr(importlib.import_module(module), attribute)
        if not isinstance(found, typer.Typer):
            single = typer.Typer(add_completion=False)
            single.command(cmd_name)(found)
            found = single
        command = typer.main.get_command(found)
        command.name = cmd_name  # a `Typer` does not know what it is called here
        return command


app = typer.Typer(
    name="gouji", cls=LazyGroup, no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False
)


@app.callback()
def gouji() -> None:
    """Gouji (夠級): a backend for the card game."""
