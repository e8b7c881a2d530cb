"""Watches that are cancelled leave nothing behind, and one that stops reading costs the others nothing."""

import os
from pathlib import Path
from statistics import geometric_mean, mean, quantiles

import pytest
from watches import Gallery, gallery, p99

pytestmark = [pytest.mark.faults, pytest.mark.timeout(3600)]

LONG = os.environ.get("GOUJI_FAULTS") == "long"
WARM, THEN = (20_000, 80_000) if LONG else (1_000, 1_500)
KEPT_BYTES = 16 if LONG else 4096
"""What a cancelled watch may seem to keep: memory comes by pages, and a stream that is kept is 10 KiB and more."""

GIVES_BACK = {"PYTHONMALLOC": "malloc", "MALLOC_ARENA_MAX": "1", "MALLOC_TRIM_THRESHOLD_": "65536"}
"""Has freed memory go back at once: what lies about between pieces that are used would pass for what is kept."""

RUNS, SECONDS = (5, 30) if LONG else (2, 5)
SAME = 1.25 if LONG else 4.0
"""How many times the p99 without stalled watchers still is the same; the short form shares its machine with others."""

FLAT_BYTES = (1 if LONG else 192) * 1024 * 1024
"""What memory may grow by in a minute beside stalled watchers more than without them."""


async def test_a_cancelled_watch_keeps_no_memory(tmp_path: Path) -> None:
    async with gallery(tmp_path, **GIVES_BACK) as server:
        table_ids = [await server.place(f"t{n}", pace_ms=3_600_000, hands=1) for n in range(20)]
        await server.glance(table_ids, WARM)
        before = server.memory()
        await server.glance(table_ids, THEN)
        kept = (server.memory() - before) / THEN
        print(f"{THEN} cancelled watches after {WARM}: {kept:.1f} bytes each, of {before / 2**20:.0f} MiB in all")
        assert kept <= KEPT_BYTES


async def test_a_watcher_that_stops_reading_slows_nobody_and_fills_no_memory(tmp_path: Path) -> None:
    async with gallery(tmp_path) as server:
        ratios, more = [], []
        await measure(server, "warm", 0)
        for run in range(RUNS):
            # By turns first: whatever came before leaves memory behind that is used again.
            halves = {}
            for stalled in (20, 0) if run % 2 else (0, 20):
                halves[stalled] = await measure(server, f"{run}-{stalled}", stalled)
            (alone, plain), (beside, full) = halves[0], halves[20]
            print(f"p99 {alone * 1000:.1f} ms, {beside * 1000:.1f} ms beside stalled watchers; grew {plain}, {full}")
            ratios.append(beside / alone)
            more.append(full - plain)
        low, *_, high = quantiles(ratios, n=20, method="inclusive")
        grown = mean(more) / 2**20
        print(f"ratio {geometric_mean(ratios):.2f}, from {low:.2f} to {high:.2f}; {grown:+.2f} MiB more memory")
        assert geometric_mean(ratios) <= SAME
        assert mean(more) <= FLAT_BYTES * SECONDS / 60


async def measure(server: Gallery, name: str, stalled: int) -> tuple[float, int]:
    """Play ten tables, beside so many watchers that do not read: p99 in seconds, and the bytes that memory grew by."""
    table_ids = [await server.place(f"{name}-{n}", pace_ms=50, hands=32) for n in range(10)]
    streams = [server.watch(table_ids[0]) for _ in range(stalled)]
    for stream in streams:
        await stream.read()
    before = server.memory()
    found = p99(await server.delays(table_ids, SECONDS))
    grown = server.memory() - before
    for stream in streams:
        stream.cancel()
    await server.end(table_ids)
    return found, grown
