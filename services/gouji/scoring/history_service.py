"""History over gRPC: `HistoryService`."""

from collections.abc import AsyncIterator, Sequence
from contextlib import aclosing
from typing import Any, Final

from google.protobuf.timestamp_pb2 import Timestamp

from gouji.scoring.archivist import Archivist
from gouji.scoring.history_store import PLACES, Filter, History, Played
from gouji.scoring.season_store import Seasons
from gouji.scoring.seasons import Schedule
from gouji.serving.app import App
from gouji.serving.auth import ANY_ROLE, Role, Roles, caller
from gouji.serving.clock import Clock, microseconds
from gouji.serving.errors import ServiceError, malformed
from gouji.serving.requests import read_filter, read_id, read_page
from gouji.v1 import history_pb2, history_pb2_grpc

ROLES: Final[Roles] = {
    "ListHistory": ANY_ROLE,
    "GetStatistics": ANY_ROLE,
    "GetHeadToHead": ANY_ROLE,
    "GetRecord": {Role.PLAYER, Role.OPERATOR, Role.DIRECTOR},
    "VerifyMatch": {Role.PLAYER, Role.OPERATOR, Role.DIRECTOR},
}
"""Who may call what; of players, those whom it is about."""

DEFAULT_FORM: Final = 10
"""Last matches told of when the caller does not say."""

LONGEST_FORM: Final = 50
"""Most of them."""

_WON, _DRAWN, _LOST = (
    history_pb2.MATCH_OUTCOME_WON,
    history_pb2.MATCH_OUTCOME_DRAWN,
    history_pb2.MATCH_OUTCOME_LOST,
)


def bind_history(app: App, schedule: Schedule) -> None:
    """Add the history to a process."""
    seasons = Seasons(app.database, schedule)
    app.add_servicer(
        history_pb2_grpc.add_HistoryServiceServicer_to_server,
        HistoryServicer(History(app.database), seasons, Archivist(app.channels, app.database), app.clock),
        "gouji.v1.HistoryService",
        roles=ROLES,
    )


class HistoryServicer(history_pb2_grpc.HistoryServiceServicer):
    """Unpacks, sees who may know it, asks, packs."""

    def __init__(self, history: History, seasons: Seasons, archivist: Archivist, clock: Clock) -> None:
        self._history = history
        self._seasons = seasons
        self._archivist = archivist
        self._clock = clock

    async def ListHistory(  # noqa: N802 (gRPC's name)
        self, request: history_pb2.ListHistoryRequest, context: Any
    ) -> history_pb2.ListHistoryResponse:
        """List a player's matches; refused with `forbidden` for a player who is another."""
        player_id = _whose(request.player_id)
        _must_be_one_of(context, player_id)
        size, place = read_page(request)
        mate = read_filter("with_player", request.with_player)
        opponent = read_filter("against_player", request.against_player)
        which = await self._filter(request.filter)
        found = await self._history.matches(player_id, which, size + 1, place, mate=mate, opponent=opponent)
        response = history_pb2.ListHistoryResponse(matches=[_summary(one) for one in found[:size]])
        if len(found) > size:
            response.next_page_token = found[size - 1].place.token()
        return response

    async def GetStatistics(  # noqa: N802 (gRPC's name)
        self, request: history_pb2.GetStatisticsRequest, _context: Any
    ) -> history_pb2.GetStatisticsResponse:
        """Sum up a player's matches; nothing for who has none, known or not."""
        player_id = _whose(request.player_id)
        if request.form > LONGEST_FORM:
            raise malformed("form", f"is {request.form}; {LONGEST_FORM} is the most")
        which = await self._filter(request.filter)
        form = await self._history.form(player_id, which, request.form or DEFAULT_FORM)
        return history_pb2.GetStatisticsResponse(
            presets=[_statistics(row) for row in await self._history.statistics(player_id, which)],
            form=[history_pb2.FormEntry(outcome=_outcome(row.lead), points=row.points) for row in form],
        )

    async def GetHeadToHead(  # noqa: N802 (gRPC's name)
        self, request: history_pb2.GetHeadToHeadRequest, context: Any
    ) -> history_pb2.GetHeadToHeadResponse:
        """Sum up the matches of two; refused with `forbidden` for a player who is neither."""
        player_id, other_id = _whose(request.player_id), read_id("other_id", request.other_id)
        _must_be_one_of(context, player_id, other_id)
        if player_id == other_id:
            raise malformed("other_id", "is the same player")
        which = await self._filter(request.filter)
        rows = {row.mates: row for row in await self._history.head_to_head(player_id, other_id, which)}
        return history_pb2.GetHeadToHeadResponse(together=_balance(rows.get(True)), against=_balance(rows.get(False)))

    async def GetRecord(  # noqa: N802 (gRPC's name)
        self, request: history_pb2.GetRecordRequest, context: Any
    ) -> AsyncIterator[history_pb2.GetRecordResponse]:
        """Give a match's record; refused with `unknown_match`, and with `not_seated` for who did not sit there."""
        await self._must_have_sat(context, read_id("table_id", request.table_id))
        async with aclosing(self._archivist.record(request.table_id)) as pieces:
            async for text in pieces:
                yield history_pb2.GetRecordResponse(text=text)

    async def VerifyMatch(  # noqa: N802 (gRPC's name)
        self, request: history_pb2.VerifyMatchRequest, context: Any
    ) -> history_pb2.VerifyMatchResponse:
        """Check a match; refused as `GetRecord` is."""
        await self._must_have_sat(context, read_id("table_id", request.table_id))
        found = await self._archivist.verify(request.table_id)
        return history_pb2.VerifyMatchResponse(verified=not found.problems, problems=found.problems, hands=found.hands)

    async def _must_have_sat(self, context: Any, table_id: str) -> None:
        who = caller(context)
        if who.plays and not await self._history.sat(who.player_id, table_id):
            raise ServiceError("not_seated", "You did not sit there, or nothing of it is recorded.")

    async def _filter(self, given: history_pb2.MatchFilter) -> Filter:
        """Read which matches are meant; refused with `unknown_season`."""
        since, until = _time("filter.since", given, "since"), _time("filter.until", given, "until")
        if season := read_filter("filter.season", given.season):
            lasts = (await self._seasons.named(season, microseconds(self._clock.now()))).season
            since = max(microseconds(lasts.begins), since if since is not None else -(2**63))
            until = min(microseconds(lasts.ends), until if until is not None else 2**63)
        return Filter(
            preset=read_filter("filter.preset", given.preset),
            queue=read_filter("filter.queue", given.queue),
            region=read_filter("filter.region", given.region),
            since=since,
            until=until,
            rated=given.rated if given.HasField("rated") else None,
        )


