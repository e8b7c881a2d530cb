"""What one seat may know: `Observation` of the engine ⇄ `Observation` of the protos."""

from collections.abc import Iterable, Sequence
from typing import Final

from gouji.engine import Action, Debt, Observation, SeatView
from gouji.v1 import observation_pb2
from gouji.wire.actions import action_from_proto, action_to_proto
from gouji.wire.cards import card_from_proto, card_to_proto, cards_from_proto, cards_to_proto, rank_from_proto
from gouji.wire.errors import MalformedMessage
from gouji.wire.history import history_from_proto, history_to_proto
from gouji.wire.rules import rules_from_proto, rules_to_proto

_PHASE: Final = {name.removeprefix("PHASE_").lower(): value for name, value in observation_pb2.Phase.items()}
_QUESTION: Final = {name.removeprefix("QUESTION_").lower(): value for name, value in observation_pb2.Question.items()}
_PHASE_TEXT: Final = {value: text for text, value in _PHASE.items() if value}
_QUESTION_TEXT: Final = {value: text for text, value in _QUESTION.items() if value}


def question_to_proto(question: str | None) -> observation_pb2.Question.ValueType:
    """Give the number of the engine's word for a question; unspecified for none."""
    return _QUESTION[question] if question else observation_pb2.QUESTION_UNSPECIFIED


def observation_to_proto(
    observation: Observation,
    *,
    hand: int = 0,
    scores: Sequence[int] = (),
    trick: Iterable[Action] = (),
    history: observation_pb2.History | None = None,
) -> observation_pb2.Observation:
    """Pack an observation.

    What the engine does not keep comes beside it: the hand's number from 1, the points carried into it (two
    numbers by teams, else six), and the trick's acts so far, oldest first. ``history`` is the observation's own, where
    that is packed already.
    """
    if history is None and observation.history is not None:
        history = history_to_proto(observation.history)
    return observation_pb2.Observation(
        rules=rules_to_proto(observation.rules),
        hand=hand,
        viewer_plus_one=_plus_one(observation.seat),
        phase=_PHASE[observation.phase],
        cards=map(card_to_proto, observation.cards),
        seats=map(_seat_to_proto, observation.seats),
        table=_table_play(observation),
        trick_leader=observation.trick_leader,
        scramble=observation.scramble,
        turn_plus_one=_plus_one(observation.turn),
        answers_open=observation.answers_open,
        question=question_to_proto(observation.question),
        may_yield=observation.may_yield,
        finished=observation.finished,
        trick=(observation_pb2.TrickAct(seat=act.seat, action=action_to_proto(act)) for act in trick),
        scores=scores,
        debt=debt_to_proto(observation.debt) if observation.debt else None,
        choices=map(action_to_proto, observation.choices),
        felt_plus_one=0 if observation.felt is None else observation.felt + 1,
        may_feel=observation.may_feel,
        may_ask=observation.may_ask,
        first_leader=observation.first_leader,
        aside=cards_to_proto(observation.aside),
        laid_off=cards_to_proto(observation.laid_off).ranks,
        doubled=observation.doubled,
        owes=map(debt_to_proto, observation.owes),
        burns=(
            observation_pb2.Burnt(burner=burner, burned=burned, counter_burns=count)
            for burner, burned, count in observation.burns
        ),
        dealt=map(card_to_proto, observation.dealt),
        history=history,
        position=observation.position,
    )


def debt_to_proto(debt: Debt) -> observation_pb2.Debt:
    """Pack a tribute that is owed."""
    return observation_pb2.Debt(payer=debt.payer, receiver=debt.receiver, kind=debt.kind, cards=debt.cards)


def debt_from_proto(message: observation_pb2.Debt) -> Debt:
    """Read a tribute that is owed."""
    return Debt(message.payer, message.receiver, message.kind, message.cards)


