"""`gouji token`: a token for a moderator, an operator or a director, or a credential for the author of bots."""

import re
from collections.abc import Callable, Mapping
from datetime import timedelta
from enum import StrEnum
from typing import Annotated, Final

import typer

from gouji.cli.options import with_settings
from gouji.serving.auth import Credential, Role, Tokens, tokens_for
from gouji.serving.clock import SystemClock
from gouji.serving.settings import Settings

_HOUR_SECONDS: Final = 3600


class Given(StrEnum):
    """Roles that are given by hand: a player's token comes from the gateway, and services make their own."""

    MODERATOR = Role.MODERATOR
    OPERATOR = Role.OPERATOR
    DIRECTOR = Role.DIRECTOR
    BOT = Role.BOT


_ACCOUNT: Final = re.compile(r"[a-z0-9][a-z0-9-]{0,19}")

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
    *,
    hours: Annotated[int, typer.Option(min=1, max=720, help="How long it is good; it cannot be taken back.")] = 8,
    seats: Annotated[int, typer.Option(min=1, max=1000, help="How many bots an account may have.")] = 6,
    calls: Annotated[int, typer.Option(min=1, max=1000, help="Calls a second of all its bots, at each process.")] = 20,
) -> None:
    """Print a token for `authorization: Bearer …`; for `bot` a credential for `OpenBot` (docs/bots.md).

    It is signed with the services' key, which must be that of the servers that shall take it.
    """
    if role is Given.BOT and not _ACCOUNT.fullmatch(name):
        raise typer.BadParameter("An account is called by up to 20 of a-z, 0-9 and dashes.", param_hint="--name")
    if not name.strip() or not name.isprintable():
        raise typer.BadParameter("Say who holds it, in characters that can be shown.", param_hint="--name")
    try:
        lasting = settings.model_copy(update={"access_token_seconds": hours * _HOUR_SECONDS})
        clock = SystemClock()
        tokens = tokens_for(lasting, clock)
    except OSError as error:  # the key's file cannot be read or made
        typer.echo(str(error), err=True)
        raise typer.Exit(1) from None
    if role is Given.BOT:
        expires = clock.now() + timedelta(hours=hours)
        typer.echo(tokens.mint_credential(Credential(name, seats, calls, expires)))
    else:
        typer.echo(_MINTS[role](tokens, name))
