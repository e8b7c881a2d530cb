"""`gouji token`: a token for a moderator, an operator or a director."""

from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import Annotated, Final

import typer

from gouji.cli.options import with_settings
from gouji.serving.auth import Role, Tokens, tokens_for
from gouji.serving.clock import SystemClock
from gouji.serving.settings import Settings

_HOUR_SECONDS: Final = 3600


class Given(StrEnum):
    """Roles that are given by hand: a player's token comes from the gateway, and services make their own."""

    MODERATOR = Role.MODERATOR
    OPERATOR = Role.OPERATOR
    DIRECTOR = Role.DIRECTOR


_MINTS: Final[Mapping[Given, Callable[[Tokens, str], str]]] = {
    Given.MODERATOR: Tokens.mint_moderator,
    Given.OPERATOR: Tokens.mint_operator,
    Given.DIRECTOR: Tokens.mint_director,
}


@with_settings
def token(
    settings: Settings,
    role: Annotated[Given, typer.Option(help="What its holder may do (docs/api.md).")],
    name: Annotated[str, typer.Option(help="Who holds it; stands in the audit log.")],
    hours: Annotated[int, typer.Option(min=1, max=720, help="How long it is good; it cannot be taken back.")] = 8,
) -> None:
    """Print a token for `authorization: Bearer …`.

    It is signed with the services' key, which must be that of the servers that shall take it.
    """
    if not name.strip() or not name.isprintable():
        raise typer.BadParameter("Say who holds it, in characters that can be shown.", param_hint="--name")
    try:
        lasting = settings.model_copy(update={"access_token_seconds": hours * _HOUR_SECONDS})
        tokens = tokens_for(lasting, SystemClock())
    except OSError as error:  # the key's file cannot be read or made
        typer.echo(str(error), err=True)
        raise typer.Exit(1) from None
    typer.echo(_MINTS[role](tokens, name))
