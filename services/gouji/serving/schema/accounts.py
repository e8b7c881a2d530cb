"""Who plays."""

import sqlalchemy as sa

from gouji.serving.schema.base import metadata, time

players = sa.Table(
    "players",
    metadata,
    sa.Column("player_id", sa.Text, primary_key=True),
    sa.Column("name", sa.Text, nullable=False),
    time("created_at"),
)
"""Everybody who ever played, guests too."""
