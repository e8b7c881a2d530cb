"""The audit log."""

import sqlalchemy as sa
from alembic import op

revision = "0017"
down_revision = "0016"

_TEXTS = ("actor", "role", "method", "player_id", "table_id", "reason", "details", "server", "outcome")


def upgrade() -> None:
    """Make the table."""
    op.create_table(
        "acts",
        sa.Column("act_id", sa.BigInteger().with_variant(sa.Integer, "sqlite"), autoincrement=True, nullable=False),
        sa.Column("at", sa.BigInteger, nullable=False),
        *(sa.Column(name, sa.Text, nullable=False) for name in _TEXTS),
        sa.PrimaryKeyConstraint("act_id"),
    )
    for name in ("player", "table"):
        op.create_index(f"acts_by_{name}", "acts", [f"{name}_id", "act_id"])


def downgrade() -> None:
    """Drop it: nobody can say any more who did what."""
    op.drop_table("acts")
