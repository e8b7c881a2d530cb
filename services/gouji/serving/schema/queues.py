"""Queues: tickets, the matches made of them, and who sits where."""

import sqlalchemy as sa

from gouji.serving.schema.base import metadata, time

_WAITING = sa.text("state = 'waiting'")
_GATHERING = sa.text("state = 'gathering'")
_STANDING = sa.text("state in ('waiting', 'gathering')")

tickets = sa.Table(
    "tickets",
    metadata,
    sa.Column("ticket_id", sa.Text, primary_key=True),
    sa.Column("queue", sa.Text, nullable=False),
    sa.Column("leader", sa.Text, nullable=False),  # player_id
    sa.Column("party_id", sa.Text),  # null: one player alone
    sa.Column("rules", sa.Text, nullable=False),  # rule sets accepted, the dearest first: a line of JSON each
    sa.Column("length", sa.Text, nullable=False),  # JSON: MatchLength
    sa.Column("bots_after_ms", sa.BigInteger),  # null: only people
    sa.Column("both_teams", sa.Boolean, nullable=False),
    sa.Column("latency_ms", sa.Integer, nullable=False),  # to the queue's region; 0 unknown
    sa.Column("state", sa.Text, nullable=False),
    time("created_at"),
    time("expires_at"),
    sa.Column("table_id", sa.Text),
    # The database's own time; a change of the lease alone does not count.
    sa.Column("changed_at", sa.BigInteger, nullable=False, server_default="0"),
    sa.CheckConstraint(
        "state in ('waiting', 'gathering', 'matched', 'cancelled', 'lapsed', 'missed')", name="tickets_state"
    ),
    sa.Index("tickets_waiting", "queue", "created_at", postgresql_where=_WAITING, sqlite_where=_WAITING),
    sa.Index("tickets_changed", "queue", "changed_at"),
    sa.Index("tickets_lapsing", "queue", "expires_at", postgresql_where=_WAITING, sqlite_where=_WAITING),
    sa.Index("tickets_by_table", "table_id"),
    sa.Index("tickets_by_party", "party_id"),
    sa.Index("tickets_by_expiry", "expires_at"),
)
"""Who waits in which queue, and what became of it."""

ticket_members = sa.Table(
    "ticket_members",
    metadata,
    sa.Column("ticket_id", sa.Text, primary_key=True),
    sa.Column("player_id", sa.Text, primary_key=True),
    sa.Column("queue", sa.Text, nullable=False),
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("rating", sa.Float, nullable=False),
    sa.Column("deviation", sa.Float, nullable=False),
    sa.Column("recent", sa.Text, nullable=False),  # opponents of its last matches, a line each
    sa.Column("state", sa.Text, nullable=False),  # the ticket's, or missed
    sa.Column("seat", sa.Integer),
    sa.Column("confirmed", sa.Boolean, nullable=False, server_default=sa.false()),
    sa.Index(
        "ticket_members_once",
        "player_id",
        "queue",
        unique=True,
        postgresql_where=_STANDING,
        sqlite_where=_STANDING,
    ),
    sa.Index("ticket_members_by_player", "player_id"),
)
"""The players of each ticket; the index keeps a player from standing in a queue twice."""

matches = sa.Table(
    "matches",
    metadata,
    sa.Column("table_id", sa.Text, primary_key=True),
    sa.Column("queue", sa.Text, nullable=False),
    sa.Column("state", sa.Text, nullable=False),
    sa.Column("rules", sa.Text, nullable=False),  # as in `tickets`, one line
    sa.Column("length", sa.Text, nullable=False),
    sa.Column("bot_level", sa.Text, nullable=False),
    time("ready_by"),
    sa.Column("extended", sa.Boolean, nullable=False, server_default=sa.false()),  # it looks for replacements
    sa.Column("win_chance", sa.Float, nullable=False),  # of the even team
    sa.Column("rating", sa.Float, nullable=False, server_default="25"),  # the mean of its people
    sa.Column("spread", sa.Float, nullable=False),
    sa.Column("longest_wait", sa.BigInteger, nullable=False),  # microseconds
    sa.Column("mean_wait", sa.BigInteger, nullable=False),
    time("created_at"),
    sa.CheckConstraint("state in ('gathering', 'placed', 'dissolved')", name="matches_state"),
    sa.Index("matches_gathering", "queue", postgresql_where=_GATHERING, sqlite_where=_GATHERING),
    sa.Index("matches_by_queue", "queue", "created_at"),
    sa.Index("matches_by_time", "created_at"),
)
"""Matches made of tickets, and how good they are."""

queue_leases = sa.Table(
    "queue_leases",
    metadata,
    sa.Column("queue", sa.Text, primary_key=True),
    sa.Column("owner", sa.Text, nullable=False),  # a process
    sa.Column("fence", sa.BigInteger, nullable=False),  # rises with each owner
    time("expires_at"),
)
"""Which process makes a queue's matches."""

matchmakers = sa.Table(
    "matchmakers",
    metadata,
    sa.Column("owner", sa.Text, primary_key=True),  # a process, as in `queue_leases`
    time("expires_at"),
)
"""Processes that look at queues, and share them."""

paused_queues = sa.Table(
    "paused_queues",
    metadata,
    sa.Column("queue", sa.Text, primary_key=True),
    sa.Column("reason", sa.Text, nullable=False),
    sa.Column("operator", sa.Text, nullable=False),
    time("paused_at"),
)
"""Queues that an operator has paused."""

queue_pauses = sa.Table(
    "queue_pauses",
    metadata,
    sa.Column("player_id", sa.Text, primary_key=True),
    sa.Column("strikes", sa.Integer, nullable=False),
    time("until"),
    time("struck_at"),
)
"""Players who did not confirm a match, and until when they may not queue."""

active_seats = sa.Table(
    "active_seats",
    metadata,
    sa.Column("player_id", sa.Text, primary_key=True),
    sa.Column("table_id", sa.Text, nullable=False),
    sa.Column("seat", sa.Integer, nullable=False),
    sa.Index("active_seats_by_table", "table_id"),
)
"""Where each player sits; the key keeps a player out of two matches."""
