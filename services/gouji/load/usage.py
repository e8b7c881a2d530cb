"""What the processes of a cluster use: processor time and memory, each with what it started that has no name."""

import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import psutil

TABLE: Final = "table"
_MIB: Final = 2**20


@dataclass(frozen=True, slots=True)
class Sample:
    """One process at one moment: seconds of processor time used since the sample before, and resident memory."""

    at: float
    cpu_seconds: float
    memory_bytes: int


@dataclass
class Usage:
    """All samples, by the names of processes; ``at`` counts from the run's begin."""

    began: float
    samples: dict[str, list[Sample]] = field(default_factory=dict)
    _used: dict[int, float] = field(default_factory=dict)

    def look(self, rows: Iterable[Mapping[str, Any]]) -> None:
        """Take a sample of each process that a cluster says it has."""
        at, listed = time.time() - self.began, list(rows)
        own = {row["pid"] for row in listed}
        for row in listed:
            found = [
                process for process in _processes(row["pid"]) if process.pid == row["pid"] or process.pid not in own
            ]
            if found:
                cpu = sum(self._since(process) for process in found)
                self.samples.setdefault(row["name"], []).append(Sample(at, cpu, _memory(found)))

    def _since(self, process: psutil.Process) -> float:
        """Give what a process has used since it was looked at; what it used before the first look is not ours."""
        try:
            times = process.cpu_times()
        except psutil.Error:
            return 0.0
        used = times.user + times.system
        before = self._used.get(process.pid, used)
        self._used[process.pid] = used
        return max(used - before, 0.0)


def _processes(pid: int) -> list[psutil.Process]:
    if not pid:
        return []
    try:
        process = psutil.Process(pid)
        return [process, *process.children(recursive=True)]
    except psutil.Error:
        return []


def _memory(processes: Iterable[psutil.Process]) -> int:
    total = 0
    for process in processes:
        try:
            total += process.memory_info().rss
        except psutil.Error:
            continue
    return total


@dataclass(frozen=True, slots=True)
class Used:
    """One process over the time that is measured: share of a core, memory at both ends, and its slope in between."""

    cpu: float
    memory_mib_first: float
    memory_mib_last: float
    memory_mib_per_minute: float


def used(samples: Iterable[Sample], first: float) -> Used | None:
    """Sum up the samples from a moment on; None when there are too few."""
    kept = [sample for sample in samples if sample.at >= first]
    if len(kept) < 2:
        return None
    seconds = kept[-1].at - kept[0].at
    cpu = sum(sample.cpu_seconds for sample in kept[1:]) / seconds if seconds else 0.0
    memory = [(sample.at, sample.memory_bytes / _MIB) for sample in kept]
    return Used(cpu, memory[0][1], memory[-1][1], 60 * _slope(memory))


def _slope(points: list[tuple[float, float]]) -> float:
    """Fit a line; returns how much it rises a second."""
    mean_x = sum(x for x, _ in points) / len(points)
    mean_y = sum(y for _, y in points) / len(points)
    spread = sum((x - mean_x) ** 2 for x, _ in points)
    return sum((x - mean_x) * (y - mean_y) for x, y in points) / spread if spread else 0.0
