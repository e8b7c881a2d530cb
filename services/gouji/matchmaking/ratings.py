"""Players' ratings, as scoring has them."""

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

import grpc

from gouji.matchmaking.policy import DEVIATION, RATING
from gouji.serving.channels import Channels
from gouji.serving.logs import Log
from gouji.v1 import scoring_pb2, scoring_pb2_grpc

_TIMEOUT_SECONDS: Final = 1.0


class Rating(NamedTuple):
    """How strong a player seems, and how sure that is."""

    rating: float
    deviation: float


UNKNOWN: Final = Rating(RATING, DEVIATION)
"""The rating of somebody who has not played."""


class Ratings:
    """Asks scoring; while it does not answer, everybody queues as somebody who has not played."""

    def __init__(self, channels: Channels, log: Log) -> None:
        self._channels = channels
        self._log = log

    async def of(self, player_ids: Sequence[str], family: str) -> Mapping[str, Rating]:
        """Look up ratings for games of a preset."""
        stub: scoring_pb2_grpc.ScoringServiceAsyncStub
        stub = self._channels.stub("scoring", scoring_pb2_grpc.ScoringServiceStub)
        request = scoring_pb2.GetRatingsRequest(player_ids=player_ids, family=family)
        try:
            answer = await stub.GetRatings(request, timeout=_TIMEOUT_SECONDS)
        except grpc.aio.AioRpcError as error:
            self._log.info("ratings_unknown", status=error.code().name)
            return dict.fromkeys(player_ids, UNKNOWN)
        return {one.player_id: Rating(one.mu, one.sigma) for one in answer.ratings}
