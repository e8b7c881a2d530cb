"""Parties, friends, blocks and rooms."""

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"

_TABLES = (
    "lobby_players",
    "parties",
    "party_members",
    "party_invites",
    "friends",
    "blocks",
    "rooms",
    "room_seats",
    "room_tries",
)


def upgrade() -> None:
    """Make the tables, and let a ticket be a party's."""
    op.add_column("tickets", sa.Column("party_id", sa.Text))
    op.create_index("tickets_by_party", "tickets", ["party_id"])
    _make_parties()
    _make_acquaintances()
    _make_rooms()


def downgrade() -> None:
    """Drop the tables: all parties and rooms end, nobody has friends or is blocked."""
    for name in reversed(_TABLES):
        op.drop_table(name)
    op.drop_index("tickets_by_party", "tickets")
    op.drop_column("tickets", "party_id")


def _make_parties() -> None:
    op.create_table(
        "lobby_players",
        sa.Column("player_id", sa.Text, nullable=False),
        sa.Column("version", sa.BigInteger, server_default="0", nullable=False),
        sa.Column("seen_at", sa.BigInteger, server_default="0", nullable=False),
        sa.PrimaryKeyConstraint("player_id"),
    )
    op.create_table(
        "parties",
        sa.Column("party_id", sa.Text, nullable=False),
        sa.Column("leader", sa.Text, nullable=False),
        sa.Column("created_at", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("party_id"),
    )
    op.create_table(
        "party_members",
        sa.Column("player_id", sa.Text, nullable=False),
        sa.Column("party_id", sa.Text, nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("ready", sa.Boolean, server_default=sa.false(), nullable=False),
        sa.Column("joined_at", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("player_id"),
    )
    op.create_index("party_members_by_party", "party_members", ["party_id"])
    op.create_table(
        "party_invites",
        sa.Column("player_id", sa.Text, nullable=False),
        sa.Column("party_id", sa.Text, nullable=False),
        sa.Column("expires_at", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("player_id", "party_id"),
    )
    op.create_index("party_invites_by_party", "party_invites", ["party_id"])


def _make_acquaintances() -> None:
    op.create_table(
        "friends",
        sa.Column("player_id", sa.Text, nullable=False),
        sa.Column("friend_id", sa.Text, nullable=False),
        sa.Column("created_at", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("player_id", "friend_id"),
    )
    op.create_index("friends_by_friend", "friends", ["friend_id"])
    op.create_table(
        "blocks",
        sa.Column("player_id", sa.Text, nullable=False),
        sa.Column("blocked_id", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("player_id", "blocked_id"),
    )
    op.create_index("blocks_by_blocked", "blocks", ["blocked_id"])


def _make_rooms() -> None:
    op.create_table(
        "rooms",
        sa.Column("room_id", sa.Text, nullable=False),
        sa.Column("code", sa.Text, nullable=False),
        sa.Column("host", sa.Text, nullable=False),
        sa.Column("state", sa.Text, nullable=False),
        sa.Column("settings", sa.LargeBinary, nullable=False),
        sa.Column("preset", sa.Text, nullable=False),
        sa.Column("bot_level", sa.Text, nullable=False),
        sa.Column("spectators", sa.Boolean, nullable=False),
        sa.Column("listed", sa.Boolean, nullable=False),
        sa.Column("kicked", sa.Text, nullable=False),
        sa.Column("matches", sa.Integer, server_default="0", nullable=False),
        sa.Column("table_id", sa.Text),
        sa.Column("version", sa.BigInteger, server_default="1", nullable=False),
        sa.Column("created_at", sa.BigInteger, nullable=False),
        sa.Column("seen_at", sa.BigInteger, nullable=False),
        sa.CheckConstraint("state in ('open', 'playing')", name="rooms_state"),
        sa.PrimaryKeyConstraint("room_id"),
        sa.UniqueConstraint("code", name="rooms_code"),
    )
    op.create_index("rooms_newest", "rooms", ["created_at", "room_id"])
    op.create_index("rooms_by_state", "rooms", ["state", "seen_at"])
    op.create_table(
        "room_seats",
        sa.Column("player_id", sa.Text, nullable=False),
        sa.Column("room_id", sa.Text, nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("seat", sa.Integer),
        sa.Column("joined_at", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("player_id"),
    )
    op.create_index("room_seats_by_room", "room_seats", ["room_id"])
    op.create_table(
        "room_tries",
        sa.Column("who", sa.Text, nullable=False),
        sa.Column("span", sa.BigInteger, autoincrement=False, nullable=False),
        sa.Column("tries", sa.Integer, nullable=False),
        sa.PrimaryKeyConstraint("who", "span"),
    )
