"""Every table of the database. Times are microseconds from 1970 on, in UTC; identifiers are text.

The columns are the services' common ground: a change here is a new Alembic revision.
"""

import sqlalchemy as sa

metadata = sa.MetaData()

_WAITING = sa.text("state = 'waiting'")
_UNDELIVERED = sa.text("delivered_at IS NULL")
_ASSIGNED = sa.text("assigned IS NOT NULL")
_Serial = sa.BigInteger().with_variant(sa.Integer, "sqlite")


def _time(name: str, *, nullable: bool = False) -> sa.Column[int]:
    return sa.Column(name, sa.BigInteger, nullable=nullable)


players = sa.Table(
    "players",
    metadata,
    sa.Column("player_id", sa.Text, primary_key=True),
    sa.Column("name", sa.Text, nullable=False),
    _time("created_at"),
)
"""Everybody who ever played, guests too."""

tables = sa.Table(
    "tables",
    metadata,
    sa.Column("table_id", sa.Text, primary_key=True),
    sa.Column("spec", sa.LargeBinary, nullable=False),  # TableSpec
    sa.Column("state", sa.Text, nullable=False),  # placed, live, over, frozen
    sa.Column("assigned", sa.Text),  # server_id for which it was placed; null once a server has taken it
    sa.Column("owner", sa.Text),  # server_id
    sa.Column("fence", sa.BigInteger, nullable=False, server_default="0"),  # rises with each owner
    _time("created_at"),
    _time("ended_at", nullable=True),
    sa.Column("request_id", sa.Text),  # of the caller who placed it
    sa.UniqueConstraint("request_id", name="tables_one_for_a_request"),
    sa.CheckConstraint("state in ('placed', 'live', 'over', 'frozen')", name="tables_state"),
    sa.Index("tables_by_owner", "owner", "state"),
    sa.Index("tables_by_state", "state", "created_at"),
    sa.Index("tables_by_assigned", "assigned", postgresql_where=_ASSIGNED, sqlite_where=_ASSIGNED),
)
"""One row a table: what it is and who runs it."""

table_servers = sa.Table(
    "table_servers",
    metadata,
    sa.Column("server_id", sa.Text, primary_key=True),  # names one incarnation
    sa.Column("address", sa.Text, nullable=False),
    sa.Column("capacity", sa.Integer, nullable=False),  # tables that it can run as it does now
    sa.Column("draining", sa.Boolean, nullable=False, server_default=sa.false()),
    sa.Column("lifeline", sa.Text),  # the connection that it keeps open while it lives; null where there is none
    _time("expires_at"),
)
"""Leases of the table servers."""

server_loads = sa.Table(
    "server_loads",
    metadata,
    sa.Column("server_id", sa.Text, primary_key=True),
    sa.Column("tables", sa.Integer, nullable=False, server_default="0"),  # that it has, or that are placed for it
    sa.Column("most", sa.Integer, nullable=False),  # up to how many tables new ones are placed
    sa.Column("granted", sa.Integer, nullable=False, server_default="0"),  # tables placed by the last statement
)
"""How full the table servers are. Apart from their leases, so that no renewal waits for who places tables."""