def _whose(player_id: str) -> str:
    """Read who is meant: by default the caller, if it is a player."""
    if not player_id and caller().plays:
        return caller().player_id
    return read_id("player_id", player_id)


def _must_be_one_of(context: Any, *players: str) -> None:
    who = caller(context)
    if who.plays and who.player_id not in players:
        raise ServiceError("forbidden", "Only the players themselves may see that.")


def _time(path: str, given: history_pb2.MatchFilter, field: str) -> int | None:
    if not given.HasField(field):  # type: ignore[arg-type]
        return None
    time: Timestamp = getattr(given, field)
    try:
        time.ToDatetime()
    except ValueError:
        raise malformed(path, "is no time") from None
    return time.ToMicroseconds()


def _summary(one: Played) -> history_pb2.MatchSummary:
    row = one.row
    found = history_pb2.MatchSummary(
        table_id=row.table_id,
        preset=row.preset,
        queue=row.queue,
        tournament=row.tournament or "",
        hands=row.hands,
        rated=row.rated,
        seats=[_seat(seat) for seat in one.seats],
        team_points=[] if row.even_points is None else [row.even_points, row.odd_points],
        seat=row.seat,
        outcome=history_pb2.MATCH_OUTCOME_UNSPECIFIED if row.voided else _outcome(row.lead),
    )
    found.began.FromMicroseconds(row.began_at)
    found.ended.FromMicroseconds(row.ended_at)
    return found


def _seat(row: Any) -> history_pb2.PlayedSeat:
    return history_pb2.PlayedSeat(
        player_id=row.player_id or "",
        name=row.name or "",
        bot_level=row.bot_level or "",
        points=row.points,
        places=_places(row),
        left=row.left,
    )


def _statistics(row: Any) -> history_pb2.Statistics:
    places = _places(row)
    finished = sum(places)
    return history_pb2.Statistics(
        preset=row.preset,
        matches=row.matches,
        won=row.won,
        drawn=row.drawn,
        lost=row.lost,
        hands=row.hands,
        points=row.points,
        places=places,
        average_place=sum(place * times for place, times in enumerate(places, start=1)) / finished if finished else 0,
        openings=row.openings,
        opening_rate=row.openings / row.hands if row.hands else 0,
        burns_tried=row.burns_tried,
        burns_won=row.burns_won,
        sweeps=row.sweeps,
        left=row.left,
    )


def _places(row: Any) -> Sequence[int]:
    return [getattr(row, name) for name in PLACES]


def _balance(row: Any) -> history_pb2.Balance:
    if row is None:
        return history_pb2.Balance()
    return history_pb2.Balance(
        matches=row.matches,
        won=row.won,
        drawn=row.drawn,
        lost=row.lost,
        points=row.points,
        other_points=row.other_points,
    )


def _outcome(lead: int) -> history_pb2.MatchOutcome.ValueType:
    return _WON if lead > 0 else _LOST if lead < 0 else _DRAWN
