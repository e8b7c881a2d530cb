"""A finished hand as scoring learns of it."""

from gouji.table.table import Table
from gouji.v1 import events_pb2, scoring_pb2


def hand_result(table: Table, event: events_pb2.Event, *, last: bool) -> scoring_pb2.HandResult:
    """Make the result of the hand that ``event`` (a `HandEnded`) ended; ``last`` of its match or not."""
    ended = event.hand_ended
    return scoring_pb2.HandResult(
        table_id=table.table_id,
        hand=event.hand,
        rules=table.rules,
        queue=table.queue,
        seats=table.seats,
        order=ended.order,
        scores=ended.scores,
        team_scores=ended.team_scores,
        ended=event.at,
        digest=ended.digest,
        last=last,
        conduct=table.conduct,
        match_scores=table.match.scores,
        match_team_scores=table.match.team_scores,
    )
