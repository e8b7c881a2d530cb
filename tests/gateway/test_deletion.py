"""Deleting a player: what goes at once, what goes after, what stays; and that nothing stops it half-way."""

import asyncio
import re
import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import grpc
import pytest
import sqlalchemy as sa
from prometheus_client import CollectorRegistry

from gouji.bot.service import bind as bind_bot
from gouji.engine.records import verify
from gouji.gateway.accounts import Accounts
from gouji.gateway.deletions import Deletions
from gouji.gateway.erasing import Eraser
from gouji.gateway.metrics import GatewayMetrics
from gouji.gateway.service import bind as bind_gateway
from gouji.gateway.store import Store as Sessions
from gouji.matchmaking.removal import Removal as LobbyRemoval
from gouji.matchmaking.service import bind as bind_matchmaking
from gouji.scoring.feed import Feed
from gouji.scoring.service import bind as bind_scoring
from gouji.serving import schema
from gouji.serving.app import App
from gouji.serving.database import Database
from gouji.serving.errors import StorageUnavailable, reason_of
from gouji.serving.settings import Settings
from gouji.serving.testing import running_app
from gouji.serving.vault import vault_for
from gouji.table.records import record_of
from gouji.table.removal import Names
from gouji.table.service import bind as bind_table
from gouji.table.store import Step, Store
from gouji.v1 import (
    account_pb2,
    account_pb2_grpc,
    events_pb2,
    feed_pb2,
    feed_pb2_grpc,
    friends_pb2,
    friends_pb2_grpc,
    gateway_pb2,
    gateway_pb2_grpc,
    matchmaking_pb2,
    matchmaking_pb2_grpc,
    party_pb2,
    party_pb2_grpc,
    room_pb2,
    room_pb2_grpc,
    rules_pb2,
    scoring_pb2,
    scoring_pb2_grpc,
    table_pb2,
    table_pb2_grpc,
)

NAME = "Wang Xiaoming"
BINDS = {
    "gateway": bind_gateway,
    "matchmaking": bind_matchmaking,
    "table": bind_table,
    "bot": bind_bot,
    "scoring": bind_scoring,
}
QUICK = {
    "allowance_ms": 0,
    "absent_ms": 0,
    "bot_pace_ms": 0,
    "contributions_ms": 0,
    "answers_least_ms": 0,
    "answers_most_ms": 0,
    "commit_interval_ms": 0,
}


async def named(database: Database, store: Store) -> list[str]:
    """The places in the database, sealed ones too, where the name stands."""
    found = []
    async with database.connect() as connection:
        for table in schema.metadata.sorted_tables:
            rows = (await connection.execute(sa.select(table))).mappings().all()
            if any(NAME in str(value) or NAME.encode() in _bytes(value) for row in rows for value in row.values()):
                found.append(table.name)
        table_ids = list(await connection.scalars(sa.select(schema.tables.c.table_id)))
    logs = {table_id: str(await store.events(table_id)) for table_id in table_ids}
    return found + [f"log of {table_id}" for table_id, log in logs.items() if NAME in log]


def _bytes(value: object) -> bytes:
    return bytes(value) if isinstance(value, bytes | memoryview) else b""


async def pass_time(database: Database) -> None:
    """Have every deletion be due, and asked for long ago."""
    row = schema.deletions.c
    change = sa.update(schema.deletions).where(row.done_at.is_(None))
    async with database.begin() as connection:
        await connection.execute(change.values(due_at=0, requested_at=row.requested_at - 60_000_000))


async def seed_table(
    database: Database, store: Store, table_id: str, seats: list[events_pb2.Seat], *, delivered: bool = True
) -> None:
    """Write a table that is over, with the first event of its log and a result on its way to scoring."""
    spec = table_pb2.TableSpec(table_id=table_id, seats=seats).SerializeToString()
    opened = events_pb2.Event(sequence=1, table_opened=events_pb2.TableOpened(table_id=table_id, seats=seats))
    result = scoring_pb2.HandResult(table_id=table_id, hand=1, seats=seats)
    async with database.begin() as connection:
        row = {"table_id": table_id, "spec": spec, "state": "over", "created_at": 0}
        await connection.execute(schema.tables.insert().values(row))
        await store.write(connection, [Step(table_id, 0, 0, [opened], results=[result])])
        mine = schema.outbox.c.table_id == table_id
        await connection.execute(sa.update(schema.outbox).where(mine).values(delivered_at=1 if delivered else None))


# Everything together


@pytest.fixture(autouse=True)
def _soon(monkeypatch: pytest.MonkeyPatch) -> None:
    for constant in ("gateway.erasing.POLL_SECONDS", "table.removal.LOOK_SECONDS", "table.relay.IDLE_SECONDS"):
        monkeypatch.setattr(f"gouji.{constant}", 0.01)


