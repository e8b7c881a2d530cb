"""Snapshots of tables between two hands."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0001"


def upgrade() -> None:
    """Make the table; live tables get a snapshot when their next hand ends."""
    op.create_table(
        "table_snapshots",
        sa.Column("table_id", sa.Text, nullable=False),
        sa.Column("snapshot", sa.LargeBinary, nullable=False),
        sa.PrimaryKeyConstraint("table_id"),
    )


def downgrade() -> None:
    """Drop the table; logs are folded whole then."""
    op.drop_table("table_snapshots")
