"""What happened in a hand: `Step` of the engine ⇄ `Step` and `ActionTaken` of the protos."""

from collections.abc import Iterable

from gouji.engine.history import Step
from gouji.v1 import events_pb2, observation_pb2
from gouji.wire.actions import action_from_proto, action_to_proto
from gouji.wire.consequences import consequence_from_proto, consequences_to_proto


def history_to_proto(steps: Iterable[Step]) -> observation_pb2.History:
    """Pack steps as they are: what a viewer may not see is hidden before."""
    return observation_pb2.History(steps=map(_step_to_proto, steps))


def history_from_proto(message: observation_pb2.History) -> tuple[Step, ...]:
    """Read steps. Raises `MalformedMessage`."""
    return tuple(map(_step_from_proto, message.steps))


def step_of_event(taken: events_pb2.ActionTaken) -> Step:
    """Read an action of a table's log and what followed from it as a step. Raises `MalformedMessage`."""
    return Step(
        action_from_proto(taken.seat, taken.action),
        tuple(map(consequence_from_proto, taken.consequences)),
        taken.partner_plus_one - 1 if taken.partner_plus_one else None,
    )


def _step_to_proto(step: Step) -> observation_pb2.Step:
    return observation_pb2.Step(
        seat_plus_one=0 if step.action is None else step.action.seat + 1,
        action=None if step.action is None else action_to_proto(step.action),
        consequences=consequences_to_proto(step.consequences),
        partner_plus_one=0 if step.partner is None else step.partner + 1,
    )


def _step_from_proto(message: observation_pb2.Step) -> Step:
    return Step(
        action_from_proto(message.seat_plus_one - 1, message.action) if message.seat_plus_one else None,
        tuple(map(consequence_from_proto, message.consequences)),
        message.partner_plus_one - 1 if message.partner_plus_one else None,
    )
