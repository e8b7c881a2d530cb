"""Every table of the database. Times are microseconds from 1970 on, in UTC; identifiers are text.

The columns are the services' common ground: a change here is a new Alembic revision.
"""

from gouji.serving.schema.accounts import players
from gouji.serving.schema.base import metadata
from gouji.serving.schema.people import blocks, friends, lobby_players, parties, party_invites, party_members
from gouji.serving.schema.queues import (
    active_seats,
    matches,
    paused_queues,
    queue_leases,
    queue_pauses,
    ticket_members,
    tickets,
)
from gouji.serving.schema.rooms import room_seats, room_tries, rooms
from gouji.serving.schema.scores import hand_results, player_points, player_totals, ratings
from gouji.serving.schema.tables import (
    mutes,
    outbox,
    server_loads,
    table_commands,
    table_events,
    table_servers,
    table_snapshots,
    tables,
)
from gouji.serving.schema.tournaments import tournament_boards, tournament_entries, tournaments

__all__ = [
    "active_seats",
    "blocks",
    "friends",
    "hand_results",
    "lobby_players",
    "matches",
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
    "ratings",
    "room_seats",
    "room_tries",
    "rooms",
    "server_loads",
    "table_commands",
    "table_events",
    "table_servers",
    "table_snapshots",
    "tables",
    "ticket_members",
    "tickets",
    "tournament_boards",
    "tournament_entries",
    "tournaments",
]
