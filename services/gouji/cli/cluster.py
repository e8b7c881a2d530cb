"""`gouji cluster`: all services as processes of their own on one machine, started, disturbed and ended in order."""

import asyncio
import json
import signal
from pathlib import Path
from typing import Annotated, Any

import typer
from pydantic import SecretStr, ValidationError
from rich.console import Console
from rich.table import Table

from gouji.cli.operator import Json
from gouji.cli.options import run_process, with_settings
from gouji.cli.up import DOOR_PORT, LOOPBACK
from gouji.fleet.control import Control
from gouji.fleet.faults import DATABASE, DOOR, Do, Fault
from gouji.fleet.fleet import Fleet, Plan, running
from gouji.fleet.layout import PROCESSES
from gouji.gateway.envoy_process import find_envoy
from gouji.serving.settings import Settings

cluster = typer.Typer(no_args_is_help=True, add_completion=False)
"""The commands."""

Folder = Annotated[Path | None, typer.Option(help="Where keys and logs are, and where a running cluster is found.")]
Name = Annotated[str, typer.Argument(help=f"A process, `{DOOR}`, `{DATABASE}`, or a pattern such as `table-*`.")]


def _number(service: str) -> Any:
    return typer.Option(f"--{service}", min=1, help=f"Processes of {service}.")


@cluster.command()
@with_settings
def up(
    settings: Settings,
    *,
    gateway: Annotated[int, _number("gateway")] = PROCESSES["gateway"],
    matchmaking: Annotated[int, _number("matchmaking")] = PROCESSES["matchmaking"],
    table: Annotated[int, _number("table")] = PROCESSES["table"],
    bot: Annotated[int, _number("bot")] = PROCESSES["bot"],
    scoring: Annotated[int, _number("scoring")] = PROCESSES["scoring"],
    restart: Annotated[bool, typer.Option(help="Start again what dies.")] = True,
    folder: Folder = None,
    as_json: Json = False,
) -> None:
    """Run each service in processes of its own behind one door, on PostgreSQL, until Ctrl-C.

    Without --database-url there is a PostgreSQL of the cluster's own, which begins empty and ends with it. --port and
    --metrics-port are the first of each kind, and the others follow; 0 is any that is free.
    """
    processes = {"gateway": gateway, "matchmaking": matchmaking, "table": table, "bot": bot, "scoring": scoring}
    run_process(_up(plan_for(settings, processes, folder_of(settings, folder), restart=restart), as_json=as_json))


def folder_of(settings: Settings, folder: Path | None) -> Path:
    """Say where a cluster has its files."""
    return (folder or settings.data_directory / "cluster").absolute()


def plan_for(settings: Settings, processes: dict[str, int], folder: Path, *, restart: bool = True) -> Plan:
    """Plan a cluster as `gouji up` would run: what is set goes to every process, a door is there if it can be."""
    given = settings.model_fields_set
    if "database_url" in given and not settings.database_url.startswith("postgresql://"):
        raise typer.BadParameter("a cluster needs PostgreSQL: several processes cannot share SQLite")
    door = settings.door_port if "door_port" in given else DOOR_PORT if find_envoy() else -1
    passed = {name: _written(getattr(settings, name)) for name in given}
    passed.setdefault("door_host", settings.host)
    if door >= 0:
        passed.setdefault("trusted_proxies", LOOPBACK)
    return Plan(
        folder=folder,
        processes=processes,
        settings={f"GOUJI_{name.upper()}": value for name, value in passed.items()},
        database_url=settings.database_url if "database_url" in given else None,
        port=settings.port,
        metrics_port=settings.metrics_port,
        door_port=door,
        restart=restart,
    )


def _written(value: object) -> str:
    """Write a setting as the environment has it."""
    if value is None:
        return ""
    return value.get_secret_value() if isinstance(value, SecretStr) else str(value)


