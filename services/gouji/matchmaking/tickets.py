"""Tickets: what a player asks for, read and checked, and what is told of it."""

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from typing import Final

from gouji.engine import RuleSet
from gouji.matchmaking.policy import family_of
from gouji.serving.clock import moment
from gouji.serving.errors import ServiceError, malformed
from gouji.serving.requests import read_rules
from gouji.v1 import matchmaking_pb2, rules_pb2
from gouji.wire import rules_to_proto

DEFAULT_QUEUE: Final = "local/quick"
DEFAULT_HANDS: Final = 3
MOST_HANDS: Final = 32
MOST_POINTS: Final = 1000
MOST_RULE_SETS: Final = 8
MOST_PATIENCE_MS: Final = 86_400_000
MOST_LATENCY_MS: Final = 60_000
TEAM: Final = 3

_QUEUE: Final = re.compile(r"[a-z0-9][a-z0-9-]{0,31}/[a-z0-9][a-z0-9-]{0,31}")


class State(StrEnum):
    """Where a ticket is in its life; from the third on it is settled.

    A gathering ticket has a match whose people are asked to confirm. One of a ticket's members may have ``missed``
    a match while the others wait again.
    """

    WAITING = "waiting"
    GATHERING = "gathering"
    MATCHED = "matched"
    CANCELLED = "cancelled"
    LAPSED = "lapsed"
    MISSED = "missed"


STANDING: Final = frozenset({State.WAITING, State.GATHERING})
"""States that a ticket leaves again."""


@dataclass(frozen=True, slots=True)
class Wish:
    """What a player or party asks for, checked.

    ``rules`` are as `rules_text` writes them, the dearest first, ``length`` is as `length_text` writes it.
    ``bots_after_ms`` is None where only people are wanted. ``latency_ms`` is to the queue's region, 0 when unknown.
    """

    queue: str
    rules: tuple[str, ...]
    length: str
    bots_after_ms: int | None
    both_teams: bool = False
    latency_ms: int = 0

    @property
    def family(self) -> str:
        """The preset of the dearest rules: ratings go by it."""
        return family_of(self.rules[0])


@dataclass(frozen=True, slots=True)
class Member:
    """A player of a ticket, and what was looked up of it."""

    player_id: str
    name: str
    rating: float
    deviation: float
    recent: frozenset[str] = frozenset()
    state: State = State.WAITING
    seat: int | None = None
    confirmed: bool = False


@dataclass(frozen=True, slots=True)
class Ticket:
    """Players who queue together, their leader first. Times are microseconds from 1970 on.

    ``ready_by`` is there while the ticket gathers.
    """

    ticket_id: str
    members: tuple[Member, ...]
    wish: Wish
    state: State
    created_at: int
    expires_at: int
    party_id: str | None = None
    table_id: str | None = None
    ready_by: int | None = None

    @property
    def leader(self) -> str:
        """Who made it, or in whose name it was made."""
        return self.members[0].player_id

    def member(self, player_id: str) -> Member | None:
        """Find one of its players."""
        return next((member for member in self.members if member.player_id == player_id), None)

    def state_for(self, player_id: str) -> State:
        """Say how it stands for one of its players, or for anybody else."""
        member = self.member(player_id)
        return State.MISSED if member and member.state is State.MISSED else self.state


def read_wish(request: matchmaking_pb2.CreateTicketRequest, bots_after_ms: int, *, bot: bool = False) -> Wish:
    """Check a request, of a ``bot`` or of people; ``bots_after_ms`` stands in where it does not say.

    Raises `ServiceError`.
    """
    if bot and request.no_bots:
        raise malformed("no_bots", "is not for bots")
    if len(request.rules) > MOST_RULE_SETS:
        raise malformed("rules", f"has {len(request.rules)} rule sets; {MOST_RULE_SETS} are the most")
    rules = [read_rules(given, f"rules[{n}]") for n, given in enumerate(request.rules)] or [RuleSet()]
    return Wish(
        queue=read_queue(request.queue or DEFAULT_QUEUE),
        rules=tuple(dict.fromkeys(rules_text(each) for each in rules)),
        length=length_text(read_length(request.length)),
        bots_after_ms=_read_patience(request, bots_after_ms),
        both_teams=request.both_teams,
        latency_ms=_read_latency(request),
    )


