"""The scoring service over gRPC: `bind` and the servicer."""

import hashlib
from typing import Any, Final

from gouji.engine.cards import SEATS
from gouji.scoring import ledger
from gouji.scoring.metrics import ScoringMetrics
from gouji.scoring.rating import Match, Skill, rated_as
from gouji.scoring.store import ALL_PRESETS, Kept, Ranked, Store
from gouji.serving.app import App
from gouji.serving.auth import ANY_ROLE, Role, Roles
from gouji.serving.database import Database
from gouji.serving.duplicate import board_shut, is_shut
from gouji.serving.errors import ServiceError, malformed
from gouji.v1 import scoring_pb2, scoring_pb2_grpc

ROLES: Final[Roles] = {
    "RecordHand": {Role.SERVICE},
    "GetLeaderboard": ANY_ROLE,
    "GetPlayerTotals": ANY_ROLE,
    "GetMatch": ANY_ROLE,
    "GetRatings": {Role.SERVICE},
}
"""Who may call what."""

DEFAULT_LIMIT: Final = 20
"""Players on a leaderboard when the caller does not say."""

MOST_LIMIT: Final = 100
"""Most players on a leaderboard."""

MOST_RATINGS: Final = 1000
"""Most ratings in one answer."""


def bind(app: App) -> None:
    """Add scoring to a process."""
    servicer = ScoringServicer(app.database, ScoringMetrics(app.metrics.registry))
    app.add_servicer(
        scoring_pb2_grpc.add_ScoringServiceServicer_to_server,
        servicer,
        "gouji.v1.ScoringService",
        roles=ROLES,
    )


class ScoringServicer(scoring_pb2_grpc.ScoringServiceServicer):
    """Unpacks, asks the ledger and the store, packs. What is missing or empty is refused as `malformed`."""

    def __init__(self, database: Database, metrics: ScoringMetrics) -> None:
        self._database = database
        self._store = Store(database)
        self._metrics = metrics

    async def RecordHand(  # noqa: N802 (gRPC's name)
        self, request: scoring_pb2.RecordHandRequest, _context: Any
    ) -> scoring_pb2.RecordHandResponse:
        """Record a finished hand; the same hand again changes nothing, however often and at whatever moment.

        Another result for the same table and hand is refused with `result_conflict`. A voided hand has no
        order and is refused as `malformed`: it is not to be sent. The last hand of a queue's match changes the
        ratings of all who played it.
        """
        with self._metrics.refusals():
            kept, entries = _read(request)
            standing = await self._store.record(kept, entries, _match(request.result))
            if standing not in (None, kept.payload_hash):
                raise ServiceError(
                    "result_conflict",
                    f"Another result stands for hand {kept.hand} of table {kept.table_id}.",
                )
        self._metrics.results.labels("recorded" if standing is None else "repeated").inc()
        return scoring_pb2.RecordHandResponse(already_recorded=standing is not None)

    async def GetLeaderboard(  # noqa: N802 (gRPC's name)
        self, request: scoring_pb2.GetLeaderboardRequest, _context: Any
    ) -> scoring_pb2.GetLeaderboardResponse:
        """List the best players; none for a preset that nobody played or that does not exist."""
        limit = request.limit or DEFAULT_LIMIT
        if limit > MOST_LIMIT:
            raise malformed("limit", f"is {limit}; {MOST_LIMIT} is the most")
        best = await self._store.leaderboard(_text("preset", request.preset) or ALL_PRESETS, limit)
        return scoring_pb2.GetLeaderboardResponse(players=[_totals(ranked) for ranked in best])

    async def GetPlayerTotals(  # noqa: N802 (gRPC's name)
        self, request: scoring_pb2.GetPlayerTotalsRequest, _context: Any
    ) -> scoring_pb2.GetPlayerTotalsResponse:
        """Give a player's totals and rank over all presets; zeros for one without a hand, known or not."""
        player_id = _named("player_id", request.player_id)
        ranked = await self._store.player(player_id)
        empty = scoring_pb2.PlayerTotals(player_id=player_id, places=[0] * SEATS)
        return scoring_pb2.GetPlayerTotalsResponse(totals=_totals(ranked) if ranked else empty)

    async def GetMatch(  # noqa: N802 (gRPC's name)
        self, request: scoring_pb2.GetMatchRequest, _context: Any
    ) -> scoring_pb2.GetMatchResponse:
        """List the hands of a match so far.

        Refused with `unknown_match` when none is recorded, with `board_shut` for a tournament's board that is not open.
        """
        table_id = _named("table_id", request.table_id)
        if await is_shut(self._database, table_id):
            raise board_shut()
        payloads = await self._store.match(table_id)
        if not payloads:
            raise ServiceError("unknown_match", f"No hand of match {table_id} is recorded.")
        hands = [scoring_pb2.HandResult.FromString(payload) for payload in payloads]
        return scoring_pb2.GetMatchResponse(hands=hands)

    async def GetRatings(  # noqa: N802 (gRPC's name)
        self, request: scoring_pb2.GetRatingsRequest, _context: Any
    ) -> scoring_pb2.GetRatingsResponse:
        """Give ratings in the order asked for; that of a beginner for who is not rated, known or not."""
        if not 1 <= len(request.player_ids) <= MOST_RATINGS:
            raise malformed("player_ids", f"has {len(request.player_ids)} entries, not 1 to {MOST_RATINGS}")
        ids = [_named(f"player_ids[{n}]", player_id) for n, player_id in enumerate(request.player_ids)]
        skills = await self._store.skills(ids, _named("family", request.family))
        return scoring_pb2.GetRatingsResponse(ratings=[_rating(player_id, skills[player_id]) for player_id in ids])