class World:
    """All services in a process, and people in it."""

    def __init__(self, app: App, channel: grpc.aio.Channel) -> None:
        self.app = app
        self.store = Store(app.database, vault_for(app.settings))
        self.sessions: Any = gateway_pb2_grpc.SessionServiceStub(channel)
        self.accounts: Any = account_pb2_grpc.AccountServiceStub(channel)
        self.admin: Any = account_pb2_grpc.AccountAdminServiceStub(channel)
        self.matchmaking: Any = matchmaking_pb2_grpc.MatchmakingServiceStub(channel)
        self.friends: Any = friends_pb2_grpc.FriendServiceStub(channel)
        self.parties: Any = party_pb2_grpc.PartyServiceStub(channel)
        self.rooms: Any = room_pb2_grpc.RoomServiceStub(channel)
        self.tables: Any = table_pb2_grpc.TableServiceStub(channel)
        self.scoring: Any = scoring_pb2_grpc.ScoringServiceStub(channel)
        self.feed: Any = feed_pb2_grpc.FeedServiceStub(channel)

    async def guest(self, name: str) -> tuple[str, Any]:
        made = await self.sessions.CreateGuest(gateway_pb2.CreateGuestRequest(name=name))
        return made.player_id, bearer(made.tokens.access_token)

    @property
    def operator(self) -> Any:
        return bearer(self.app.tokens.mint_operator("Olga"))

    @property
    def service(self) -> Any:
        return bearer(self.app.tokens.mint_service())

    async def place(self, player_id: str, name: str) -> str:
        seats = [events_pb2.Seat(player_id=player_id, name=name), *[events_pb2.Seat(bot_level="random")] * 5]
        length = rules_pb2.MatchLength(hands=1)
        request = matchmaking_pb2.PlaceTableRequest(request_id=uuid.uuid4().hex, seats=seats, length=length)
        answer = await self.matchmaking.PlaceTable(request, metadata=self.service)
        return str(answer.table_id)

    async def is_over(self, table_id: str) -> bool:
        row = schema.tables.c
        query = sa.select(row.table_id).where(row.table_id == table_id, row.state == "over", row.people_listed)
        async with self.app.database.connect() as connection:
            return await connection.scalar(query) is not None

    async def owner(self, table_id: str) -> Any:
        query = sa.select(schema.tables.c.owner).where(schema.tables.c.table_id == table_id)
        async with self.app.database.connect() as connection:
            return await connection.scalar(query)

    async def is_done(self, player_id: str) -> bool:
        await pass_time(self.app.database)
        request = account_pb2.ListDeletionsRequest(player_id=player_id)
        (found,) = (await self.admin.ListDeletions(request, metadata=self.operator)).deletions
        return bool(found.HasField("done"))


def bearer(token: str) -> Any:
    return (("authorization", f"Bearer {token}"),)


async def come(question: Any) -> None:
    """Wait until a question has the answer yes."""
    async with asyncio.timeout(60):
        while not await question():  # noqa: ASYNC110 - a database has no event
            await asyncio.sleep(0.02)


async def reason(call: Any) -> str | None:
    with pytest.raises(grpc.aio.AioRpcError) as refused:
        await call
    return reason_of(refused.value)


@pytest.fixture
async def world(settings: Settings) -> AsyncIterator[World]:
    quick = settings.model_copy(update=QUICK)
    async with running_app(quick, BINDS) as app, grpc.aio.insecure_channel(app.address) as channel:
        yield World(app, channel)


async def test_a_deleted_player_leaves_its_results_and_nothing_else(world: World) -> None:
    ann, token = await world.guest(NAME)
    bob, other = await world.guest("Bob")
    ended, seats = "ended", [events_pb2.Seat(player_id=ann, name=NAME), *[events_pb2.Seat(bot_level="random")] * 5]
    await seed_table(world.app.database, world.store, ended, seats)
    for who, whom in ((token, bob), (other, ann)):
        await world.friends.AddFriend(friends_pb2.AddFriendRequest(player_id=whom), metadata=who)
    await world.parties.InvitePlayer(party_pb2.InvitePlayerRequest(player_id=bob), metadata=token)
    await world.rooms.CreateRoom(room_pb2.CreateRoomRequest(), metadata=token)
    async with world.app.database.begin() as connection:
        muted = [{"player_id": ann, "muted_id": bob}, {"player_id": bob, "muted_id": ann}]
        await connection.execute(schema.mutes.insert(), muted)
    ticket = matchmaking_pb2.CreateTicketRequest(no_bots=True)
    await world.matchmaking.CreateTicket(ticket, metadata=token)
    live = await world.place(ann, NAME)
    watch = world.tables.Watch(table_pb2.WatchRequest(table_id=live), metadata=token)
    await watch.read()
    assert {"players", "party_members", "room_seats", f"log of {ended}"} <= set(
        await named(world.app.database, world.store)
    )

    answer = await world.accounts.DeleteAccount(account_pb2.DeleteAccountRequest(), metadata=token)
    assert (answer.deletion.player_id, answer.deletion.requested_by) == (ann, "player")
    while (read := await watched(watch)) is None:
        pass
    assert read == "unknown_player"
    await come(lambda: world.is_done(ann))
    await come(lambda: world.is_over(live))

    assert await named(world.app.database, world.store) == []
    for table_id in (ended, live):
        opened = (await world.store.events(table_id))[0].table_opened
        assert (opened.seats[0].player_id, opened.seats[0].name) == (ann, "")
    assert verify(record_of(await world.store.events(live))) == []
    assert await people_left(world.app.database, ann) == {"deletions", "match_seats", "player_points", "player_totals"}
    friends = (await world.friends.ListFriends(friends_pb2.ListFriendsRequest(), metadata=other)).friends
    assert list(friends) == []
    told = (await world.feed.ListEvents(feed_pb2.ListEventsRequest(), metadata=world.service)).events
    assert [event.player_deleted.player_id for event in told if event.HasField("player_deleted")] == [ann]