def observation_from_proto(message: observation_pb2.Observation) -> Observation:
    """Read an observation. Raises `MalformedMessage`, or `RuleSetError` for its rules."""
    if len(message.seats) != 6 or message.phase not in _PHASE_TEXT:
        raise MalformedMessage("an observation has a phase and six seats")
    table = message.table if message.HasField("table") else None
    return Observation(
        rules=rules_from_proto(message.rules),
        seat=_minus_one(message.viewer_plus_one),
        phase=_PHASE_TEXT[message.phase],
        cards=tuple(card_from_proto(card) for card in message.cards),
        seats=tuple(_seat_from_proto(seat) for seat in message.seats),
        table=cards_from_proto(table.cards) if table else "",
        table_seat=table.seat if table else None,
        table_is_gouji=bool(table and table.gouji),
        trick_leader=message.trick_leader,
        scramble=message.scramble,
        turn=_minus_one(message.turn_plus_one),
        answers_open=message.answers_open,
        question=_QUESTION_TEXT.get(message.question),
        may_yield=message.may_yield,
        finished=tuple(message.finished),
        felt=message.felt_plus_one - 1 if message.felt_plus_one else None,
        choices=tuple(action_from_proto(message.viewer_plus_one - 1, choice) for choice in message.choices),
        may_feel=message.may_feel,
        may_ask=tuple(message.may_ask),
        debt=debt_from_proto(message.debt) if message.HasField("debt") else None,
        first_leader=message.first_leader,
        table_is_dead=bool(table and table.dead),
        aside=cards_from_proto(message.aside),
        laid_off="".join(map(rank_from_proto, message.laid_off)),
        doubled=tuple(message.doubled),
        owes=tuple(map(debt_from_proto, message.owes)),
        burns=tuple((burnt.burner, burnt.burned, burnt.counter_burns) for burnt in message.burns),
        dealt=tuple(map(card_from_proto, message.dealt)),
        history=history_from_proto(message.history) if message.HasField("history") else None,
        position=message.position,
    )


def _plus_one(seat: int | None) -> int:
    return 0 if seat is None else seat + 1


def _minus_one(number: int) -> int | None:
    if number > 6:
        raise MalformedMessage(f"{number} is no seat plus one")
    return number - 1 if number else None


def _table_play(observation: Observation) -> observation_pb2.TablePlay | None:
    if observation.table_seat is None or not observation.table:
        return None
    return observation_pb2.TablePlay(
        seat=observation.table_seat,
        cards=cards_to_proto(observation.table),
        gouji=observation.table_is_gouji,
        dead=observation.table_is_dead,
    )


def _seat_to_proto(view: SeatView) -> observation_pb2.SeatView:
    message = observation_pb2.SeatView(
        cards_left=view.cards_left,
        place=view.place,
        passed=view.passed,
        has_head=view.has_head,
        opened=view.opened,
        burning=view.burning,
        revolted=view.revolted,
        struck=view.struck,
        choked_by_plus_one=_plus_one(view.choked_by),
        stuck=view.stuck,
        played=cards_to_proto(view.played),
        kept_head=view.kept_head,
        shown=cards_to_proto(view.shown),
        known=cards_to_proto(view.known),
        called=bool(view.call),
        called_in_advance=view.call == "advance",
        burned_plus_one=_plus_one(view.burned),
        counter_burns=view.counter_burns,
    )
    setattr(message, "in", view.is_in)  # a keyword of the language
    return message


def _seat_from_proto(message: observation_pb2.SeatView) -> SeatView:
    return SeatView(
        cards_left=message.cards_left,
        is_in=getattr(message, "in"),
        place=message.place,
        passed=message.passed,
        has_head=message.has_head,
        opened=message.opened,
        burning=message.burning,
        revolted=message.revolted,
        struck=message.struck,
        choked_by=_minus_one(message.choked_by_plus_one),
        stuck=message.stuck,
        played=cards_from_proto(message.played),
        kept_head=message.kept_head,
        shown=cards_from_proto(message.shown),
        known=cards_from_proto(message.known),
        call="advance" if message.called_in_advance else "open" if message.called else "",
        burned=_minus_one(message.burned_plus_one),
        counter_burns=message.counter_burns,
    )