def _read(request: scoring_pb2.RecordHandRequest) -> tuple[Kept, list[ledger.Entry]]:
    """Check a result; give what is stored of it, and what it means for its players."""
    message = request.result
    result = _result(message)
    try:
        ledger.check(result)
    except ledger.Malformed as error:
        raise malformed(f"result.{error.path}", error.problem) from error
    if not message.HasField("ended"):
        raise malformed("result.ended", "is not set")
    try:
        message.ended.ToDatetime()
    except ValueError:
        raise malformed("result.ended", "is no time") from None
    return _kept(message), ledger.entries(result)


def _result(message: scoring_pb2.HandResult) -> ledger.Result:
    seats = [ledger.Seat(seat.player_id, seat.name, seat.bot_level) for seat in message.seats]
    return ledger.Result(
        message.table_id,
        message.hand,
        seats,
        message.order,
        message.scores,
        message.team_scores,
        [conduct.penalty for conduct in message.conduct],
        message.match_scores,
        message.match_team_scores,
    )


def _match(message: scoring_pb2.HandResult) -> Match | None:
    """Take the match that ended with this hand, if it is to be rated: those of queues and tournaments are."""
    if not (message.last and (message.queue or message.tournament) and message.match_scores):
        return None
    rated = [rated_as(seat.player_id, seat.bot_level) for seat in message.seats]
    return Match(rated, message.match_scores, message.match_team_scores)


def _kept(message: scoring_pb2.HandResult) -> Kept:
    # Maps have no order of their own: only the deterministic form is the same for the same content.
    payload = message.SerializeToString(deterministic=True)
    return Kept(
        table_id=message.table_id,
        hand=message.hand,
        payload=payload,
        payload_hash=hashlib.sha256(payload).digest(),
        preset=message.rules.preset or "standard",
        queue=message.queue,
        ended_at=message.ended.ToMicroseconds(),
    )


def _totals(ranked: Ranked) -> scoring_pb2.PlayerTotals:
    totals = ranked.totals
    return scoring_pb2.PlayerTotals(
        player_id=totals.player_id,
        name=totals.name,
        hands=totals.hands,
        points=totals.points,
        places=totals.places,
        rank=ranked.rank,
    )


def _rating(player_id: str, skill: Skill) -> scoring_pb2.Rating:
    return scoring_pb2.Rating(player_id=player_id, mu=skill.mu, sigma=skill.sigma, matches=skill.matches)


def _named(path: str, value: str) -> str:
    """Take an identifier, which must not be empty."""
    if not value:
        raise malformed(path, "is empty")
    return _text(path, value)


def _text(path: str, value: str) -> str:
    """Take a text that the database can compare with: PostgreSQL refuses the character NUL."""
    if "\0" in value:
        raise malformed(path, "holds the character NUL")
    return value
