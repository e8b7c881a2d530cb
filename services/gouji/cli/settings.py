"""`gouji settings`: the page docs/settings.md."""

import typer

from gouji.cli.options import Option, options

_HEAD = """\
# Settings

Every process takes the same settings, as flags of `gouji up`, `gouji serve` and `gouji migrate` or from the
environment; a flag wins. This page is what `gouji settings` prints.

| variable | flag | default | meaning |
| --- | --- | --- | --- |"""


def settings() -> None:
    """Print all settings as a Markdown page."""
    typer.echo("\n".join([_HEAD, *map(_row, options())]))


def _row(option: Option) -> str:
    default = f"`{option.default}`" if option.default else "–"
    return f"| `{option.variable}` | `{option.flag}` | {default} | {option.meaning} |"
