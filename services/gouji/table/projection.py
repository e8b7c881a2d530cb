"""What a watcher may see: the only way out of a table.

Everything is built from nothing, field by field, so that a new field of the log stays hidden until somebody
shows it here. ``viewer`` is the seat that looks, None for a spectator, or `DIRECTOR`.
"""

from collections.abc import Callable, Collection, Iterable
from functools import cache
from typing import Final, Literal, assert_never

from google.protobuf.timestamp_pb2 import Timestamp

from gouji.engine import Action, Hand
from gouji.engine.cards import SEATS
from gouji.engine.history import shown
from gouji.table.asking import Asking
from gouji.table.table import Table
from gouji.v1 import actions_pb2, events_pb2, observation_pb2, reasons_pb2, table_pb2
from gouji.v1.events_pb2 import Event
from gouji.wire import (
    action_from_proto,
    action_to_proto,
    card_to_proto,
    consequences_to_proto,
    observation_to_proto,
    question_to_proto,
    step_of_event,
)

DIRECTOR: Final = SEATS
"""The viewer who sees the cards in all hands, and answers no question."""


def timestamp(microseconds: int | None) -> Timestamp | None:
    """Pack a time; None stays None."""
    if microseconds is None:
        return None
    moment = Timestamp()
    moment.FromMicroseconds(microseconds)
    return moment


def turn(asking: Asking, viewer: int | None) -> events_pb2.Turn:
    """Say who is asked, as the viewer may know it."""
    question = asking.questions.get(viewer) if viewer is not None else None
    asked = viewer if question and asking.answers_open else asking.seat
    return events_pb2.Turn(
        number=asking.number,
        seat_plus_one=0 if asked is None else asked + 1,
        answers_open=asking.answers_open,
        question=question_to_proto(question),
        deadline=timestamp(asking.deadline),
    )


def project(event: Event, viewer: int | None, asking: Asking | None, *, shut: bool = False) -> Event:
    """Show one event of the log; ``asking`` is who was asked after it, None when that no longer matters.

    Of a board that is ``shut`` neither secret nor cards are told at a hand's end, nor a digest: it goes over all cards,
    and could be searched for them.
    """
    shown = Event(sequence=event.sequence, at=event.at, hand=event.hand)
    if asking is not None:
        shown.turn.CopyFrom(turn(asking, viewer))
    _show_body(event, viewer, shown, shut=shut)
    return shown


def projected(event: Event, asking: Asking | None, *, shut: bool = False) -> Callable[[int | None], Event]:
    """Give what shows an event to each viewer as `project` does.

    What is the same to several viewers is made once and shared, so it must not be changed.
    """
    make = cache(lambda viewer: project(event, viewer, asking, shut=shut))
    return lambda viewer: make(_sight(event, viewer, asking))


def _sight(event: Event, viewer: int | None, asking: Asking | None) -> int | None:
    """Say as whom a viewer sees an event: as a spectator (None) where nothing in it is the viewer's own."""
    if asking is not None and viewer in asking.questions:
        return viewer
    taken = event.action_taken
    public = event.HasField("answers_closed") or (
        event.HasField("action_taken") and not taken.partner_plus_one and not taken.hands
    )
    return None if public else viewer


def _show_body(event: Event, viewer: int | None, shown: Event, *, shut: bool) -> None:
    match event.WhichOneof("body"):
        case "table_opened":
            shown.table_opened.CopyFrom(_opened(event.table_opened))
        case "hand_committed":
            shown.hand_committed.CopyFrom(_committed(event.hand_committed))
        case "hand_dealt":
            shown.hand_dealt.CopyFrom(_dealt(event.hand_dealt, viewer))
        case "action_taken":
            shown.action_taken.CopyFrom(_taken(event.action_taken, viewer))
        case "answers_closed":
            shown.answers_closed.CopyFrom(_closed(event.answers_closed))
        case "hand_ended":
            shown.hand_ended.CopyFrom(_hand_ended(event.hand_ended, shut=shut))
        case (
            "match_ended" | "seat_changed" | "table_frozen" | "table_resumed" | "clocks_credited" | "table_abandoned"
        ) as kind:
            _show_state(event, kind, shown, shut=shut)
        case "said" | "hand_vote" | "rematch_wish" | "rematch_placed" as kind:
            _show_company(event, kind, shown)
        case None:
            raise ValueError(f"event {event.sequence} says nothing")
        case body:
            assert_never(body)


