"""The first tables."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None

_TABLES = (
    "players",
    "active_seats",
    "tables",
    "table_servers",
    "table_events",
    "table_commands",
    "outbox",
    "tickets",
    "hand_results",
    "player_points",
    "player_totals",
)


def upgrade() -> None:
    """Make all tables."""
    _make_players()
    _make_tables()
    _make_outbox()
    _make_tickets()
    _make_results()


def downgrade() -> None:
    """Drop all tables, with what they hold."""
    for name in reversed(_TABLES):
        op.drop_table(name)


def _make_players() -> None:
    op.create_table(
        "players",
        sa.Column("player_id", sa.Text, nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("created_at", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("player_id"),
    )
    op.create_table(
        "active_seats",
        sa.Column("player_id", sa.Text, nullable=False),
        sa.Column("table_id", sa.Text, nullable=False),
        sa.Column("seat", sa.Integer, nullable=False),
        sa.PrimaryKeyConstraint("player_id"),
    )
    op.create_index("active_seats_by_table", "active_seats", ["table_id"])


def _make_tables() -> None:
    op.create_table(
        "tables",
        sa.Column("table_id", sa.Text, nullable=False),
        sa.Column("spec", sa.LargeBinary, nullable=False),
        sa.Column("state", sa.Text, nullable=False),
        sa.Column("owner", sa.Text),
        sa.Column("fence", sa.BigInteger, server_default="0", nullable=False),
        sa.Column("created_at", sa.BigInteger, nullable=False),
        sa.Column("ended_at", sa.BigInteger),
        sa.Column("request_id", sa.Text),
        sa.CheckConstraint("state in ('placed', 'live', 'over', 'frozen')", name="tables_state"),
        sa.PrimaryKeyConstraint("table_id"),
        sa.UniqueConstraint("request_id", name="tables_one_for_a_request"),
    )
    op.create_index("tables_by_owner", "tables", ["owner", "state"])
    op.create_index("tables_by_state", "tables", ["state", "created_at"])
    op.create_table(
        "table_servers",
        sa.Column("server_id", sa.Text, nullable=False),
        sa.Column("address", sa.Text, nullable=False),
        sa.Column("capacity", sa.Integer, nullable=False),
        sa.Column("tables", sa.Integer, server_default="0", nullable=False),
        sa.Column("draining", sa.Boolean, server_default=sa.false(), nullable=False),
        sa.Column("expires_at", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("server_id"),
    )
    op.create_table(
        "table_events",
        sa.Column("table_id", sa.Text, nullable=False),
        sa.Column("seq", sa.BigInteger, autoincrement=False, nullable=False),
        sa.Column("hand", sa.Integer, nullable=False),
        sa.Column("event", sa.LargeBinary, nullable=False),
        sa.Column("at", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("table_id", "seq"),
    )
    op.create_table(
        "table_commands",
        sa.Column("table_id", sa.Text, nullable=False),
        sa.Column("seat", sa.Integer, autoincrement=False, nullable=False),
        sa.Column("command_id", sa.Text, nullable=False),
        sa.Column("turn", sa.BigInteger, nullable=False),
        sa.Column("payload_hash", sa.LargeBinary, nullable=False),
        sa.Column("payload", sa.LargeBinary, nullable=False),
        sa.Column("seq", sa.BigInteger, nullable=False),
        sa.Column("at", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("table_id", "seat", "command_id"),
    )


def _make_outbox() -> None:
    undelivered = sa.text("delivered_at IS NULL")
    op.create_table(
        "outbox",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer, "sqlite"), autoincrement=True, nullable=False),
        sa.Column("table_id", sa.Text, nullable=False),
        sa.Column("hand", sa.Integer, nullable=False),
        sa.Column("payload", sa.LargeBinary, nullable=False),
        sa.Column("created_at", sa.BigInteger, nullable=False),
        sa.Column("delivered_at", sa.BigInteger),
        sa.Column("attempts", sa.Integer, server_default="0", nullable=False),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("table_id", "hand", name="outbox_once"),
    )
    op.create_index("outbox_due", "outbox", ["id"], postgresql_where=undelivered, sqlite_where=undelivered)


def _make_tickets() -> None:
    waiting = sa.text("state = 'waiting'")
    op.create_table(
        "tickets",
        sa.Column("ticket_id", sa.Text, nullable=False),
        sa.Column("player_id", sa.Text, nullable=False),
        sa.Column("player_name", sa.Text, nullable=False),
        sa.Column("queue", sa.Text, nullable=False),
        sa.Column("rules", sa.Text, nullable=False),
        sa.Column("length", sa.Text, nullable=False),
        sa.Column("bots_after_ms", sa.BigInteger),
        sa.Column("state", sa.Text, nullable=False),
        sa.Column("created_at", sa.BigInteger, nullable=False),
        sa.Column("expires_at", sa.BigInteger, nullable=False),
        sa.Column("table_id", sa.Text),
        sa.Column("seat", sa.Integer),
        sa.CheckConstraint("state in ('waiting', 'matched', 'cancelled', 'lapsed')", name="tickets_state"),
        sa.PrimaryKeyConstraint("ticket_id"),
    )
    op.create_index(
        "tickets_one_waiting",
        "tickets",
        ["player_id", "queue"],
        unique=True,
        postgresql_where=waiting,
        sqlite_where=waiting,
    )
    op.create_index(
        "tickets_waiting", "tickets", ["queue", "created_at"], postgresql_where=waiting, sqlite_where=waiting
    )


def _make_results() -> None:
    op.create_table(
        "hand_results",
        sa.Column("table_id", sa.Text, nullable=False),
        sa.Column("hand", sa.Integer, autoincrement=False, nullable=False),
        sa.Column("payload", sa.LargeBinary, nullable=False),
        sa.Column("payload_hash", sa.LargeBinary, nullable=False),
        sa.Column("preset", sa.Text, nullable=False),
        sa.Column("queue", sa.Text, nullable=False),
        sa.Column("ended_at", sa.BigInteger, nullable=False),
        sa.Column("recorded_at", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("table_id", "hand"),
    )
    op.create_table(
        "player_points",
        sa.Column("table_id", sa.Text, nullable=False),
        sa.Column("hand", sa.Integer, autoincrement=False, nullable=False),
        sa.Column("seat", sa.Integer, autoincrement=False, nullable=False),
        sa.Column("player_id", sa.Text, nullable=False),
        sa.Column("preset", sa.Text, nullable=False),
        sa.Column("points", sa.Integer, nullable=False),
        sa.Column("place", sa.Integer, nullable=False),
        sa.PrimaryKeyConstraint("table_id", "hand", "seat"),
    )
    op.create_index("player_points_by_player", "player_points", ["player_id"])
    op.create_table(
        "player_totals",
        sa.Column("player_id", sa.Text, nullable=False),
        sa.Column("preset", sa.Text, nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("hands", sa.BigInteger, server_default="0", nullable=False),
        sa.Column("points", sa.BigInteger, server_default="0", nullable=False),
        sa.Column("p1", sa.BigInteger, server_default="0", nullable=False),
        sa.Column("p2", sa.BigInteger, server_default="0", nullable=False),
        sa.Column("p3", sa.BigInteger, server_default="0", nullable=False),
        sa.Column("p4", sa.BigInteger, server_default="0", nullable=False),
        sa.Column("p5", sa.BigInteger, server_default="0", nullable=False),
        sa.Column("p6", sa.BigInteger, server_default="0", nullable=False),
        sa.PrimaryKeyConstraint("player_id", "preset"),
    )
    op.create_index("player_totals_by_points", "player_totals", ["preset", "points"])
