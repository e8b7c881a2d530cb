"""What the gateway counts."""

from prometheus_client import CollectorRegistry, Counter


class GatewayMetrics:
    """Counters of one process."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self.guests = Counter("gouji_gateway_guests", "Guests made.", registry=registry)
        self.bots = Counter("gouji_gateway_bots", "Bots of others' own opened.", registry=registry)
        self.refreshes = Counter(
            "gouji_gateway_refreshes", "Refresh tokens exchanged for fresh ones.", registry=registry
        )
        self.deletions = Counter(
            "gouji_gateway_deletions", "Players of whom nothing is left to delete.", registry=registry
        )
        self.locates = Counter(
            "gouji_gateway_locates",
            "Tables looked for: found, moving (no server has it right now) or unknown.",
            ("outcome",),
            registry=registry,
        )
