"""Seasons and leaderboards."""

import sqlalchemy as sa

from gouji.serving.schema.base import Serial, metadata, time

seasons = sa.Table(
    "seasons",
    metadata,
    sa.Column("season_id", sa.Text, primary_key=True),
    sa.Column("name", sa.Text, nullable=False),
    time("begins_at"),
    time("ends_at"),
    time("final_at", nullable=True),  # from then on nothing counts in it any more
    sa.Index("seasons_by_begin", "begins_at"),
)
"""Seasons that have begun, without overlaps: from `begins_at` until just before `ends_at`."""

boards = sa.Table(
    "boards",
    metadata,
    sa.Column("board_id", Serial, primary_key=True, autoincrement=True),
    sa.Column("kind", sa.Text, nullable=False),  # points, rating
    sa.Column("season_id", sa.Text, nullable=False),  # empty for all time
    sa.Column("preset", sa.Text, nullable=False),  # empty for all
    sa.Column("region", sa.Text, nullable=False),  # empty for all
    sa.Column("players", sa.BigInteger),  # in the archive; null while the board is live
    sa.UniqueConstraint("season_id", "kind", "preset", "region", name="boards_once"),
    sa.CheckConstraint("kind in ('points', 'rating')", name="boards_kind"),
)
"""Leaderboards that somebody stands on."""

board_entries = sa.Table(
    "board_entries",
    metadata,
    sa.Column("board_id", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("player_id", sa.Text, primary_key=True),
    sa.Column("score", sa.BigInteger, nullable=False),  # points, or hundredths of a rating
    sa.Column("matches", sa.Integer, nullable=False),
    sa.Column("listed", sa.Boolean, nullable=False),  # has a rank
)
sa.Index(
    "board_entries_by_score",
    board_entries.c.board_id,
    board_entries.c.score,
    board_entries.c.player_id,
    sqlite_where=sa.text("listed = 1"),
    postgresql_where=sa.text("listed"),
)
"""Who stands on live boards, kept up in the transaction of the result."""

board_moves = sa.Table(
    "board_moves",
    metadata,
    sa.Column("move_id", Serial, primary_key=True, autoincrement=True),
    sa.Column("board_id", sa.BigInteger, nullable=False),
    sa.Column("before", sa.BigInteger),  # null when the player was not listed
    sa.Column("after", sa.BigInteger),  # null when it is not any more
    sa.Index("board_moves_by_board", "board_id"),
)
"""Changes of listed scores that `board_counts` does not hold yet: inserted, and deleted when they are folded in."""

board_counts = sa.Table(
    "board_counts",
    metadata,
    sa.Column("board_id", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("width", sa.Integer, primary_key=True, autoincrement=False),  # 1, 1024
    sa.Column("low", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("players", sa.BigInteger, nullable=False),
)
"""How many players are listed with a score from `low` until just before `low + width`, `board_moves` aside.

Each player is counted once for each width, so that a rank is a sum over few rows however many scores there are.
"""

archived_standings = sa.Table(
    "archived_standings",
    metadata,
    sa.Column("board_id", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("player_id", sa.Text, primary_key=True),
    sa.Column("rank", sa.BigInteger, nullable=False),
    sa.Column("score", sa.BigInteger, nullable=False),
    sa.Column("matches", sa.Integer, nullable=False),
    sa.Index("archived_standings_by_score", "board_id", "score", "player_id"),
)
"""Final ranks of archived boards. No row is ever changed."""
