"""Events of many tables: their records, and their duplicate boards."""

import sqlalchemy as sa

from gouji.serving.schema.base import metadata, time

_UNDER_WAY = sa.text("done = false")

tournaments = sa.Table(
    "tournaments",
    metadata,
    sa.Column("tournament_id", sa.Text, primary_key=True),
    sa.Column("secret", sa.LargeBinary, nullable=False),  # lots and boards come from it: sealed
    sa.Column("done", sa.Boolean, nullable=False, server_default=sa.false()),  # nothing more comes by itself
    time("created_at"),
    sa.Index("tournaments_under_way", "tournament_id", postgresql_where=_UNDER_WAY, sqlite_where=_UNDER_WAY),
    sa.Index("tournaments_newest", "created_at", "tournament_id"),
)
"""Events. Whoever writes an entry locks the event's row."""

tournament_entries = sa.Table(
    "tournament_entries",
    metadata,
    sa.Column("tournament_id", sa.Text, primary_key=True),
    sa.Column("seq", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("entry", sa.LargeBinary, nullable=False),  # TournamentEntry
)
"""What happened in the events, which are its fold. No entry changes, save that a deleted player's name goes."""

tournament_people = sa.Table(
    "tournament_people",
    metadata,
    sa.Column("player_id", sa.Text, primary_key=True),
    sa.Column("tournament_id", sa.Text, primary_key=True),
)
"""In the records of which events a player is named."""

tournament_boards = sa.Table(
    "tournament_boards",
    metadata,
    sa.Column("board_id", sa.Text, primary_key=True),
    time("opened_at", nullable=True),  # null while a table of it may be played
)
"""The boards that tables play, and since when they are open."""
