"""What the commands of `gouji tournament` have in common: their arguments, and a call as a director."""

from typing import Annotated, Any, Final

import typer

from gouji.cli.operator import Call, ask
from gouji.serving.auth import Tokens
from gouji.serving.settings import Settings
from gouji.v1 import tournament_pb2_grpc

NAME: Final = "gouji tournament"
"""As whom the commands call."""

Address = Annotated[str | None, typer.Option("--address", help="A scoring server; what the settings say when unset.")]
Event = Annotated[str, typer.Argument(help="The event's id.", metavar="EVENT")]
Reason = Annotated[str, typer.Option("--reason", help="Why; it stands in the event's record.")]
Entrant = Annotated[int, typer.Argument(min=1, help="An entrant's number.", metavar="ENTRANT")]
Round = Annotated[int, typer.Option("--round", min=1, help="The round.")]


def as_director(settings: Settings, address: str | None, call: Call) -> Any:
    """Make calls as a director, at a scoring server; end the command with 1 if one fails."""
    where = address or settings.scoring_address
    return ask(settings, NAME, where, tournament_pb2_grpc.TournamentServiceStub, call, mint=Tokens.mint_director)
