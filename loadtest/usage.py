"""What processes and cores have used up so far, and what a server has written: by /proc and its metrics page."""

import http.client
import os
import time
from dataclasses import dataclass
from pathlib import Path

from prometheus_client.parser import text_string_to_metric_families
from report import Load

TICK_SECONDS = 1 / os.sysconf("SC_CLK_TCK")


def resident(pid: int) -> int:
    """Bytes of a process in memory."""
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def cpu_seconds(pid: int) -> float:
    """Give the time for which a process has run, in user and in system."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) * TICK_SECONDS


def busy_seconds(core: int) -> float:
    """Give the time for which a core has not been idle, whoever ran there."""
    line = next(line for line in Path("/proc/stat").read_text().splitlines() if line.startswith(f"cpu{core} "))
    user, nice, system, _idle, _wait, *interrupts = map(int, line.split()[1:9])
    return (user + nice + system + sum(interrupts)) * TICK_SECONDS


def counted(port: int) -> dict[str, float]:
    """Read a metrics page: each sample by its name, summed over labels; of garbage collections full ones alone."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    try:
        connection.request("GET", "/metrics")
        page = connection.getresponse().read().decode()
    finally:
        connection.close()
    found: dict[str, float] = {}
    for family in text_string_to_metric_families(page):
        for sample in family.samples:
            if sample.labels.get("generation", "2") != "2":
                continue
            found[sample.name] = found.get(sample.name, 0.0) + sample.value
    return found


@dataclass(frozen=True)
class Usage:
    """A moment of a server, of its load generator, if there is one, and of the core on which that runs."""

    at: float
    server: float
    generator: float
    other_core: float
    events: float
    commits: float
    commit_seconds: float
    collections: float

    @classmethod
    def now(cls, server: int, metrics_port: int, generator: int | None, other_core: int) -> "Usage":
        """Read it; ``server`` and ``generator`` are processes."""
        pages = counted(metrics_port)
        return cls(
            time.monotonic(),
            cpu_seconds(server),
            0.0 if generator is None else cpu_seconds(generator),
            busy_seconds(other_core),
            pages["gouji_table_events_total"],
            pages["gouji_table_commit_seconds_count"],
            pages["gouji_table_commit_seconds_sum"],
            pages["python_gc_collections_total"],
        )

    def until(self, later: "Usage") -> Load:
        """Say what was used from here on, a second."""
        seconds = later.at - self.at
        commits = later.commits - self.commits
        return Load(
            server_cpu=(later.server - self.server) / seconds,
            generator_cpu=(later.generator - self.generator) / seconds,
            other_core=(later.other_core - self.other_core) / seconds,
            events=(later.events - self.events) / seconds,
            commits=commits / seconds,
            commit_seconds=(later.commit_seconds - self.commit_seconds) / commits if commits else 0.0,
            collections=later.collections - self.collections,
        )
