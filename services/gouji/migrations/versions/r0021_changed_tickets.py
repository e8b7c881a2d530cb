"""When a ticket changed last, so that a long queue need not be read anew."""

import sqlalchemy as sa
from alembic import op

revision = "0021"
down_revision = "0020"

_WAITING = sa.text("state = 'waiting'")


def upgrade() -> None:
    """Add the column, and what finds tickets by it and by the end of their lease."""
    op.add_column("tickets", sa.Column("changed_at", sa.BigInteger, server_default="0", nullable=False))
    op.create_index("tickets_changed", "tickets", ["queue", "changed_at"])
    op.create_index(
        "tickets_lapsing",
        "tickets",
        ["queue", "expires_at"],
        postgresql_where=_WAITING,
        sqlite_where=_WAITING,
    )


def downgrade() -> None:
    """Drop them."""
    op.drop_index("tickets_lapsing", "tickets")
    op.drop_index("tickets_changed", "tickets")
    op.drop_column("tickets", "changed_at")
