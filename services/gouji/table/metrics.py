"""What the table service counts."""

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

from gouji.serving.metrics import SECONDS


class TableMetrics:
    """Metrics of one process's tables."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self.tables = Gauge("gouji_tables_live", "Tables that this server runs.", registry=registry)
        self.capacity = Gauge(
            "gouji_tables_capacity", "Tables that this server can run, as it runs now.", registry=registry
        )
        self.seats_used = Gauge(
            "gouji_table_seats_used_ratio",
            "Seats used over capacity, of all table servers that stay; every one of them says the same.",
            registry=registry,
        )
        self.seats = Gauge(
            "gouji_table_seats",
            "Seats of live tables by who plays them: its person, a bot for a person, or a bot of its own.",
            ("plays",),
            registry=registry,
        )
        self.watchers = Gauge("gouji_table_watchers", "Open watches of live tables.", registry=registry)
        self.overflows = Counter(
            "gouji_table_watch_overflows",
            "Watches closed because their client read too slowly.",
            registry=registry,
        )
        self.commands = Counter(
            "gouji_table_commands", "Commands by outcome or reason.", ("outcome",), registry=registry
        )
        self.events = Counter("gouji_table_events", "Events committed.", registry=registry)
        self.hands = Counter("gouji_table_hands", "Hands that ended, voided ones too.", registry=registry)
        self.clock_expiries = Counter(
            "gouji_table_clock_expiries",
            "Decisions that the clock made, private answers aside: a person was too slow, or a bot had no choice.",
            registry=registry,
        )
        self.append_seconds = Histogram(
            "gouji_table_append_seconds",
            "From handing a step to the log writer to its commit, of the first step in each commit.",
            buckets=SECONDS,
            registry=registry,
        )
        self.commit_seconds = Histogram(
            "gouji_table_commit_seconds", "Time of one commit.", buckets=SECONDS, registry=registry
        )
        self.commit_steps = Histogram(
            "gouji_table_commit_steps",
            "Steps of tables in one commit.",
            buckets=(1, 2, 5, 10, 20, 50, 100, 200, 500),
            registry=registry,
        )
        self.steps_failed = Counter(
            "gouji_table_steps_failed",
            "Steps that were not written, by error.",
            ("error",),
            registry=registry,
        )
        self.taken = Counter(
            "gouji_tables_taken",
            "Tables taken: new ones, recovered ones that had lost their server, adopted ones that were handed over.",
            ("kind",),
            registry=registry,
        )
        self.load_seconds = Histogram(
            "gouji_table_load_seconds",
            "From taking a table to its going on here.",
            ("kind",),
            buckets=SECONDS,
            registry=registry,
        )
        self.handed_over = Counter(
            "gouji_tables_handed_over", "Tables that another server took while this one drained.", registry=registry
        )
        self.handover_seconds = Histogram(
            "gouji_table_handover_seconds",
            "For how long a table stood still that was offered to another server, by what that one said.",
            ("outcome",),
            buckets=SECONDS,
            registry=registry,
        )
        self.quarantined = Counter("gouji_tables_quarantined", "Tables stopped by a fault.", registry=registry)
        self.leases_lost = Counter("gouji_table_leases_lost", "Leases that ran out.", registry=registry)
        self.servers_died = Counter(
            "gouji_table_servers_died",
            "Other servers that this one found dead before their leases ran out.",
            registry=registry,
        )
        self.bot_failures = Counter(
            "gouji_table_bot_failures",
            "Decisions of bots replaced by the mildest.",
            ("cause",),
            registry=registry,
        )
        self.seats_changed = Counter(
            "gouji_table_seats_changed",
            "Changes of who plays a person's seat: a bot, its player, or a bot for good.",
            ("plays",),
            registry=registry,
        )
        self.hands_delivered = Counter(
            "gouji_table_hands_delivered", "Finished hands taken by scoring.", registry=registry
        )
        self.delivery_failures = Counter(
            "gouji_table_delivery_failures", "Tries to deliver a hand that failed.", registry=registry
        )
        self.outbox = Gauge(
            "gouji_outbox_waiting",
            "Finished hands that scoring has not taken yet; every table server sees the same.",
            registry=registry,
        )
        self.outbox_seconds = Gauge(
            "gouji_outbox_waiting_seconds", "How long the first of these has waited.", registry=registry
        )
