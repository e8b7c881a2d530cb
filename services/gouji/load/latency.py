"""Times by kind, in HdrHistograms: as they were seen, and corrected for what a stalled server kept from being asked.

A person acts after having been asked. A table that stands still for ten seconds so makes one slow command, where at its
pace there would have been several, each of them slow (coordinated omission). The corrected histogram has these, too.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Self

from hdrh.histogram import HdrHistogram

_LEAST_US: Final = 1
_MOST_US: Final = 3_600_000_000
_DIGITS: Final = 3

PERCENTILES: Final = (50.0, 95.0, 99.0)


def _empty() -> Any:
    return HdrHistogram(_LEAST_US, _MOST_US, _DIGITS)


@dataclass(frozen=True, slots=True)
class Times:
    """Percentiles in milliseconds, and how many times there are."""

    count: int
    p50: float
    p95: float
    p99: float
    most: float

    @classmethod
    def of(cls, histogram: Any) -> Self:
        """Sum a histogram up."""
        at = [histogram.get_value_at_percentile(share) / 1000 for share in (*PERCENTILES, 100.0)]
        return cls(histogram.get_total_count(), *at)


class Latencies:
    """All times of a run, or of one client."""

    def __init__(self) -> None:
        self._seen: dict[str, Any] = {}
        self._corrected: dict[str, Any] = {}

    def record(self, kind: str, seconds: float, interval: float = 0.0) -> None:
        """Note one time; ``interval`` is that at which such commands are made while nothing is held up, 0 for none."""
        if kind not in self._seen:
            self._seen[kind], self._corrected[kind] = _empty(), _empty()
        microseconds = min(max(round(seconds * 1e6), _LEAST_US), _MOST_US)
        self._seen[kind].record_value(microseconds)
        self._corrected[kind].record_corrected_value(microseconds, round(interval * 1e6))

    def kinds(self) -> list[str]:
        """Name the kinds that have times."""
        return sorted(self._seen)

    def seen(self, kind: str) -> Times:
        """Give the times as they were; `KeyError` for a kind without any."""
        return Times.of(self._seen[kind])

    def corrected(self, kind: str) -> Times:
        """Give the corrected ones; `KeyError` for a kind without any."""
        return Times.of(self._corrected[kind])

    def at(self, kind: str, percentile: float) -> float | None:
        """Give a corrected percentile in milliseconds; None for a kind without times."""
        found = self._corrected.get(kind)
        return None if found is None else found.get_value_at_percentile(percentile) / 1000

    def packed(self) -> dict[str, list[str]]:
        """Write all of it for another process."""
        return {
            kind: [self._seen[kind].encode().decode(), self._corrected[kind].encode().decode()] for kind in self._seen
        }

    def add(self, packed: Mapping[str, Iterable[str]]) -> None:
        """Take in what another process wrote."""
        for kind, (seen, corrected) in packed.items():
            for kept, more in ((self._seen, seen), (self._corrected, corrected)):
                kept.setdefault(kind, _empty()).add(HdrHistogram.decode(more))
