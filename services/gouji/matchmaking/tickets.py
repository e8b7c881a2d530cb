"""Tickets: what a player asks for, read and checked, and what is told of it."""

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from gouji.engine import BadValue, RulesConflict, RuleSet, RuleSetError, UnknownOption
from gouji.serving.clock import moment
from gouji.serving.errors import ServiceError
from gouji.v1 import matchmaking_pb2, rules_pb2
from gouji.wire import rules_from_proto, rules_to_proto

DEFAULT_QUEUE: Final = "local/quick"
DEFAULT_HANDS: Final = 3
MOST_HANDS: Final = 32
MOST_POINTS: Final = 1000
MOST_RULE_SETS: Final = 8
MOST_PATIENCE_MS: Final = 86_400_000

_QUEUE: Final = re.compile(r"[a-z0-9][a-z0-9-]{0,31}/[a-z0-9][a-z0-9-]{0,31}")
_REASONS: Final[dict[type[RuleSetError], str]] = {
    UnknownOption: "unknown_rule_option",
    BadValue: "bad_rule_value",
    RulesConflict: "rules_conflict",
}


class State(StrEnum):
    """Where a ticket is in its life; all but the first are for good."""

    WAITING = "waiting"
    MATCHED = "matched"
    CANCELLED = "cancelled"
    LAPSED = "lapsed"


@dataclass(frozen=True, slots=True)
class Wish:
    """What a player asks for, checked.

    ``rules`` are as `rules_text` writes them, the dearest first, ``length`` is as `length_text` writes it.
    ``bots_after_ms`` is None where only people are wanted.
    """

    queue: str
    rules: tuple[str, ...]
    length: str
    bots_after_ms: int | None


@dataclass(frozen=True, slots=True)
class Ticket:
    """One player in one queue. Times are microseconds from 1970 on."""

    ticket_id: str
    player_id: str
    player_name: str
    wish: Wish
    state: State
    created_at: int
    expires_at: int
    table_id: str | None = None
    seat: int | None = None


def read_wish(request: matchmaking_pb2.CreateTicketRequest, bots_after_ms: int) -> Wish:
    """Check a request; ``bots_after_ms`` stands in where it does not say. Raises `ServiceError`."""
    if len(request.rules) > MOST_RULE_SETS:
        raise malformed("rules", f"has {len(request.rules)} rule sets; {MOST_RULE_SETS} are the most")
    rules = [read_rules(given, f"rules[{n}]") for n, given in enumerate(request.rules)] or [RuleSet()]
    return Wish(
        queue=_read_queue(request.queue or DEFAULT_QUEUE),
        rules=tuple(dict.fromkeys(rules_text(each) for each in rules)),
        length=length_text(read_length(request.length)),
        bots_after_ms=_read_patience(request, bots_after_ms),
    )


def malformed(field: str, problem: str) -> ServiceError:
    """Say what is wrong with a field of a request."""
    return ServiceError("malformed", f"{field}: {problem}", metadata={"field": field})


def _read_queue(name: str) -> str:
    if not _QUEUE.fullmatch(name):
        raise ServiceError("unknown_queue", "queue: a name has the form region/format, such as local/quick.")
    return name


def _read_patience(request: matchmaking_pb2.CreateTicketRequest, otherwise: int) -> int | None:
    if not request.HasField("bots_after"):
        return None if request.no_bots else otherwise
    if request.no_bots:
        raise malformed("bots_after", "does not go with no_bots")
    patience = request.bots_after.ToMilliseconds()
    if not 0 <= patience <= MOST_PATIENCE_MS:
        raise malformed("bots_after", "is not between nothing and a day")
    return patience


def read_rules(given: rules_pb2.RuleSet, field: str) -> RuleSet:
    """Check a rule set that is to be dealt; a refusal names the ``field`` and the option."""
    try:
        rules = rules_from_proto(given)
    except RuleSetError as error:
        raise ServiceError(_REASONS[type(error)], f"{field}: {error}", metadata={"field": field}) from error
    return rules


def rules_text(rules: RuleSet) -> str:
    """Write a rule set on one line; equal for rule sets of one preset that mean the same."""
    for name, _ in rules.overrides:
        fewer = RuleSet(rules.preset, tuple(one for one in rules.overrides if one[0] != name))
        if fewer.values == rules.values:
            rules = fewer
    return json.dumps(rules.spec(), sort_keys=True)


def rules_message(text: str) -> rules_pb2.RuleSet:
    """Read what `rules_text` wrote."""
    return rules_to_proto(RuleSet.parse(json.loads(text)))


def read_length(given: rules_pb2.MatchLength) -> rules_pb2.MatchLength:
    """Check a match's length; three hands when it says nothing."""
    match given.WhichOneof("until"):
        case None:
            return rules_pb2.MatchLength(hands=DEFAULT_HANDS)
        case "hands" if not 1 <= given.hands <= MOST_HANDS:
            raise malformed("length.hands", f"is {given.hands}, not 1 to {MOST_HANDS}")
        case "target" if not 1 <= given.target <= MOST_POINTS:
            raise malformed("length.target", f"is {given.target}, not 1 to {MOST_POINTS}")
    return given


def length_text(length: rules_pb2.MatchLength) -> str:
    """Write a match's length on one line; equal when the lengths are."""
    until = length.WhichOneof("until") or "hands"
    return json.dumps({until: getattr(length, until)})


def length_message(text: str) -> rules_pb2.MatchLength:
    """Read what `length_text` wrote."""
    return rules_pb2.MatchLength(**json.loads(text))


def ticket_message(ticket: Ticket, position: int, now: int) -> matchmaking_pb2.Ticket:
    """Say what a ticket is at ``now``; ``position`` is its place in the queue from 1, or 0 when unknown."""
    waiting = ticket.state is State.WAITING
    message = matchmaking_pb2.Ticket(
        ticket_id=ticket.ticket_id,
        queue=ticket.wish.queue,
        state=matchmaking_pb2.TicketState.Value(f"TICKET_STATE_{ticket.state.name}"),
        position=position if waiting else 0,
        table_id=ticket.table_id or "",
        seat=ticket.seat or 0,
        rules=_messages(ticket.wish.rules),
    )
    message.created.FromDatetime(moment(ticket.created_at))
    if waiting and ticket.wish.bots_after_ms is not None:
        left = ticket.wish.bots_after_ms * 1000 - (now - ticket.created_at)
        message.estimate.FromMicroseconds(max(left, 0))
    return message


def _messages(rules: Iterable[str]) -> list[rules_pb2.RuleSet]:
    return [rules_message(text) for text in rules]
