"""SQL of the players, and of where their tables are."""

from collections.abc import Sequence
from dataclasses import dataclass

import sqlalchemy as sa

from gouji.gateway.routing import Placement, Server
from gouji.serving.database import Database
from gouji.serving.errors import ServiceError
from gouji.serving.schema import active_seats, deletions, players, table_servers, tables


@dataclass(frozen=True, slots=True)
class Player:
    """A player, and the table that it sits at; empty when it sits at none."""

    player_id: str
    name: str
    table_id: str


class Store:
    """Sessions' view of the database. Every method raises `StorageUnavailable` when it cannot be reached."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def add_player(self, player_id: str, name: str, colour: int) -> None:
        """Write a new player; the id must be new."""
        row = players.insert().values(player_id=player_id, name=name, colour=colour, created_at=self._database.now())
        async with self._database.begin() as connection:
            await connection.execute(row)

    async def add_bot(self, player_id: str, name: str, colour: int) -> None:
        """Write a bot of somebody's own, unless it is there; of one that was deleted raises `unknown_player`."""
        row = {"player_id": player_id, "name": name, "colour": colour, "created_at": self._database.now()}
        once = self._database.insert(players).values(row).on_conflict_do_nothing()
        async with self._database.begin() as connection:
            gone = sa.select(deletions.c.player_id).where(deletions.c.player_id == player_id)
            if await connection.scalar(gone) is not None:
                raise ServiceError("unknown_player", "This bot was deleted; open another.")
            await connection.execute(once)

    async def player(self, player_id: str) -> Player | None:
        """Find a player; None when there is none. At a table whose people are still to confirm it does not sit yet."""
        gathers = sa.select(tables.c.table_id).where(tables.c.state == "gathering")
        sits = (players.c.player_id == active_seats.c.player_id) & active_seats.c.table_id.not_in(gathers)
        query = (
            sa.select(players.c.player_id, players.c.name, active_seats.c.table_id)
            .join_from(players, active_seats, sits, isouter=True)
            .where(players.c.player_id == player_id)
        )
        async with self._database.connect() as connection:
            row = (await connection.execute(query)).one_or_none()
        return Player(row.player_id, row.name, row.table_id or "") if row else None

    async def placement(self, table_id: str) -> Placement | None:
        """Say what is known of a table; None when there is none."""
        owner = (tables.c.owner == table_servers.c.server_id) & self._alive()
        query = (
            sa.select(tables.c.state, table_servers)
            .join_from(tables, table_servers, owner, isouter=True)
            .where(tables.c.table_id == table_id)
        )
        async with self._database.connect() as connection:
            row = (await connection.execute(query)).one_or_none()
        if row is None:
            return None
        server = Server(row.server_id, row.address, row.draining) if row.server_id else None
        return Placement(table_id, row.state, server)

    async def servers(self) -> Sequence[Server]:
        """List the table servers whose lease is alive."""
        query = sa.select(table_servers).where(self._alive())
        async with self._database.connect() as connection:
            rows = (await connection.execute(query)).all()
        return [Server(row.server_id, row.address, row.draining) for row in rows]

    def _alive(self) -> sa.ColumnElement[bool]:
        """Whether a server's lease has not run out, by the database's clock."""
        return table_servers.c.expires_at > self._database.now()
