"""What must hold of every table after all that happened to it: log, watchers, commands and results agree."""

import asyncio
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import sqlalchemy as sa
from audit import audit
from crowd import Crowd, Witness

from gouji.client.view import TableView
from gouji.serving.database import Database
from gouji.serving.schema import hand_results, outbox, table_commands, table_events, tables
from gouji.serving.vault import Vault
from gouji.table.loading import fold_log
from gouji.table.projection import project
from gouji.table.store import event_place
from gouji.v1 import events_pb2, scoring_pb2
from gouji.v1.events_pb2 import Event
from gouji.wire import action_from_proto

DELIVERED_SECONDS = 60

Logs = Mapping[str, Sequence[Event]]


async def read_logs(database: Database, vault: Vault) -> Logs:
    """Read the logs of all tables."""
    query = sa.select(table_events.c.table_id, table_events.c.seq, table_events.c.event).order_by(
        table_events.c.table_id, table_events.c.seq
    )
    logs: dict[str, list[Event]] = {}
    async with database.connect() as connection:
        for table_id, sequence, event in await connection.execute(query):
            opened = vault.open(event, event_place(table_id, sequence))
            logs.setdefault(table_id, []).append(Event.FromString(opened))
    return logs


async def judge(database: Database, vault: Vault, crowd: Crowd) -> tuple[Logs, list[str]]:
    """Compare everything with everything; returns the logs and a sentence for each thing that is wrong."""
    await _delivered(database)
    logs = await read_logs(database, vault)
    wrong = [f"{table_id}: {problem}" for table_id, log in logs.items() for problem in _log_problems(table_id, log)]
    for witness in crowd.witnesses:
        problems = [*witness.problems, *witness.client.deals.doubts, *_shown_problems(witness, logs[witness.table_id])]
        problems += await _command_problems(database, witness, logs[witness.table_id])
        wrong += [f"{witness.table_id}: seat {witness.seat}: {problem}" for problem in problems]
    wrong += await _result_problems(database, logs)
    async with database.connect() as connection:
        states = set(await connection.scalars(sa.select(tables.c.state)))
    return logs, wrong if states == {"over"} else [*wrong, f"tables are {states}"]


async def _delivered(database: Database) -> None:
    """Wait until scoring has all hands."""
    left = sa.select(sa.func.count()).where(outbox.c.delivered_at.is_(None))
    async with asyncio.timeout(DELIVERED_SECONDS):
        while True:
            async with database.connect() as connection:
                if not await connection.scalar(left):
                    return
            await asyncio.sleep(0.2)


def _log_problems(table_id: str, log: Sequence[Event]) -> Iterable[str]:
    """The log's cards, its fold by the engine (which compares every digest), and whom the clock decided for."""
    yield from audit(table_id, log)[1]
    if not fold_log(table_id, log).over:
        yield "its fold has not ended"
    turn_us = log[0].table_opened.clock.turn_ms * 1000
    people = {seat for seat, who in enumerate(log[0].table_opened.seats) if who.player_id}
    began = 0
    for event in log:
        at = event.at.ToMicroseconds()
        if event.HasField("action_taken"):
            taken = event.action_taken
            if _by_clock(taken) and taken.seat in people and at - began < turn_us:
                yield f"event {event.sequence}: the clock decided after {(at - began) / 1e6:.1f} s"
        if event.HasField("clocks_credited"):
            began = min(began + event.clocks_credited.pause_ms * 1000, at)
        elif event.WhichOneof("body") not in ("seat_changed", "match_ended"):
            began = at


def _by_clock(taken: events_pb2.ActionTaken) -> bool:
    """Say whether a seat's time ran out in public; private answers have times of their own."""
    return taken.decided_by == events_pb2.DECIDED_BY_CLOCK and not taken.declines


def _shown_problems(witness: Witness, log: Sequence[Event]) -> Iterable[str]:
    """What a watcher was shown is the log's projection for it, from the first event to the last, and nothing else."""
    if len(witness.events) != len(log):
        yield f"saw {len(witness.events)} events of {len(log)}"
    view = TableView()
    for seen, kept in zip(witness.events, log, strict=False):
        shown = Event.FromString(seen.SerializeToString())
        shown.ClearField("turn")
        due = project(kept, witness.seat, None)
        if shown != due:
            yield f"event {kept.sequence} is {seen.WhichOneof('body')}, not the log's {kept.WhichOneof('body')}"
            return
        view.fold(due)
    view.turn.CopyFrom(witness.client.view.turn)
    if view != witness.client.view:
        yield "its view is not the fold of its projection"


