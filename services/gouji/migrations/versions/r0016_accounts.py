"""Identities, deletions, who sat where, and what studios' own systems are told."""

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0015"

_TABLES = ("identities", "deletions", "table_people", "feed_events", "webhook_endpoints", "webhook_deliveries")


def upgrade() -> None:
    """Make the tables and columns."""
    _make_accounts()
    _make_people()
    _make_feed()
    _make_webhooks()


def downgrade() -> None:
    """Drop them: everybody is a guest, and what was not delivered is lost."""
    for name in reversed(_TABLES):
        op.drop_table(name)
    op.drop_index("tables_unlisted", "tables")
    op.drop_column("tables", "people_listed")
    op.drop_column("players", "colour")


def _make_accounts() -> None:
    op.add_column("players", sa.Column("colour", sa.Integer, server_default="8421504", nullable=False))
    op.create_table(
        "identities",
        sa.Column("player_id", sa.Text, nullable=False),
        sa.Column("issuer", sa.Text, nullable=False),
        sa.Column("subject", sa.LargeBinary, nullable=False),
        sa.Column("bound_at", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("player_id"),
        sa.UniqueConstraint("issuer", "subject", name="identities_once"),
    )
    op.create_table(
        "deletions",
        sa.Column("player_id", sa.Text, nullable=False),
        sa.Column("requested_by", sa.Text, nullable=False),
        sa.Column("reason", sa.Text, nullable=False),
        sa.Column("requested_at", sa.BigInteger, nullable=False),
        sa.Column("due_at", sa.BigInteger, nullable=False),
        sa.Column("tries", sa.Integer, server_default="0", nullable=False),
        sa.Column("done_at", sa.BigInteger),
        sa.PrimaryKeyConstraint("player_id"),
    )
    still = sa.text("done_at IS NULL")
    op.create_index("deletions_due", "deletions", ["due_at"], postgresql_where=still, sqlite_where=still)
    op.create_index("deletions_by_time", "deletions", ["requested_at"])


def _make_people() -> None:
    unlisted = sa.text("state = 'over' AND NOT people_listed")
    op.add_column("tables", sa.Column("people_listed", sa.Boolean, server_default=sa.false(), nullable=False))
    op.create_index("tables_unlisted", "tables", ["table_id"], postgresql_where=unlisted, sqlite_where=unlisted)
    op.create_table(
        "table_people",
        sa.Column("player_id", sa.Text, nullable=False),
        sa.Column("table_id", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("player_id", "table_id"),
    )


def _make_feed() -> None:
    op.create_table(
        "feed_events",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer, "sqlite"), autoincrement=True, nullable=False),
        sa.Column("event_id", sa.Text, nullable=False),
        sa.Column("sequence", sa.BigInteger),
        sa.Column("payload", sa.LargeBinary, nullable=False),
        sa.Column("created_at", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("event_id", name="feed_events_once"),
        sa.UniqueConstraint("sequence", name="feed_events_sequence"),
    )
    unnumbered = sa.text("sequence IS NULL")
    op.create_index(
        "feed_events_unnumbered", "feed_events", ["id"], postgresql_where=unnumbered, sqlite_where=unnumbered
    )


def _make_webhooks() -> None:
    op.create_table(
        "webhook_endpoints",
        sa.Column("endpoint", sa.Text, nullable=False),
        sa.Column("sequence", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("endpoint"),
    )
    op.create_table(
        "webhook_deliveries",
        sa.Column("endpoint", sa.Text, nullable=False),
        sa.Column("sequence", sa.BigInteger, autoincrement=False, nullable=False),
        sa.Column("state", sa.Text, nullable=False),
        sa.Column("tries", sa.Integer, server_default="0", nullable=False),
        sa.Column("due_at", sa.BigInteger, nullable=False),
        sa.Column("outcome", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("endpoint", "sequence"),
        sa.CheckConstraint("state in ('pending', 'delivered', 'parked')", name="webhook_deliveries_state"),
    )
    pending = sa.text("state = 'pending'")
    op.create_index(
        "webhook_deliveries_due",
        "webhook_deliveries",
        ["endpoint", "due_at"],
        postgresql_where=pending,
        sqlite_where=pending,
    )
    op.create_index("webhook_deliveries_by_state", "webhook_deliveries", ["endpoint", "state"])
