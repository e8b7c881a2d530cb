"""Every table of the database. Times are microseconds from 1970 on, in UTC; identifiers are text.

The columns are the services' common ground: a change here is a new Alembic revision.
"""

from gouji.serving.schema.accounts import deletions, identities, players
from gouji.serving.schema.base import metadata
from gouji.serving.schema.boards import (
    archived_standings,
    board_counts,
    board_entries,
    board_moves,
    boards,
    seasons,
)
from gouji.serving.schema.feed import feed_events, webhook_deliveries, webhook_endpoints
from gouji.serving.schema.moderation import acts, reports, sanctions
from gouji.serving.schema.people import blocks, friends, lobby_players, parties, party_invites, party_members
from gouji.serving.schema.queues import (
    active_seats,
    matches,
    matchmakers,
    paused_queues,
    queue_leases,
    queue_pauses,
    ticket_members,
    tickets,
)
from gouji.serving.schema.rooms import room_seats, room_tries, rooms
from gouji.serving.schema.scores import (
    hand_corrections,
    hand_results,
    match_results,
    match_seats,
    player_points,
    player_totals,
    rated_matches,
    rating_changes,
    rating_revisions,
    ratings,
)
from gouji.serving.schema.tables import (
    mutes,
    outbox,
    server_loads,
    table_commands,
    table_events,
    table_people,
    table_servers,
    table_snapshots,
    tables,
)
from gouji.serving.schema.tournaments import tournament_boards, tournament_entries, tournament_people, tournaments

__all__ = [
    "active_seats",
    "acts",
    "archived_standings",
    "blocks",
    "board_counts",
    "board_entries",
    "board_moves",
    "boards",
    "deletions",
    "feed_events",
    "friends",
    "hand_corrections",
    "hand_results",
    "identities",
    "lobby_players",
    "match_results",
    "match_seats",
    "matches",
    "matchmakers",
    "metadata",
    "mutes",
    "outbox",
    "parties",
    "party_invites",
    "party_members",
    "paused_queues",
    "player_points",
    "player_totals",
    "players",
    "queue_leases",
    "queue_pauses",
    "rated_matches",
    "rating_changes",
    "rating_revisions",
    "ratings",
    "reports",
    "room_seats",
    "room_tries",
    "rooms",
    "sanctions",
    "seasons",
    "server_loads",
    "table_commands",
    "table_events",
    "table_people",
    "table_servers",
    "table_snapshots",
    "tables",
    "ticket_members",
    "tickets",
    "tournament_boards",
    "tournament_entries",
    "tournament_people",
    "tournaments",
    "webhook_deliveries",
    "webhook_endpoints",
]
