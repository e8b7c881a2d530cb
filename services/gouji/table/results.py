"""Finished hands as scoring learns of them."""

from collections.abc import Iterable

from gouji.table.table import Table
from gouji.v1 import events_pb2, scoring_pb2


def hand_results(table: Table, events: Iterable[events_pb2.Event]) -> list[scoring_pb2.HandResult]:
    """Make the results of the hands that end in a step's events; a hand that was voided has none."""
    ended = [event for event in events if event.HasField("hand_ended") and not event.hand_ended.voided]
    return [_hand_result(table, event, last=table.over and event is ended[-1]) for event in ended]


def _hand_result(table: Table, event: events_pb2.Event, *, last: bool) -> scoring_pb2.HandResult:
    ended = event.hand_ended
    return scoring_pb2.HandResult(
        table_id=table.table_id,
        hand=event.hand,
        rules=table.rules,
        queue=table.queue,
        tournament=table.opened.tournament,
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
