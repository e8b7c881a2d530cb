"""Every setting as a flag, and what all commands that run a process do."""

import inspect
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from functools import wraps
from typing import Annotated, Any

import typer
from pydantic import ValidationError
from pydantic.fields import FieldInfo

from gouji.serving.app import StartError
from gouji.serving.settings import Settings

try:
    from uvloop import run as run_loop
except ImportError:  # there is none for Windows
    from asyncio import run as run_loop  # type: ignore[assignment]


@dataclass(frozen=True)
class Option:
    """One setting as people meet it."""

    name: str
    default: str
    meaning: str

    @property
    def flag(self) -> str:
        """Its flag."""
        return f"--{self.name.replace('_', '-')}"

    @property
    def variable(self) -> str:
        """Its environment variable."""
        return f"GOUJI_{self.name.upper()}"


def options() -> list[Option]:
    """List the settings in the order of their class."""
    fields = Settings.model_fields.items()
    return [Option(name, _default(field), field.description or "") for name, field in fields]


def _default(field: FieldInfo) -> str:
    if isinstance(field.json_schema_extra, dict):
        return str(field.json_schema_extra["default"])
    return "" if field.default is None else str(field.default)


def with_settings(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command that takes `settings` a flag for each of them."""
    own = [one for name, one in inspect.signature(command).parameters.items() if name != "settings"]
    flags = [_parameter(option) for option in options()]

    @wraps(command)
    def run(**given: Any) -> None:
        flagged = {flag.name: given.pop(flag.name) for flag in flags}
        command(settings=read_settings(flagged), **given)

    parameters = [*own, *flags]
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {one.name: one.annotation for one in parameters}
    return run


def _parameter(option: Option) -> inspect.Parameter:
    told = f"{option.meaning} Default: {option.default}." if option.default else option.meaning
    flag = typer.Option(option.flag, help=told, metavar="…", rich_help_panel="Settings")
    kind = inspect.Parameter.KEYWORD_ONLY
    return inspect.Parameter(option.name, kind, default=None, annotation=Annotated[str | None, flag])


def read_settings(flagged: dict[str, str | None]) -> Settings:
    """Read the settings from flags, else the environment; end the command if one is wrong."""
    try:
        return Settings(**{name: value for name, value in flagged.items() if value is not None})  # type: ignore[arg-type]
    except ValidationError as error:
        for wrong in error.errors(include_input=False, include_url=False):
            where = [f"{option.flag} ({option.variable}): " for option in options() if option.name in wrong["loc"]]
            typer.echo("".join(where) + wrong["msg"], err=True)
        raise typer.Exit(2) from None


def run_process(work: Coroutine[Any, Any, None]) -> None:
    """Run a process to its end, on uvloop where it is installed; say in a sentence why it cannot start."""
    try:
        run_loop(work)
    except (StartError, OSError) as error:
        typer.echo(str(error), err=True)
        raise typer.Exit(1) from None