async def watched(watch: Any) -> str | None:
    """Read a watch on; the reason for which it ends."""
    try:
        assert await watch.read() is not grpc.aio.EOF
    except grpc.aio.AioRpcError as error:
        return reason_of(error)
    return None


async def people_left(database: Database, player_id: str) -> set[str]:
    """The tables that have rows which a player's id stands in a column of."""
    found = set()
    async with database.connect() as connection:
        for table in schema.metadata.sorted_tables:
            columns = [column for column in table.c if isinstance(column.type, sa.Text)]
            query = sa.select(sa.literal(1)).select_from(table).where(sa.or_(*(one == player_id for one in columns)))
            if columns and await connection.scalar(query.limit(1)):
                found.add(table.name)
    return found - {"ticket_members", "tickets"}  # ended ones are forgotten after a day


async def test_tokens_of_a_deleted_player_are_good_for_nothing(world: World) -> None:
    made = await world.sessions.CreateGuest(gateway_pb2.CreateGuestRequest(name=NAME))
    token = bearer(made.tokens.access_token)
    await world.accounts.DeleteAccount(account_pb2.DeleteAccountRequest(), metadata=token)
    for call in (
        world.accounts.DeleteAccount(account_pb2.DeleteAccountRequest(), metadata=token),
        world.sessions.GetSession(gateway_pb2.GetSessionRequest(), metadata=token),
        world.rooms.CreateRoom(room_pb2.CreateRoomRequest(), metadata=token),
        world.sessions.RefreshSession(gateway_pb2.RefreshSessionRequest(refresh_token=made.tokens.refresh_token)),
    ):
        assert await reason(call) == "unknown_player"


async def test_an_operator_deletes_at_request_and_it_is_kept_who_and_why(world: World) -> None:
    ann, token = await world.guest(NAME)
    request = account_pb2.DeletePlayerRequest(player_id=ann, reason="ticket 42")
    for _ in range(2):
        deletion = (await world.admin.DeletePlayer(request, metadata=world.operator)).deletion
        assert (deletion.requested_by, deletion.reason) == ("operator Olga", "ticket 42")
    await come(lambda: world.is_done(ann))
    for wrong, why in (({"player_id": "nobody", "reason": "x"}, "unknown_player"), ({"player_id": ann}, "malformed")):
        assert (
            await reason(world.admin.DeletePlayer(account_pb2.DeletePlayerRequest(**wrong), metadata=world.operator))
            == why
        )
    assert await reason(world.admin.DeletePlayer(request, metadata=token)) in ("forbidden", "unknown_player")


async def test_nobody_who_lives_is_removed(world: World) -> None:
    ann, _ = await world.guest(NAME)
    lobby = matchmaking_pb2.RemoveFromLobbyRequest(player_id=ann)
    tables = table_pb2.RemoveFromTablesRequest(player_id=ann)
    assert await reason(world.matchmaking.RemoveFromLobby(lobby, metadata=world.service)) == "unknown_player"
    assert await reason(world.tables.RemoveFromTables(tables, metadata=world.service)) == "unknown_player"


async def test_a_seat_at_another_table_server_than_the_one_that_is_asked_is_left_too(
    sqlite_settings: Settings, postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    quick = sqlite_settings.model_copy(update={**QUICK, "database_url": postgres_url})
    async with (
        running_app(quick, BINDS) as app,
        running_app(quick, {"table": bind_table, "bot": bind_bot}),
        grpc.aio.insecure_channel(app.address) as channel,
    ):
        world = World(app, channel)
        ann, token = await world.guest(NAME)
        live = await world.place(ann, NAME)
        await come(lambda: world.owner(live))
        owner = await world.owner(live)
        monkeypatch.setattr(
            "gouji.gateway.erasing.reader_of",
            lambda _, servers: next(server for server in servers if server.server_id != owner),
        )
        await world.accounts.DeleteAccount(account_pb2.DeleteAccountRequest(), metadata=token)
        await come(lambda: world.is_done(ann))
        await come(lambda: world.is_over(live))
        assert await named(app.database, world.store) == []


# One transaction after the other


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
