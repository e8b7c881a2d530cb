"""Who plays, and who was deleted."""

import sqlalchemy as sa

from gouji.serving.schema.base import metadata, time

_OPEN = sa.text("done_at IS NULL")

players = sa.Table(
    "players",
    metadata,
    sa.Column("player_id", sa.Text, primary_key=True),
    sa.Column("name", sa.Text, nullable=False),
    time("created_at"),
    sa.Column("colour", sa.Integer, nullable=False, server_default="8421504"),  # 0xRRGGBB
)
"""Everybody who plays, guests too. Who was deleted is here no more."""

identities = sa.Table(
    "identities",
    metadata,
    sa.Column("player_id", sa.Text, primary_key=True),
    sa.Column("issuer", sa.Text, nullable=False),
    sa.Column("subject", sa.LargeBinary, nullable=False),  # keyed hash
    time("bound_at"),
    sa.UniqueConstraint("issuer", "subject", name="identities_once"),
)
"""The identity that a player is bound to; the keys keep both from having two."""

deletions = sa.Table(
    "deletions",
    metadata,
    sa.Column("player_id", sa.Text, primary_key=True),
    sa.Column("requested_by", sa.Text, nullable=False),  # `player`, or an operator
    sa.Column("reason", sa.Text, nullable=False),
    time("requested_at"),
    time("due_at"),  # when it is gone on with
    sa.Column("tries", sa.Integer, nullable=False, server_default="0"),
    time("done_at", nullable=True),
    sa.Index("deletions_due", "due_at", postgresql_where=_OPEN, sqlite_where=_OPEN),
    sa.Index("deletions_by_time", "requested_at"),
)
"""Players who were deleted, by whom and why, and whether everything of it is done. Rows stay."""
