"""What a client process notes down: times, failures, faults of the servers, and how many do what just now."""

import time
from collections import Counter
from dataclasses import dataclass, field
from typing import Any, Final

from gouji.load.latency import Latencies

MOST_VIOLATIONS: Final = 50
"""How many are kept in words; all are counted."""


@dataclass
class Notes:
    """Only what was due from ``measured_from`` on, by the wall clock, enters times and commands; all else counts.

    ``failures`` reached a player; what the SDK tried again by itself is ``absorbed``: both by our reason or, in
    capitals, gRPC's status. ``overtaken`` are commands that came after the clock, a bot or another answer had ended
    the turn.
    """

    measured_from: float
    latencies: Latencies = field(default_factory=Latencies)
    failures: Counter[str] = field(default_factory=Counter)
    absorbed: Counter[str] = field(default_factory=Counter)
    actions: Counter[str] = field(default_factory=Counter)
    violations: list[str] = field(default_factory=list)
    violated: int = 0
    overtaken: int = 0
    commands: int = 0
    events: int = 0
    drops: int = 0
    cuts: int = 0
    matches: int = 0
    players: int = 0
    tables: int = 0

    def time(self, kind: str, due: float, interval: float = 0.0) -> None:
        """Note that something which was due at a moment, by the wall clock, has come about now."""
        self.span(kind, due, time.time(), interval)

    def span(self, kind: str, due: float, done: float, interval: float = 0.0) -> None:
        """Note that something which was due at a moment came about at another."""
        if due >= self.measured_from:
            self.latencies.record(kind, done - due, interval)

    def wrong(self, sentence: str) -> None:
        """Note that a server did what it must not."""
        self.violated += 1
        if len(self.violations) < MOST_VIOLATIONS:
            self.violations.append(sentence)

    def progress(self) -> dict[str, Any]:
        """Say how it stands, for the one who watches."""
        return {
            "players": self.players,
            "tables": self.tables,
            "commands": self.commands,
            "events": self.events,
            "failures": self.failures.total(),
            "absorbed": self.absorbed.total(),
            "violated": self.violated,
            "shown_p99_ms": self.latencies.at("shown", 99),
        }

    def packed(self) -> dict[str, Any]:
        """Write all of it for another process."""
        return {
            **self.progress(),
            "latencies": self.latencies.packed(),
            "failures": dict(self.failures),
            "absorbed": dict(self.absorbed),
            "actions": dict(self.actions),
            "violations": self.violations,
            "overtaken": self.overtaken,
            "drops": self.drops,
            "cuts": self.cuts,
            "matches": self.matches,
        }

    def add(self, packed: dict[str, Any]) -> None:
        """Take in what another process wrote."""
        self.latencies.add(packed["latencies"])
        for mine, theirs in ((self.failures, "failures"), (self.absorbed, "absorbed"), (self.actions, "actions")):
            mine.update(packed[theirs])
        self.violations += packed["violations"][: MOST_VIOLATIONS - len(self.violations)]
        for name in ("violated", "overtaken", "commands", "events", "drops", "cuts", "matches"):
            setattr(self, name, getattr(self, name) + packed[name])