def refuse_claimed(ticket: Ticket) -> None:
    """Refuse to cancel what has a match, with `ticket_claimed`."""
    if ticket.state in {State.GATHERING, State.MATCHED}:
        metadata = {"table_id": ticket.table_id or ""}
        raise ServiceError("ticket_claimed", f"It has a match, at table {ticket.table_id}.", metadata=metadata)


def read_queue(name: str) -> str:
    """Check a queue's name."""
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


def _read_latency(request: matchmaking_pb2.CreateTicketRequest) -> int:
    """Read the latency to the queue's region; other regions do not matter here."""
    region = (request.queue or DEFAULT_QUEUE).partition("/")[0]
    return min(request.latencies_ms.get(region, 0), MOST_LATENCY_MS)


def rules_text(rules: RuleSet) -> str:
    """Write a rule set on one line; equal for rule sets of one preset that mean the same."""
    for name, _ in rules.overrides:
        fewer = RuleSet(rules.preset, tuple(one for one in rules.overrides if one[0] != name))
        if fewer.values == rules.values:
            rules = fewer
    return json.dumps(rules.spec(), sort_keys=True)


@lru_cache(maxsize=256)
def rules_message(text: str) -> rules_pb2.RuleSet:
    """Read what `rules_text` wrote. The same is given to all: it is not to be changed."""
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


def check_size(players: int, *, both_teams: bool) -> None:
    """See that a party fits: one team, or both if it asks for that. The table bounds it to six."""
    if players > TEAM and not both_teams:
        raise malformed("both_teams", f"is not set, and {players} do not fit on one team of {TEAM}")


def ticket_message(
    ticket: Ticket, viewer: str, *, position: int, expected: int | None, now: int
) -> matchmaking_pb2.Ticket:
    """Say what a ticket is at ``now``, to one of its players or to anybody else.

    ``position`` is its place in the queue from 1, or 0 when unknown; ``expected`` how long tickets of the queue
    waited of late, if that is known.
    """
    state = ticket.state_for(viewer)
    waiting, member = state is State.WAITING, ticket.member(viewer)
    message = matchmaking_pb2.Ticket(
        ticket_id=ticket.ticket_id,
        queue=ticket.wish.queue,
        state=matchmaking_pb2.TicketState.Value(f"TICKET_STATE_{state.name}"),
        position=position if waiting else 0,
        rules=_messages(ticket.wish.rules),
        members=[_member_message(one) for one in ticket.members if one.state is ticket.state],
        party_id=ticket.party_id or "",
        both_teams=ticket.wish.both_teams,
    )
    message.created.FromDatetime(moment(ticket.created_at))
    if state in {State.GATHERING, State.MATCHED}:
        message.table_id = ticket.table_id or ""
        message.seat = (member.seat if member else None) or 0
    if state is State.GATHERING and ticket.ready_by is not None:
        message.ready_by.FromDatetime(moment(ticket.ready_by))
    left = _left(ticket, expected, now) if waiting else None
    if left is not None:
        message.estimate.FromMicroseconds(left)
    return message


def _left(ticket: Ticket, expected: int | None, now: int) -> int | None:
    """Guess how long a ticket still waits; None when nothing is known."""
    patience = ticket.wish.bots_after_ms
    bounds = [expected, None if patience is None else patience * 1000]
    known = [bound for bound in bounds if bound is not None]
    return max(min(known) - (now - ticket.created_at), 0) if known else None


def _member_message(member: Member) -> matchmaking_pb2.TicketMember:
    return matchmaking_pb2.TicketMember(player_id=member.player_id, name=member.name, confirmed=member.confirmed)


def _messages(rules: Iterable[str]) -> list[rules_pb2.RuleSet]:
    return [rules_message(text) for text in rules]
