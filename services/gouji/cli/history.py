"""`gouji history PLAYER`: what a player has played."""

from collections.abc import Iterable, Iterator
from typing import Annotated, Any

import typer

from gouji.cli.operator import Json, ask, print_json
from gouji.cli.options import with_settings
from gouji.serving.settings import Settings
from gouji.v1 import history_pb2, history_pb2_grpc, scoring_pb2, scoring_pb2_grpc
from gouji.v1.history_pb2 import GetHeadToHeadRequest, GetStatisticsRequest, ListHistoryRequest, MatchFilter, Statistics
from gouji.v1.scoring_pb2 import HandResult


@with_settings
def history(
    settings: Settings,
    player: Annotated[str, typer.Argument(help="The player's id.", metavar="PLAYER")],
    *,
    statistics: Annotated[bool, typer.Option("--statistics", help="Sums over the matches, by preset.")] = False,
    beside: Annotated[str, typer.Option("--beside", help="Sums over the matches with this player.", metavar="ID")] = "",
    match: Annotated[str, typer.Option("--match", help="The hands of this match and corrections.", metavar="ID")] = "",
    preset: Annotated[str, typer.Option(help="Matches of this preset.")] = "",
    queue: Annotated[str, typer.Option(help="Matches of this queue.")] = "",
    season: Annotated[str, typer.Option(help="Matches of this season; current for the one that is on.")] = "",
    limit: Annotated[int, typer.Option(min=1, max=100, help="At most so many.")] = 20,
    address: Annotated[str | None, typer.Option(help="A scoring server; what the settings say when unset.")] = None,
    json: Json = False,
) -> None:
    """List a player's matches, the newest first, or sum them up; or the hands of one, and what was corrected in it."""
    which = MatchFilter(preset=preset, queue=queue, season=season)

    def call(method: str, request: Any, stub_class: Any = history_pb2_grpc.HistoryServiceStub) -> Any:
        where = address or settings.scoring_address
        return ask(
            settings, "gouji history", where, stub_class, lambda stub, how: getattr(stub, method)(request, **how)
        )

    if match:
        request = scoring_pb2.GetMatchRequest(table_id=match)
        answer = call("GetMatch", request, scoring_pb2_grpc.ScoringServiceStub)
        lines = [*_hands(player, answer.hands), *map(_correction, answer.corrections)]
    elif beside:
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


def _hands(player: str, hands: Iterable[HandResult]) -> Iterator[str]:
    for hand in hands:
        for seat in (number for number, held in enumerate(hand.seats) if held.player_id == player):
            made = "void" if hand.voided else "given up" if hand.abandoned else ""
            made = made or f"place {list(hand.order).index(seat) + 1}  {hand.scores[seat]:+d} points"
            yield f"hand {hand.hand}  {made}" + (f"  revision {hand.revision}" if hand.revision > 1 else "")


def _correction(one: scoring_pb2.Correction) -> str:
    return f"{one.corrected.ToJsonString()}  hand {one.hand} corrected, revision {one.revision}: {one.reason}"


def _statistics(one: Statistics) -> Iterator[str]:
    yield f"{one.preset}: {_outcomes(one)}, {one.points:+d} points"
    yield f"  places {' '.join(map(str, one.places))} of {one.hands} hands, {one.average_place:.2f} on average"
    yield f"  opened in {one.opening_rate:.0%}, burns {one.burns_won} of {one.burns_tried}, {one.sweeps} sweeps"


def _balance(how: str, one: history_pb2.Balance) -> str:
    return f"{how}: {_outcomes(one)}, {one.points:+d} points to {one.other_points:+d}"


def _outcomes(one: Statistics | history_pb2.Balance) -> str:
    return f"{one.matches} matches, {one.won} won, {one.drawn} drawn, {one.lost} lost"
