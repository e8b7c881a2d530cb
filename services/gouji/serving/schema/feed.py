"""What studios' own systems are told."""

import sqlalchemy as sa

from gouji.serving.schema.base import Serial, metadata, time

_UNNUMBERED = sa.text("sequence IS NULL")
_PENDING = sa.text("state = 'pending'")

feed_events = sa.Table(
    "feed_events",
    metadata,
    sa.Column("id", Serial, primary_key=True, autoincrement=True),
    sa.Column("event_id", sa.Text, nullable=False),
    sa.Column("sequence", sa.BigInteger),  # null until it is first looked for
    sa.Column("payload", sa.LargeBinary, nullable=False),  # FeedEvent without its number
    time("created_at"),
    sa.UniqueConstraint("event_id", name="feed_events_once"),
    sa.UniqueConstraint("sequence", name="feed_events_sequence"),
    sa.Index("feed_events_unnumbered", "id", postgresql_where=_UNNUMBERED, sqlite_where=_UNNUMBERED),
)
"""Events. They are numbered when they can be seen, so that no reader passes one by that is committed late."""

webhook_endpoints = sa.Table(
    "webhook_endpoints",
    metadata,
    sa.Column("endpoint", sa.Text, primary_key=True),
    sa.Column("sequence", sa.BigInteger, nullable=False),
)
"""Up to which event an endpoint of the settings has deliveries."""

webhook_deliveries = sa.Table(
    "webhook_deliveries",
    metadata,
    sa.Column("endpoint", sa.Text, primary_key=True),
    sa.Column("sequence", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("state", sa.Text, nullable=False),
    sa.Column("tries", sa.Integer, nullable=False, server_default="0"),
    time("due_at"),  # of one that is settled: since when it is
    sa.Column("outcome", sa.Text, nullable=False),  # of the last try; empty before the first
    sa.CheckConstraint("state in ('pending', 'delivered', 'parked')", name="webhook_deliveries_state"),
    sa.Index("webhook_deliveries_due", "endpoint", "due_at", postgresql_where=_PENDING, sqlite_where=_PENDING),
    sa.Index("webhook_deliveries_by_state", "endpoint", "state"),
)
"""Events on their way to endpoints."""
