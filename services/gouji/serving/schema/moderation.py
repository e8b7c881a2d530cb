"""What moderators, operators and directors did."""

import sqlalchemy as sa

from gouji.serving.schema.base import Serial, metadata, time

acts = sa.Table(
    "acts",
    metadata,
    sa.Column("act_id", Serial, primary_key=True),
    time("at"),
    sa.Column("actor", sa.Text, nullable=False),
    sa.Column("role", sa.Text, nullable=False),
    sa.Column("method", sa.Text, nullable=False),
    sa.Column("player_id", sa.Text, nullable=False),
    sa.Column("table_id", sa.Text, nullable=False),
    sa.Column("reason", sa.Text, nullable=False),
    sa.Column("details", sa.Text, nullable=False),  # JSON
    sa.Column("server", sa.Text, nullable=False),
    sa.Column("outcome", sa.Text, nullable=False, server_default=""),  # `done`, a reason, or nothing known
    sa.Index("acts_by_player", "player_id", "act_id"),
    sa.Index("acts_by_table", "table_id", "act_id"),
)
"""The audit log: a row each call, written before it is done. Rows stay; the outcome alone is written later."""
