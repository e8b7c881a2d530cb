"""What the tournaments' driver counts."""

from prometheus_client import CollectorRegistry, Counter, Gauge


class TournamentMetrics:
    """Counters of one process."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self.under_way = Gauge(
            "gouji_tournaments_under_way", "Events in which something may come by itself.", registry=registry
        )
        self.entries = Counter(
            "gouji_tournament_entries",
            "Entries that came by themselves, by what they say.",
            ("kind",),
            registry=registry,
        )
        self.placed = Counter("gouji_tournament_tables_placed", "Tables of rounds that were placed.", registry=registry)
        self.refusals = Counter(
            "gouji_tournament_tables_refused",
            "Tables of rounds that could not be placed yet, by reason.",
            ("reason",),
            registry=registry,
        )
        self.failures = Counter(
            "gouji_tournament_failures", "Looks at an event that failed by a fault of ours.", registry=registry
        )
