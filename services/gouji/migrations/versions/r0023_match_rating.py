"""A match that looks for replacements knows the rating of those whom it was made for."""

import sqlalchemy as sa
from alembic import op

revision = "0023"
down_revision = "0022"


def upgrade() -> None:
    """Add it; matches that gather just now are taken for those of new players."""
    op.add_column("matches", sa.Column("rating", sa.Float, nullable=False, server_default="25"))


def downgrade() -> None:
    """Drop it."""
    op.drop_column("matches", "rating")
