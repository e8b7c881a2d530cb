"""`gouji demo`: six bots play a match before your eyes."""

from typing import Annotated
from uuid import uuid4

import typer

from gouji.cli.local import everything, record_command
from gouji.cli.narrate import LEGEND, Scribe
from gouji.cli.options import run_process, with_settings
from gouji.cli.rule_options import Rules, read_rules
from gouji.client import Credentials, Session, TableClient
from gouji.engine import RuleSet
from gouji.engine.cards import SEATS
from gouji.serving.app import App
from gouji.serving.settings import Settings
from gouji.v1.events_pb2 import Seat
from gouji.v1.matchmaking_pb2 import PlaceTableRequest
from gouji.v1.matchmaking_pb2_grpc import MatchmakingServiceStub
from gouji.v1.rules_pb2 import MatchLength
from gouji.wire import rules_to_proto

_LEVELS = ("greedy", "random")


@with_settings
def demo(
    settings: Settings,
    rules: Rules,
    hands: Annotated[int, typer.Option(min=1, max=32, help="Hands to play.")] = 3,
) -> None:
    """Let six bots play a match over gRPC, all in this process, and tell it a trick a line."""
    run_process(_demo(settings, read_rules(rules), hands))


async def _demo(settings: Settings, rules: RuleSet, hands: int) -> None:
    # A table of bots alone whose private questions have no time of their own goes on once all have answered.
    async with everything(settings, "demo", answers_least_ms=0, answers_most_ms=0) as app:
        table_id = await _place(app, rules, hands)
        await _tell(app, table_id)
    typer.echo(f"\nThe record: {record_command(settings, table_id)}")


async def _place(app: App, rules: RuleSet, hands: int) -> str:
    """Place a table with six bots that do not pause to think."""
    request = PlaceTableRequest(
        request_id=f"demo-{uuid4().hex}",
        rules=rules_to_proto(rules),
        length=MatchLength(hands=hands),
        seats=[Seat(bot_level=_LEVELS[seat // 3]) for seat in range(SEATS)],
    )
    placed = await app.channels.stub("matchmaking", MatchmakingServiceStub).PlaceTable(request)
    return str(placed.table_id)


async def _tell(app: App, table_id: str) -> None:
    """Watch the match to its end, as a spectator."""
    scribe = Scribe()
    typer.echo(LEGEND)
    async with Session(app.address, Credentials(app.tokens.mint_operator("demo"))) as session:
        async for event in TableClient(session, table_id, spectate=True).watch():
            for line in scribe.write(event):
                typer.echo(line)