async def _command_problems(database: Database, witness: Witness, log: Sequence[Event]) -> Iterable[str]:
    """Every command that was acknowledged is in the log, with the event that the answer named."""
    query = sa.select(table_commands.c.command_id, table_commands.c.seq).where(
        table_commands.c.table_id == witness.table_id, table_commands.c.seat == witness.seat
    )
    async with database.connect() as connection:
        kept = {row.command_id: row.seq for row in await connection.execute(query)}
    return [
        f"command {one.command_id} was acknowledged with event {one.sequence} and is {kept.get(one.command_id)}"
        for one in witness.acknowledged
        if kept.get(one.command_id) != one.sequence or not _shows(log, one.sequence, witness.seat, one.action)
    ]


def _shows(log: Sequence[Event], sequence: int, seat: int | None, action: object) -> bool:
    """Say whether an event shows this action; a sealed answer (0) is shown by none."""
    if not sequence:
        return True
    taken = log[sequence - 1].action_taken
    return taken.seat == seat and action_from_proto(taken.seat, taken.action) == action


async def _result_problems(database: Database, logs: Logs) -> list[str]:
    """Scoring has every hand that counts, once, with the log's digest; a match that was given up has no other."""
    async with database.connect() as connection:
        payloads = list(await connection.scalars(sa.select(hand_results.c.payload)))
    recorded = sorted(
        (result.table_id, result.hand, result.digest)
        for result in map(scoring_pb2.HandResult.FromString, payloads)
        if not result.abandoned
    )
    played = sorted(
        (table_id, event.hand, event.hand_ended.digest)
        for table_id, log in logs.items()
        for event in log
        if event.HasField("hand_ended") and not event.hand_ended.voided
    )
    return [] if recorded == played else [f"{len(recorded)} results for {len(played)} hands, or others"]


@dataclass(frozen=True)
class Times:
    """Some times in seconds, sorted."""

    seconds: Sequence[float]

    def at(self, share: float) -> float:
        """Give the time that this share of them does not exceed; 0 when there are none."""
        return self.seconds[min(int(len(self.seconds) * share), len(self.seconds) - 1)] if self.seconds else 0.0

    def __str__(self) -> str:
        """Say how many, and p50, p95, p99 and the longest."""
        shown = ", ".join(f"{name} {self.at(share):.2f} s" for name, share in _SHARES.items())
        return f"{len(self.seconds)} times: {shown}"


_SHARES = {"p50": 0.5, "p95": 0.95, "p99": 0.99, "longest": 1.0}


def recoveries(logs: Logs, killed: Sequence[tuple[float, Iterable[str]]]) -> Times:
    """From each kill to the next move at each table that the server had.

    Tables that have ended have none; one whose next server was killed in its turn counts from then on.
    """
    times: dict[str, list[float]] = {}
    for at, table_ids in killed:
        for table_id in table_ids:
            times.setdefault(table_id, []).append(at)
    found = []
    for table_id, kills in times.items():
        for at, later in zip(kills, [*kills[1:], math.inf], strict=True):
            moved = _after_resume(logs[table_id], at * 1e6)
            if moved is not None and moved.at.ToMicroseconds() < later * 1e6:
                found.append(moved.at.ToMicroseconds() / 1e6 - at)
    return Times(sorted(found))


def _after_resume(log: Sequence[Event], after: float) -> Event | None:
    """Find the first move after the table was first taken up again; None when there is none."""
    resumed = False
    for event in log:
        at = event.at.ToMicroseconds()
        resumed |= event.HasField("table_resumed") and at > after
        if resumed and event.HasField("action_taken"):
            return event
    return None


def away(witnesses: Iterable[Witness]) -> Times:
    """From each time that a watcher was sent to another server to the first event that it got from there."""
    found = []
    for witness in witnesses:
        for left in witness.client.sent_away:
            back = next((at for at in witness.received if at > left), None)
            if back is not None:
                found.append(back - left)
    return Times(sorted(found))


def held_up(logs: Logs, witnesses: Iterable[Witness]) -> Times:
    """How long commands took that were sent before their table moved and answered after."""
    found = []
    for witness in witnesses:
        moves = [event.at.ToMicroseconds() / 1e6 for event in logs[witness.table_id] if event.HasField("table_resumed")]
        found += [done - began for began, done in witness.calls if any(began <= moved <= done for moved in moves)]
    return Times(sorted(found))
