"""Tournaments."""

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"

_TABLES = ("tournaments", "tournament_entries", "tournament_people", "tournament_boards")
_UNDER_WAY = sa.text("done = false")
_OF_BOARDS = sa.text("board_id IS NOT NULL")


def upgrade() -> None:
    """Make the tables, and let a table say which board it plays."""
    op.add_column("tables", sa.Column("board_id", sa.Text))
    op.create_index("tables_by_board", "tables", ["board_id"], postgresql_where=_OF_BOARDS, sqlite_where=_OF_BOARDS)
    op.create_table(
        "tournaments",
        sa.Column("tournament_id", sa.Text, nullable=False),
        sa.Column("secret", sa.LargeBinary, nullable=False),
        sa.Column("done", sa.Boolean, server_default=sa.false(), nullable=False),
        sa.Column("created_at", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("tournament_id"),
    )
    op.create_index(
        "tournaments_under_way",
        "tournaments",
        ["tournament_id"],
        postgresql_where=_UNDER_WAY,
        sqlite_where=_UNDER_WAY,
    )
    op.create_index("tournaments_newest", "tournaments", ["created_at", "tournament_id"])
    op.create_table(
        "tournament_entries",
        sa.Column("tournament_id", sa.Text, nullable=False),
        sa.Column("seq", sa.BigInteger, autoincrement=False, nullable=False),
        sa.Column("entry", sa.LargeBinary, nullable=False),
        sa.PrimaryKeyConstraint("tournament_id", "seq"),
    )
    op.create_table(
        "tournament_people",
        sa.Column("player_id", sa.Text, nullable=False),
        sa.Column("tournament_id", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("player_id", "tournament_id"),
    )
    op.create_table(
        "tournament_boards",
        sa.Column("board_id", sa.Text, nullable=False),
        sa.Column("opened_at", sa.BigInteger),
        sa.PrimaryKeyConstraint("board_id"),
    )


def downgrade() -> None:
    """Drop the tables: all tournaments are lost, and their tables are like any others."""
    for name in reversed(_TABLES):
        op.drop_table(name)
    op.drop_index("tables_by_board", "tables")
    op.drop_column("tables", "board_id")
