"""Rules as they are typed at the command line."""

from collections.abc import Iterable
from typing import Annotated

import typer

from gouji.engine import RuleSet, RuleSetError

Rules = Annotated[
    list[str],
    typer.Option(
        help="A preset, or option=value; may be given again.",
        default_factory=lambda: ["standard"],
        show_default="standard",
    ),
]
"""The option ``--rules`` of a command."""


def read_rules(given: Iterable[str]) -> RuleSet:
    """Read a preset's name and ``option=value`` pairs; end the command if they cannot be played."""
    spec: dict[str, str] = {}
    for word in given:
        name, equals, value = word.partition("=")
        spec[name if equals else "preset"] = value if equals else name
    try:
        rules = RuleSet.parse(spec)
    except RuleSetError as error:
        raise typer.BadParameter(str(error), param_hint="--rules") from None
    return rules
