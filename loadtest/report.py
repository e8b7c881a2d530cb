"""What a run of `tables.py` came to: figures of its records, whether they count, as text and as JSON."""

import csv
import json
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

MOST_LAG_MS = 5.0
"""A run whose generator sent its commands later than this, at the 99th percentile, is void."""

MOST_CPU = 0.8
"""So is one whose generator used more of its core than this."""

TO_REACH_MS = 100.0
"""99 of 100 commands are to be shown to all six seats within this."""


@dataclass(frozen=True)
class Record:
    """One command; times in seconds from the start of play, None for what never came. ``code`` is gRPC's."""

    due: float
    sent: float
    answered: float | None
    shown: float | None
    code: int


def read_records(path: Path, first: float, last: float) -> list[Record]:
    """Read the records of the commands that were due from ``first`` to ``last``."""
    with path.open() as lines:
        rows = [(float(due), float(sent), float(done), float(seen), int(code))
                for _, _, due, sent, done, seen, code in csv.reader(lines)]  # fmt: skip
    return [Record(due, sent, _came(done), _came(seen), code)
            for due, sent, done, seen, code in rows if first <= due < last]  # fmt: skip


def _came(moment: float) -> float | None:
    return None if moment < 0 else moment


@dataclass(frozen=True)
class Times:
    """Of how many things, and their percentiles in milliseconds, by nearest rank; what never came is infinite."""

    count: int
    p50: float
    p95: float
    p99: float
    most: float

    @classmethod
    def of(cls, seconds: Iterable[float | None]) -> "Times":
        """Sum up times; all are infinite when there are none."""
        ordered = sorted(math.inf if one is None else one * 1000 for one in seconds) or [math.inf]
        return cls(len(ordered), *(_percentile(ordered, share) for share in (0.5, 0.95, 0.99, 1.0)))

    def __str__(self) -> str:
        return f"p50 {self.p50:.1f} ms, p95 {self.p95:.1f} ms, p99 {self.p99:.1f} ms, longest {self.most:.1f} ms"


def _percentile(ordered: Sequence[float], share: float) -> float:
    return ordered[max(math.ceil(share * len(ordered)) - 1, 0)]


@dataclass(frozen=True)
class Load:
    """What processes used while it was measured: shares of a core, what the server wrote, its full collections."""

    server_cpu: float
    generator_cpu: float
    other_core: float
    events: float
    commits: float
    commit_seconds: float
    collections: float


@dataclass(frozen=True)
class Memory:
    """The server's resident memory in bytes: before there were tables, with tables, and with watchers at work."""

    before: int
    tables: int
    watched: int


@dataclass(frozen=True)
class Outcome:
    """One run."""

    database: str
    tables: int
    seconds: float
    records: Sequence[Record]
    load: Load
    memory: Memory
    actions: Mapping[str, float]
    messages: int
    broken: int

    @property
    def shown(self) -> Times:
        """From when a command was due until the last of the six seats had it."""
        return Times.of(None if one.shown is None else one.shown - one.due for one in self.records)

    @property
    def answered(self) -> Times:
        """From when a command was due until its answer."""
        return Times.of(None if one.answered is None else one.answered - one.due for one in self.records)

    @property
    def lag(self) -> Times:
        """How late the generator sent."""
        return Times.of(one.sent - one.due for one in self.records)

    @property
    def failures(self) -> dict[int, int]:
        """Commands that were not done, by gRPC's code; -1 for those that nobody answered."""
        return dict(Counter(one.code for one in self.records if one.code))

    @property
    def unseen(self) -> int:
        """Commands that not all six seats were shown."""
        return sum(one.shown is None for one in self.records)

    @property
    def void(self) -> list[str]:
        """Why the figures do not count; empty when they do."""
        lag, cpu = self.lag.p99, self.load.generator_cpu
        return [
            *([f"the generator lagged {lag:.1f} ms at p99"] if lag > MOST_LAG_MS else []),
            *([f"the generator used {cpu:.0%} of its core"] if cpu > MOST_CPU else []),
        ]

    @property
    def moves(self) -> float:
        """Commands a second."""
        return len(self.records) / self.seconds

    def memory_a_table(self, resident: int) -> float:
        """KiB that each table takes of resident memory."""
        return (resident - self.memory.before) / 1024 / self.tables

    def text(self) -> str:
        """Tell it to people."""
        load, steps = self.load, self.load.commits or math.inf
        each = load.server_cpu / (self.moves or math.inf)
        lines = (
            f"{self.tables} tables on {self.database}, {self.moves:.0f} commands a second for {self.seconds:g} s",
            f"command to all six seats  {self.shown}",
            f"command to its answer     {self.answered}",
            f"not done {self.failures or 'none'}, not shown to all {self.unseen}, watches broken {self.broken}",
            f"server's core {load.server_cpu:.0%}, {each * 1e6:.0f} µs a command, "
            f"{load.collections:.0f} full garbage collections",
            f"log {load.events:.0f} events a second in {load.commits:.0f} commits of {load.events / steps:.1f}, "
            f"{load.commit_seconds * 1000:.1f} ms each",
            f"memory {self.memory_a_table(self.memory.watched):.0f} KiB a table with six watchers, "
            f"{self.memory_a_table(self.memory.tables):.0f} KiB without, {self.memory.before / 2**20:.0f} MiB before",
            f"generator late {self.lag}; {load.generator_cpu:.0%} of its core, which was {load.other_core:.0%} busy",
            "mix " + ", ".join(f"{kind} {share:.1%}" for kind, share in self.actions.items()),
            "VOID: " + "; ".join(self.void) if self.void else f"to reach: p99 {TO_REACH_MS:g} ms at 4,000 tables",
        )
        return "\n".join(lines)

    def json(self) -> str:
        """Tell it to programs, in one line; what never came is null."""
        told = {
            "database": self.database,
            "tables": self.tables,
            "seconds": self.seconds,
            "commands_per_second": self.moves,
            "shown_ms": asdict(self.shown),
            "answered_ms": asdict(self.answered),
            "lag_ms": asdict(self.lag),
            "failures": self.failures,
            "unseen": self.unseen,
            "messages": self.messages,
            "broken": self.broken,
            "load": asdict(self.load),
            "memory": asdict(self.memory),
            "kib_per_table": self.memory_a_table(self.memory.watched),
            "actions": dict(self.actions),
            "void": self.void,
        }
        return json.dumps(_finite(told))


def _finite(told: object) -> object:
    """Put null in the place of infinite numbers, which JSON does not have."""
    if isinstance(told, dict):
        return {key: _finite(value) for key, value in told.items()}
    return None if isinstance(told, float) and math.isinf(told) else told