table_events = sa.Table(
    "table_events",
    metadata,
    sa.Column("table_id", sa.Text, primary_key=True),
    sa.Column("seq", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("hand", sa.Integer, nullable=False),
    sa.Column("event", sa.LargeBinary, nullable=False),  # Event in the log's form: sealed, for it holds hidden cards
    _time("at"),
)
"""The tables' logs."""

table_commands = sa.Table(
    "table_commands",
    metadata,
    sa.Column("table_id", sa.Text, primary_key=True),
    sa.Column("seat", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("command_id", sa.Text, primary_key=True),
    sa.Column("turn", sa.BigInteger, nullable=False),
    sa.Column("payload", sa.LargeBinary, nullable=False),  # Action, or a contribution to a deal: sealed
    sa.Column("seq", sa.BigInteger, nullable=False),  # event that shows it; 0 for what stays unseen at first
    _time("at"),
)
"""Accepted commands, so that a repeated one gets its first answer."""

mutes = sa.Table(
    "mutes",
    metadata,
    sa.Column("player_id", sa.Text, primary_key=True),
    sa.Column("muted_id", sa.Text, primary_key=True),
)
"""Whom a player does not hear at any table; nobody else is told."""

table_snapshots = sa.Table(
    "table_snapshots",
    metadata,
    sa.Column("table_id", sa.Text, primary_key=True),
    sa.Column("snapshot", sa.LargeBinary, nullable=False),  # TableSnapshot
)
"""What a live table's log folds to up to the end of its last hand; none for a table in its first hand."""

outbox = sa.Table(
    "outbox",
    metadata,
    sa.Column("id", _Serial, primary_key=True, autoincrement=True),
    sa.Column("table_id", sa.Text, nullable=False),
    sa.Column("hand", sa.Integer, nullable=False),
    sa.Column("payload", sa.LargeBinary, nullable=False),  # HandResult
    _time("created_at"),
    _time("delivered_at", nullable=True),
    sa.Column("attempts", sa.Integer, nullable=False, server_default="0"),
    sa.UniqueConstraint("table_id", "hand", name="outbox_once"),
    sa.Index(
        "outbox_due",
        "id",
        postgresql_where=_UNDELIVERED,
        sqlite_where=_UNDELIVERED,
    ),
)
"""Finished hands on their way to scoring."""

tickets = sa.Table(
    "tickets",
    metadata,
    sa.Column("ticket_id", sa.Text, primary_key=True),
    sa.Column("player_id", sa.Text, nullable=False),
    sa.Column("player_name", sa.Text, nullable=False),
    sa.Column("queue", sa.Text, nullable=False),
    sa.Column("rules", sa.Text, nullable=False),  # rule sets accepted, the dearest first: a line of JSON each
    sa.Column("length", sa.Text, nullable=False),  # JSON: MatchLength
    sa.Column("bots_after_ms", sa.BigInteger),  # null: only people
    sa.Column("state", sa.Text, nullable=False),  # waiting, matched, cancelled, lapsed
    _time("created_at"),
    _time("expires_at"),
    sa.Column("table_id", sa.Text),
    sa.Column("seat", sa.Integer),
    sa.Column("party_id", sa.Text),
    sa.CheckConstraint("state in ('waiting', 'matched', 'cancelled', 'lapsed')", name="tickets_state"),
    sa.Index("tickets_by_party", "party_id"),
    sa.Index(
        "tickets_one_waiting",
        "player_id",
        "queue",
        unique=True,
        postgresql_where=_WAITING,
        sqlite_where=_WAITING,
    ),
    sa.Index(
        "tickets_waiting",
        "queue",
        "created_at",
        postgresql_where=_WAITING,
        sqlite_where=_WAITING,
    ),
)
"""Who waits in which queue, and what became of it."""

active_seats = sa.Table(
    "active_seats",
    metadata,
    sa.Column("player_id", sa.Text, primary_key=True),
    sa.Column("table_id", sa.Text, nullable=False),
    sa.Column("seat", sa.Integer, nullable=False),
    sa.Index("active_seats_by_table", "table_id"),
)
"""Where each player sits; the key keeps a player out of two matches."""

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
    _time("created_at"),
)
"""People who queue together."""

party_members = sa.Table(
    "party_members",
    metadata,
    sa.Column("player_id", sa.Text, primary_key=True),
    sa.Column("party_id", sa.Text, nullable=False),
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("ready", sa.Boolean, nullable=False, server_default=sa.false()),
    _time("joined_at"),
    sa.Index("party_members_by_party", "party_id"),
)
"""Who is in which party; the key keeps a player out of two."""

party_invites = sa.Table(
    "party_invites",
    metadata,
    sa.Column("player_id", sa.Text, primary_key=True),
    sa.Column("party_id", sa.Text, primary_key=True),
    _time("expires_at"),
    sa.Index("party_invites_by_party", "party_id"),
)
"""Who may come into which party."""

friends = sa.Table(
    "friends",
    metadata,
    sa.Column("player_id", sa.Text, primary_key=True),
    sa.Column("friend_id", sa.Text, primary_key=True),
    _time("created_at"),
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
    _time("created_at"),
    _time("seen_at"),
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
    _time("joined_at"),
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

hand_results = sa.Table(
    "hand_results",
    metadata,
    sa.Column("table_id", sa.Text, primary_key=True),
    sa.Column("hand", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("payload", sa.LargeBinary, nullable=False),  # HandResult
    sa.Column("payload_hash", sa.LargeBinary, nullable=False),
    sa.Column("preset", sa.Text, nullable=False),
    sa.Column("queue", sa.Text, nullable=False),
    _time("ended_at"),
    _time("recorded_at"),
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
    _time("updated_at"),  # the end of the match that it was last changed by
)
"""How strong players and bots are believed to be, by the matches of queues."""
