"""`gouji leaderboard`: who is best."""

from typing import Annotated, Any

import typer

from gouji.cli.operator import Json, ask, print_json
from gouji.cli.options import with_settings
from gouji.serving.settings import Settings
from gouji.v1 import leaderboard_pb2, leaderboard_pb2_grpc
from gouji.v1.leaderboard_pb2 import GetLeaderboardRequest, GetRankRequest, ListSeasonsRequest

_NEIGHBOURS = 5


@with_settings
def leaderboard(
    settings: Settings,
    *,
    rating: Annotated[bool, typer.Option("--rating", help="By rating, not by points; needs --preset.")] = False,
    season: Annotated[str, typer.Option(help="A season's id, or current; all time when unset.")] = "",
    preset: Annotated[str, typer.Option(help="Preset of the rules; all when unset.")] = "",
    region: Annotated[str, typer.Option(help="Region of the queues; all when unset.")] = "",
    around: Annotated[str, typer.Option(help="The id of a player: show it and its neighbours.", metavar="ID")] = "",
    list_seasons: Annotated[bool, typer.Option("--list-seasons", help="List the seasons.")] = False,
    limit: Annotated[int, typer.Option(min=1, max=100, help="At most so many.")] = 20,
    address: Annotated[str | None, typer.Option(help="A scoring server; what the settings say when unset.")] = None,
    json: Json = False,
) -> None:
    """Show the best players, or where one of them stands."""
    kind = leaderboard_pb2.LEADERBOARD_KIND_RATING if rating else leaderboard_pb2.LEADERBOARD_KIND_POINTS
    board = leaderboard_pb2.Leaderboard(kind=kind, season=season, preset=preset, region=region)

    def call(method: str, request: Any) -> Any:
        where = address or settings.scoring_address
        stub_class = leaderboard_pb2_grpc.LeaderboardServiceStub
        name = "gouji leaderboard"
        return ask(settings, name, where, stub_class, lambda stub, how: getattr(stub, method)(request, **how))

    if list_seasons:
        answer = call("ListSeasons", ListSeasonsRequest(page_size=limit))
        lines = [_season_line(one) for one in answer.seasons]
    elif around:
        answer = call("GetRank", GetRankRequest(board=board, player_id=around, neighbours=min(limit, _NEIGHBOURS)))
        lines = [_line(row, rating=rating) for row in answer.around] or [f"{around} has no rank there."]
    else:
        answer = call("GetLeaderboard", GetLeaderboardRequest(board=board, page_size=limit))
        lines = [_line(row, rating=rating) for row in answer.rows] or ["Nobody has a rank there."]
    if json:
        print_json(answer)
    else:
        typer.echo("\n".join(lines))


def _line(row: leaderboard_pb2.LeaderboardRow, *, rating: bool) -> str:
    score = f"{row.score / 100:.2f}" if rating else f"{row.score}"
    return f"{row.rank:>7}  {score:>9}  {row.matches:>6} matches  {row.player_id}  {row.name}".rstrip()


def _season_line(season: leaderboard_pb2.Season) -> str:
    state = leaderboard_pb2.SeasonState.Name(season.state).removeprefix("SEASON_STATE_").lower()
    span = f"{season.begins.ToJsonString()} to {season.ends.ToJsonString()}"
    return f"{season.season_id}  {state:<5}  {span}  {season.name}"
