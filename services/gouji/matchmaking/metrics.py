"""What matchmaking counts. Queues have names that players choose, so they are no labels."""

from collections.abc import Sequence

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

from gouji.matchmaking.placing import Placement
from gouji.matchmaking.ready import Step, Verdict
from gouji.serving.metrics import SECONDS

_UNEVEN = (0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5)
_SPREAD = (1, 2, 5, 10, 15, 20, 30, 40, 60, 80)
_WAITS = (0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15, 30, 60, 120, 300, 600)


class MatchmakingMetrics:
    """Counters of one process."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self.waiting = Gauge(
            "gouji_tickets_waiting",
            "Tickets in the queues that this process looks at.",
            registry=registry,
        )
        self.queues = Gauge("gouji_queues_held", "Queues whose matches this process makes.", registry=registry)
        self.missed = Counter("gouji_matches_missed", "Players who did not confirm a match.", registry=registry)
        self.refilled = Counter(
            "gouji_seats_refilled",
            "Seats of such players, and of those who queued with them, by who took them; kind is people or bots.",
            ("kind",),
            registry=registry,
        )
        self.waits = Histogram(
            "gouji_ticket_wait_seconds",
            "From ticket to table; kind is people or bots.",
            ("kind",),
            buckets=_WAITS,
            registry=registry,
        )
        self.tables = Counter(
            "gouji_tables_placed",
            "Tables placed; kind is people, bots or placed.",
            ("kind",),
            registry=registry,
        )
        self.unevenness = Histogram(
            "gouji_match_unevenness",
            "How far the better team's chance to win is above one half, in matches of queues; kind is people or bots.",
            ("kind",),
            buckets=_UNEVEN,
            registry=registry,
        )
        self.spread = Histogram(
            "gouji_match_spread",
            "Points between the highest and the lowest rating of the people in a match; kind is people or bots.",
            ("kind",),
            buckets=_SPREAD,
            registry=registry,
        )
        self.untaken = Gauge(
            "gouji_tables_untaken",
            "Placed tables that no table server has taken yet; every process sees the same.",
            registry=registry,
        )
        self.untaken_seconds = Gauge(
            "gouji_tables_untaken_seconds", "How long the first of these has waited.", registry=registry
        )
        self.lost = Counter(
            "gouji_claims_lost", "Tables not made because a ticket was gone by then.", registry=registry
        )
        self.cycle = Histogram(
            "gouji_cycle_seconds", "Time for one look at the queues.", buckets=SECONDS, registry=registry
        )

    def looked(self, queues: int, waiting: int) -> None:
        """Note what a look found."""
        self.queues.set(queues)
        self.waiting.set(waiting)

    def claimed(self, asked: int, made: Sequence[Placement], now: int) -> None:
        """Count the tables made at ``now`` (microseconds) out of those asked for."""
        self.lost.inc(asked - len(made))
        for placement in made:
            self.tables.labels(placement.kind).inc()
            if placement.proposal is not None:
                quality = placement.proposal.quality
                self.unevenness.labels(placement.kind).observe(abs(quality.win_chance - 0.5))
                self.spread.labels(placement.kind).observe(quality.spread)
            for ticket in placement.tickets.values():
                self.waits.labels(placement.kind).observe((now - ticket.since) / 1_000_000)

    def stepped(self, step: Step) -> None:
        """Count what became of a match that had to be confirmed."""
        self.missed.inc(len(step.missed))
        self.refilled.labels("people").inc(len(step.taken))
        self.refilled.labels("bots").inc(len(step.left) if step.verdict is Verdict.PLACED else 0)
