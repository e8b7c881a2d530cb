"""What a run came to: figures, what was wrong, and whether it held what its profile asks for."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from gouji.fleet.faults import DATABASE
from gouji.load.notes import Notes
from gouji.load.profile import Budget, Profile
from gouji.load.usage import TABLE, Sample, used


@dataclass(frozen=True)
class Moment:
    """How it stood at one second; ``tables`` and the like of all client processes together."""

    at: float
    players: int
    tables: int
    commands: int
    events: int
    failures: int
    absorbed: int
    violated: int


@dataclass(frozen=True)
class Thrown:
    """A fault: when it was thrown, how long that took, and why it could not be, if so."""

    at: float
    fault: str
    seconds: float
    error: str = ""


@dataclass
class Outcome:
    """All that was seen. ``seconds`` are those that were measured, fewer than asked for when it was ended early."""

    name: str
    profile: Profile
    address: str
    started: str
    seconds: float
    notes: Notes
    course: Sequence[Moment] = ()
    thrown: Sequence[Thrown] = ()
    servers: Mapping[str, Sequence[Sample]] = field(default_factory=dict)
    lost: Sequence[str] = ()
    """Client processes that ended without a word, and what they wrote."""

    @property
    def tables(self) -> float:
        """Tables at once, on average over the time that is measured."""
        counts = [moment.tables for moment in self.course if moment.at >= self.profile.warmup]
        return sum(counts) / len(counts) if counts else 0.0

    def judged(self) -> list[dict[str, Any]]:
        """Hold the latencies against their budgets."""
        return [self._judge(budget) for budget in self.profile.budgets.latencies]

    def _judge(self, budget: Budget) -> dict[str, Any]:
        reached = self.notes.latencies.at(budget.kind, budget.percentile)
        held = reached is not None and reached <= budget.milliseconds
        return {**budget.model_dump(), "reached": reached, "held": held}

    def wrong(self) -> list[str]:
        """Say in sentences why the run has failed; empty when it has not."""
        return [*self._broken(), *self._missed()]

    def _broken(self) -> Iterator[str]:
        """Look at what must hold of every run."""
        notes = self.notes
        yield from (f"a client process was lost: {said}" for said in self.lost)
        if notes.violated:
            yield f"{notes.violated} times a server showed what it must not: {notes.violations[0]}"
        yield from (f"{one.fault} could not be done: {one.error}" for one in self.thrown if one.error)

    def _missed(self) -> Iterator[str]:
        """Look at what this profile asks for."""
        budgets, notes = self.profile.budgets, self.notes
        if notes.failures.total() > budgets.most_failures:
            yield f"{notes.failures.total()} failures, where {budgets.most_failures} may be: {dict(notes.failures)}"
        if notes.commands < budgets.least_commands:
            yield f"{notes.commands} commands were done, where {budgets.least_commands} were to be"
        for one in self.judged():
            if not one["held"]:
                came = "there was none" if one["reached"] is None else f"it was {one['reached']:.1f} ms"
                yield f"{one['kind']} at p{one['percentile']:g} was to be within {one['milliseconds']:g} ms; {came}"
        most = budgets.most_memory_mib_per_minute
        for name, row in self.used().items():
            # PostgreSQL fills the cache that it was given: that is no leak.
            if most is not None and name != DATABASE and row["memory_mib_per_minute"] > most:
                yield f"the memory of {name} grows by {row['memory_mib_per_minute']:.1f} MiB a minute, {most:g} may be"

    def void(self) -> list[str]:
        """Say why the times do not count; empty when they do."""
        lag, most = self.notes.latencies.at("lag", 99), self.profile.budgets.most_lag_ms
        return [f"the clients lagged {lag:.1f} ms at p99, {most:g} may be"] if lag is not None and lag > most else []

    def used(self) -> dict[str, dict[str, float]]:
        """Say what each server used."""
        found = {name: used(samples, self.profile.warmup) for name, samples in self.servers.items()}
        return {name: asdict(one) for name, one in found.items() if one}

    def a_table(self) -> dict[str, float]:
        """Say what a table costs its servers: shares of a core, and KiB since there were none; empty if unknown."""
        servers = {name: samples for name, samples in self.servers.items() if name.startswith(f"{TABLE}-") and samples}
        if not servers or not self.tables:
            return {}
        cpu = sum(row["cpu"] for name, row in self.used().items() if name in servers)
        grown = sum(samples[-1].memory_bytes - samples[0].memory_bytes for samples in servers.values())
        return {"cpu": cpu / self.tables, "memory_kib": grown / 1024 / self.tables}

    def told(self) -> dict[str, Any]:
        """Give all of it for machines."""
        notes, times = self.notes, self.notes.latencies
        latencies = {
            kind: {
                "seen_ms": asdict(times.seen(kind)),
                "corrected_ms": asdict(times.corrected(kind)),
            }
            for kind in times.kinds()
        }
        return {
            "profile": self.name,
            "about": self.profile.about,
            "started": self.started,
            "address": self.address,
            "seconds": self.seconds,
            "ok": not self.wrong() and not self.void(),
            "wrong": self.wrong(),
            "void": self.void(),
            "budgets": self.judged(),
            "tables": self.tables,
            "matches": notes.matches,
            "commands": notes.commands,
            "commands_per_second": notes.commands / self.seconds if self.seconds else 0.0,
            "events": notes.events,
            "latencies": latencies,
            "failures": dict(notes.failures),
            "absorbed": dict(notes.absorbed),
            "overtaken": notes.overtaken,
            "drops": notes.drops,
            "cuts": notes.cuts,
            "actions": dict(notes.actions.most_common()),
            "violated": notes.violated,
            "violations": notes.violations,
            "faults": [asdict(one) for one in self.thrown],
            "servers": self.used(),
            "a_table": self.a_table(),
            "course": [asdict(moment) for moment in self.course],
        }

    def json(self) -> str:
        """Give all of it as JSON."""
        return json.dumps(self.told(), indent=1)
