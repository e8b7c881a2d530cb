"""Takes a player that was deleted out of queues, party and room, and forgets whom it knew."""

from typing import Final

import sqlalchemy as sa

from gouji.matchmaking.parties import Parties
from gouji.matchmaking.rooms import Rooms
from gouji.matchmaking.tickets import STANDING, State
from gouji.matchmaking.withdrawals import cancel_of_players
from gouji.serving.barred import refuse_living
from gouji.serving.database import Database
from gouji.serving.schema import blocks, friends, lobby_players, party_invites, queue_pauses, ticket_members

_OWN: Final = (
    (friends, (friends.c.player_id, friends.c.friend_id)),
    (blocks, (blocks.c.player_id, blocks.c.blocked_id)),
    (party_invites, (party_invites.c.player_id,)),
    (queue_pauses, (queue_pauses.c.player_id,)),
    (lobby_players, (lobby_players.c.player_id,)),
)
"""Tables whose rows go with a player, whichever of these columns names it."""


class Removal:
    """Removes players; `remove` may be done any number of times, and raises `StorageUnavailable`."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._parties = Parties(database)
        self._rooms = Rooms(database)

    async def remove(self, player_id: str, now: int) -> bool:
        """Remove a player at ``now`` (microseconds); says whether there will be more: a match of its gathers.

        Raises `ServiceError` `unknown_player` for one who was not deleted.
        """
        async with self._database.connect() as connection:
            await refuse_living(connection, player_id)
        await self._parties.leave(player_id, now)
        await self._rooms.leave(player_id, now)
        return await self._forget(player_id)

    async def _forget(self, player_id: str) -> bool:
        row = ticket_members.c
        settled = row.player_id == player_id, row.state.not_in(STANDING)
        gathers = row.player_id == player_id, row.state == State.GATHERING
        async with self._database.begin() as connection:
            await cancel_of_players(connection, [player_id])
            await connection.execute(sa.update(ticket_members).where(*settled).values(name=""))
            for table, columns in _OWN:
                await connection.execute(sa.delete(table).where(sa.or_(*(column == player_id for column in columns))))
            return await connection.scalar(sa.select(row.ticket_id).where(*gathers).limit(1)) is not None
