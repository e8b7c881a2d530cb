"""Who is asked at a table, what a seat wants to do, and why not."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from gouji.engine import Action
from gouji.v1 import events_pb2


@dataclass(frozen=True, slots=True)
class Act:
    """What a seat wants to do, and the turn that it answers."""

    seat: int
    turn: int
    action: Action
    by: events_pb2.DecidedBy.ValueType


@dataclass(frozen=True, slots=True)
class Refused:
    """Why nothing was done: a name of `reasons.proto`. ``turn`` is the table's turn now."""

    reason: str
    turn: int


@dataclass(frozen=True, slots=True)
class Asking:
    """Who is asked what at a moment. ``questions`` are each seat's own; ``seat`` is what everybody may know.

    ``deadline`` is when the table decides instead; None when it never does.
    """

    number: int
    seat: int | None = None
    answers_open: bool = False
    questions: Mapping[int, str] = field(default_factory=dict)
    deadline: int | None = None
