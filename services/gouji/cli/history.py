"""`gouji history PLAYER`: what a player has played."""

from collections.abc import Iterator
from typing import Annotated, Any

import typer

from gouji.cli.operator import Json, ask, print_json
from gouji.cli.options import with_settings
from gouji.serving.settings import Settings
from gouji.v1 import history_pb2, history_pb2_grpc
from gouji.v1.history_pb2 import GetHeadToHeadRequest, GetStatisticsRequest, ListHistoryRequest, MatchFilter, Statistics


@with_settings
def history(
    settings: Settings,
    player: Annotated[str, typer.Argument(help="The player's id.", metavar="PLAYER")],
    *,
    statistics: Annotated[bool, typer.Option("--statistics", help="Sums over the matches, by preset.")] = False,
    beside: Annotated[str, typer.Option("--beside", help="Sums over the matches with this player.", metavar="ID")] = "",
    preset: Annotated[str, typer.Option(help="Matches of this preset.")] = "",
    queue: Annotated[str, typer.Option(help="Matches of this queue.")] = "",
    season: Annotated[str, typer.Option(help="Matches of this season; current for the one that is on.")] = "",
    limit: Annotated[int, typer.Option(min=1, max=100, help="At most so many.")] = 20,
    address: Annotated[str | None, typer.Option(help="A scoring server; what the settings say when unset.")] = None,
    json: Json = False,
) -> None:
    """List a player's matches, the newest first, or sum them up."""
    which = MatchFilter(preset=preset, queue=queue, season=season)

    def call(method: str, request: Any) -> Any:
        where = address or settings.scoring_address
        stub_class = history_pb2_grpc.HistoryServiceStub
        return ask(
            settings, "gouji history", where, stub_class, lambda stub, how: getattr(stub, method)(request, **how)
        )

    if beside:
        answer = call("GetHeadToHead", GetHeadToHeadRequest(player_id=player, other_id=beside, filter=which))
        lines = [_balance("in one team", answer.together), _balance("against each other", answer.against)]
    elif statistics:
        answer = call("GetStatistics", GetStatisticsRequest(player_id=player, filter=which))
        lines = [line for one in answer.presets for line in _statistics(one)]
    else:
        answer = call("ListHistory", ListHistoryRequest(player_id=player, filter=which, page_size=limit))
        lines = [_line(one) for one in answer.matches]
    if json:
        print_json(answer)
    else:
        typer.echo("\n".join(lines) or "There are no such matches.")


def _line(match: history_pb2.MatchSummary) -> str:
    outcome = history_pb2.MatchOutcome.Name(match.outcome).removeprefix("MATCH_OUTCOME_").lower()
    outcome = "given up" if outcome == "unspecified" else outcome
    points = match.seats[match.seat].points
    played = f"{match.table_id}  {match.ended.ToJsonString()}  {match.preset}  {match.queue or '-'}"
    return f"{played}  {outcome}  {points:+d} points"


def _statistics(one: Statistics) -> Iterator[str]:
    yield f"{one.preset}: {_outcomes(one)}, {one.points:+d} points"
    yield f"  places {' '.join(map(str, one.places))} of {one.hands} hands, {one.average_place:.2f} on average"
    yield f"  opened in {one.opening_rate:.0%}, burns {one.burns_won} of {one.burns_tried}, {one.sweeps} sweeps"


def _balance(how: str, one: history_pb2.Balance) -> str:
    return f"{how}: {_outcomes(one)}, {one.points:+d} points to {one.other_points:+d}"


def _outcomes(one: Statistics | history_pb2.Balance) -> str:
    return f"{one.matches} matches, {one.won} won, {one.drawn} drawn, {one.lost} lost"
