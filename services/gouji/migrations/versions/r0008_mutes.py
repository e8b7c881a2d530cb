"""Whom a player has muted."""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0006"


def upgrade() -> None:
    """Make the table."""
    op.create_table(
        "mutes",
        sa.Column("player_id", sa.Text, nullable=False),
        sa.Column("muted_id", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("player_id", "muted_id"),
    )


def downgrade() -> None:
    """Drop the table: everybody is heard again."""
    op.drop_table("mutes")
