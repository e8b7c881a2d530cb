"""What studios' own systems are told: ids and points, no names and no cards. Pure: no I/O, no clock."""

from collections.abc import Sequence

from gouji.scoring.ledger import match_sum, seat_sums
from gouji.v1.feed_pb2 import FeedEvent, MatchFinished, MatchSeat, PlayerDeleted
from gouji.v1.scoring_pb2 import HandResult


def finished(results: Sequence[HandResult], corrections: int) -> FeedEvent | None:
    """Tell of a match by the results that stand after so many corrections; None while some are yet to come."""
    match, first = match_sum(results), results[0]
    if match.ended_at is None:
        return None
    told = MatchFinished(
        table_id=first.table_id,
        rules=first.rules,
        queue=first.queue,
        hands=match.hands,
        seats=_seats(results),
        team_scores=[] if match.even_points is None else [match.even_points, match.odd_points or 0],
        corrections=corrections,
        voided=match.voided,
        tournament=first.tournament,
    )
    told.ended.FromMicroseconds(match.ended_at)
    event_id = f"match_{first.table_id}_{corrections}" if corrections else f"match_{first.table_id}"
    return FeedEvent(event_id=event_id, match_finished=told)


def deleted(player_id: str) -> FeedEvent:
    """Tell that a player was deleted."""
    return FeedEvent(event_id=f"deleted_{player_id}", player_deleted=PlayerDeleted(player_id=player_id))


def _seats(results: Sequence[HandResult]) -> list[MatchSeat]:
    return [
        MatchSeat(
            player_id=held.player_id, bot_level=held.bot_level, score=made.points, left=made.left, places=made.places
        )
        for held, made in zip(results[0].seats, seat_sums(results), strict=True)
    ]
