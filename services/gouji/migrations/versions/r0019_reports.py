"""What players reported."""

import sqlalchemy as sa
from alembic import op

revision = "0019"
down_revision = "0018"


def upgrade() -> None:
    """Make the table."""
    op.create_table(
        "reports",
        *(sa.Column(name, sa.Text, nullable=False) for name in ("report_id", "player_id", "reporter_id", "table_id")),
        sa.Column("kind", sa.Integer, nullable=False),
        sa.Column("created_at", sa.BigInteger, nullable=False),
        sa.Column("closed_at", sa.BigInteger),
        sa.Column("closed_by", sa.Text, nullable=False),
        sa.Column("outcome", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("report_id"),
        sa.UniqueConstraint("reporter_id", "player_id", "table_id", name="reports_once"),
    )
    op.create_index("reports_by_player", "reports", ["player_id", "created_at"])
    op.create_index("reports_by_reporter", "reports", ["reporter_id", "created_at"])
    still = sa.text("closed_at IS NULL")
    op.create_index("reports_open", "reports", ["created_at"], postgresql_where=still, sqlite_where=still)


def downgrade() -> None:
    """Drop it."""
    op.drop_table("reports")
