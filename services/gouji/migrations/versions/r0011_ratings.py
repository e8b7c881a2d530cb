"""Ratings of players and of bots."""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0009"


def upgrade() -> None:
    """Make the table."""
    op.create_table(
        "ratings",
        sa.Column("player_id", sa.Text, nullable=False),
        sa.Column("family", sa.Text, nullable=False),
        sa.Column("mu", sa.Double, nullable=False),
        sa.Column("sigma", sa.Double, nullable=False),
        sa.Column("matches", sa.Integer, nullable=False),
        sa.Column("updated_at", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("player_id", "family"),
    )


def downgrade() -> None:
    """Drop the table: what was learnt of anybody's skill is lost."""
    op.drop_table("ratings")
