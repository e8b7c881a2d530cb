"""Tables, the servers that run them, their logs, and what goes from them to scoring."""

import sqlalchemy as sa

from gouji.serving.schema.base import Serial, metadata, time

_UNDELIVERED = sa.text("delivered_at IS NULL")
_ASSIGNED = sa.text("assigned IS NOT NULL")
_UNLISTED = sa.text("state = 'over' AND NOT people_listed")
_OF_BOARDS = sa.text("board_id IS NOT NULL")

tables = sa.Table(
    "tables",
    metadata,
    sa.Column("table_id", sa.Text, primary_key=True),
    sa.Column("spec", sa.LargeBinary, nullable=False),  # TableSpec
    sa.Column("state", sa.Text, nullable=False),  # gathering, placed, live, over, frozen
    sa.Column("assigned", sa.Text),  # server_id for which it was placed; null once a server has taken it
    sa.Column("owner", sa.Text),  # server_id
    sa.Column("fence", sa.BigInteger, nullable=False, server_default="0"),  # rises with each owner
    time("created_at"),
    time("ended_at", nullable=True),
    sa.Column("request_id", sa.Text),  # of the caller who placed it
    sa.Column("people_listed", sa.Boolean, nullable=False, server_default=sa.false()),  # in `table_people`
    sa.Column("board_id", sa.Text),  # the tournament's board that is played there; null at other tables
    sa.UniqueConstraint("request_id", name="tables_one_for_a_request"),
    sa.CheckConstraint("state in ('gathering', 'placed', 'live', 'over', 'frozen')", name="tables_state"),
    sa.Index("tables_by_owner", "owner", "state"),
    sa.Index("tables_by_state", "state", "created_at"),
    sa.Index("tables_by_assigned", "assigned", postgresql_where=_ASSIGNED, sqlite_where=_ASSIGNED),
    sa.Index("tables_unlisted", "table_id", postgresql_where=_UNLISTED, sqlite_where=_UNLISTED),
    sa.Index("tables_by_board", "board_id", postgresql_where=_OF_BOARDS, sqlite_where=_OF_BOARDS),
)
"""One row a table: what it is and who runs it."""

table_people = sa.Table(
    "table_people",
    metadata,
    sa.Column("player_id", sa.Text, primary_key=True),
    sa.Column("table_id", sa.Text, primary_key=True),
)
"""At which tables that are over a player sat, and is named there. Who is named no more is not here."""

table_servers = sa.Table(
    "table_servers",
    metadata,
    sa.Column("server_id", sa.Text, primary_key=True),  # names one incarnation
    sa.Column("address", sa.Text, nullable=False),
    sa.Column("capacity", sa.Integer, nullable=False),  # tables that it can run as it does now
    sa.Column("draining", sa.Boolean, nullable=False, server_default=sa.false()),
    sa.Column("lifeline", sa.Text),  # the connection that it keeps open while it lives; null where there is none
    time("expires_at"),
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
    time("at"),
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
    time("at"),
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
    sa.Column("id", Serial, primary_key=True, autoincrement=True),
    sa.Column("table_id", sa.Text, nullable=False),
    sa.Column("hand", sa.Integer, nullable=False),
    sa.Column("payload", sa.LargeBinary, nullable=False),  # HandResult
    time("created_at"),
    time("delivered_at", nullable=True),
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
