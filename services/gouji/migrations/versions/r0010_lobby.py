"""Tickets of several players, matches that gather, leases and pauses of queues."""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0012"

_NEW = ("queue_pauses", "paused_queues", "queue_leases", "matches", "ticket_members", "tickets")


def upgrade() -> None:
    """Make the tables; tickets that wait are lost, and their players queue again."""
    op.drop_table("tickets")
    _allow("'gathering', 'placed', 'live', 'over', 'frozen'")
    _make_tickets()
    _make_members()
    _make_matches()
    _make_queues()


def downgrade() -> None:
    """Have the one-player tickets of before, empty."""
    for name in _NEW:
        op.drop_table(name)
    op.execute("DELETE FROM tables WHERE state = 'gathering'")
    _allow("'placed', 'live', 'over', 'frozen'")
    _make_tickets_of_one()


def _allow(states: str) -> None:
    """Let tables have these states."""
    with op.batch_alter_table("tables") as batch:
        if op.get_bind().dialect.name == "postgresql":  # on SQLite the table is made anew, without its checks
            batch.drop_constraint("tables_state", type_="check")
        batch.create_check_constraint("tables_state", f"state in ({states})")


def _make_tickets() -> None:
    waiting = sa.text("state = 'waiting'")
    op.create_table(
        "tickets",
        sa.Column("ticket_id", sa.Text, nullable=False),
        sa.Column("queue", sa.Text, nullable=False),
        sa.Column("leader", sa.Text, nullable=False),
        sa.Column("party_id", sa.Text),
        sa.Column("rules", sa.Text, nullable=False),
        sa.Column("length", sa.Text, nullable=False),
        sa.Column("bots_after_ms", sa.BigInteger),
        sa.Column("both_teams", sa.Boolean, nullable=False),
        sa.Column("latency_ms", sa.Integer, nullable=False),
        sa.Column("state", sa.Text, nullable=False),
        sa.Column("created_at", sa.BigInteger, nullable=False),
        sa.Column("expires_at", sa.BigInteger, nullable=False),
        sa.Column("table_id", sa.Text),
        sa.CheckConstraint(
            "state in ('waiting', 'gathering', 'matched', 'cancelled', 'lapsed', 'missed')", name="tickets_state"
        ),
        sa.PrimaryKeyConstraint("ticket_id"),
    )
    op.create_index(
        "tickets_waiting", "tickets", ["queue", "created_at"], postgresql_where=waiting, sqlite_where=waiting
    )
    op.create_index("tickets_by_table", "tickets", ["table_id"])
    op.create_index("tickets_by_party", "tickets", ["party_id"])
    op.create_index("tickets_by_expiry", "tickets", ["expires_at"])


def _make_members() -> None:
    standing = sa.text("state in ('waiting', 'gathering')")
    op.create_table(
        "ticket_members",
        sa.Column("ticket_id", sa.Text, nullable=False),
        sa.Column("player_id", sa.Text, nullable=False),
        sa.Column("queue", sa.Text, nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("rating", sa.Float, nullable=False),
        sa.Column("deviation", sa.Float, nullable=False),
        sa.Column("recent", sa.Text, nullable=False),
        sa.Column("state", sa.Text, nullable=False),
        sa.Column("seat", sa.Integer),
        sa.Column("confirmed", sa.Boolean, server_default=sa.false(), nullable=False),
        sa.PrimaryKeyConstraint("ticket_id", "player_id"),
    )
    op.create_index(
        "ticket_members_once",
        "ticket_members",
        ["player_id", "queue"],
        unique=True,
        postgresql_where=standing,
        sqlite_where=standing,
    )
    op.create_index("ticket_members_by_player", "ticket_members", ["player_id"])


def _make_matches() -> None:
    gathering = sa.text("state = 'gathering'")
    op.create_table(
        "matches",
        sa.Column("table_id", sa.Text, nullable=False),
        sa.Column("queue", sa.Text, nullable=False),
        sa.Column("state", sa.Text, nullable=False),
        sa.Column("rules", sa.Text, nullable=False),
        sa.Column("length", sa.Text, nullable=False),
        sa.Column("bot_level", sa.Text, nullable=False),
        sa.Column("ready_by", sa.BigInteger, nullable=False),
        sa.Column("extended", sa.Boolean, server_default=sa.false(), nullable=False),
        sa.Column("win_chance", sa.Float, nullable=False),
        sa.Column("spread", sa.Float, nullable=False),
        sa.Column("longest_wait", sa.BigInteger, nullable=False),
        sa.Column("mean_wait", sa.BigInteger, nullable=False),
        sa.Column("created_at", sa.BigInteger, nullable=False),
        sa.CheckConstraint("state in ('gathering', 'placed', 'dissolved')", name="matches_state"),
        sa.PrimaryKeyConstraint("table_id"),
    )
    op.create_index("matches_gathering", "matches", ["queue"], postgresql_where=gathering, sqlite_where=gathering)
    op.create_index("matches_by_queue", "matches", ["queue", "created_at"])
    op.create_index("matches_by_time", "matches", ["created_at"])


def _make_queues() -> None:
    op.create_table(
        "queue_leases",
        sa.Column("queue", sa.Text, nullable=False),
        sa.Column("owner", sa.Text, nullable=False),
        sa.Column("fence", sa.BigInteger, nullable=False),
        sa.Column("expires_at", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("queue"),
    )
    op.create_table(
        "paused_queues",
        sa.Column("queue", sa.Text, nullable=False),
        sa.Column("reason", sa.Text, nullable=False),
        sa.Column("operator", sa.Text, nullable=False),
        sa.Column("paused_at", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("queue"),
    )
    op.create_table(
        "queue_pauses",
        sa.Column("player_id", sa.Text, nullable=False),
        sa.Column("strikes", sa.Integer, nullable=False),
        sa.Column("until", sa.BigInteger, nullable=False),
        sa.Column("struck_at", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("player_id"),
    )


def _make_tickets_of_one() -> None:
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
        sa.Column("party_id", sa.Text),
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
    op.create_index("tickets_by_party", "tickets", ["party_id"])