_StateKind = Literal[
    "match_ended", "seat_changed", "table_frozen", "table_resumed", "clocks_credited", "table_abandoned"
]


def _show_state(event: Event, kind: _StateKind, shown: Event, *, shut: bool) -> None:
    """Show what an event says of the table rather than of the game."""
    match kind:
        case "match_ended":
            shown.match_ended.CopyFrom(_match_ended(event.match_ended, shut=shut))
        case "seat_changed":
            shown.seat_changed.CopyFrom(_seat_changed(event.seat_changed))
        case "table_frozen":
            stop = event.table_frozen
            shown.table_frozen.CopyFrom(events_pb2.TableFrozen(reference=stop.reference, reason=stop.reason))
        case "table_resumed":
            shown.table_resumed.CopyFrom(events_pb2.TableResumed())
        case "clocks_credited":
            shown.clocks_credited.CopyFrom(events_pb2.ClocksCredited(pause_ms=event.clocks_credited.pause_ms))
        case "table_abandoned":
            shown.table_abandoned.CopyFrom(_abandoned(event.table_abandoned, shut=shut))
        case body:
            assert_never(body)


def _show_company(
    event: Event, kind: Literal["said", "hand_vote", "rematch_wish", "rematch_placed"], shown: Event
) -> None:
    """Show what an event says of the people rather than of the game."""
    match kind:
        case "said":
            shown.said.CopyFrom(events_pb2.Said(seat=event.said.seat, phrase=event.said.phrase))
        case "hand_vote":
            shown.hand_vote.CopyFrom(events_pb2.HandVote(seat=event.hand_vote.seat, agree=event.hand_vote.agree))
        case "rematch_wish":
            wish = event.rematch_wish
            shown.rematch_wish.CopyFrom(events_pb2.RematchWish(seat=wish.seat, ready=wish.ready))
        case "rematch_placed":
            shown.rematch_placed.CopyFrom(events_pb2.RematchPlaced(table_id=event.rematch_placed.table_id))
        case body:
            assert_never(body)


def hush(event: Event, muted: Collection[int]) -> Event:
    """Leave out of an event shown what a seat says that the viewer has muted."""
    if not muted or not event.HasField("said") or event.said.seat not in muted:
        return event
    hushed = Event()
    hushed.CopyFrom(event)
    hushed.said.ClearField("phrase")
    return hushed


def _opened(event: events_pb2.TableOpened) -> events_pb2.TableOpened:
    return events_pb2.TableOpened(
        table_id=event.table_id,
        rules=event.rules,
        length=event.length,
        clock=event.clock,
        seats=event.seats,
        rules_version=event.rules_version,
        queue=event.queue,
        match=event.match,
        tournament=event.tournament,
        board=_board(event.board) if event.HasField("board") else None,
    )


def _board(board: events_pb2.Board) -> events_pb2.Board:
    return events_pb2.Board(board_id=board.board_id, commitment=board.commitment)


def _committed(event: events_pb2.HandCommitted) -> events_pb2.HandCommitted:
    return events_pb2.HandCommitted(commitment=event.commitment, awaited=event.awaited, until=event.until)


def _abandoned(event: events_pb2.TableAbandoned, *, shut: bool) -> events_pb2.TableAbandoned:
    told = events_pb2.TableAbandoned(reason=event.reason)
    if not shut:
        told.secret = event.secret
        told.hands.extend(event.hands)
    return told


def _dealt(event: events_pb2.HandDealt, viewer: int | None) -> events_pb2.HandDealt:
    return events_pb2.HandDealt(
        commitment=event.commitment,
        hands=_own(event.hands, None if event.unseen else viewer),
        first_leader=event.first_leader,
        unseen=event.unseen,
        consequences=event.consequences,
        contributions=event.contributions,
    )


def _own(hands: Iterable[events_pb2.DealtHand], viewer: int | None) -> Iterable[events_pb2.DealtHand]:
    """Show a viewer its own hand, and that there are others; a director all."""
    return (hand if viewer in (seat, DIRECTOR) else events_pb2.DealtHand() for seat, hand in enumerate(hands))


def _taken(event: events_pb2.ActionTaken, viewer: int | None) -> events_pb2.ActionTaken:
    # Only between the two seats of a tribute or sale anything is hidden: the engine says what.
    hides = event.partner_plus_one and viewer != DIRECTOR
    step = shown(step_of_event(event), viewer) if hides else None
    return events_pb2.ActionTaken(
        seat=event.seat,
        action=event.action if step is None or step.action is None else action_to_proto(step.action),
        decided_by=event.decided_by,
        cards=event.cards,
        consequences=event.consequences if step is None else consequences_to_proto(step.consequences),
        partner_plus_one=event.partner_plus_one,
        hands=_own(event.hands, viewer),
    )


