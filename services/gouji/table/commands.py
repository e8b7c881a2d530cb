"""How many commands may wait; and those that a table accepted, so that a repeated one gets its first answer."""

import hashlib
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final, NamedTuple

from gouji.serving.errors import ServiceError
from gouji.table.collecting import Contribution
from gouji.table.refusals import busy
from gouji.v1 import table_pb2

BOT_COMMANDS: Final = "\tbot/"
"""How ids begin under which bots' sealed answers are kept. Players' ids can be shown, so none is like these."""
MOST_AT_A_TABLE: Final = 64
"""Commands that may wait at one table: some ten for each seat."""


class CommandQueue:
    """Counts the commands that wait for their answer, in the process and at each table."""

    def __init__(self, most: int, most_at_a_table: int = MOST_AT_A_TABLE) -> None:
        self._most = most
        self._most_at_a_table = most_at_a_table
        self._waiting: Counter[str] = Counter()

    @contextmanager
    def waiting(self, table_id: str) -> Iterator[None]:
        """Have one command more wait for as long as the block lasts.

        Raises `ServiceError` `overloaded` when too many do; nothing has been done then.
        """
        if self._waiting.total() >= self._most or self._waiting[table_id] >= self._most_at_a_table:
            raise busy()
        self._waiting[table_id] += 1
        try:
            yield
        finally:
            self._waiting[table_id] -= 1
            if not self._waiting[table_id]:
                del self._waiting[table_id]


_CONTRIBUTION: Final = "\x01deal/"


def contribution_id(hand: int) -> str:
    """Give the id under which a contribution is kept; no client can choose it, as it cannot be shown."""
    return f"{_CONTRIBUTION}{hand}"


def is_contribution(command_id: str) -> bool:
    """Say whether a contribution to a deal is kept under this id; its turn is a hand's number."""
    return command_id.startswith(_CONTRIBUTION)


@dataclass(frozen=True, slots=True)
class Command:
    """A command as it came: whose, its id, the turn that it answers, and what is to be done."""

    seat: int
    command_id: str
    turn: int
    payload: bytes

    @classmethod
    def of(cls, seat: int, request: table_pb2.ActRequest) -> "Command":
        """Take what a seat sent."""
        payload = request.action.SerializeToString(deterministic=True)
        return cls(seat, request.command_id, request.turn, payload)

    @classmethod
    def contribution(cls, contribution: Contribution) -> "Command":
        """Take a seat's contribution to a deal, of which there is one for each hand."""
        return cls(contribution.seat, contribution_id(contribution.hand), contribution.hand, contribution.drawn)

    @property
    def payload_hash(self) -> bytes:
        """SHA-256 of all but seat and id: the same id with another hash is another command."""
        return hashlib.sha256(f"{self.turn}/".encode() + self.payload).digest()


class Accepted(NamedTuple):
    """What is kept of an accepted command; ``sequence`` is the event that shows it, 0 for a sealed answer."""

    payload_hash: bytes
    sequence: int


class Told(NamedTuple):
    """What became of what somebody wanted; ``sequence`` is the event that shows it, 0 if nothing had to be done."""

    outcome: table_pb2.Outcome.ValueType
    sequence: int


class CommandBook:
    """Accepted commands of one match, by seat and id."""

    def __init__(self) -> None:
        self._accepted: dict[tuple[int, str], Accepted] = {}

    def find(self, command: Command) -> Accepted | None:
        """Give what was accepted under this command's id; `ServiceError` when that was another command."""
        accepted = self._accepted.get((command.seat, command.command_id))
        if accepted is not None:
            check_same(accepted, command)
        return accepted

    def add(self, seat: int, command_id: str, accepted: Accepted) -> None:
        """Remember a command."""
        self._accepted[seat, command_id] = accepted


def check_same(accepted: Accepted, command: Command) -> None:
    """Refuse with `command_id_reused`, or `contribution_given`, when another was accepted under this one's id."""
    if accepted.payload_hash != command.payload_hash:
        if is_contribution(command.command_id):
            raise ServiceError("contribution_given", "You gave another contribution to this deal; the first stands.")
        raise ServiceError("command_id_reused", "Another command was sent under this id before.")
