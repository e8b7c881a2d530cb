"""People who meet before they play: the lobby, parties, friends, blocks."""

import sqlalchemy as sa

from gouji.serving.schema.base import metadata, time

lobby_players = sa.Table(
    "lobby_players",
    metadata,
    sa.Column("player_id", sa.Text, primary_key=True),
    sa.Column("version", sa.BigInteger, nullable=False, server_default="0"),  # rises with what the player is shown
    sa.Column("seen_at", sa.BigInteger, nullable=False, server_default="0"),
)
"""Who is in the lobby: when last seen, and a number that says whether its party or its invitations have changed."""

parties = sa.Table(
    "parties",
    metadata,
    sa.Column("party_id", sa.Text, primary_key=True),
    sa.Column("leader", sa.Text, nullable=False),  # player_id of one of the members
    time("created_at"),
)
"""People who queue together."""

party_members = sa.Table(
    "party_members",
    metadata,
    sa.Column("player_id", sa.Text, primary_key=True),
    sa.Column("party_id", sa.Text, nullable=False),
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("ready", sa.Boolean, nullable=False, server_default=sa.false()),
    time("joined_at"),
    sa.Index("party_members_by_party", "party_id"),
)
"""Who is in which party; the key keeps a player out of two."""

party_invites = sa.Table(
    "party_invites",
    metadata,
    sa.Column("player_id", sa.Text, primary_key=True),
    sa.Column("party_id", sa.Text, primary_key=True),
    time("expires_at"),
    sa.Index("party_invites_by_party", "party_id"),
)
"""Who may come into which party."""

friends = sa.Table(
    "friends",
    metadata,
    sa.Column("player_id", sa.Text, primary_key=True),
    sa.Column("friend_id", sa.Text, primary_key=True),
    time("created_at"),
    sa.Index("friends_by_friend", "friend_id"),
)
"""Whom a player calls a friend; two who call each other so are friends."""

blocks = sa.Table(
    "blocks",
    metadata,
    sa.Column("player_id", sa.Text, primary_key=True),
    sa.Column("blocked_id", sa.Text, primary_key=True),
    sa.Index("blocks_by_blocked", "blocked_id"),
)
"""Whom a player does not want to meet; the other is not told."""