def _closed(event: events_pb2.AnswersClosed) -> events_pb2.AnswersClosed:
    return events_pb2.AnswersClosed(consequences=event.consequences)


def _hand_ended(event: events_pb2.HandEnded, *, shut: bool) -> events_pb2.HandEnded:
    told = events_pb2.HandEnded(
        order=event.order,
        scores=event.scores,
        team_scores=event.team_scores,
        voided=event.voided,
        owes=event.owes,
        given_up=event.given_up,
    )
    if not shut:
        told.secret, told.digest = event.secret, event.digest
        told.hands.extend(event.hands)
    return told


def _match_ended(event: events_pb2.MatchEnded, *, shut: bool) -> events_pb2.MatchEnded:
    told = events_pb2.MatchEnded(scores=event.scores, team_scores=event.team_scores)
    if not shut:
        told.digest = event.digest
    return told


def _seat_changed(event: events_pb2.SeatChanged) -> events_pb2.SeatChanged:
    return events_pb2.SeatChanged(
        seat=event.seat,
        connected=event.connected,
        bot_plays=event.bot_plays,
        left=event.left,
        penalty=event.penalty,
    )


def observation(table: Table, viewer: int | None) -> observation_pb2.Observation | None:
    """Say all that a viewer may know of the hand now; None before the first is dealt."""
    hand = table.hand
    if hand is None:
        return None
    viewer = None if viewer == DIRECTOR else viewer
    asked = table.hand_asking(viewer) if viewer is not None else None
    # The engine asks one seat after the other, the window all at once and each until it has answered.
    standing = asked or (hand if table.window is None else table.window.waiting)
    return observation_to_proto(
        standing.observe(viewer),
        hand=table.hand_number,
        scores=table.scores,
        trick=table.trick,
        history=table.past.seen_by(viewer),
    )


def moment(table: Table, viewer: int | None, *, with_actions: bool = True) -> table_pb2.ObserveResponse:
    """Say how the table stands for a viewer, and what it may do now if that is wanted."""
    asked: Hand | None = table.hand_asking(viewer) if viewer is not None and with_actions else None
    actions: list[Action] = asked.legal_actions() if asked else []
    return table_pb2.ObserveResponse(
        observation=observation(table, viewer),
        turn=turn(table.asking, viewer),
        last_sequence=table.sequence,
        legal_actions=map(action_to_proto, actions),
        seats=table.seats,
        over=table.over,
        hands=_all_hands(table, viewer),
        presence=table.presence.shown(),
        default_action=action_to_proto(asked.default_action()) if asked else None,
    )


def brief(shown: table_pb2.ObserveResponse) -> table_pb2.ObserveResponse:
    """Leave out what is large and for bots."""
    shown.observation.ClearField("history")
    shown.observation.ClearField("position")
    return shown


def refusal(table: Table, viewer: int | None, proposed: actions_pb2.Action) -> reasons_pb2.Reason.ValueType:
    """Say why an action of the viewer's would be refused now; unspecified if it would not."""
    asked = table.hand_asking(viewer) if viewer is not None else None
    if asked is None or viewer is None:
        return reasons_pb2.REASON_NOT_YOUR_TURN
    reason = asked.refusal(action_from_proto(viewer, proposed))
    return reasons_pb2.Reason.Value(f"REASON_{reason.name}") if reason else reasons_pb2.REASON_UNSPECIFIED


def start(table: Table, viewer: int | None, first: int, muted: Collection[int]) -> table_pb2.WatchStart:
    """Say how the table stands, beside `observation`, for a watch that goes on with event ``first``."""
    return table_pb2.WatchStart(
        from_sequence=first,
        turn=turn(table.asking, viewer),
        opened=_opened(table.opened) if table.sequence else None,
        muted_seats=sorted(muted),
        hands=_all_hands(table, viewer),
    )


def _all_hands(table: Table, viewer: int | None) -> list[events_pb2.DealtHand]:
    """Show a director the cards in all hands, once they are seen by their seats."""
    if viewer != DIRECTOR or table.hand is None or table.hand.phase == "advance":
        return []
    return [events_pb2.DealtHand(cards=map(card_to_proto, table.hand.cards(seat))) for seat in range(SEATS)]
