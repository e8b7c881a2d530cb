"""What the commands of operators have in common: one call with an operator's token, and how answers are printed."""

import getpass
from collections.abc import Awaitable, Callable
from typing import Annotated, Any, Final

import grpc
import typer
from google.protobuf import json_format
from google.protobuf.message import Message

from gouji.cli.options import run_process
from gouji.serving.app import StartError
from gouji.serving.auth import Tokens, tokens_for
from gouji.serving.clock import SystemClock
from gouji.serving.errors import refusal_of
from gouji.serving.settings import Settings
from gouji.serving.tls import dial

Json = Annotated[bool, typer.Option("--json", help="Print the answer as JSON.")]
"""The flag of commands that can print their answer for machines."""

Call = Callable[[Any, Any], Awaitable[Any]]
"""Makes a call of a stub, with the keywords (token, deadline) that go with it."""

Mint = Callable[[Tokens, str], str]
"""Makes a token for somebody of a name."""

_SECONDS: Final = 30
_HOPS: Final = 3


def this_person() -> str:
    """Say who runs the command, for the audit log: the name of the login."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # a user id without a name, as in many containers
        return "nobody known"


def ask(
    settings: Settings,
    name: str,
    address: str | None,
    make_stub: Callable[[grpc.aio.Channel], Any],
    call: Call,
    *,
    mint: Mint = Tokens.mint_operator,
) -> Any:
    """Make one call as the operator ``name``, at an address or here; end the command with 1 if it fails.

    A server that says which other one is right is followed there. ``mint`` makes the token, where another role is to
    call.
    """
    answers: list[Any] = []

    async def once() -> None:
        token = mint(tokens_for(settings, SystemClock()), name)
        answers.append(await _hop(settings, token, address or f"{settings.host}:{settings.port}", make_stub, call))

    run_process(once())
    return answers[0]


async def _hop(
    settings: Settings, token: str, address: str, make_stub: Callable[[grpc.aio.Channel], Any], call: Call
) -> Any:
    how = {"metadata": (("authorization", f"Bearer {token}"),), "timeout": _SECONDS}
    for _ in range(_HOPS):
        async with dial(settings, address) as channel:
            try:
                return await call(make_stub(channel), how)
            except grpc.aio.AioRpcError as error:
                refusal = refusal_of(error)
                if refusal is None:
                    raise StartError(f"{address} does not answer: {error.code().name}.") from error
                if refusal.reason != "wrong_server":
                    raise StartError(f"{refusal.reason}: {refusal.message}") from error
                address = refusal.metadata["address"]
    raise StartError("The table moves from server to server; try again.")


def said(answer: Message, sentence: str, *, json: bool) -> None:
    """Print a sentence, or the answer as JSON."""
    if json:
        print_json(answer)
    else:
        typer.echo(sentence)


def print_json(answer: Message) -> None:
    """Print an answer as JSON, in the protos' names."""
    typer.echo(json_format.MessageToJson(answer, preserving_proto_field_name=True))
