"""Matches do not say in which season they count: their ends and `seasons` do."""

import sqlalchemy as sa
from alembic import op

revision = "0020"
down_revision = "0019"


def upgrade() -> None:
    """Drop the column, which nobody has ever filled."""
    op.drop_column("match_results", "season")


def downgrade() -> None:
    """Have it again, empty."""
    op.add_column("match_results", sa.Column("season", sa.Text))
