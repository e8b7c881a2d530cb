"""Seasons and leaderboards."""

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"

_TABLES = ("seasons", "boards", "board_entries", "board_moves", "board_counts", "archived_standings")
_SERIAL = sa.BigInteger().with_variant(sa.Integer, "sqlite")


def upgrade() -> None:
    """Make the tables."""
    _make_boards()
    _make_entries()
    _make_counts()


def downgrade() -> None:
    """Drop the tables: seasons and their final ranks are lost."""
    for name in reversed(_TABLES):
        op.drop_table(name)


def _make_boards() -> None:
    op.create_table(
        "seasons",
        sa.Column("season_id", sa.Text, nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("begins_at", sa.BigInteger, nullable=False),
        sa.Column("ends_at", sa.BigInteger, nullable=False),
        sa.Column("final_at", sa.BigInteger),
        sa.PrimaryKeyConstraint("season_id"),
    )
    op.create_index("seasons_by_begin", "seasons", ["begins_at"])
    op.create_table(
        "boards",
        sa.Column("board_id", _SERIAL, autoincrement=True, nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("season_id", sa.Text, nullable=False),
        sa.Column("preset", sa.Text, nullable=False),
        sa.Column("region", sa.Text, nullable=False),
        sa.Column("players", sa.BigInteger),
        sa.PrimaryKeyConstraint("board_id"),
        sa.UniqueConstraint("season_id", "kind", "preset", "region", name="boards_once"),
        sa.CheckConstraint("kind in ('points', 'rating')", name="boards_kind"),
    )


def _make_entries() -> None:
    op.create_table(
        "board_entries",
        sa.Column("board_id", sa.BigInteger, autoincrement=False, nullable=False),
        sa.Column("player_id", sa.Text, nullable=False),
        sa.Column("score", sa.BigInteger, nullable=False),
        sa.Column("matches", sa.Integer, nullable=False),
        sa.Column("listed", sa.Boolean, nullable=False),
        sa.PrimaryKeyConstraint("board_id", "player_id"),
    )
    op.create_index(
        "board_entries_by_score",
        "board_entries",
        ["board_id", "score", "player_id"],
        sqlite_where=sa.text("listed = 1"),
        postgresql_where=sa.text("listed"),
    )
    op.create_table(
        "archived_standings",
        sa.Column("board_id", sa.BigInteger, autoincrement=False, nullable=False),
        sa.Column("player_id", sa.Text, nullable=False),
        sa.Column("rank", sa.BigInteger, nullable=False),
        sa.Column("score", sa.BigInteger, nullable=False),
        sa.Column("matches", sa.Integer, nullable=False),
        sa.PrimaryKeyConstraint("board_id", "player_id"),
    )
    op.create_index("archived_standings_by_score", "archived_standings", ["board_id", "score", "player_id"])


def _make_counts() -> None:
    op.create_table(
        "board_moves",
        sa.Column("move_id", _SERIAL, autoincrement=True, nullable=False),
        sa.Column("board_id", sa.BigInteger, nullable=False),
        sa.Column("before", sa.BigInteger),
        sa.Column("after", sa.BigInteger),
        sa.PrimaryKeyConstraint("move_id"),
    )
    op.create_index("board_moves_by_board", "board_moves", ["board_id"])
    op.create_table(
        "board_counts",
        sa.Column("board_id", sa.BigInteger, autoincrement=False, nullable=False),
        sa.Column("width", sa.Integer, autoincrement=False, nullable=False),
        sa.Column("low", sa.BigInteger, autoincrement=False, nullable=False),
        sa.Column("players", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("board_id", "width", "low"),
    )
