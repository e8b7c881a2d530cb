"""The scoring service over gRPC: `bind` and the servicer."""

from typing import Any, Final

from gouji.scoring import ledger
from gouji.scoring.board_service import bind_leaderboards, schedule_of
from gouji.scoring.feed_service import bind_feed
from gouji.scoring.hands import Correction
from gouji.scoring.history_service import bind_history
from gouji.scoring.intake import Intake, Ruling
from gouji.scoring.metrics import ScoringMetrics
from gouji.scoring.rating import Skill, is_provisional
from gouji.scoring.seasons import Schedule
from gouji.scoring.store import Store
from gouji.serving.app import App
from gouji.serving.auth import ANY_ROLE, Role, Roles, caller
from gouji.serving.clock import microseconds
from gouji.serving.duplicate import board_shut, is_shut
from gouji.serving.errors import ServiceError, malformed
from gouji.serving.requests import read_id
from gouji.v1 import scoring_pb2, scoring_pb2_grpc

ROLES: Final[Roles] = {
    "RecordHand": {Role.SERVICE},
    "GetMatch": ANY_ROLE,
    "GetRatings": {Role.SERVICE},
    "CorrectHand": {Role.OPERATOR, Role.DIRECTOR},
}
"""Who may call what."""

MOST_RATINGS: Final = 1000
"""Most ratings in one answer."""

MOST_REASON: Final = 500
"""Most characters of why a hand is corrected."""


def bind(app: App) -> None:
    """Add scoring to a process."""
    schedule = schedule_of(app)
    metrics = ScoringMetrics(app.metrics.registry)
    app.add_servicer(
        scoring_pb2_grpc.add_ScoringServiceServicer_to_server,
        ScoringServicer(app, schedule, metrics),
        "gouji.v1.ScoringService",
        roles=ROLES,
    )
    bind_leaderboards(app, schedule)
    bind_history(app, schedule)
    bind_feed(app, metrics)


class ScoringServicer(scoring_pb2_grpc.ScoringServiceServicer):
    """Unpacks, asks the ledger and the store, packs. What is missing or empty is refused as `malformed`."""

    def __init__(self, app: App, schedule: Schedule, metrics: ScoringMetrics) -> None:
        self._database = app.database
        self._store = Store(app.database)
        self._intake = Intake(app.database, schedule)
        self._metrics = metrics
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

    async def GetMatch(  # noqa: N802 (gRPC's name)
        self, request: scoring_pb2.GetMatchRequest, _context: Any
    ) -> scoring_pb2.GetMatchResponse:
        """List the hands of a match so far as they stand, and their corrections.

        Refused with `unknown_match` when none is recorded, with `board_shut` for a tournament's board that is not open.
        """
        table_id = read_id("table_id", request.table_id)
        if await is_shut(self._database, table_id):
            raise board_shut()
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
        ids = [read_id(f"player_ids[{n}]", player_id) for n, player_id in enumerate(request.player_ids)]
        now = microseconds(self._clock.now())
        skills = await self._store.skills(ids, read_id("family", request.family), now)
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
        table_id=read_id("table_id", request.table_id),
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


def _rating(player_id: str, skill: Skill) -> scoring_pb2.Rating:
    return scoring_pb2.Rating(
        player_id=player_id,
        mu=skill.mu,
        sigma=skill.sigma,
        matches=skill.matches,
        provisional=is_provisional(skill),
    )
