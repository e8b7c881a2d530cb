"""A deletion that stops after any of its transactions is gone on with."""

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
import sqlalchemy as sa
from prometheus_client import CollectorRegistry

from gouji.gateway.accounts import Accounts
from gouji.gateway.deletions import Deletions
from gouji.gateway.erasing import Eraser
from gouji.gateway.metrics import GatewayMetrics
from gouji.gateway.store import Store as Sessions
from gouji.matchmaking.removal import Removal as LobbyRemoval
from gouji.scoring.feed import Feed
from gouji.serving import schema
from gouji.serving.app import App
from gouji.serving.database import Database
from gouji.serving.errors import StorageUnavailable
from gouji.serving.settings import Settings
from gouji.serving.testing import running_app
from gouji.serving.vault import vault_for
from gouji.table.removal import Names
from gouji.table.store import Store
from gouji.v1 import events_pb2

from .erased import NAME, named, pass_time, seed_table


class Shop:
    """The parts of a deletion on one database, with nothing beside them; one of its transactions may fail."""

    def __init__(self, app: App) -> None:
        self.app = app
        self.database = app.database
        self.store = Store(app.database, vault_for(app.settings))
        self.count, self.fails_at, self.committed = 0, 0, False

    @asynccontextmanager
    async def begin(self, database: Database) -> AsyncIterator[Any]:
        self.count += 1
        fails = self.count == self.fails_at
        async with self._begin(database) as connection:
            yield connection
            if fails and not self.committed:
                raise StorageUnavailable
        if fails:
            raise StorageUnavailable

    def break_down(self, patch: pytest.MonkeyPatch) -> None:
        """From now on count transactions, and have one fail."""
        self._begin = Database.begin

        def begin(database: Database) -> Any:
            return self.begin(database)

        patch.setattr(Database, "begin", begin)

    async def seed(self, player_id: str) -> None:
        """A player with an identity, a friend, a party, and three tables that are over: one is not delivered yet."""
        who, party = {"player_id": player_id}, f"p-{player_id}"
        rows = {
            schema.players: {**who, "name": NAME, "created_at": 0},
            schema.identities: {**who, "issuer": "i", "subject": player_id.encode(), "bound_at": 0},
            schema.friends: {"player_id": "x", "friend_id": player_id, "created_at": 0},
            schema.parties: {"party_id": party, "leader": player_id, "created_at": 0},
            schema.party_members: {**who, "party_id": party, "name": NAME, "joined_at": 0},
        }
        async with self.database.begin() as connection:
            for table, row in rows.items():
                await connection.execute(table.insert().values(row))
        bots = [events_pb2.Seat(bot_level="random", name="Bot")] * 5
        for number in range(3):
            seats = [events_pb2.Seat(**who, name=NAME), *bots]
            await seed_table(self.database, self.store, f"t{number}-{player_id}", seats, delivered=number < 2)
        await self.names.list_people()

    @property
    def names(self) -> Names:
        return Names(self.database, self.store)

    async def deliver(self) -> None:
        """Scoring takes what is left, and the table server lists it."""
        async with self.database.begin() as connection:
            await connection.execute(sa.update(schema.outbox).values(delivered_at=1))
        await self.names.list_people()


class DirectEraser(Eraser):
    """Asks the services' own parts instead of their servers."""

    def __init__(self, shop: Shop) -> None:
        store, metrics = Sessions(shop.database), GatewayMetrics(CollectorRegistry())
        super().__init__(shop.app, Deletions(shop.database), store, metrics)
        self._shop = shop

    async def _step(self, player_id: str) -> bool:
        again = await LobbyRemoval(self._shop.database).remove(player_id, 0)
        again |= await self._shop.names.forget(player_id)
        await Feed(self._shop.database).tell_deletion(player_id)
        return again


@pytest.mark.parametrize("committed", [False, True], ids=["rolled back", "committed and not known"])
async def test_a_deletion_that_stops_after_any_transaction_is_gone_on_with(
    settings: Settings, committed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with running_app(settings, {"nothing": lambda app: app.database and None}) as app:
        shop = Shop(app)
        shop.committed = committed
        for at in range(1, 100):
            player_id = f"player-{at}"
            await shop.seed(player_id)
            with monkeypatch.context() as patch:
                shop.count, shop.fails_at = 0, at
                shop.break_down(patch)
                await delete_through_failures(shop, player_id)
                if shop.count < at:
                    break
            await shop.deliver()
            assert await named(shop.database, shop.store) == [], f"after transaction {at}"
        assert at > 8


async def delete_through_failures(shop: Shop, player_id: str) -> None:
    """Ask until it is answered, and go on with it, anew each time that it fails, until it is done."""
    while True:
        try:
            await Accounts(shop.database).delete(player_id, "player")
            break
        except StorageUnavailable:
            continue
    while not (await Deletions(shop.database).find(player_id, 1, undone=False))[0].done_at:
        try:
            await pass_time(shop.database)
            await DirectEraser(shop).go_on()
        except StorageUnavailable:
            continue


async def test_a_table_that_ends_after_its_player_was_deleted_loses_the_name_when_it_is_listed(
    settings: Settings,
) -> None:
    async with running_app(settings, {"nothing": lambda app: app.database and None}) as app:
        shop = Shop(app)
        await shop.seed("ann")
        await Accounts(app.database).delete("ann", "player")
        while await DirectEraser(shop).go_on():
            await pass_time(app.database)
        left = await named(app.database, shop.store)
        assert {re.sub(r"log of (t\d)-ann", r"\1", place) for place in left} == {"tables", "outbox", "t2"}
        await shop.deliver()
        assert await named(app.database, shop.store) == []
