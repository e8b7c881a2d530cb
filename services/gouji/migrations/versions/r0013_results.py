"""Matches and their seats, corrections of hands, and the order in which matches were rated."""

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0010"

_TABLES = ("hand_corrections", "match_results", "match_seats", "rating_revisions", "rated_matches", "rating_changes")


def upgrade() -> None:
    """Make the tables, and take the names out of the totals: they are in `players`."""
    _make_corrections()
    _make_matches()
    _make_rated()
    op.execute("UPDATE player_totals SET name = ''")


def downgrade() -> None:
    """Drop the tables: corrections are lost, and what they made of totals and ratings stands."""
    for name in reversed(_TABLES):
        op.drop_table(name)


def _make_corrections() -> None:
    op.create_table(
        "hand_corrections",
        sa.Column("table_id", sa.Text, nullable=False),
        sa.Column("hand", sa.Integer, autoincrement=False, nullable=False),
        sa.Column("revision", sa.Integer, autoincrement=False, nullable=False),
        sa.Column("number", sa.Integer, nullable=False),
        sa.Column("payload", sa.LargeBinary, nullable=False),
        sa.Column("corrected_by", sa.Text, nullable=False),
        sa.Column("reason", sa.Text, nullable=False),
        sa.Column("corrected_at", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("table_id", "hand", "revision"),
        sa.UniqueConstraint("table_id", "number", name="hand_corrections_in_order"),
    )


def _make_matches() -> None:
    op.create_table(
        "match_results",
        sa.Column("table_id", sa.Text, nullable=False),
        sa.Column("preset", sa.Text, nullable=False),
        sa.Column("queue", sa.Text, nullable=False),
        sa.Column("region", sa.Text, nullable=False),
        sa.Column("tournament", sa.Text),
        sa.Column("season", sa.Text),
        sa.Column("hands", sa.Integer, nullable=False),
        sa.Column("recorded", sa.Integer, nullable=False),
        sa.Column("hands_in_all", sa.Integer),
        sa.Column("even_points", sa.BigInteger),
        sa.Column("odd_points", sa.BigInteger),
        sa.Column("began_at", sa.BigInteger, nullable=False),
        sa.Column("ended_at", sa.BigInteger),
        sa.Column("voided", sa.Boolean, nullable=False),
        sa.PrimaryKeyConstraint("table_id"),
    )
    op.create_table(
        "match_seats",
        sa.Column("table_id", sa.Text, nullable=False),
        sa.Column("seat", sa.Integer, autoincrement=False, nullable=False),
        sa.Column("player_id", sa.Text),
        sa.Column("bot_level", sa.Text),
        sa.Column("points", sa.BigInteger, nullable=False),
        sa.Column("hands", sa.Integer, nullable=False),
        *(sa.Column(f"p{place}", sa.Integer, nullable=False) for place in range(1, 7)),
        *(
            sa.Column(name, sa.Integer, nullable=False)
            for name in ("openings", "burns_tried", "burns_won", "sweeps", "by_player", "by_bot", "by_clock")
        ),
        sa.Column("absent_us", sa.BigInteger, nullable=False),
        sa.Column("left", sa.Boolean, nullable=False),
        sa.Column("penalty", sa.BigInteger, nullable=False),
        sa.Column("ended_at", sa.BigInteger),
        sa.PrimaryKeyConstraint("table_id", "seat"),
    )
    op.create_index("match_seats_by_player", "match_seats", ["player_id", "ended_at", "table_id"])


def _make_rated() -> None:
    op.create_table(
        "rating_revisions",
        sa.Column("revision", sa.Integer, autoincrement=False, nullable=False),
        sa.Column("model", sa.Text, nullable=False),
        sa.Column("written_by", sa.Text, nullable=False),
        sa.Column("written_at", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("revision"),
    )
    op.create_table(
        "rated_matches",
        sa.Column("number", sa.BigInteger().with_variant(sa.Integer, "sqlite"), autoincrement=True, nullable=False),
        sa.Column("revision", sa.Integer, nullable=False),
        sa.Column("table_id", sa.Text, nullable=False),
        sa.Column("corrections", sa.Integer, nullable=False),
        sa.Column("family", sa.Text, nullable=False),
        sa.Column("model", sa.Text, nullable=False),
        sa.Column("ended_at", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("number"),
        sa.UniqueConstraint("revision", "table_id", "corrections", name="rated_matches_once"),
    )
    op.create_table(
        "rating_changes",
        sa.Column("number", sa.BigInteger, autoincrement=False, nullable=False),
        sa.Column("player_id", sa.Text, nullable=False),
        sa.Column("family", sa.Text, nullable=False),
        sa.Column("mu_before", sa.Double, nullable=False),
        sa.Column("sigma_before", sa.Double, nullable=False),
        sa.Column("mu_after", sa.Double, nullable=False),
        sa.Column("sigma_after", sa.Double, nullable=False),
        sa.Column("matches", sa.Integer, nullable=False),
        sa.PrimaryKeyConstraint("number", "player_id"),
    )
    op.create_index("rating_changes_by_player", "rating_changes", ["player_id", "family", "number"])
