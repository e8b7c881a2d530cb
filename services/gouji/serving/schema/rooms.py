"""Private tables."""

import sqlalchemy as sa

from gouji.serving.schema.base import metadata, time

rooms = sa.Table(
    "rooms",
    metadata,
    sa.Column("room_id", sa.Text, primary_key=True),
    sa.Column("code", sa.Text, nullable=False),  # the invitation: whoever knows it may come in
    sa.Column("host", sa.Text, nullable=False),  # player_id of one who is there
    sa.Column("state", sa.Text, nullable=False),  # open, playing
    sa.Column("settings", sa.LargeBinary, nullable=False),  # RoomSettings
    # What the list looks for among them:
    sa.Column("preset", sa.Text, nullable=False),
    sa.Column("bot_level", sa.Text, nullable=False),
    sa.Column("spectators", sa.Boolean, nullable=False),
    sa.Column("listed", sa.Boolean, nullable=False),
    sa.Column("kicked", sa.Text, nullable=False),  # player_ids that may not come back: a line each
    sa.Column("matches", sa.Integer, nullable=False, server_default="0"),  # begun so far
    sa.Column("table_id", sa.Text),  # of the last match
    sa.Column("version", sa.BigInteger, nullable=False, server_default="1"),  # rises with each change
    time("created_at"),
    time("seen_at"),
    sa.UniqueConstraint("code", name="rooms_code"),
    sa.CheckConstraint("state in ('open', 'playing')", name="rooms_state"),
    sa.Index("rooms_newest", "created_at", "room_id"),
    sa.Index("rooms_by_state", "state", "seen_at"),
)
"""Private tables before, between and during their matches."""

room_seats = sa.Table(
    "room_seats",
    metadata,
    sa.Column("player_id", sa.Text, primary_key=True),
    sa.Column("room_id", sa.Text, nullable=False),
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("seat", sa.Integer),  # null: a spectator
    time("joined_at"),
    sa.Index("room_seats_by_room", "room_id"),
)
"""Who is in which room, and in which seat; the key keeps a player out of two rooms."""

room_tries = sa.Table(
    "room_tries",
    metadata,
    sa.Column("who", sa.Text, primary_key=True),  # a player, or the address of one
    sa.Column("span", sa.BigInteger, primary_key=True, autoincrement=False),  # number of the span of time
    sa.Column("tries", sa.Integer, nullable=False),
)
"""How often somebody has lately tried an invite code."""
