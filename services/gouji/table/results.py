"""Finished hands as scoring learns of them. They name players by id alone."""

from collections.abc import Iterable, Sequence

from gouji.table.table import Table
from gouji.v1 import events_pb2, scoring_pb2
from gouji.v1.events_pb2 import Event


def hand_results(table: Table, events: Iterable[Event], stand_in: str) -> list[scoring_pb2.HandResult]:
    """Make the results of the hands that end in a step's events; a hand that was voided has none.

    ``stand_in`` is the level of the bots that play for people.
    """
    ended = [event for event in events if _counts(event)]
    return [_hand_result(table, event, stand_in, last=table.over and event is ended[-1]) for event in ended]


def given_up(log: Sequence[Event], at: int) -> scoring_pb2.HandResult:
    """Make the last result of a table that is given up; its log begins with its opening, and need not fold."""
    counted = [event.hand for event in log if _counts(event)]
    hand = max(log[-1].hand, 1)
    result = _of_match(log[0].table_opened)
    result.hand = hand + (hand in counted)
    result.results = len(counted) + 1
    result.last = result.abandoned = True
    result.ended.FromMicroseconds(max(at, log[-1].at.ToMicroseconds()))
    result.began.CopyFrom(next((event.at for event in log if event.hand == result.hand), result.ended))
    return result


def _counts(event: Event) -> bool:
    return event.HasField("hand_ended") and not event.hand_ended.voided


def _hand_result(table: Table, event: Event, stand_in: str, *, last: bool) -> scoring_pb2.HandResult:
    ended, result = event.hand_ended, _of_match(table.opened)
    result.MergeFrom(
        scoring_pb2.HandResult(
            hand=event.hand,
            order=ended.order,
            scores=ended.scores,
            team_scores=ended.team_scores,
            ended=event.at,
            digest=ended.digest,
            last=last,
            results=len(table.match.played),
            conduct=table.conduct,
            stand_in=stand_in,
            match_scores=table.match.scores,
            match_team_scores=table.match.team_scores,
        )
    )
    result.MergeFrom(table.account)
    return result


def _of_match(opened: events_pb2.TableOpened) -> scoring_pb2.HandResult:
    """Make a result that says no more than of which match it is."""
    return scoring_pb2.HandResult(
        table_id=opened.table_id,
        rules=opened.rules,
        queue=opened.queue,
        tournament=opened.tournament,
        seats=[events_pb2.Seat(player_id=seat.player_id, bot_level=seat.bot_level) for seat in opened.seats],
    )
