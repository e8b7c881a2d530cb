"""Deleting a player: what goes at once, what goes after, what stays."""

import asyncio
import uuid
from collections.abc import AsyncIterator
from typing import Any

import grpc
import pytest
import sqlalchemy as sa

from gouji.bot.service import bind as bind_bot
from gouji.engine import Hand, Match
from gouji.gateway.service import bind as bind_gateway
from gouji.matchmaking.service import bind as bind_matchmaking
from gouji.scoring.service import bind as bind_scoring
from gouji.serving import schema
from gouji.serving.app import App
from gouji.serving.database import Database
from gouji.serving.errors import reason_of
from gouji.serving.settings import Settings
from gouji.serving.testing import running_app
from gouji.serving.vault import vault_for
from gouji.table.loading import fold_log
from gouji.table.service import bind as bind_table
from gouji.table.store import Store
from gouji.tournament.service import bind as bind_tournament
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
    scoring_pb2_grpc,
    table_pb2,
    table_pb2_grpc,
)

from .erased import NAME, named, pass_time, seed_table

BINDS = {
    "gateway": bind_gateway,
    "matchmaking": bind_matchmaking,
    "table": bind_table,
    "bot": bind_bot,
    "scoring": bind_scoring,
    "tournament": bind_tournament,
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


@pytest.fixture(autouse=True)
def _soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have hands be short, and what is looked for from time to time be looked for often."""

    def deal(match: Match, _seed: bytes, *, held: bool = False, history: bool = False) -> Hand:
        return Hand.position(match.rules, ["34", "5", "6", "7", "8", "9"], 0, held=held, history=history)

    monkeypatch.setattr(Match, "deal", deal)
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
    async with asyncio.timeout(100):
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
    assert fold_log(live, await world.store.events(live)).over  # every digest fits
    assert await people_left(world.app.database, ann) == {"deletions", "match_seats", "player_points"}
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
            named = sa.or_(sa.false(), *(one == player_id for one in columns))
            query = sa.select(sa.literal(1)).select_from(table).where(named)
            if await connection.scalar(query.limit(1)):
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
            "gouji.gateway.table_servers.reader_of",
            lambda _, servers: next(server for server in servers if server.server_id != owner),
        )
        await world.accounts.DeleteAccount(account_pb2.DeleteAccountRequest(), metadata=token)
        await come(lambda: world.is_done(ann))
        await come(lambda: world.is_over(live))
        assert await named(app.database, world.store) == []
