"""What holds for players: bans and mutes."""

import sqlalchemy as sa
from alembic import op

revision = "0018"
down_revision = "0017"


def upgrade() -> None:
    """Make the table."""
    op.create_table(
        "sanctions",
        sa.Column("player_id", sa.Text, nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("since_at", sa.BigInteger, nullable=False),
        sa.Column("until_at", sa.BigInteger),
        sa.Column("reason", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("player_id", "kind"),
        sa.CheckConstraint("kind in ('ban', 'mute', 'removal')", name="sanctions_kind"),
    )
    op.create_index("sanctions_by_time", "sanctions", ["since_at"])


def downgrade() -> None:
    """Drop it: everybody may come in and speak."""
    op.drop_table("sanctions")
