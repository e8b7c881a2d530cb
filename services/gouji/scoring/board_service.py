"""Leaderboards and seasons over gRPC: `LeaderboardService`."""

from typing import Any, Final

from gouji.scoring.boards import ALL, Board, Kind
from gouji.scoring.season_store import Seasons, Stored
from gouji.scoring.seasons import Schedule
from gouji.scoring.standing_store import Standing, Standings
from gouji.scoring.upkeep import Upkeep
from gouji.serving.app import App, StartError
from gouji.serving.auth import ANY_ROLE, Roles
from gouji.serving.clock import Clock, microseconds
from gouji.serving.errors import malformed
from gouji.serving.pages import Place
from gouji.serving.requests import read_filter, read_id, read_page
from gouji.v1 import leaderboard_pb2, leaderboard_pb2_grpc

ROLES: Final[Roles] = {"ListSeasons": ANY_ROLE, "GetLeaderboard": ANY_ROLE, "GetRank": ANY_ROLE}
"""Who may call what."""

MOST_NEIGHBOURS: Final = 50
"""Most neighbours on each side of a player."""

_KINDS: Final = {
    leaderboard_pb2.LEADERBOARD_KIND_UNSPECIFIED: Kind.POINTS,
    leaderboard_pb2.LEADERBOARD_KIND_POINTS: Kind.POINTS,
    leaderboard_pb2.LEADERBOARD_KIND_RATING: Kind.RATING,
}


def schedule_of(app: App) -> Schedule:
    """Read the seasons' schedule of a process; raises `StartError` for one that makes no sense."""
    try:
        return Schedule.parse(app.settings.seasons)
    except ValueError as error:
        raise StartError(f"--seasons (GOUJI_SEASONS): {error}") from error


def bind_leaderboards(app: App, schedule: Schedule) -> None:
    """Add leaderboards to a process, and what keeps them up."""
    app.add_servicer(
        leaderboard_pb2_grpc.add_LeaderboardServiceServicer_to_server,
        LeaderboardServicer(Seasons(app.database, schedule), Standings(app.database), app.clock),
        "gouji.v1.LeaderboardService",
        roles=ROLES,
    )
    upkeep = Upkeep(app, schedule)
    app.background("leaderboard counts", upkeep.fold)
    app.background("seasons", upkeep.turn_seasons)


class LeaderboardServicer(leaderboard_pb2_grpc.LeaderboardServiceServicer):
    """Unpacks, asks the stores, packs. What is too long or makes no sense is refused as `malformed`."""

    def __init__(self, seasons: Seasons, standings: Standings, clock: Clock) -> None:
        self._seasons = seasons
        self._standings = standings
        self._clock = clock

    async def ListSeasons(  # noqa: N802 (gRPC's name)
        self, request: leaderboard_pb2.ListSeasonsRequest, _context: Any
    ) -> leaderboard_pb2.ListSeasonsResponse:
        """List seasons, the newest first."""
        size, place = read_page(request)
        found = await self._seasons.newest(size + 1, place.number if place else None)
        response = leaderboard_pb2.ListSeasonsResponse(seasons=[self._season(one) for one in found[:size]])
        if len(found) > size:
            last = found[size - 1].season
            response.next_page_token = Place(microseconds(last.begins), last.season_id).token()
        return response

    async def GetLeaderboard(  # noqa: N802 (gRPC's name)
        self, request: leaderboard_pb2.GetLeaderboardRequest, _context: Any
    ) -> leaderboard_pb2.GetLeaderboardResponse:
        """List players, best first; refused with `unknown_season`."""
        size, place = read_page(request)
        board, stored = await self._board(request.board)
        found = await self._standings.page(board, size + 1, place)
        response = leaderboard_pb2.GetLeaderboardResponse(
            rows=[_row(one) for one in found.standings[:size]],
            players=found.players,
            season=self._season(stored) if stored else None,
        )
        if len(found.standings) > size:
            response.next_page_token = found.standings[size - 1].place.token()
        return response

    async def GetRank(  # noqa: N802 (gRPC's name)
        self, request: leaderboard_pb2.GetRankRequest, _context: Any
    ) -> leaderboard_pb2.GetRankResponse:
        """Give a player's rank and its neighbours; refused with `unknown_season`."""
        player_id = read_id("player_id", request.player_id)
        if request.neighbours > MOST_NEIGHBOURS:
            raise malformed("neighbours", f"is {request.neighbours}; {MOST_NEIGHBOURS} is the most")
        board, stored = await self._board(request.board)
        found = await self._standings.around(board, player_id, request.neighbours)
        around = [_row(one) for one in found.standings]
        return leaderboard_pb2.GetRankResponse(
            row=next((one for one in around if one.player_id == player_id), None),
            around=around,
            players=found.players,
            season=self._season(stored) if stored else None,
        )

    async def _board(self, given: leaderboard_pb2.Leaderboard) -> tuple[Board, Stored | None]:
        """Read which board is meant, and find its season; None for all time."""
        if given.kind not in _KINDS:
            raise malformed("board.kind", f"is {given.kind}, which is none")
        kind = _KINDS[given.kind]
        preset = read_filter("board.preset", given.preset)
        if kind is Kind.RATING and not preset:
            raise malformed("board.preset", "is empty, and ratings are by preset")
        named = read_filter("board.season", given.season)
        stored = await self._seasons.named(named, microseconds(self._clock.now())) if named else None
        season = stored.season.season_id if stored else ALL
        return Board(kind, season, preset, read_filter("board.region", given.region)), stored

    def _season(self, stored: Stored) -> leaderboard_pb2.Season:
        season, state = stored.season, stored.state(microseconds(self._clock.now()))
        found = leaderboard_pb2.Season(season_id=season.season_id, name=season.name)
        found.begins.FromDatetime(season.begins)
        found.ends.FromDatetime(season.ends)
        found.state = leaderboard_pb2.SeasonState.Value(f"SEASON_STATE_{state.name}")
        return found


def _row(one: Standing) -> leaderboard_pb2.LeaderboardRow:
    return leaderboard_pb2.LeaderboardRow(
        rank=one.rank,
        player_id=one.player_id,
        name=one.name,
        score=one.score,
        matches=one.matches,
    )
