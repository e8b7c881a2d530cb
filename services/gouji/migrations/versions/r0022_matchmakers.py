"""Which matchmaking processes there are, so that they share the queues."""

import sqlalchemy as sa
from alembic import op

revision = "0022"
down_revision = "0021"


def upgrade() -> None:
    """Make the table."""
    op.create_table(
        "matchmakers",
        sa.Column("owner", sa.Text, nullable=False),
        sa.Column("expires_at", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("owner"),
    )


def downgrade() -> None:
    """Drop it: whoever comes first takes all queues."""
    op.drop_table("matchmakers")
