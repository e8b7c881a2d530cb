"""Results, points and ratings."""

import sqlalchemy as sa

from gouji.serving.schema.base import metadata, time

hand_results = sa.Table(
    "hand_results",
    metadata,
    sa.Column("table_id", sa.Text, primary_key=True),
    sa.Column("hand", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("payload", sa.LargeBinary, nullable=False),  # HandResult
    sa.Column("payload_hash", sa.LargeBinary, nullable=False),
    sa.Column("preset", sa.Text, nullable=False),
    sa.Column("queue", sa.Text, nullable=False),
    time("ended_at"),
    time("recorded_at"),
)
"""Results, once for each hand."""

player_points = sa.Table(
    "player_points",
    metadata,
    sa.Column("table_id", sa.Text, primary_key=True),
    sa.Column("hand", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("seat", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("player_id", sa.Text, nullable=False),
    sa.Column("preset", sa.Text, nullable=False),
    sa.Column("points", sa.Integer, nullable=False),
    sa.Column("place", sa.Integer, nullable=False),  # 1..6
    sa.Index("player_points_by_player", "player_id"),
)
"""What each player made of each hand."""

player_totals = sa.Table(
    "player_totals",
    metadata,
    sa.Column("player_id", sa.Text, primary_key=True),
    sa.Column("preset", sa.Text, primary_key=True),
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("hands", sa.BigInteger, nullable=False, server_default="0"),
    sa.Column("points", sa.BigInteger, nullable=False, server_default="0"),
    *(sa.Column(f"p{place}", sa.BigInteger, nullable=False, server_default="0") for place in range(1, 7)),
    sa.Index("player_totals_by_points", "preset", "points"),
)
"""Sums of `player_points`, kept up in the same transaction, by preset and, under the empty one, over all.

`p1`..`p6` count the places.
"""

ratings = sa.Table(
    "ratings",
    metadata,
    sa.Column("player_id", sa.Text, primary_key=True),  # bot:LEVEL for the bots of a level
    sa.Column("family", sa.Text, primary_key=True),  # preset of the rules
    sa.Column("mu", sa.Double, nullable=False),
    sa.Column("sigma", sa.Double, nullable=False),
    sa.Column("matches", sa.Integer, nullable=False),
    time("updated_at"),  # the end of the match that it was last changed by
)
"""How strong players and bots are believed to be, by the matches of queues."""
