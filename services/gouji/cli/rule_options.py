"""Rules as they are typed at the command line."""

import re
from collections.abc import Iterable
from typing import Annotated, Final

import typer

from gouji.engine import RuleSet, RuleSetError

Rules = Annotated[
    list[str],
    typer.Option(
        help="A preset, or option=value; several apart by commas, or given again. `gouji rules` lists them.",
        default_factory=lambda: ["standard"],
        show_default="standard",
    ),
]
"""The option ``--rules`` of a command."""

# A comma between words of one value (`tribute_kinds=point,last`) does not part options.
_BETWEEN: Final = re.compile(r",\s*(?=\w+\s*=)")


def parse_rules(given: Iterable[str]) -> RuleSet:
    """Read presets' names and ``option=value`` pairs, each alone or apart by commas. Raises `RuleSetError`."""
    spec: dict[str, str] = {}
    for word in (word for text in given for word in _BETWEEN.split(text)):
        name, equals, value = (part.strip() for part in word.partition("="))
        spec[name if equals else "preset"] = value if equals else name
    return RuleSet.parse(spec)


def read_rules(given: Iterable[str]) -> RuleSet:
    """Read the option ``--rules``; end the command if the rules cannot be played."""
    try:
        return parse_rules(given)
    except RuleSetError as error:
        raise typer.BadParameter(str(error), param_hint="--rules") from None
