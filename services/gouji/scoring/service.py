"""The scoring service over gRPC: `bind` and the servicer."""

from typing import Any, Final

from gouji.engine.cards import SEATS
from gouji.scoring import ledger
from gouji.scoring.books import ALL_PRESETS
from gouji.scoring.hands import Correction
from gouji.scoring.intake import Intake, Ruling
from gouji.scoring.metrics import ScoringMetrics
from gouji.scoring.rating import Skill, is_provisional
from gouji.scoring.store import Ranked, Store
from gouji.serving.app import App
from gouji.serving.auth import ANY_ROLE, Role, Roles, caller
from gouji.serving.clock import microseconds
from gouji.serving.errors import ServiceError, malformed
from gouji.v1 import scoring_pb2, scoring_pb2_grpc

ROLES: Final[Roles] = {
    "RecordHand": {Role.SERVICE},
    "GetLeaderboard": ANY_ROLE,
    "GetPlayerTotals": ANY_ROLE,
    "GetMatch": ANY_ROLE,
    "GetRatings": {Role.SERVICE},
    "CorrectHand": {Role.OPERATOR, Role.DIRECTOR},
}
"""Who may call what."""

DEFAULT_LIMIT: Final = 20
"""Players on a leaderboard when the caller does not say."""

MOST_LIMIT: Final = 100
"""Most players on a leaderboard."""

MOST_RATINGS: Final = 1000
"""Most ratings in one answer."""

MOST_REASON: Final = 500
"""Most characters of why a hand is corrected."""


def bind(app: App) -> None:
    """Add scoring to a process."""
    app.add_servicer(
        scoring_pb2_grpc.add_ScoringServiceServicer_to_server,
        ScoringServicer(app),
        "gouji.v1.ScoringService",
        roles=ROLES,
    )


class ScoringServicer(scoring_pb2_grpc.ScoringServiceServicer):
    """Unpacks, asks the ledger and the store, packs. What is missing or empty is refused as `malformed`."""

    def __init__(self, app: App) -> None:
        self._store = Store(app.database)
        self._intake = Intake(app.database)
        self._metrics = ScoringMetrics(app.metrics.registry)
        self._clock = app.clock
        self._log = app.log

    async def RecordHand(  # noqa: N802 (gRPC's name)
        self, request: scoring_pb2.RecordHandRequest, _context: Any
    ) -> scoring_pb2.RecordHandResponse:
        """Record a finished hand; the same hand again changes nothing, however often and at whatever moment.

        Another result for the same table and hand is refused with `result_conflict`, one that no table has written
        with `unknown_result`. A voided hand has no order and is refused as `malformed`: it is not to be sent. Once all
        hands of a queue's or a tournament's match are there, the ratings of all who played it change.
        """
        with self._metrics.refusals():
            repeated = await self._intake.record(_checked(request.result))
        self._metrics.results.labels("repeated" if repeated else "recorded").inc()
        return scoring_pb2.RecordHandResponse(already_recorded=repeated)

    async def CorrectHand(  # noqa: N802 (gRPC's name)
        self, request: scoring_pb2.CorrectHandRequest, _context: Any
    ) -> scoring_pb2.CorrectHandResponse:
        """Write a hand's next revision; points and ratings follow.

        Asked again after an answer that was lost, it is refused with `result_changed`: the correction stands.
        """
        ruling = _ruling(request)
        revision = await self._intake.correct(ruling)
        self._log.info("hand_corrected", table=ruling.table_id, hand=ruling.hand, revision=revision, by=ruling.by)
        return scoring_pb2.CorrectHandResponse(revision=revision)

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
        """List the hands of a match so far, and their corrections; refused with `unknown_match` when there is none."""
        table_id = _named("table_id", request.table_id)
        hands, corrections = await self._store.match(table_id)
        if not hands:
            raise ServiceError("unknown_match", f"No hand of match {table_id} is recorded.")
        return scoring_pb2.GetMatchResponse(hands=hands, corrections=map(_correction, corrections))

    async def GetRatings(  # noqa: N802 (gRPC's name)
        self, request: scoring_pb2.GetRatingsRequest, _context: Any
    ) -> scoring_pb2.GetRatingsResponse:
        """Give ratings as they are now, in the order asked for; that of a beginner for who is not rated."""
        if not 1 <= len(request.player_ids) <= MOST_RATINGS:
            raise malformed("player_ids", f"has {len(request.player_ids)} entries, not 1 to {MOST_RATINGS}")
        ids = [_named(f"player_ids[{n}]", player_id) for n, player_id in enumerate(request.player_ids)]
        now = microseconds(self._clock.now())
        skills = await self._store.skills(ids, _named("family", request.family), now)
        return scoring_pb2.GetRatingsResponse(ratings=[_rating(player_id, skills[player_id]) for player_id in ids])


def _checked(result: scoring_pb2.HandResult) -> scoring_pb2.HandResult:
    try:
        ledger.check(result)
    except ledger.Malformed as error:
        raise malformed(f"result.{error.path}", error.problem) from error
    return result


def _ruling(request: scoring_pb2.CorrectHandRequest) -> Ruling:
    """Read a correction; it names an outcome, or rules that there is none."""
    outcome = scoring_pb2.HandResult(
        voided=request.voided, order=request.order, scores=request.scores, team_scores=request.team_scores
    )
    if request.voided and (request.order or request.scores or request.team_scores):
        raise malformed("voided", "stands beside an outcome; a hand has the one or the other")
    for path, problem in () if request.voided else ledger.outcome_problems(outcome):
        raise malformed(path, problem)
    if not 1 <= request.hand <= ledger.MOST_HANDS:
        raise malformed("hand", f"is {request.hand}; hands count from 1")
    return Ruling(
        table_id=_named("table_id", request.table_id),
        hand=request.hand,
        revision=request.revision,
        result=outcome,
        reason=_reason(request.reason),
        by=caller().player_id,
    )


def _reason(reason: str) -> str:
    if len(reason) > MOST_REASON or not reason.isprintable() or not reason.strip():
        raise malformed("reason", f"not 1 to {MOST_REASON} characters that can be shown")
    return reason


def _correction(correction: Correction) -> scoring_pb2.Correction:
    told = scoring_pb2.Correction(hand=correction.result.hand, revision=correction.revision, reason=correction.reason)
    told.corrected.FromMicroseconds(correction.at)
    return told


def _totals(ranked: Ranked) -> scoring_pb2.PlayerTotals:
    totals = ranked.totals
    return scoring_pb2.PlayerTotals(
        player_id=totals.player_id,
        name=ranked.name,
        hands=totals.hands,
        points=totals.points,
        places=totals.places,
        rank=ranked.rank,
    )


def _rating(player_id: str, skill: Skill) -> scoring_pb2.Rating:
    return scoring_pb2.Rating(
        player_id=player_id,
        mu=skill.mu,
        sigma=skill.sigma,
        matches=skill.matches,
        provisional=is_provisional(skill),
    )


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
