"""Results, points and ratings."""

import sqlalchemy as sa

from gouji.serving.schema.base import Serial, metadata, time

hand_results = sa.Table(
    "hand_results",
    metadata,
    sa.Column("table_id", sa.Text, primary_key=True),
    sa.Column("hand", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("payload", sa.LargeBinary, nullable=False),  # HandResult
    sa.Column("payload_hash", sa.LargeBinary, nullable=False),
    sa.Column("preset", sa.Text, nullable=False),
    sa.Column("queue", sa.Text, nullable=False),
    time("ended_at"),
    time("recorded_at"),
)
"""Results as they came from the tables, once for each hand: revision 1. No row is ever changed.

Payloads hold no names: those are in `players`.
"""

hand_corrections = sa.Table(
    "hand_corrections",
    metadata,
    sa.Column("table_id", sa.Text, primary_key=True),
    sa.Column("hand", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("revision", sa.Integer, primary_key=True, autoincrement=False),  # from 2
    sa.Column("number", sa.Integer, nullable=False),  # of the match's corrections, from 1
    sa.Column("payload", sa.LargeBinary, nullable=False),  # HandResult, whole
    sa.Column("corrected_by", sa.Text, nullable=False),  # the operator or director
    sa.Column("reason", sa.Text, nullable=False),
    time("corrected_at"),
    sa.UniqueConstraint("table_id", "number", name="hand_corrections_in_order"),
)
"""Later revisions of results: the last one stands. No row is ever changed."""

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
    sa.Column("name", sa.Text, nullable=False),  # empty: names are in `players`
    sa.Column("hands", sa.BigInteger, nullable=False, server_default="0"),
    sa.Column("points", sa.BigInteger, nullable=False, server_default="0"),
    *(sa.Column(f"p{place}", sa.BigInteger, nullable=False, server_default="0") for place in range(1, 7)),
    sa.Index("player_totals_by_points", "preset", "points"),
)
"""Sums that servers of the release before keep up and read; nobody else does."""

match_results = sa.Table(
    "match_results",
    metadata,
    sa.Column("table_id", sa.Text, primary_key=True),
    sa.Column("preset", sa.Text, nullable=False),
    sa.Column("queue", sa.Text, nullable=False),  # empty for none
    sa.Column("region", sa.Text, nullable=False),  # the queue's
    sa.Column("tournament", sa.Text),
    sa.Column("hands", sa.Integer, nullable=False),  # recorded so far, those aside that were ruled void
    sa.Column("recorded", sa.Integer, nullable=False),  # recorded so far
    sa.Column("hands_in_all", sa.Integer),  # to be recorded; null before the last one is
    sa.Column("even_points", sa.BigInteger),  # null without teams
    sa.Column("odd_points", sa.BigInteger),
    time("began_at"),
    time("ended_at", nullable=True),  # null until all hands are recorded
    sa.Column("voided", sa.Boolean, nullable=False),  # given up, or no hand counts: nobody is rated
)
"""Matches: sums over the hands that are recorded, kept up in the same transaction."""

match_seats = sa.Table(
    "match_seats",
    metadata,
    sa.Column("table_id", sa.Text, primary_key=True),
    sa.Column("seat", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("player_id", sa.Text),  # null for a bot
    sa.Column("bot_level", sa.Text),  # null for a person
    sa.Column("points", sa.BigInteger, nullable=False),  # penalties taken off
    sa.Column("hands", sa.Integer, nullable=False),
    *(sa.Column(f"p{place}", sa.Integer, nullable=False) for place in range(1, 7)),
    sa.Column("openings", sa.Integer, nullable=False),
    sa.Column("burns_tried", sa.Integer, nullable=False),
    sa.Column("burns_won", sa.Integer, nullable=False),
    sa.Column("sweeps", sa.Integer, nullable=False),  # of its team
    sa.Column("by_player", sa.Integer, nullable=False),  # decisions
    sa.Column("by_bot", sa.Integer, nullable=False),
    sa.Column("by_clock", sa.Integer, nullable=False),
    sa.Column("absent_us", sa.BigInteger, nullable=False),  # a bot played for the person
    sa.Column("left", sa.Boolean, nullable=False),
    sa.Column("penalty", sa.BigInteger, nullable=False),
    time("ended_at", nullable=True),  # the match's
    sa.Index("match_seats_by_player", "player_id", "ended_at", "table_id"),
)
"""What each seat made of each match. `p1`..`p6` count the places; hands that were ruled void count nowhere."""

ratings = sa.Table(
    "ratings",
    metadata,
    sa.Column("player_id", sa.Text, primary_key=True),  # bot:LEVEL for the bots of a level
    sa.Column("family", sa.Text, primary_key=True),  # preset of the rules
    sa.Column("mu", sa.Double, nullable=False),
    sa.Column("sigma", sa.Double, nullable=False),
    sa.Column("matches", sa.Integer, nullable=False),
    time("updated_at"),  # the end of the match that it was last changed by
)
"""How strong players and bots are believed to be, by the matches of queues and tournaments.

They are what the last revision's `rating_changes` make, in order.
"""

rating_revisions = sa.Table(
    "rating_revisions",
    metadata,
    sa.Column("revision", sa.Integer, primary_key=True, autoincrement=False),  # from 2
    sa.Column("model", sa.Text, nullable=False),
    sa.Column("written_by", sa.Text, nullable=False),
    time("written_at"),
)
"""Each time that all ratings were made anew from the results. Before the first time, revision 1 stands."""

rated_matches = sa.Table(
    "rated_matches",
    metadata,
    sa.Column("number", Serial, primary_key=True, autoincrement=True),  # the order of application
    sa.Column("revision", sa.Integer, nullable=False),  # of all ratings
    sa.Column("table_id", sa.Text, nullable=False),
    sa.Column("corrections", sa.Integer, nullable=False),  # of its hands, so many are taken into account
    sa.Column("family", sa.Text, nullable=False),
    sa.Column("model", sa.Text, nullable=False),  # library and version, and ours
    time("ended_at"),  # the match's
    sa.UniqueConstraint("revision", "table_id", "corrections", name="rated_matches_once"),
)
"""What has changed ratings, in the order in which it did: matches, and corrections of matches that were rated.

Numbers are given out while the ratings that change are locked.
"""

rating_changes = sa.Table(
    "rating_changes",
    metadata,
    sa.Column("number", sa.BigInteger, primary_key=True, autoincrement=False),  # of the rated match
    sa.Column("player_id", sa.Text, primary_key=True),
    sa.Column("family", sa.Text, nullable=False),
    sa.Column("mu_before", sa.Double, nullable=False),
    sa.Column("sigma_before", sa.Double, nullable=False),
    sa.Column("mu_after", sa.Double, nullable=False),
    sa.Column("sigma_after", sa.Double, nullable=False),
    sa.Column("matches", sa.Integer, nullable=False),  # after it
    sa.Index("rating_changes_by_player", "player_id", "family", "number"),
)
"""What each of `rated_matches` made of the rating of each who was in it.

Before means: as the match found it, the deviation widened by the time since the last one.
"""
