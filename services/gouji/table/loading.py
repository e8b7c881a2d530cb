"""A table made anew from its log."""

from collections.abc import Iterable

from gouji.table.collecting import Contribution
from gouji.table.commands import BOT_COMMANDS, CommandBook, contribution_id, is_contribution
from gouji.table.state import SNAPSHOT_VERSION
from gouji.table.store import Kept, Store
from gouji.table.table import Table
from gouji.table.window import Answer
from gouji.v1 import actions_pb2, events_pb2
from gouji.v1.events_pb2 import Event
from gouji.wire import action_from_proto


def fold_log(table_id: str, events: Iterable[Event]) -> Table:
    """Fold a log. Raises ValueError, or an error of the engine, for one that is none."""
    table = Table(table_id)
    for event in events:
        table.fold(event)
    return table


async def load(store: Store, table_id: str) -> Table:
    """Make a table anew from its snapshot and the log behind it; from the whole log where there is none for us.

    Raises `StorageUnavailable`, and what `fold_log` raises.
    """
    snapshot = await store.snapshot(table_id)
    if snapshot is None or snapshot.version != SNAPSHOT_VERSION:
        return fold_log(table_id, await store.events(table_id))
    table = Table.restored(table_id, snapshot)
    for event in await store.events(table_id, table.sequence + 1):
        table.fold(event)
    return table


def restore_commands(table: Table, kept: Iterable[Kept]) -> CommandBook:
    """Give the book of a table's commands; what was sealed when the log ended is sealed again."""
    book, hand = CommandBook(), table.hand_number
    for command in kept:
        book.add(command.seat, command.command_id, command.accepted)
        if is_contribution(command.command_id):
            if table.collecting is not None and command.command_id == contribution_id(hand):
                table.seal(Contribution(command.seat, hand, command.payload))
        elif command.accepted.sequence == 0 and command.turn == table.turn and table.window is not None:
            _seal(table, command)
    return book


def _seal(table: Table, command: Kept) -> None:
    bot = command.command_id.startswith(BOT_COMMANDS)
    by = events_pb2.DECIDED_BY_BOT if bot else events_pb2.DECIDED_BY_PLAYER
    action = action_from_proto(command.seat, actions_pb2.Action.FromString(command.payload))
    table.seal(Answer(command.seat, action, by))
