"""What moderators, operators and directors did, and what holds for players, what these reported."""

import sqlalchemy as sa

from gouji.serving.schema.base import Serial, metadata, time

acts = sa.Table(
    "acts",
    metadata,
    sa.Column("act_id", Serial, primary_key=True),
    time("at"),
    sa.Column("actor", sa.Text, nullable=False),
    sa.Column("role", sa.Text, nullable=False),
    sa.Column("method", sa.Text, nullable=False),
    sa.Column("player_id", sa.Text, nullable=False),
    sa.Column("table_id", sa.Text, nullable=False),
    sa.Column("reason", sa.Text, nullable=False),
    sa.Column("details", sa.Text, nullable=False),  # JSON
    sa.Column("server", sa.Text, nullable=False),
    sa.Column("outcome", sa.Text, nullable=False),  # `done`, a reason, or nothing known
    sa.Index("acts_by_player", "player_id", "act_id"),
    sa.Index("acts_by_table", "table_id", "act_id"),
)
"""The audit log: a row each call, written before it is done. Rows stay; the outcome alone is written later."""

sanctions = sa.Table(
    "sanctions",
    metadata,
    sa.Column("player_id", sa.Text, primary_key=True),
    sa.Column("kind", sa.Text, primary_key=True),  # `ban`, `mute`, or `removal`: streams of before are to end
    time("since_at"),
    time("until_at", nullable=True),
    sa.Column("reason", sa.Text, nullable=False),  # what the player is told
    sa.CheckConstraint("kind in ('ban', 'mute', 'removal')", name="sanctions_kind"),
    sa.Index("sanctions_by_time", "since_at"),
)
"""What holds for players, or did until its end; who said so stands in `acts`. What is said last holds."""

_OPEN = sa.text("closed_at IS NULL")

reports = sa.Table(
    "reports",
    metadata,
    sa.Column("report_id", sa.Text, primary_key=True),
    sa.Column("player_id", sa.Text, nullable=False),
    sa.Column("reporter_id", sa.Text, nullable=False),
    sa.Column("table_id", sa.Text, nullable=False),
    sa.Column("kind", sa.Integer, nullable=False),  # a ReportKind
    time("created_at"),
    time("closed_at", nullable=True),
    sa.Column("closed_by", sa.Text, nullable=False),
    sa.Column("outcome", sa.Text, nullable=False),
    sa.UniqueConstraint("reporter_id", "player_id", "table_id", name="reports_once"),
    sa.Index("reports_by_player", "player_id", "created_at"),
    sa.Index("reports_by_reporter", "reporter_id", "created_at"),
    sa.Index("reports_open", "created_at", postgresql_where=_OPEN, sqlite_where=_OPEN),
)
"""What players told of one another, and what came of it."""
