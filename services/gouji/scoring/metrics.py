"""What scoring counts."""

from collections.abc import Iterator
from contextlib import contextmanager

from prometheus_client import CollectorRegistry, Counter

from gouji.serving.errors import ServiceError


class ScoringMetrics:
    """Counters of one process."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self.results = Counter(
            "gouji_scoring_results",
            "Results that arrived: recorded, repeated (recorded before), or the reason of the refusal.",
            ("outcome",),
            registry=registry,
        )
        self.webhooks = Counter(
            "gouji_scoring_webhooks",
            "Tries to send an event to an endpoint, by what the delivery became: delivered, pending or parked.",
            ("endpoint", "state"),
            registry=registry,
        )

    @contextmanager
    def refusals(self) -> Iterator[None]:
        """Count a result that is refused within by its reason, and let the refusal pass."""
        try:
            yield
        except ServiceError as error:
            self.results.labels(error.reason).inc()
            raise