async def _up(plan: Plan, *, as_json: bool) -> None:
    told = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, told.set)
    async with running(plan, _say) as fleet:
        _show(fleet.described(), as_json=as_json)
        if not as_json:
            typer.echo(_ready(fleet))
        await told.wait()
        _say("all processes are told to end, table servers first")
    _say(f"all have ended; the logs are in {plan.logs}")


def _ready(fleet: Fleet) -> str:
    told = fleet.described()
    door = f"at {fleet.door}" if fleet.door else f"without a door; the gateway is at {told['gateway']}"
    return f"The cluster is ready {door}. `gouji cluster --help` says what can be done to it; Ctrl-C ends it."


def _say(sentence: str) -> None:
    typer.echo(sentence, err=True)


def _show(told: dict[str, Any], *, as_json: bool) -> None:
    """Print how a cluster stands."""
    if as_json:
        typer.echo(json.dumps(told))
        return
    table = Table("name", "state", "process", "gRPC", "metrics", "starts")
    for row in told["processes"]:
        metrics = str(row["metrics_port"]) if row["metrics_port"] > 0 else "-"
        table.add_row(row["name"], row["state"], str(row["pid"]), str(row["port"]), metrics, str(row["starts"]))
    console = Console()
    console.print(table)
    console.print(f"Each has its log in {told['folder']}/logs.", highlight=False, soft_wrap=True)


def _ask(settings: Settings, folder: Path | None, fault: Fault | None) -> dict[str, Any]:
    answers: list[dict[str, Any]] = []

    async def once() -> None:
        answers.append(await Control(folder_of(settings, folder)).ask(fault))

    run_process(once())
    return answers[0]


@cluster.command("list")
@with_settings
def list_command(settings: Settings, *, folder: Folder = None, as_json: Json = False) -> None:
    """Say which processes a running cluster has, and how they stand."""
    _show(_ask(settings, folder, None)["fleet"], as_json=as_json)


def _throw(settings: Settings, folder: Path | None, do: Do, name: str, milliseconds: int = 0) -> None:
    try:
        fault = Fault(do=do, name=name, milliseconds=milliseconds)
    except ValidationError as error:
        raise typer.BadParameter(error.errors()[0]["msg"]) from None
    typer.echo(f"{fault}: {', '.join(_ask(settings, folder, fault)['done'])}")


@cluster.command()
@with_settings
def kill(settings: Settings, name: Name, *, folder: Folder = None) -> None:
    """Kill a process at once, as when its machine dies; unless the cluster says --no-restart it is started again."""
    _throw(settings, folder, Do.KILL, name)


@cluster.command()
@with_settings
def stop(settings: Settings, name: Name, *, folder: Folder = None) -> None:
    """Have a process stand still, as when its machine hangs, or PostgreSQL be away, until `gouji cluster continue`."""
    _throw(settings, folder, Do.STOP, name)


@cluster.command("continue")
@with_settings
def continue_command(settings: Settings, name: Name, *, folder: Folder = None) -> None:
    """Have go on what `gouji cluster stop` stopped."""
    _throw(settings, folder, Do.CONTINUE, name)


@cluster.command()
@with_settings
def restart(settings: Settings, name: Name, *, folder: Folder = None) -> None:
    """End a process in order and start it anew; several one after another, each when the one before serves."""
    _throw(settings, folder, Do.RESTART, name)


@cluster.command()
@with_settings
def start(settings: Settings, name: Name, *, folder: Folder = None) -> None:
    """Start a process that has ended and was not started again."""
    _throw(settings, folder, Do.START, name)


@cluster.command()
@with_settings
def slow(
    settings: Settings,
    milliseconds: Annotated[int, typer.Argument(help="By how much each commit is held up; 0 for no longer.")],
    *,
    folder: Folder = None,
) -> None:
    """Slow the cluster's own PostgreSQL down, as a slow disk does."""
    _throw(settings, folder, Do.SLOW, DATABASE, milliseconds)
