"""What the bot service counts."""

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

SECONDS = (0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.05, 0.1, 0.5, 1.0)
"""Histogram buckets for the time of one decision."""


class BotMetrics:
    """Decisions by level. One that does not exist counts as `unknown`: callers cannot make up labels."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self.decisions = Counter(
            "gouji_bot_decisions",
            "Decisions by level and outcome: `decided`, or the reason why not.",
            ("level", "outcome"),
            registry=registry,
        )
        self.fallbacks = Counter(
            "gouji_bot_fallbacks",
            "Searches that the planner decided instead, since there were more than time and cores for them.",
            registry=registry,
        )
        self.searches = Gauge("gouji_bot_searches", "Searches that run or wait now.", registry=registry)
        self.hints = Counter(
            "gouji_bot_hints",
            "Hints by outcome: `given`, or the reason why not.",
            ("outcome",),
            registry=registry,
        )
        self.decision_seconds = Histogram(
            "gouji_bot_decision_seconds",
            "Time for one decision.",
            ("level",),
            buckets=SECONDS,
            registry=registry,
        )
